// A flat picture of a tensor view: which number stands in which row and column, and the cell it belongs to. Only
// addressing: strides and offsets are the core's own, and two views show the same number when they read the same place.
import type { CellRef, Pass, Region, TensorView } from '../core/protocol'
import type { TensorName } from '../core/generated/tables'

export interface Place {
  row: number
  column: number
}

/** Rows and columns from a place on. */
export interface Block extends Place {
  rows: number
  columns: number
}

export interface Matrix {
  readonly tensor: TensorName
  /** the head this is a slice of, if it is one */
  readonly head: number | undefined
  readonly rows: number
  readonly columns: number
  /** axis letters: n and m are tokens, everything else counts numbers */
  readonly rowAxis: string
  readonly columnAxis: string
  /** what the first row and column are called in the whole tensor */
  readonly firstRow: number
  readonly firstColumn: number
  readonly data: Float32Array
  readonly offset: number
  readonly rowStride: number
  readonly columnStride: number
  value(row: number, column: number): number
  cell(row: number, column: number): CellRef
  find(cell: CellRef): Place | undefined
  /** the part of a box of cells that is in this picture */
  part(region: Region): Block | undefined
}

export interface Slice {
  /** rank 3: which entry of the first axis */
  head?: number
  /** rank 3, if the view holds only some heads: where that one lies in it */
  place?: number
  transposed?: boolean
  /** [first, count] of the rows or columns, before transposing */
  rows?: readonly [number, number]
  columns?: readonly [number, number]
}

/** `pass` lets the matrix recognise a cell of another view of the same bytes. */
export function matrixOf(view: TensorView, slice: Slice = {}, pass?: Pass): Matrix {
  const rank3 = view.shape.length === 3
  const [rowPlace, columnPlace] = rank3 ? [1, 2] : [0, 1]
  const head = rank3 ? (slice.head ?? 0) : undefined
  const [firstRow, rowCount] = slice.rows ?? [0, view.shape[rowPlace] ?? 0]
  const [firstColumn, columnCount] = slice.columns ?? [0, view.shape[columnPlace] ?? 0]
  const stride = (place: number): number => view.strides[place] ?? 0
  const start = rank3 ? (slice.place ?? head ?? 0) * stride(0) : 0
  const offset = view.offset + start + firstRow * stride(rowPlace) + firstColumn * stride(columnPlace)

  const upright = {
    rows: rowCount,
    columns: columnCount,
    rowAxis: view.axes[rowPlace] ?? '',
    columnAxis: view.axes[columnPlace] ?? '',
    firstRow,
    firstColumn,
    rowStride: stride(rowPlace),
    columnStride: stride(columnPlace),
  }
  const laid = slice.transposed ? turned(upright) : upright
  const indexOf = (row: number, column: number): number[] => {
    const [a, b] = slice.transposed ? [column, row] : [row, column]
    const inner = [firstRow + a, firstColumn + b]
    return head === undefined ? inner : [head, ...inner]
  }
  const within = (row: number, column: number): Place | undefined =>
    row >= 0 && row < laid.rows && column >= 0 && column < laid.columns ? { row, column } : undefined

  return {
    ...laid,
    tensor: view.name,
    head,
    data: view.data,
    offset,
    value: (row, column) => view.data[offset + row * laid.rowStride + column * laid.columnStride] ?? NaN,
    cell: (row, column) => ({ tensor: view.name, index: indexOf(row, column) }),
    find(cell) {
      if (cell.tensor === view.name) {
        const inner = head === undefined ? cell.index : cell.index[0] === head ? cell.index.slice(1) : undefined
        if (inner === undefined) return undefined
        const a = (inner[0] ?? -1) - firstRow
        const b = (inner[1] ?? -1) - firstColumn
        return slice.transposed ? within(b, a) : within(a, b)
      }
      const other = pass?.tensor(cell.tensor)
      if (other === undefined || other.data.buffer !== view.data.buffer) return undefined
      const distance = addressOf(other, cell.index) - (view.data.byteOffset / 4 + offset)
      return placeAt(distance, laid)
    },
    part({ tensor, first, count }) {
      const has = (place: number, i: number): boolean => i >= first[place]! && i < first[place]! + count[place]!
      if (tensor !== view.name || (head !== undefined && !has(0, head))) return undefined
      const [row, rowEnd] = overlap(first[rowPlace]! - firstRow, count[rowPlace]!, rowCount)
      const [column, columnEnd] = overlap(first[columnPlace]! - firstColumn, count[columnPlace]!, columnCount)
      if (row >= rowEnd || column >= columnEnd) return undefined
      const [rows, columns] = [rowEnd - row, columnEnd - column]
      return slice.transposed ? { row: column, column: row, rows: columns, columns: rows } : { row, column, rows, columns }
    },
  }
}

/** From where to where places first … first + count − 1 are within 0 … extent − 1. */
const overlap = (first: number, count: number, extent: number): [number, number] => [
  Math.max(0, first),
  Math.min(extent, first + count),
]

type Laid = Pick<
  Matrix,
  'rows' | 'columns' | 'rowAxis' | 'columnAxis' | 'firstRow' | 'firstColumn' | 'rowStride' | 'columnStride'
>

function turned(laid: Laid): Laid {
  return {
    rows: laid.columns,
    columns: laid.rows,
    rowAxis: laid.columnAxis,
    columnAxis: laid.rowAxis,
    firstRow: laid.firstColumn,
    firstColumn: laid.firstRow,
    rowStride: laid.columnStride,
    columnStride: laid.rowStride,
  }
}

/** Where a cell lies in its buffer, in floats. */
function addressOf(view: TensorView, index: readonly number[]): number {
  return view.data.byteOffset / 4 + view.offset + index.reduce((sum, i, axis) => sum + i * (view.strides[axis] ?? 0), 0)
}

function placeAt(distance: number, { rows, columns, rowStride, columnStride }: Laid): Place | undefined {
  for (let row = 0; row < rows; row += 1) {
    const rest = distance - row * rowStride
    const column = rest / columnStride
    if (rest >= 0 && Number.isInteger(column) && column < columns) return { row, column }
  }
  return undefined
}

const count = (view: TensorView): number => view.shape.reduce((product, extent) => product * extent, 1)

/** How many bytes lie somewhere else in `after` than in `before`: 0 if it is a view of the same memory. */
export function movedBytes(before: TensorView, after: TensorView): number {
  const same = before.data.buffer === after.data.buffer && addressOf(before, []) === addressOf(after, [])
  return same && count(before) === count(after) ? 0 : 4 * count(after)
}

/** The cell of `tensor` that reads the same place of memory as `cell`, if there is one. */
export function alias(pass: Pass, cell: CellRef, tensor: TensorName): CellRef | undefined {
  const view = pass.tensor(tensor)
  if (view === undefined) return undefined
  const slices = view.shape.length === 3 ? Array.from({ length: view.shape[0] ?? 0 }, (_, head) => ({ head })) : [{}]
  for (const slice of slices) {
    const matrix = matrixOf(view, slice, pass)
    const place = matrix.find(cell)
    if (place !== undefined) return matrix.cell(place.row, place.column)
  }
  return undefined
}
