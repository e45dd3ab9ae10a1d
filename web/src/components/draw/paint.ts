// Paints a matrix on a canvas, to the device pixel. Colours and digits only: everything the reader points at is DOM.
import { bare, fixed } from '../../model/format'
import type { Matrix } from '../../model/matrix'
import type { Domain } from '../../model/scale'
import { gapFromPx, isBlank, paintCells } from './cells'
import type { Digits } from './digits'
import { type Grid, boxOf, devicePx } from './geometry'
import { type Ground, type Shade, alarmOn, colourIn, css, hairOn, inkOn, lineOn } from './ramp'
import { markNegative } from './signs'

export interface Look {
  domain: Domain
  ground: Ground
  /** the part of the ramp in use */
  from: number
  depth: number
  /** attention weights below this are left blank */
  blankBelow: number
  /** negative cells are marked, not by colour alone */
  signs: boolean
  digits: Digits | undefined
  /** CSS font family of the digits */
  family: string
  /** true where a cell may not be looked at */
  masked: ((row: number, column: number) => boolean) | undefined
}

const hatchPitchPx = 6

export function paint(canvas: HTMLCanvasElement, matrix: Matrix, grid: Grid, look: Look, pixelRatio: number): void {
  const context = cleared(canvas, Math.max(1, devicePx(grid.width, pixelRatio)), Math.max(1, devicePx(grid.height, pixelRatio)))
  if (context === null) return
  for (const band of grid.bands) paintCells(context, matrix, grid, band, look, pixelRatio)
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0)
  if (look.blankBelow > 0 && look.domain.kind === 'sequential') frameBlank(context, matrix, grid, look)
  if (look.masked !== undefined) hatchMasked(context, matrix, grid, look)
  if (look.signs) markNegative(context, matrix, grid, look, pixelRatio)
  if (look.digits !== undefined) writeDigits(context, matrix, grid, look, look.digits)
}

/** A canvas of this size with nothing on it, and a point of its own for every pixel. Its memory is taken anew only for another size. */
export function cleared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const context = canvas.getContext('2d')
  if (canvas.width === width && canvas.height === height) {
    context?.setTransform(1, 0, 0, 1, 0, 0)
    context?.clearRect(0, 0, width, height)
  } else {
    canvas.width = width
    canvas.height = height
  }
  return context
}

/** A hairline around what is left blank, so that the eye finds its row and column. */
function frameBlank(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, look: Look): void {
  context.strokeStyle = hairOn[look.ground]
  context.lineWidth = 1
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < matrix.columns; column += 1) {
      const box = boxOf(grid, row, column)
      if (box === undefined || box.width < gapFromPx || !isBlank(matrix.value(row, column), look)) continue
      context.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 2, box.height - 2)
    }
  }
}

/** 45° lines over what may not be looked at, and a border around it. */
function hatchMasked(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, look: Look): void {
  context.strokeStyle = lineOn[look.ground]
  context.lineWidth = 1
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < matrix.columns; column += 1) {
      if (!(look.masked?.(row, column) ?? false)) continue
      const box = boxOf(grid, row, column)
      if (box === undefined || box.width < 4 || box.height < 4) continue
      context.save()
      context.beginPath()
      context.rect(box.left, box.top, box.width - 1, box.height - 1)
      context.clip()
      context.clearRect(box.left, box.top, box.width, box.height)
      context.beginPath()
      for (let x = -box.height; x < box.width; x += hatchPitchPx) {
        context.moveTo(box.left + x, box.top + box.height)
        context.lineTo(box.left + x + box.height, box.top)
      }
      context.stroke()
      context.strokeRect(box.left + 0.5, box.top + 0.5, box.width - 2, box.height - 2)
      context.restore()
    }
  }
}

function writeDigits(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, look: Look, digits: Digits): void {
  context.font = `${digits.fontPx}px ${look.family}`
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  for (const band of grid.bands) {
    const cellWidth = band.width / band.count
    const digitWidth = context.measureText(digits.bare ? printed(0, digits) : fixed(-look.domain.limit, digits.decimals)).width
    // Centred as a block: the columns of digits stay aligned to the right.
    const right = Math.max(3, (cellWidth - digitWidth) / 2)
    for (let column = band.start; column < band.start + band.count; column += 1) {
      for (let row = 0; row < grid.rows; row += 1) {
        if (look.masked?.(row, column) ?? false) continue
        const value = matrix.value(row, column)
        const box = boxOf(grid, row, column)
        if (box === undefined) continue
        if (isBlank(value, look)) continue
        context.fillStyle = Number.isFinite(value) ? inkOn(colourIn(value, look)) : alarmOn[look.ground]
        context.fillText(printed(value, digits), box.left + box.width - 1 - right, box.top + (box.height - 1) / 2 + 1)
      }
    }
  }
}

export function printed(value: number, digits: Digits): string {
  const text = fixed(value, digits.decimals)
  return digits.bare ? bare(text) : text
}

/** The colour of one cell as CSS, with the ink that reads on it. */
export function cellColours(value: number, look: Shade): { ground: string; ink: string } {
  const colour = colourIn(Number.isFinite(value) ? value : 0, look)
  return { ground: css(colour), ink: inkOn(colour) }
}
