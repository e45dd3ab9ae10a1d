// How a pinned cell is explained, in every chapter. The type of this file is the type of explain.zh.ts.
import type { TensorName } from '../core/generated/tables'

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

const given: Partial<Record<TensorName, (token: string, seed: number) => string>> = {
  token_vectors: (token, seed) =>
    `The vector of “${token}”, drawn from seed ${seed} and the word itself. Nothing else made it: here the thread begins.`,
  positions: () => 'The sinusoidal position: it depends on the place and the column only.',
}

export const explain = {
  region: 'How the pinned cell is made',
  unpin: 'Unpin',
  escape: 'Esc',
  pair: (query: string, key: string) => `${query} → ${key}`,
  dot: (terms: number) => `${count(terms, 'product')}, added up`,
  sum: 'Two numbers, added up',
  scale: (k: number) => `Divided by √${k}`,
  scaleOff: 'Scaling is off: unchanged',
  mask: 'Allowed: passes unchanged',
  maskHit: 'Not allowed: the score is set to −∞, so the attention weight will be 0.',
  softmaxMasked: 'Masked: score −∞, attention weight 0.',
  softmaxDead: 'Every key of this row is masked: all its attention weights are set to 0.',
  same: 'The same number in the same place of memory, only counted differently:',
  given: (tensor: TensorName, token: string, seed: number) =>
    given[tensor]?.(token, seed) ?? `A parameter from seed ${seed}. It was not trained.`,
  byHead: (h: number) => (h === 1 ? 'One head, one contribution' : `${h} heads, ${h} contributions`),
  byHeadRest: (n: number) => `The other ${count(n, 'head')}`,
  direction: 'Blue to the right adds, red to the left takes away.',
  products: 'The same cell as products',
  largest: (shown: number) => `The ${shown} largest`,
  product: 'Product',
  rest: (terms: number) => `The other ${terms}`,
  total: 'Sum',
  bias: 'Bias',
  gateOff: 'This head is switched off (ξ = 0): its sum is multiplied by 0.',
  chain: {
    score: 'score',
    max: 'row maximum',
    difference: 'difference',
    exponential: 'exponential',
    sum: 'row sum of exponentials',
    weight: 'attention weight',
  },
  otherTokens: 'The whole row',
  follow: (name: string) => `Follow ${name}`,
}

export type ExplainText = typeof explain
