// The colours of a band of cells, to the device pixel, in the way that costs least: a rectangle per cell where they are few, a
// picture with a pixel per cell, stretched, where they are many, the strongest cell per pixel where they are too many.
import type { Matrix } from '../../model/matrix'
import { type Band, type Bins, type Grid, bins, strongest } from './geometry'
import type { Look } from './paint'
import { colourIn, css, pixelIn } from './ramp'

/** Cells this wide or high stand apart by a pixel. */
export const gapFromPx = 10
/** From here on a rectangle per cell costs more than the stretched picture. */
const fewCells = 2048

export const isBlank = (value: number, { domain, blankBelow }: Pick<Look, 'domain' | 'blankBelow'>): boolean =>
  domain.kind === 'sequential' && value < blankBelow

/** Where a band lies on the canvas, in device pixels. */
interface Plan {
  left: number
  width: number
  height: number
  /** the first column */
  start: number
  columns: Bins
  rows: Bins
  columnGap: number
  rowGap: number
}

export function paintCells(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, band: Band, look: Look, pixelRatio: number): void {
  const [width, height] = [Math.round(band.width * pixelRatio), Math.round(grid.height * pixelRatio)]
  if (width < 1 || height < 1) return
  const plan: Plan = {
    left: Math.round(band.left * pixelRatio), width, height, start: band.start, columns: bins(band.count, width), rows: bins(grid.rows, height),
    columnGap: band.width / band.count >= gapFromPx ? Math.round(pixelRatio) : 0,
    rowGap: grid.rowHeight >= gapFromPx ? Math.round(pixelRatio) : 0,
  }
  const cells = plan.columns.count * plan.rows.count
  if (cells < band.count * grid.rows) bin(context, matrix, look, plan)
  else if (cells <= fewCells) fill(context, matrix, look, plan)
  else stretch(context, matrix, look, plan)
}

function fill(context: CanvasRenderingContext2D, matrix: Matrix, look: Look, { left, start, columns, rows, columnGap, rowGap }: Plan): void {
  for (let row = 0; row < rows.count; row += 1) {
    const top = rows.pixel(row)
    const height = rows.pixel(row + 1) - top - rowGap
    for (let column = 0; column < columns.count; column += 1) {
      const value = matrix.value(row, start + column)
      if (!Number.isFinite(value) || isBlank(value, look)) continue
      context.fillStyle = css(colourIn(value, look))
      const aside = columns.pixel(column)
      context.fillRect(left + aside, top, columns.pixel(column + 1) - aside - columnGap, height)
    }
  }
}

function stretch(context: CanvasRenderingContext2D, matrix: Matrix, look: Look, plan: Plan): void {
  const { left, width, height, columns, rows, columnGap, rowGap } = plan
  context.imageSmoothingEnabled = false
  context.drawImage(cellPicture(matrix, look, plan), 0, 0, columns.count, rows.count, left, 0, width, height)
  if (columnGap > 0) for (let c = 1; c <= columns.count; c += 1) context.clearRect(left + columns.pixel(c) - columnGap, 0, columnGap, height)
  if (rowGap > 0) for (let r = 1; r <= rows.count; r += 1) context.clearRect(left, rows.pixel(r) - rowGap, width, rowGap)
}

const pictures = new WeakMap<Matrix, Map<string, HTMLCanvasElement>>()

/** One pixel per cell. Kept as long as the matrix is: while shapes move, its numbers are coloured once. */
function cellPicture(matrix: Matrix, look: Look, { start, columns, rows }: Plan): HTMLCanvasElement {
  const { domain, ground, depth, from, blankBelow } = look
  const known = pictures.get(matrix) ?? new Map<string, HTMLCanvasElement>()
  pictures.set(matrix, known)
  const key = [start, columns.count, domain.kind, domain.limit, ground, depth, from, blankBelow].join()
  const old = known.get(key)
  if (old !== undefined) return old
  const picture = document.createElement('canvas')
  picture.width = columns.count
  picture.height = rows.count
  const image = new ImageData(columns.count, rows.count)
  const pixels = new Uint32Array(image.data.buffer)
  for (let row = 0; row < rows.count; row += 1) {
    for (let column = 0; column < columns.count; column += 1) {
      pixels[row * columns.count + column] = pixelOf(matrix.value(row, start + column), look)
    }
  }
  picture.getContext('2d')?.putImageData(image, 0, 0)
  known.set(key, picture)
  return picture
}

/** Every pixel shows the strongest of the cells that share it. */
function bin(context: CanvasRenderingContext2D, matrix: Matrix, look: Look, { left, width, height, start, columns, rows, columnGap, rowGap }: Plan): void {
  const image = new ImageData(width, height)
  const pixels = new Uint32Array(image.data.buffer)
  for (let r = 0; r < rows.count; r += 1) {
    const [top, bottom] = [rows.pixel(r) * width, (rows.pixel(r + 1) - rowGap) * width]
    for (let c = 0; c < columns.count; c += 1) {
      const { row, column } = strongest(matrix, rows.first(r), rows.first(r + 1), start + columns.first(c), start + columns.first(c + 1))
      pixels.fill(pixelOf(matrix.value(row, column), look), top + columns.pixel(c), top + columns.pixel(c + 1) - columnGap)
    }
    for (let line = top + width; line < bottom; line += width) pixels.copyWithin(line, top, top + width)
  }
  context.putImageData(image, left, 0)
}

/** Nothing where there is nothing to see. */
const pixelOf = (value: number, look: Look): number => (!Number.isFinite(value) || isBlank(value, look) ? 0 : pixelIn(value, look))
