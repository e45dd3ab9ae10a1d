// Whether a guess is right, and what switching a head off did. Whose a column is, the strides of the core say; how many
// numbers changed is counted; nothing is computed.
import { strongest } from '../../components/draw/geometry'
import { slice } from '../../components/figures'
import type { TensorName } from '../../core/generated/tables'
import type { CellRef, Pass } from '../../core/protocol'
import { type Matrix, alias, changedCount } from '../../model/matrix'
import { headOf } from '../../model/pin'
import { symbolOf } from '../../model/symbols'
import type { Block, Columns } from '../../text/questions.en'

const headed: Partial<Record<TensorName, TensorName>> = { q: 'q_heads', k: 'k_heads', v: 'v_heads', concat: 'heads' }

/** A cell of Q, K, V or Z in one piece: whose columns those are. `head` counts from 0. */
export function judgeColumn(pass: Pass, head: number, cell: CellRef): Columns | undefined {
  const byHead = headed[cell.tensor]
  if (byHead === undefined) return undefined
  const { headDim: k } = pass.shape
  const owner = alias(pass, cell, byHead)?.index[0]
  const [first, last] = [0, k - 1].map((column) => alias(pass, { tensor: byHead, index: [head, 0, column] }, cell.tensor)?.index[1])
  const [, column] = cell.index
  if (owner === undefined || column === undefined || first === undefined || last === undefined) return undefined
  return { right: owner === head, head: head + 1, k, first, last, column, owner: owner + 1 }
}

/** A cell of stop 9: whether its map changes when the head is switched off. The gate stands before W_O. */
export function judgeBlock(head: number, cell: CellRef): Block {
  const own = headOf(cell)
  return { right: cell.tensor === 'output' || own === head, head: head + 1, name: symbolOf(cell.tensor, own) }
}

export interface Change {
  changed: number
  total: number
}

/** How many numbers of Y are others since the head went out; undefined unless that is all that differs. */
export function changeOf(before: Pass, after: Pass, head: number): Change | undefined {
  const gates = ({ request, shape }: Pass): number[] => Array.from({ length: shape.heads }, (_, i) => request.headGate?.[i] ?? 1)
  const rest = ({ request }: Pass): string => JSON.stringify({ ...request, headGate: undefined })
  const wanted = gates(before).map((gate, i) => (i === head ? 0 : gate))
  if (rest(before) !== rest(after) || String(gates(after)) !== String(wanted)) return undefined
  const [y, now] = [slice(before, 'output'), slice(after, 'output')]
  return { changed: changedCount(y, now), total: y.rows * y.columns }
}

/** Where a head contributed the most. */
export const largestOf = (contribution: Matrix): { row: number; column: number } =>
  strongest(contribution, 0, contribution.rows, 0, contribution.columns)
