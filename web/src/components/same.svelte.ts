// What the reader chose to read a step in. Kept for the visit: the next stop opens in the same way.
import type { TensorName } from '../core/generated/tables'
import type { CellRef } from '../core/protocol'
import { cellFormula } from './describe'

export const ways = ['formula', 'numpy', 'torch', 'cpp'] as const
export type Way = (typeof ways)[number]

class Choice {
  open = $state(false)
  way: Way = $state('formula')
  /** C++: the one that runs, not the one that reads well */
  fast = $state(false)
}

export const choice = new Choice()

/** The tensors in steps_numpy.py and steps_torch.py. */
export const pythonNames: Readonly<Partial<Record<TensorName, string>>> = {
  token_vectors: 'E', positions: 'P', x: 'X', w_q: 'W_Q', w_k: 'W_K', w_v: 'W_V', w_o: 'W_O',
  q: 'Q', k: 'K', v: 'V', q_heads: 'Q_heads', k_heads: 'K_heads', v_heads: 'V_heads',
  raw_scores: 'S', scaled_scores: 'S_scaled', masked_scores: 'S_masked', weights: 'A',
  heads: 'Z_heads', concat: 'Z', contributions: 'C', output: 'Y',
}

/** S[0, 6, 4]: code counts heads from 0, too. C is a list of matrices. */
export function pythonCell({ tensor, index }: CellRef): string {
  const name = pythonNames[tensor] ?? tensor
  if (tensor === 'contributions') return `${name}[${index[0]}][${index.slice(1).join(', ')}]`
  return `${name}[${index.join(', ')}]`
}

/** The cell as it is written in this way: markup of prose.ts for mathematics, plain text for Python. */
export const cellIn = (way: Way, cell: CellRef): { text: string; isCode: boolean } =>
  way === 'numpy' || way === 'torch' ? { text: pythonCell(cell), isCode: true } : { text: cellFormula(cell), isCode: false }
