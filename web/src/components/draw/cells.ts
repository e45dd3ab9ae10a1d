// The colours of a band of cells, to the device pixel: the strongest cell of every pixel where there are more cells than pixels.
import type { Matrix } from '../../model/matrix'
import { type Band, type Bins, type Grid, pixelsOf } from './geometry'
import type { Look } from './paint'
import { shader } from './ramp'

/** Cells this wide or high stand apart by a pixel. */
export const gapFromPx = 10

export const isBlank = (value: number, { domain, blankBelow }: Pick<Look, 'domain' | 'blankBelow'>): boolean =>
  domain.kind === 'sequential' && value < blankBelow

export type Tint = Pick<Look, 'domain' | 'ground' | 'from' | 'depth' | 'blankBelow'>

export function paintCells(context: CanvasRenderingContext2D, matrix: Matrix, grid: Grid, band: Band, look: Tint, pixelRatio: number): void {
  const { left, width, height } = pixelsOf(grid, band, pixelRatio)
  if (width < 1 || height < 1) return
  const pixels = blankPixels(width * height)
  colourCells(pixels, matrix, grid, band, look, pixelRatio)
  const image = new ImageData(new Uint8ClampedArray(pixels.buffer, 0, pixels.byteLength), width, height)
  context.putImageData(image, left, 0)
}

let scratch = new ArrayBuffer(0)

/** The same memory every time: a megabyte that was never touched costs more than painting it. */
function blankPixels(count: number): Uint32Array<ArrayBuffer> {
  if (scratch.byteLength < 4 * count) scratch = new ArrayBuffer(4 * count)
  return new Uint32Array(scratch, 0, count).fill(0)
}

/** Writes the pixels of a band as ImageData holds them. Where there is nothing to see they stay as they are: transparent. */
export function colourCells(pixels: Uint32Array, matrix: Matrix, grid: Grid, band: Band, look: Tint, pixelRatio: number): void {
  const { width, columns, rows } = pixelsOf(grid, band, pixelRatio)
  const columnGap = band.width / band.count >= gapFromPx ? Math.round(pixelRatio) : 0
  const rowGap = grid.rowHeight >= gapFromPx ? Math.round(pixelRatio) : 0
  const colourOf = shader(look)
  const [firstOf, endOf, pixelOf] = [listed(columns, columns.first), listed(columns, columns.end), listed(columns, columns.pixel)]
  for (let r = 0; r < rows.count; r += 1) {
    const [fromRow, toRow] = [rows.first(r), rows.end(r)]
    const line = strongestOfRows(matrix, fromRow, toRow, band)
    const [top, bottom] = [rows.pixel(r) * width, (rows.pixel(r + 1) - rowGap) * width]
    for (let c = 0; c < columns.count; c += 1) {
      const value = strongestOf(line, firstOf[c]!, endOf[c]!)
      if (!Number.isFinite(value) || isBlank(value, look)) continue
      const colour = colourOf(value)
      const end = top + pixelOf[c + 1]! - columnGap
      for (let pixel = top + pixelOf[c]!; pixel < end; pixel += 1) pixels[pixel] = colour
    }
    for (let line = top + width; line < bottom; line += width) pixels.copyWithin(line, top, top + width)
  }
}

/** Asked once for every bin, and for what would be the next. */
function listed({ count }: Bins, of: (bin: number) => number): Int32Array {
  const found = new Int32Array(count + 1)
  for (let bin = 0; bin <= count; bin += 1) found[bin] = of(bin)
  return found
}

let strong = new Float32Array(0)

/** Of every column of a band the strongest number in some rows. With `strongestOf` it is what `strongest` finds: every cell there is passes here. */
function strongestOfRows({ data, offset, rowStride, columnStride }: Matrix, fromRow: number, toRow: number, { start, count }: Band): Float32Array {
  if (strong.length < count) strong = new Float32Array(count)
  const line = strong
  let at = offset + fromRow * rowStride + start * columnStride
  for (let column = 0; column < count; column += 1, at += columnStride) line[column] = data[at]!
  for (let row = fromRow + 1; row < toRow; row += 1) {
    at = offset + row * rowStride + start * columnStride
    for (let column = 0; column < count; column += 1, at += columnStride) line[column] = stronger(line[column]!, data[at]!)
  }
  return line
}

function strongestOf(line: Float32Array, from: number, to: number): number {
  let best = line[from]!
  for (let column = from + 1; column < to; column += 1) best = stronger(best, line[column]!)
  return best
}

/** Not a number is neither smaller nor larger, and stays. */
const stronger = (best: number, value: number): number => (best === best && !(Math.abs(value) <= Math.abs(best)) ? value : best)
