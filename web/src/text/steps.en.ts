// Chapter `steps`: the eleven stops. The type of this file is the type of steps.zh.ts. Markup: components/prose.ts.
import type { TensorName } from '../core/generated/tables'
import type { StopName } from '../model/stops'

/** n tokens, d numbers each, h heads of k numbers. */
export interface Sizes {
  n: number
  d: number
  h: number
  k: number
}

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

interface Stop {
  short: string
  title: string
  line: (sizes: Sizes) => string
  /** the figure in one sentence, for whoever does not see it */
  alt: (sizes: Sizes) => string
}

const stops: Record<StopName, Stop> = {
  tokens: {
    short: 'Tokens',
    title: 'Tokens → $X$',
    line: ({ n, d }) =>
      `The sentence is cut into ${count(n, 'token')}. Each has a row of ${count(d, 'number')}, $E$; add a row for its place, $P$, and you get $X$.`,
    alt: ({ n, d }) => `X, ${n} by ${d}: one row per token. Token vectors plus positions give X.`,
  },
  project: {
    short: 'Project',
    title: 'Project $Q$ $K$ $V$',
    line: ({ h }) =>
      h === 1
        ? 'Three weight matrices make three rows from each row of $X$: *q* asks, *k* is asked, *v* is what gets handed over.'
        : `Three weight matrices make three rows from each row of $X$: *q* asks, *k* is asked, *v* is what gets handed over. One wide product or ${h} narrow ones: the same numbers.`,
    alt: ({ n, d, h }) => `X, ${n} by ${d}, times a ${d} by ${d} weight matrix with ${count(h, 'column block')}, gives ${n} by ${d}.`,
  },
  split: {
    short: 'Split',
    title: 'Split into heads',
    line: ({ n, h, k }) => {
      const share = `${n === 1 ? 'the one token' : `all ${n} tokens`}, ${count(k, 'number')} ${n === 1 ? 'of it' : 'for each'}. No data moves.`
      return h === 1 ? `One head has all the columns: it gets ${share}` : `By columns: every head gets ${share}`
    },
    alt: ({ n, h, k }) =>
      `${count(h, 'block')} of ${count(k, 'column')}${h === 1 ? '' : ', each'} with ${n === 1 ? 'the one row' : `all ${n} rows`}.`,
  },
  score: {
    short: 'Score',
    title: 'Score $QK^T$',
    line: ({ k }) => (k === 1 ? 'Multiply q and k: one score, positive or negative.' : `Multiply q and k number by number and add the ${k} products: one score, positive or negative.`),
    alt: ({ n, k }) => `Queries on the left, ${n} by ${k}; keys above, ${k} by ${n}; where a row meets a column stands their score.`,
  },
  scale: {
    short: '÷$√d_k$',
    title: '÷$√d_k$',
    line: ({ k }) =>
      `The wider the head, the more products are added and the wider the scores spread; softmax would then give almost everything to one token. Dividing by $√d_k$ ($d_k$: columns per head, here ${k}) brings them back.`,
    alt: ({ n }) => `Two maps of ${n} by ${n}: scores before and after scaling, in the same colours.`,
  },
  mask: {
    short: 'Mask',
    title: 'Mask (optional)',
    line: () => 'A token that must not see what comes later gets −∞ there; after softmax that weight is 0.',
    alt: ({ n }) => `Two maps of ${n} by ${n}: scaled scores, and the same with forbidden cells hatched.`,
  },
  softmax: {
    short: 'softmax',
    title: 'Softmax',
    line: () => 'Take exponentials and divide by the row’s total. One row is one token’s shares: how much it takes from each token. They add up to 1.',
    alt: ({ n }) => `Two maps of ${n} by ${n}: masked scores, and the attention weights they become, row by row.`,
  },
  mix: {
    short: '×V',
    title: '×$V$',
    line: () => 'Each token’s new row: the *v* rows added up, weighted by attention.',
    alt: ({ n, k }) => `Attention weights, ${n} by ${n}, times values, ${n} by ${k}, give the head’s output, ${n} by ${k}.`,
  },
  concat: {
    short: 'Concat',
    title: 'Concat',
    line: ({ d, h }) =>
      h === 1
        ? `With one head there is nothing to put together: its output is $Z$, ${d} wide. No data moves.`
        : `Each head’s output sits at its own columns: ${d} wide again. Here no data moves: every head writes straight into its columns.`,
    alt: ({ n, d, h }) => (h === 1 ? `The one head’s output is Z, ${n} by ${d}.` : `${h} head outputs side by side, ${n} by ${d} in all.`),
  },
  output: {
    short: '×$W_O$',
    title: '×$W_O$',
    line: ({ h, d }) =>
      h === 1
        ? 'With one head the output is its one contribution. $W_O$ mixes, it does not compress.'
        : `$W_O$ has one block of rows per head: head i is multiplied by block i, and the ${h} contributions add up to $Y$. It is ${d} × ${d}: it does not compress, it mixes the heads.`,
    alt: ({ h }) =>
      h === 1
        ? 'The head’s output times W_O gives its contribution, which is Y.'
        : `For each head: its output times its row block of W_O gives its contribution. ${h} together make Y.`,
  },
  result: {
    short: 'Output Y',
    title: 'Output $Y$',
    line: ({ n, d }) => `${n} × ${d} again, ready for the next layer. Each row now holds something of the other tokens.`,
    alt: ({ n, d }) => `Y, ${n} by ${d}: one row per token, as X had.`,
  },
}

