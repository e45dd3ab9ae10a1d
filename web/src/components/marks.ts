// What is marked in a map because of the pinned cell: the cell itself, its operands, its tokens, and what it reaches.
import type { CellRef, Explanation, Influence } from '../core/protocol'
import type { Block, Matrix, Place } from '../model/matrix'
import { headOf, tokensOf } from '../model/pin'

export interface Marks {
  pinned: Place | undefined
  twin: Place | undefined
  row: number | undefined
  column: number | undefined
  reached: readonly Block[]
}

const nothing: Marks = { pinned: undefined, twin: undefined, row: undefined, column: undefined, reached: [] }

export function marksOf(
  matrix: Matrix,
  pin: CellRef | null,
  explanation: Explanation | undefined,
  influence: Influence | undefined,
): Marks {
  if (pin === null) return nothing
  const pinned = matrix.find(pin)
  const operands = explanation === undefined ? [] : operandsIn(matrix, explanation)
  const rows = new Set(operands.map(({ row }) => row))
  const columns = new Set(operands.map(({ column }) => column))
  const [first] = operands
  const asked = sameTokens(matrix, pin) ?? samePart(matrix, pin)
  // One operand is a cell, many in one line are that line.
  const twin = pinned === undefined ? (operands.length === 1 ? first : asked) : undefined
  const line = operands.length > 1
  return {
    pinned,
    twin,
    row: pinned?.row ?? (line && rows.size === 1 ? first?.row : undefined) ?? tokenRow(matrix, pin),
    column: line && columns.size === 1 && rows.size > 1 ? first?.column : undefined,
    // What the pinned cell reaches in its own map is itself, under another name.
    reached: pinned === undefined ? reachedIn(matrix, influence).filter((block) => !isCell(block, twin)) : [],
  }
}

function reachedIn(matrix: Matrix, influence: Influence | undefined): Block[] {
  return (influence?.reached ?? []).map((region) => matrix.part(region)).filter((block) => block !== undefined)
}

const isCell = ({ row, column, rows, columns }: Block, place: Place | undefined): boolean =>
  rows === 1 && columns === 1 && row === place?.row && column === place.column

function operandsIn(matrix: Matrix, { terms }: Explanation): Place[] {
  return terms.flatMap(({ a, b }) => [matrix.find(a), b && matrix.find(b)]).filter((place) => place !== undefined)
}

/** The row of the token that asks (or is asked, in K and V). */
function tokenRow(matrix: Matrix, pin: CellRef): number | undefined {
  const { query, key } = tokensOf(pin)
  const token = matrix.rowAxis === 'n' ? query : matrix.rowAxis === 'm' ? key : undefined
  return token !== undefined && token < matrix.rows ? token : undefined
}

/** The same pair of tokens of the same head, as another tensor holds it. */
function sameTokens(matrix: Matrix, pin: CellRef): Place | undefined {
  const { query, key } = tokensOf(pin)
  if (matrix.rowAxis !== 'n' || matrix.columnAxis !== 'm' || query === undefined || key === undefined) return undefined
  return matrix.head === headOf(pin) ? { row: query, column: key } : undefined
}

/** A contribution and the output cell it is part of. */
function samePart(matrix: Matrix, pin: CellRef): Place | undefined {
  const names = [matrix.tensor, pin.tensor]
  if (!names.includes('output') || !names.includes('contributions')) return undefined
  const [row, column] = pin.index.slice(-2)
  return row === undefined || column === undefined ? undefined : { row, column }
}

/** Labels to highlight: tokens only. */
export function markedTokens(matrix: Matrix, pin: CellRef | null, marks: Marks): { row: number | undefined; column: number | undefined } {
  if (pin === null) return { row: undefined, column: undefined }
  const { key } = tokensOf(pin)
  return { row: marks.row, column: matrix.columnAxis === 'm' && key !== undefined ? key : marks.pinned?.column }
}
