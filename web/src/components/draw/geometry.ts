// Where cells lie: columns in bands (one per head, with gaps between), rows of one height. Pure arithmetic of pixels.
import type { Block, Matrix, Place } from '../../model/matrix'

/** Neighbouring columns drawn together. */
export interface Band {
  /** first column and how many */
  start: number
  count: number
  left: number
  width: number
  /** the head it belongs to, counted from 0 */
  head?: number
}

export interface Grid {
  bands: readonly Band[]
  rows: number
  rowHeight: number
  width: number
  height: number
}

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export function gridOf(bands: readonly Band[], rows: number, rowHeight: number): Grid {
  const last = bands.at(-1)
  return { bands, rows, rowHeight, width: last ? last.left + last.width : 0, height: rows * rowHeight }
}

/** One band without heads. */
export const plainBand = (count: number, width: number): Band[] => [{ start: 0, count, left: 0, width }]

export interface BandPlan {
  available: number
  heads: readonly number[]
  headDim: number
  chosen: number
  gap: number
  /** the widest and the narrowest cell that may show its digits */
  cell: { max: number; min: number }
  /** the widest thumbnail */
  thumb?: number
  /** where the first head's columns start in the matrix */
  firstColumn?: number
}

/** All heads alike where digits fit; else the chosen head wide and the others as thumbnails. */
export function planBands(plan: BandPlan): Band[] {
  const { available, heads, headDim, chosen, gap, cell, thumb = 64, firstColumn = 0 } = plan
  const gaps = (heads.length - 1) * gap
  const even = Math.floor((available - gaps) / (heads.length * headDim))
  const others = heads.length - 1
  const small = Math.max(4, Math.min(thumb, Math.floor((available * 0.42) / Math.max(1, others)) - gap))
  const widthOf = (head: number): number => {
    if (even >= cell.min) return headDim * Math.min(even, cell.max)
    return head === chosen || others === 0 ? Math.max(40, available - others * (small + gap)) : small
  }
  let left = 0
  return heads.map((head, place) => {
    const band = { start: firstColumn + place * headDim, count: headDim, left, width: widthOf(head), head }
    left += band.width + gap
    return band
  })
}

/** All bands of one width, docked: a seam of a few pixels between them. */
export function dockedBands(available: number, heads: readonly number[], headDim: number, seam: number, cellMax: number): Band[] {
  const gaps = (heads.length - 1) * seam
  const width = Math.max(4, Math.min(headDim * cellMax, (available - gaps) / heads.length))
  return heads.map((head, place) => ({
    start: place * headDim,
    count: headDim,
    left: place * (width + seam),
    width,
    head,
  }))
}

const bandOf = (grid: Grid, column: number): Band | undefined =>
  grid.bands.find((band) => column >= band.start && column < band.start + band.count)

export function boxOf(grid: Grid, row: number, column: number): Box | undefined {
  const band = bandOf(grid, column)
  if (band === undefined || row < 0 || row >= grid.rows) return undefined
  const width = band.width / band.count
  return { left: band.left + (column - band.start) * width, top: row * grid.rowHeight, width, height: grid.rowHeight }
}

/** The boxes around a block of cells, one in each band it reaches into. */
export function boxesOf(grid: Grid, { row, column, rows, columns }: Block): Box[] {
  return grid.bands.flatMap((band) => {
    const first = Math.max(column, band.start)
    const count = Math.min(column + columns, band.start + band.count) - first
    const corner = count > 0 ? boxOf(grid, row, first) : undefined
    return corner === undefined ? [] : [{ ...corner, width: corner.width * count, height: grid.rowHeight * rows }]
  })
}

const leastPx = 3

/** A box that can be seen, at least 3 pixels wide and high, with the middle of the one given: whoever points there means it. */
export function visible(box: Box = { left: 0, top: 0, width: 0, height: 0 }): Box {
  const [width, height] = [Math.max(leastPx, box.width), Math.max(leastPx, box.height)]
  return { left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2, width, height }
}

/** The nearest whole device pixel; what is half of one but for rounding goes up. */
export const devicePx = (px: number, pixelRatio: number): number => Math.round(px * pixelRatio + 1e-6)

/** A band in whole device pixels. It ends where one that adjoins it begins: no pixel between them is left, none is in both. */
function bandPixels({ left, width }: Band, pixelRatio: number): { left: number; width: number } {
  const first = devicePx(left, pixelRatio)
  return { left: first, width: devicePx(left + width, pixelRatio) - first }
}