const closed = (symbol: string) => ({ n, d }: Sizes) => `One map, ${symbol} in one piece: ${n} by ${d}.`

/** One map that stands alone where the stop's own figure has more. */
const alone: Partial<Record<TensorName, (sizes: Sizes) => string>> = {
  q: closed('Q'),
  k: closed('K'),
  v: closed('V'),
  raw_scores: ({ n }) => `One map of ${n} by ${n}: the scores.`,
  scaled_scores: ({ n }) => `One map of ${n} by ${n}: the scaled scores.`,
  masked_scores: ({ n }) => `One map of ${n} by ${n}: the masked scores, with forbidden cells hatched.`,
  weights: ({ n }) => `One map of ${n} by ${n}: the attention weights, one row per token.`,
}

export const steps = {
  stops,
  /** the figure in words where less of a stop is drawn */
  drawn: {
    alone,
    sum: ({ h }: Sizes) => (h === 1 ? 'The head’s contribution, which is Y.' : `The contributions of heads, and Y: all ${h} added up.`),
  },
  tour: {
    offer: 'New to attention? One head, three words first',
    leave: 'The whole walk',
    one: {
      tokens: {
        title: 'Three words, four numbers each',
        line: () => 'A computer cannot read words, so each becomes a row of numbers: $X$. What attention does is let every word take something from the others.',
      },
      score: {
        title: 'How well they match: a score for every pair',
        line: () => 'Three weight matrices make three rows from each word’s row: *q* asks, *k* is asked, *v* is what it hands over. Multiply one word’s *q* with another’s *k*, number by number, and add up: that is a score.',
      },
      softmax: {
        title: 'Scores become shares',
        line: ({ k }: Sizes) => `Divide by √${k}, take the exponential, divide by the row’s total: every row adds up to 1. These are the attention weights. A larger score gets a larger share.`,
      },
      mix: {
        title: 'Mix by share',
        line: ({ n }: Sizes) => `Add up the ${n === 1 ? 'one *v* row by its share' : `${n} *v* rows by their shares`}: that is the word’s new row, and one head is done. Multi-head attention is several of these, each on its own, put side by side.`,
      },
    },
  },
  hint: 'Choose a cell to see how it is made.',
  same: {
    title: 'The same step as formula, NumPy, PyTorch, C++',
    failed: 'This part did not arrive. Check the connection and try again.',
  },
  role: { label: 'Project to', q: 'Q: asks', k: 'K: is asked', v: 'V: is handed over' },
  wide: { label: 'How to multiply', wide: 'One wide product', narrow: (h: number) => `${count(h, 'narrow one')}`, same: (numbers: string) => `Computed both ways: ${numbers} of ${numbers} agree, the largest difference is 0.`, differ: (numbers: string, differing: string, largest: string) => `Computed both ways: of ${numbers}, ${differing} differ, by ${largest} at most.` },
  compare: { open: 'Compare heads', close: 'One head only', caption: (h: number) => `${count(h, 'head')} on one scale. Press one to look at it.` },
  axes: { query: 'rows: who asks', key: 'columns: who is asked' },
  vectors: {
    tokens: 'what the token is',
    positions: 'where it stands',
    sum: '$E + P$',
    noPositions: 'Positions are off: $P$ is all 0, $X$ is $E$ itself, and the order of the tokens is lost.',
  },
  columnBlocks: (h: number) => (h === 1 ? 'one column block, one head' : `${h} column blocks, one per head`),
  blockRange: (from: number, to: number) => (from === to ? `column ${from}` : `columns ${from}–${to}`),
  memory: {
    shape: 'Shape',
    strides: 'Strides',
    moved: 'Moved',
    before: (letter: string) => `$${letter}$ in one piece`,
    after: (letter: string) => `$${letter}_i$, one block per head`,
    bytes: (bytes: string) => `${bytes} bytes`,
    fromZero: 'Indices count from 0: head 1 is [0] in code.',
    stridesHint: 'How many numbers to skip for the next head, row, column.',
  },
  scaling: {
    before: 'before',
    after: (k: number, scale: string) => `after: × ${scale}, which is ÷√${k}`,
    off: 'Scaling is off: the scores pass unchanged.',
    sameScale: 'same colour scale on both sides',
  },
  mask: {
    before: 'scaled',
    after: 'masked',
    none: 'No mask is on: every token may look at every token, and nothing changes here.',
    turnOn: 'Turn the causal mask on',
    turnOff: 'Turn the causal mask off',
    causal: 'Causal: a token sees itself and what stands before it.',
    padding: (tokens: number) => `Padding: the last ${count(tokens, 'token')} may not be seen.`,
    deadRows: (words: string) => `Tokens whose whole row is masked: ${words}. Such a row does not add up to 1: it is all 0, so it takes nothing from anyone.`,
  },
  softmax: { before: 'scores', after: 'attention weights' },
  mix: { weights: 'attention weights', values: 'values', output: 'output of the head' },
  concat: {
    together: (h: number): string => (h === 1 ? '$Z$, the same' : '$Z$, side by side'),
  },
  output: {
    ofHead: (head: number) => `contribution of head ${head}`,
    contribution: 'contribution',
    rowBlock: (head: number) => `row block ${head}`,
    sum: (h: number, all: boolean) => (h === 1 ? '$C_1$' : `${h === 2 ? '$C_1 + C_2$' : `$C_1 + … + C_{${h}}$`}${all ? '' : ', all heads'}`),
    lane: { head: 'Head', z: '$Z_i$', w: '$W_O$, row block', c: 'contribution $C_i$' },
    areOff: (heads: string) => `Switched off: ${heads}. Its output is multiplied by 0, hence the zeros.`,
    allOn: 'Switch on again',
    switches: 'Switch a head off and watch Y:',
    isOn: 'on',
    isOff: 'off',
    allOff: 'Every head is off: the output is 0.',
  },
  roomLines: {
    scale: () => 'Divide by $√d_k$: then wider heads do not spread the scores wider.',
    output: ({ h }: Sizes) => (h === 1 ? 'One head: its contribution is $Y$.' : `The contributions of ${h} heads add up to $Y$.`),
  },
  room: {
    score: { before: (query: string, key: string) => `“${query}” asks “${key}”: the score is `, after: '.' },
    scaled: { before: (query: string, key: string) => `“${query}” asks “${key}”: the scaled score is `, after: '.' },
    masked: { before: (query: string, key: string) => `“${query}” asks “${key}”: the masked score is `, after: '.' },
    weight: { before: (query: string, key: string) => `“${query}” gives “${key}” the attention weight `, after: '; the row adds up to 1.' },
    dead: { before: (query: string, key: string) => `Every key of “${query}” is masked; the attention weight for “${key}” counts as `, after: '.' },
  },
  again: (size: string) => `Walk again at the article’s size, ${size}`,
  thread: {
    title: 'The thread back',
    hint: 'Every number here goes back, step by step, to a token. Choose a cell, or a step.',
  },
}

export type StepsText = typeof steps
