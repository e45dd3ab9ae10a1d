// Six famous mistakes, made for once on purpose. The type of this file is the type of break_it.zh.ts.
const list = (words: readonly string[]): string => words.map((word) => `“${word}”`).join(', ')

export const breakIt = {
  intro: 'Mistakes that people really make in multi-head attention. Choose one: the C++ core makes it in a trained model and lets that answer again.',
  choose: 'Which mistake',
  names: {
    wrong_reshape: 'Reshape without transpose',
    no_scale: 'No $÷ √d_k$',
    mask_after_softmax: 'Mask after softmax',
    split_first: 'Split before projecting',
    no_output_projection: 'No $W_O$',
    shared_projection: 'One projection for all heads',
  },
  wrongs: {
    wrong_reshape: 'Heads get pieces of the wrong tokens.',
    no_scale: 'Softmax becomes too steep.',
    mask_after_softmax: 'Rows no longer add up to 1.',
    split_first: 'Each head sees only its slice of $x$.',
    no_output_projection: 'Nobody mixes what the heads found.',
    shared_projection: 'All heads do the same.',
  },
  code: { both: 'The line that is wrong, and how it must read', wrong: 'Wrong', right: 'Right' },
  weights: (d: string, h: string, seed: string, steps: string) => `Trained · d = ${d}, h = ${h} · seed ${seed} · ${steps} steps`,
  instead: (d: number, h: number, ownD: number, ownH: number) =>
    `There is no trained model with d = ${ownD}, h = ${ownH}, so this one has d = ${d}, h = ${h}.`,
  none: 'No trained model came with this page, so there is nothing to break.',
  loading: 'The model is fetched, broken and asked …',
  effect: {
    unnoticed: (before: string, after: string) => `This model hardly notices: ${before} of its answers were right, now ${after} are.`,
    worse: (before: string, after: string) => `It hurts: ${before} of the answers were right, now ${after} are.`,
    broken: (before: string, after: string) => `The model is broken: ${before} of its answers were right, now ${after} are.`,
  },
  table: {
    caption: 'Answers before and after the mistake',
    before: 'before',
    after: 'after',
    loss: 'Loss',
    right: 'Right answers',
  },
  heldOut: (sentences: number) => `Measured on ${sentences} held-out English sentences, which the model was not trained on.`,
  whyTitle: 'Why',
  why: {
    wrong_reshape:
      'A reshape moves no number, it only cuts their long row anew. Read as $[h, n, d_k]$, the first head gets the first $n · d_k$ numbers, all columns of the first few tokens, instead of its own columns of every token. Row and column of a map no longer stand for one token each, and since the shapes fit, no error is raised.',
    no_scale:
      'All scores are $√d_k$ times as large as in training. Their order stays, so every row keeps its largest attention weight, but softmax takes from the rest and gives to it. Where a head chose one word anyway, little changes. What a steep softmax costs is paid in training, where hardly any gradient passes through it.',
    mask_after_softmax:
      'Softmax has shared out 1 among all keys, padding □ included. What □ got is thrown away afterwards, and nobody gets it back: the longer the padding, the less may be left. Masked with −∞ before softmax, □ gets exactly 0, and padding changes nothing.',
    split_first:
      'In $W_Q$, $W_K$ and $W_V$ every head looks at all $d$ numbers of a token and takes from them what it needs. If $x$ is cut first, head $i$ sees $d/h$ of them and never the others: of each matrix only the blocks on the diagonal are left.',
    no_output_projection:
      'The heads write into columns of their own. $W_O$ mixes these columns into what the read-out was trained on; without it the same numbers stand in places where they mean something else.',
    shared_projection:
      'With the same columns of $W_Q$, $W_K$ and $W_V$ all heads have the same $q$, $k$ and $v$: the same map $h$ times, and the same output. $W_O$ gets one head $h$ times, where it was trained on $h$ different ones.',
  },
  padding: (words: number) => `Every sentence was padded with □ to ${words} places here. The model has never trained on □.`,
  maps: {
    title: 'Attention maps of one head, before and after',
    head: 'Head',
    before: 'Before',
    after: 'After',
    caption: 'Same scale, 0 to 1',
    alt: (tokens: number) => `Two attention maps of the same head, ${tokens} × ${tokens} each: before the mistake and after it.`,
    tableBefore: (head: number) => `Head ${head}, attention weights before`,
    tableAfter: (head: number) => `Head ${head}, attention weights after`,
    change: (largest: string) => `Largest change in the output of your sentence: ${largest}.`,
    rows: (least: string, most: string) => `Over all heads, rows add up to ${least} to ${most}.`,
  },
  unknown: (words: readonly string[]) => `The model has not learned ${list(words)}, so your sentence has no maps here. The answers above do not depend on it.`,
  tooLong: (words: number) => `The model reads up to ${words} words, and your sentence is longer, so it has no maps here.`,
}

export type BreakItText = typeof breakIt
