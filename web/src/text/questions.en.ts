// Chapter `steps`: what the reader is asked before a stop shows its answer, and what readers often ask. The type of this
// file is the type of questions.zh.ts. Markup: components/prose.ts.
import type { StopName } from '../model/stops'
import type { Sizes } from './steps.en'

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
const columns = (first: number, last: number): string => (first === last ? `column ${first}` : `columns ${first}–${last}`)

/** A chosen column: whose it is, and which columns were asked for. Heads count from 1, columns from 0. */
export interface Columns {
  right: boolean
  head: number
  k: number
  first: number
  last: number
  column: number
  owner: number
}

/** The name of what was chosen, as a formula. */
export interface Block {
  right: boolean
  head: number
  name: string
}

export interface Often {
  ask: (sizes: Sizes) => string
  answer: (sizes: Sizes) => string
}

const often: Partial<Record<StopName, readonly Often[]>> = {
  project: [
    {
      ask: () => 'Is the input split before or after the linear layer?',
      answer: ({ d, h }) =>
        h === 1
          ? 'After it; and with h = 1 there is nothing to split.'
          : `After it: every head sees all ${d} columns of $X$; what is split is $Q$, $K$ and $V$. Cutting $X$ into ${h} pieces first would leave only ${h} blocks on the diagonal of each weight matrix: another, weaker layer.`,
    },
    {
      ask: () => 'Is it one $W_Q$, or h of them?',
      answer: ({ d, h, k }) =>
        h === 1
          ? `With h = 1 it is one ${d} × ${d} matrix.`
          : `Both say the same: ${h} matrices of ${d} × ${k}, side by side, are one of ${d} × ${d}. Head $i$ uses column block $i$.`,
    },
    {
      ask: () => 'Shouldn’t more heads mean more parameters?',
      answer: ({ d, h, k }) =>
        `No. Each head is only d/h wide, so together they always have d columns, here ${h} × ${k} = ${d}. Whatever h is, each of the four weight matrices is ${d} × ${d}.`,
    },
    {
      ask: () => 'Why must h divide d?',
      answer: ({ d, h, k }) =>
        `Each head gets d/h columns, and that has to be a whole number: here ${d}/${h} = ${k}. It is the design of the 2017 paper and no law: Gemma-7B has 16 heads of 256 columns at d = 3072.`,
    },
  ],
  split: [
    {
      ask: () => 'Why split at all, only to concatenate again?',
      answer: ({ h }) =>
        h === 1
          ? 'With h = 1 nothing is split, and each token has one row of attention weights. With more heads it has one row in each, so two things it needs apart (who gives, who receives) need not become one mix.'
          : `Each head does the steps in between on its own, so each token has ${h} rows of attention weights, not one. With one row, two things it needs apart (who gives, who receives) become one mix.`,
    },
    {
      ask: ({ k }) => `Why does a head get only ${count(k, 'number')} per token?`,
      answer: ({ d, h, k }) =>
        h === 1
          ? `The one head has the whole width of ${d}; a head is narrower only where several share. In BERT-base, 768 = 12 × 64.`
          : `Nothing is lost: ${count(d, 'column')} are shared by ${h} heads, ${k} for each. That is how 768 becomes 64 in BERT-base: 768 = 12 × 64.`,
    },
    {
      ask: () => 'Why transpose? What would reshape alone do?',
      answer: ({ n, d, h, k }) =>
        n === 1 || h === 1
          ? `With ${h === 1 ? 'one head' : 'one token'} both come to the same. Otherwise reshape alone would give head 1 the first numbers in memory, so only tokens from the start of the sentence. Hence n × h × k first, then swap the first two axes.`
          : `In memory $Q$ is one row after another. Reshape its ${n * d} numbers straight to ${h} × ${n} × ${k}, and head 1 gets the first ${n * k} of them: only the first ${count(Math.ceil(n / h), 'token')}, not ${count(k, 'column')} of every token. Hence ${n} × ${h} × ${k} first, then swap the first two axes.`,
    },
  ],
  score: [
    {
      ask: () => 'Why is $K$ transposed here?',
      answer: ({ n, k }) =>
        `So that every q meets every k, ${count(k, 'number')} against ${k}: that makes ${n} × ${n} scores. Transposing only reads the same bytes another way, with two strides swapped.`,
    },
  ],
  scale: [
    {
      ask: () => 'Why divide by $√d_k$?',
      answer: ({ k }) =>
        k === 1
          ? 'Here $d_k$ = 1, so dividing changes nothing. A score of a wider head is a sum of $d_k$ products; if they are roughly independent with similar variance, it spreads about $√d_k$ times as wide as one of them.'
          : `A score is a sum of ${k} products. If they are roughly independent with similar variance, it spreads about $√d_k$ times as wide as one of them, not $d_k$ times; dividing by $√d_k$ keeps heads of any width on one scale.`,
    },
  ],
  mask: [
    {
      ask: () => 'Causal mask, padding mask: what is the difference?',
      answer: () =>
        'What they hide, not how: a causal mask hides the tokens that come later, a padding mask the filler at the end. Both write −∞ before softmax, and the attention weight is then 0.',
    },
    {
      ask: () => 'Is switching a head off a mask, too?',
      answer: () =>
        'No. A mask says who may look at whom, before softmax. Switching a head off multiplies its output by 0, before $W_O$.',
    },
  ],
  softmax: [
    {
      ask: () => 'Does the first token always win?',
      answer: () =>
        'No: the arithmetic has no favourite, and the highest score of a row gets the largest weight. Trained models often do give much attention to one token (attention sinks, Xiao et al. 2023). Seeded numbers have no such habit; whether the small trained model has one, its maps tell.',
    },
  ],
  mix: [
    {
      ask: () => 'Is each $Z_i$ as wide as d?',
      answer: ({ n, d, h, k }) =>
        h === 1
          ? 'Here, yes: with one head, $d_k$ = d.'
          : `No: it is ${n} × ${k}, as wide as $V_i$. Only ${h} of them side by side are ${d} wide.`,
    },
    {
      ask: () => 'What stops all heads from becoming the same?',
      answer: () =>
        'Different starting weights. Two heads that start alike, with alike row blocks of $W_O$, get the same gradients and stay twins for ever. Nobody assigns roles, so some heads may be duplicates or idle.',
    },
  ],
  concat: [
    {
      ask: () => 'Concatenate or sum?',
      answer: ({ h }) =>
        h === 1
          ? 'With one head, neither. With several, outputs are concatenated, each in its own columns, and after $W_O$ their contributions are added.'
          : `Both, one after the other: the ${h} outputs $Z_i$ are concatenated, each in its own columns. Then $Z W_O$ equals every $Z_i$ times its own row block of $W_O$, added up.`,
    },
    {
      ask: () => 'Are heads weighted? May I average them?',
      answer: ({ h }) =>
        `No head has a weight of its own: how much it counts is up to its row block of $W_O$. ${h === 1 ? 'Averaging several heads' : `Averaging the ${h} heads`} would make them share one row block, which is another layer.`,
    },
  ],
  output: [
    {
      ask: () => 'Where is $W_O$, and does it compress?',
      answer: ({ d }) =>
        `It is here, ${d} × ${d}, after the concatenation. That is ${d} wide already, so there is nothing to compress: $W_O$ mixes.`,
    },
    {
      ask: () => 'Is setting some columns of $Y$ to 0 the same as switching a head off?',
      answer: () =>
        'No. After $W_O$ every head is in every column of $Y$. A head is switched off before $W_O$, by multiplying its $Z_i$ by 0.',
    },
  ],
  result: [
    {
      ask: () => 'Are more heads proven to be better?',
      answer: () =>
        'No. In the 2017 paper, table 3 (A), h = 1, 8, 16, 32 reach a BLEU of 24.9, 25.8, 25.8, 25.4. At the same d, more heads means fewer columns for each.',
    },
  ],
}

