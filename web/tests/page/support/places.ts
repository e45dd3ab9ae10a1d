// What the axes of every tensor are, said here on its own: the tests must not believe the page about it.

export type AxisKind = 'token' | 'number'

/** Of one matrix: [rows, columns]. Tensors of heads have the head before them. */
const kinds: Record<string, readonly [AxisKind, AxisKind]> = {
  token_vectors: ['token', 'number'],
  positions: ['token', 'number'],
  x: ['token', 'number'],
  w_q: ['number', 'number'],
  w_k: ['number', 'number'],
  w_v: ['number', 'number'],
  w_o: ['number', 'number'],
  q: ['token', 'number'],
  k: ['token', 'number'],
  v: ['token', 'number'],
  q_heads: ['token', 'number'],
  k_heads: ['token', 'number'],
  v_heads: ['token', 'number'],
  raw_scores: ['token', 'token'],
  scaled_scores: ['token', 'token'],
  masked_scores: ['token', 'token'],
  weights: ['token', 'token'],
  heads: ['token', 'number'],
  concat: ['token', 'number'],
  contributions: ['token', 'number'],
  output: ['token', 'number'],
}

const perHead = new Set([
  'q_heads', 'k_heads', 'v_heads', 'raw_scores', 'scaled_scores', 'masked_scores', 'weights', 'heads', 'contributions',
])

export const isPerHead = (tensor: string): boolean => perHead.has(tensor)

export function axisKinds(tensor: string): readonly [AxisKind, AxisKind] {
  const found = kinds[tensor]
  if (found === undefined) throw new Error(`the tests know no tensor ${tensor}`)
  return found
}

/** How a tensor is written: E, P, X, W_Q, Q_1, S_1, S′_1, S″_1, A_1, Z_1, C_1, Y. Heads count from 1. */
const letters: Record<string, string> = {
  token_vectors: 'E', positions: 'P', x: 'X', w_q: 'WQ', w_k: 'WK', w_v: 'WV', w_o: 'WO', q: 'Q', k: 'K', v: 'V', q_heads: 'Q',
  k_heads: 'K', v_heads: 'V', raw_scores: 'S', scaled_scores: 'S′', masked_scores: 'S″', weights: 'A', heads: 'Z', concat: 'Z',
  contributions: 'C', output: 'Y',
}

export const letterOf = (tensor: string): string => letters[tensor] ?? tensor

/** As the text of the page has it, without raising and lowering. */
export function symbolText(tensor: string, index: readonly number[]): string {
  const letter = letterOf(tensor)
  const [first = 0, ...rest] = index
  return isPerHead(tensor) ? `${letter}${first + 1}[${rest.join(', ')}]` : `${letter}[${index.join(', ')}]`
}
