// Negative numbers marked beyond their colour, for who can't see it and for grey paper: a tick in cells that have room for one,
// a hatch over smaller ones.
import type { Matrix } from '../../model/matrix'
import { type Band, type Grid, boxOf, pixelsOf, strongest } from './geometry'
import type { Look } from './paint'
import { colourIn, inkOn } from './ramp'

export const tickFromPx = 16
const tick = { width: 9, height: 2, inset: 3 }
const hatchPitchPx = 4

export function markNegative(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, look: Look, pixelRatio: number): void {
  if (look.domain.kind === 'sequential') return
  for (const band of grid.bands) {
    if (Math.min(band.width / band.count, grid.rowHeight) >= tickFromPx) tickBand(context, matrix, grid, band, look)
    else hatchBand(context, matrix, grid, band, look, pixelRatio)
  }
}

function tickBand(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, band: Band, look: Look): void {
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = band.start; column < band.start + band.count; column += 1) {
      const value = matrix.value(row, column)
      const box = boxOf(grid, row, column)
      if (box === undefined || !isNegative(value)) continue
      context.fillStyle = inkOn(colourIn(value, look))
      context.fillRect(box.left + tick.inset, box.top + box.height - 1 - tick.inset - tick.height, tick.width, tick.height)
    }
  }
}

/** One hatch over all negative cells of a band: where cells are small, neighbours share its lines. */
function hatchBand(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, band: Band, look: Look, pixelRatio: number): void {
  const { left: bandLeft, columns, rows } = pixelsOf(grid, band, pixelRatio)
  for (const ink of ['#000', '#fff'] as const) {
    context.save()
    context.beginPath()
    for (let r = 0; r < rows.count; r += 1) {
      for (let c = 0; c < columns.count; c += 1) {
        const { row, column } = strongest(
          matrix, rows.first(r), rows.end(r), band.start + columns.first(c), band.start + columns.end(c),
        )
        const value = matrix.value(row, column)
        if (!isNegative(value) || inkOn(colourIn(value, look)) !== ink) continue
        const [left, right] = [c, c + 1].map((bin) => (bandLeft + columns.pixel(bin)) / pixelRatio) as [number, number]
        const [top, bottom] = [r, r + 1].map((bin) => rows.pixel(bin) / pixelRatio) as [number, number]
        context.rect(left, top, right - left, bottom - top)
      }
    }
    context.clip()
    context.strokeStyle = ink
    context.globalAlpha = 0.7
    context.lineWidth = 1
    context.beginPath()
    for (let x = -grid.height; x < band.width; x += hatchPitchPx) {
      context.moveTo(band.left + x, grid.height)
      context.lineTo(band.left + x + grid.height, 0)
    }
    context.stroke()
    context.restore()
  }
}

/** A masked score is −∞: hatched as such. */
const isNegative = (value: number): boolean => value < 0 && Number.isFinite(value)