export const questions = {
  /** 1 of 2: the reader guesses */
  predict: {
    skip: 'Skip',
    show: 'Show me',
    never: 'Don’t ask',
    again: 'Ask again',
    first: 'Guess first',
    split: {
      ask: (head: number) => `Guess first: *which columns belong to head ${head}?* Choose a column.`,
      answer: ({ right, head, k, first, last, column, owner }: Columns): string =>
        [
          right ? `Right: column ${column} is head ${head}’s.` : `Column ${column} is head ${owner}’s.`,
          `Head ${head} starts at column (${head} − 1) × ${k} = ${first} and has ${k}: ${columns(first, last)}, counting from 0.`,
        ].join(' '),
    },
    concat: {
      ask: (head: number) => `Guess first: *where in Z will head ${head}’s output land?* Choose a column.`,
      answer: ({ right, head, first, last, column, owner }: Columns): string =>
        [
          right ? `Right: column ${column} is head ${head}’s.` : `Column ${column} holds head ${owner}’s output.`,
          `Head ${head}’s lands in ${columns(first, last)}, where it was in $Q$, counting from 0. Nothing is averaged or added.`,
        ].join(' '),
    },
    output: {
      ask: (head: number) => `Guess first: *which numbers change if head ${head} is switched off?* Choose a matrix you think will change.`,
      answer: ({ right, head, name }: Block): string =>
        [
          right ? `Right, $${name}$ changes.` : `You chose $${name}$, which does not change.`,
          `What changes: $Z_{${head}}$ (multiplied by 0), $C_{${head}}$, and $Y$, where all contributions add up. What stays: the other heads’ $Z$ and $C$, and $W_O$.`,
        ].join(' '),
    },
    changed: (head: number, changed: string, total: string) =>
      `Head ${head} is off now, and ${changed === total ? `all numbers of $Y$ changed, ${total} of ${total}` : `${changed} of the ${total} numbers of $Y$ changed`}.`,
    most: 'Its largest contribution',
    back: (head: number) => `Switch head ${head} on again`,
  },
  /** 2 of 2: the reader asks */
  title: 'Often asked',
  often,
}

export type QuestionsText = typeof questions
