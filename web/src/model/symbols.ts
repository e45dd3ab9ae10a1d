// How a tensor is written in a formula. Markup of components/prose.ts: _ lowers, ^ raises. Heads count from 1 here.
import type { TensorName } from '../core/generated/tables'
import type { CellRef } from '../core/protocol'
import { headOf } from './pin'

const letters: Readonly<Partial<Record<TensorName, string>>> = {
  token_vectors: 'E', positions: 'P', x: 'X', context: 'C',
  w_q: 'W_Q', w_k: 'W_K', w_v: 'W_V', w_o: 'W_O',
  q: 'Q', k: 'K', v: 'V', q_heads: 'Q', k_heads: 'K', v_heads: 'V',
  raw_scores: 'S', scaled_scores: 'S′', masked_scores: 'S″', weights: 'A',
  heads: 'Z', concat: 'Z', contributions: 'C', output: 'Y',
}

export function symbolOf(tensor: TensorName, head?: number): string {
  const letter = letters[tensor] ?? tensor
  return head === undefined ? letter : `${letter}_{${head + 1}}`
}

/** S_1[6, 4]: the symbol and the index within it, from 0. */
export function cellSymbol(cell: CellRef): { symbol: string; index: readonly number[] } {
  const head = headOf(cell)
  return { symbol: symbolOf(cell.tensor, head), index: head === undefined ? cell.index : cell.index.slice(1) }
}