/** How a band's cells and a grid's rows share the device pixels. */
export function pixelsOf(grid: Grid, band: Band, pixelRatio: number): { left: number; width: number; height: number; columns: Bins; rows: Bins } {
  const { left, width } = bandPixels(band, pixelRatio)
  const height = devicePx(grid.height, pixelRatio)
  return { left, width, height, columns: bins(band.count, width), rows: bins(grid.rows, height) }
}

/** Where a cell is painted, in whole device pixels: `boxOf` says where it belongs, which may be half a pixel off. */
export function paintedBox(grid: Grid, row: number, column: number, pixelRatio: number): Box | undefined {
  const band = bandOf(grid, column)
  if (band === undefined || row < 0 || row >= grid.rows) return undefined
  const { left, columns, rows } = pixelsOf(grid, band, pixelRatio)
  const [across, down] = [columns.of(column - band.start), rows.of(row)]
  return {
    left: (left + columns.pixel(across)) / pixelRatio,
    top: rows.pixel(down) / pixelRatio,
    width: (columns.pixel(across + 1) - columns.pixel(across)) / pixelRatio,
    height: (rows.pixel(down + 1) - rows.pixel(down)) / pixelRatio,
  }
}

/**
 * The cell painted at a point; between bands there is none. A point means the device pixel it lies in, whole: pointers speak of whole
 * pixels, and a cell may be hardly wider than one. Where a pixel shows the strongest of several cells, that one.
 */
export function cellAt(grid: Grid, matrix: Matrix, x: number, y: number, pixelRatio: number): Place | undefined {
  const [across, down] = [Math.floor(x * pixelRatio), Math.floor(y * pixelRatio)]
  for (const band of grid.bands) {
    const { left, columns, rows } = pixelsOf(grid, band, pixelRatio)
    if (across < left || across >= left + columns.pixel(columns.count) || down < 0 || down >= rows.pixel(rows.count)) continue
    const [column, row] = [columns.at(across - left), rows.at(down)]
    return strongest(matrix, rows.first(row), rows.end(row), band.start + columns.first(column), band.start + columns.end(column))
  }
  return undefined
}

/** How `items` share `pixels`: one bin each, or one bin per pixel where there are more items than pixels. */
export interface Bins {
  count: number
  /**
   * The first item of a bin, and the end of its items. A pixel shows every item that reaches into it: were each in one pixel only,
   * pixels of two items would alternate with pixels of one, which makes stripes where there are none.
   */
  first(bin: number): number
  end(bin: number): number
  /** the first pixel of a bin; pixel(count) is the end */
  pixel(bin: number): number
  /** the bin of an item */
  of(item: number): number
  /** the bin of a pixel */
  at(pixel: number): number
}

export function bins(items: number, pixels: number): Bins {
  if (items <= pixels) {
    return {
      count: items,
      first: (bin) => bin,
      end: (bin) => bin + 1,
      pixel: (bin) => Math.round((bin * pixels) / items),
      of: (item) => item,
      at: (pixel) => Math.ceil(((pixel + 0.5) * items) / pixels) - 1,
    }
  }
  const count = Math.max(1, pixels)
  return {
    count,
    first: (bin) => Math.floor((bin * items) / count),
    end: (bin) => Math.ceil(((bin + 1) * items) / count),
    pixel: (bin) => bin,
    of: (item) => Math.ceil(((item + 1) * count) / items) - 1,
    at: (pixel) => pixel,
  }
}

/** Whether this grid has more cells than device pixels somewhere. */
export function isBinned(grid: Grid, pixelRatio: number): boolean {
  const narrow = grid.bands.some((band) => band.count > bandPixels(band, pixelRatio).width)
  return narrow || grid.rows > devicePx(grid.height, pixelRatio)
}

/** The cell of largest magnitude in a block, the first by columns; what is not a number wins, so that it can't hide. */
export function strongest(matrix: Matrix, fromRow: number, toRow: number, fromColumn: number, toColumn: number): Place {
  const { data, offset, rowStride, columnStride } = matrix
  let [bestRow, bestColumn, size] = [fromRow, fromColumn, -1]
  for (let column = fromColumn; column < toColumn; column += 1) {
    for (let row = fromRow; row < toRow; row += 1) {
      const value = Math.abs(data[offset + row * rowStride + column * columnStride]!)
      if (value <= size) continue
      // Neither smaller nor larger: not a number.
      if (!(value > size)) return { row, column }
      size = value
      bestRow = row
      bestColumn = column
    }
  }
  return { row: bestRow, column: bestColumn }
}
