// How a pinned cell is explained, in every chapter. The type of this file is the type of explain.zh.ts.
import type { TensorName } from '../core/generated/tables'
import type { WeightsName } from '../core/protocol'

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** What a number that is not computed from others depends on. */
export interface Source {
  token: string
  /** where parameters and vectors come from */
  weights: WeightsName
  seed: number
  /** numbers per token */
  d: number
  /** whether positions are on */
  positions: boolean
}

const given: Partial<Record<TensorName, (source: Source) => string>> = {
  token_vectors: ({ token, weights, seed }) =>
    weights !== 'seeded'
      ? `The vector of “${token}”, the same in every sentence. Training found it, like every parameter; here the thread begins.`
      : `The vector of “${token}”, drawn from seed ${seed} and the word itself. Nothing else made it: here the thread begins.`,
  positions: ({ d, weights, positions }) =>
    weights !== 'seeded' ? 'The vector of this place, the same in every sentence, found by training.' : positions ? `The sinusoidal position: made of the place, the column and d = ${d}, and of nothing else.` : 'Positions are off: all of them are 0.',
}

export const explain = {
  region: 'How the pinned cell is made',
  unpin: 'Unpin',
  escape: 'Esc',
  pair: (query: string, key: string) => `${query} → ${key}`,
  dot: (terms: number) => (terms === 1 ? '1 product' : `${terms} products, added up`),
  sum: 'Two numbers, added up',
  scale: (k: number) => `Divided by √${k}`,
  scaleOff: 'Scaling is off: unchanged',
  mask: 'Allowed: passes unchanged',
  maskHit: 'Not allowed: the score is set to −∞, so the attention weight will be 0.',
  softmaxMasked: 'Masked: score −∞, attention weight 0.',
  softmaxDead: 'Every key of this row is masked: all its attention weights are set to 0.',
  same: 'The same number in the same place of memory, only indexed differently:',
  given: (tensor: TensorName, source: Source) => given[tensor]?.(source) ?? (source.weights !== 'seeded' ? 'A parameter, found by training.' : `A parameter from seed ${source.seed}. It was not trained.`),
  byHead: (h: number) => (h === 1 ? 'One head, one contribution' : `${h} heads, ${h} contributions`),
  scope: {
    label: 'One cell or the row',
    cell: 'This cell',
    row: 'The whole row',
    meaning: 'How far each contribution goes in the direction of Y’s row; together they are the row’s length.',
    zero: 'This row of Y is all 0: there is no direction to compare with.',
  },
  byHeadRest: (n: number) => `The other ${count(n, 'head')}`,
  direction: 'Blue to the right adds, red to the left takes away.',
  products: 'The same cell as products',
  largest: (shown: number) => `The ${shown} largest`,
  product: 'Product',
  rest: (terms: number) => `The other ${terms}`,
  total: 'Sum',
  bias: 'Bias',
  gateOff: 'This head is switched off: its output is multiplied by 0.',
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
  onward: {
    title: 'Goes into',
    row: (name: string, n: number, word?: string) => (word === undefined ? `row ${n} of ${name}` : `the row of “${word}” in ${name}`),
    column: (name: string, n: number) => `column ${n} of ${name}`,
    rows: (first: number, last: number) => `rows ${first}–${last}`,
    output: 'This is the output of the layer: the thread ends here.',
    stopped: 'It goes no further: it is masked, or its head is switched off.',
  },
}

export type ExplainText = typeof explain
