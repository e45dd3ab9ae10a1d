// Whether a guess is right, and what switching a head off did. Whose a column is, the strides of the core say; nothing is
// computed.
import { strongest } from '../../components/draw/geometry'
import type { TensorName } from '../../core/generated/tables'
import type { CellRef, Pass } from '../../core/protocol'
import { gatesOf, sameButHeads, withGate } from '../../model/gates'
import { type Matrix, alias } from '../../model/matrix'
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

/** Whether all that happened between two passes is that the head went out. */
export const wentOut = (before: Pass, after: Pass, head: number): boolean =>
  sameButHeads(before, after) && String(gatesOf(after)) === String(withGate(before, head, 0))

/** Where a head contributed the most. */
export const largestOf = (contribution: Matrix): { row: number; column: number } =>
  strongest(contribution, 0, contribution.rows, 0, contribution.columns)
