// A step in other words: formula, NumPy, PyTorch, C++. The type of this file is the type of same.zh.ts.
import type { StopName } from '../model/stops'

/** How the formulas are read. */
const reading: Record<StopName, string> = {
  tokens: '$E$: the vectors of the tokens. $P$: their positions. One row per token.',
  project: 'A row of $X$ meets a column of $W_Q$, and gives one number of $Q$.',
  split: 'Heads $i$ count from 1, rows $r$ and columns $t$ from 0. $K$ and $V$ are split in the same way.',
  score: 'Row $r$ asks, row $c$ of the keys is asked.',
  scale: 'Every score is a sum of $d_k$ products.',
  mask: '$M$ is 0 where row $r$ may look at column $c$, and −∞ where it may not.',
  softmax: '$m_r$ is the largest score of the row. Taking it away changes no result; it keeps exp from overflowing.',
  mix: 'Row $r$ of $A_i$ says how much of each row of $V_i$ goes in.',
  concat: 'Side by side: head $i$ has $d_k$ columns, from column $(i − 1)d_k$ on.',
  output: '$W_O^{(i)}$: the $d_k$ rows of $W_O$ that belong to head $i$.',
  result: 'The whole way in one line. $Y$ has the shape of $X$.',
}

export const same = {
  label: 'Ways to write this step',
  ways: { formula: 'Formula', numpy: 'NumPy', torch: 'PyTorch', cpp: 'C++' },
  now: 'Now',
  reading,
  scalingOff: 'Scaling is off at the moment: $S′_i$ is $S_i$.',
  headsOff: 'Heads are switched off at the moment: their $Z_i$ is multiplied by ξ = 0.',
  deadRows: 'A row with every key masked is 0 ÷ 0 in NumPy and in PyTorch; here it is set to 0.',
  cpp: {
    reference:
      'The readable reference, in double: what the tests hold the fast one against. A Bounded is a matrix and how far float may be off. $d_k$ is called k or head_dim here.',
    fast: 'The fast one: the numbers on this page are made by it. $d_k$ is called k or head_dim here.',
    only: 'There is one version of this step, and this page runs it.',
  },
  showFast: 'Show the fast one',
  showReference: 'Show the readable one',
  lines: (first: number, last: number) => (first === last ? `line ${first}` : `lines ${first}–${last}`),
  copy: 'Copy',
  copyFrom: (file: string) => `Copy from ${file}`,
  copied: 'Copied',
  notCopied: 'The browser did not allow it. The lines are selected: copy them yourself.',
}

export type SameText = typeof same
