// Words every chapter shares. The type of this file is the type of common.zh.ts.
import type { StatusName, TensorName } from '../core/generated/tables'
import type { CoreFailure } from '../core/protocol'
import type { Problem } from '../model/problem'
import type { Key } from '../model/state'
import { explain } from './explain.en'
import { trained } from './trained.en'

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

const problems = (problem: Problem): string => {
  switch (problem.code) {
    case 'not_a_choice': return `Allowed: ${problem.allowed.join(', ')}.`
    case 'not_in_range': return `A whole number from ${problem.min} to ${problem.max}, please.`
    case 'does_not_divide':
      return `${count(problem.dModel, 'column')} can’t be split evenly among ${count(problem.heads, 'head')}: h must divide d.`
    case 'no_tokens': return `Type at least one token. 1 to ${problem.max} are allowed.`
    case 'too_many_tokens': return `That makes ${problem.count} tokens; ${problem.max} are allowed. Delete some to go on.`
    case 'token_too_long': return `“${problem.token}” is too long for one token; ${problem.max} characters are allowed.`
    case 'text_too_long': return `That text is too long; ${problem.max} characters are allowed.`
    case 'broken_text': return 'The text contains broken or invisible control characters. Remove them to go on.'
    case 'no_such_cell': return 'There is no such cell at this size. Write tensor.index, for example weights.0.6.4.'
    case 'not_a_list': return `Head numbers with commas between them, counting from 0, up to ${problem.max}.`
  }
}

const statuses: Record<Exclude<StatusName, 'ok'> | 'no_wasm' | 'no_simd' | 'load_failed' | 'crashed', string> = {
  tokens_out_of_range: 'The sentence has more or fewer tokens than the core takes.',
  model_dim_out_of_range: 'The core does not take this d.',
  heads_out_of_range: 'The core does not take this number of heads.',
  kv_heads_not_a_divisor: 'The key and value heads do not divide the query heads.',
  head_dim_out_of_range: 'The heads are too wide, or h does not divide d.',
  too_large: 'One matrix, or all of them together, would be larger than the core allows. Choose a smaller d or fewer tokens.',
  out_of_memory: 'The browser gave no more memory. Close other tabs, or choose a smaller d.',
  wrong_size: 'A tensor has the wrong size. This is our mistake, not yours.',
  not_finite: 'A number that went in is infinite or not a number.',
  overflow: 'A computed number is too large to store.',
  bad_scale: 'The scale is not a finite number.',
  no_such_cell: 'That cell does not exist.',
  not_loaded: 'The weights are not loaded.',
  bad_text: 'A token holds text that cannot be read.',
  bad_gate: 'Every head needs a switch, and the switch has to be a finite number.',
  bad_padding: 'There can’t be more padding than tokens, nor less than none.',
  vocabulary_out_of_range: 'The core does not take a vocabulary of this size.',
  layers_out_of_range: 'The core does not take this number of layers.',
  slots_out_of_range: 'The core does not take this number of questions per token.',
  bad_learning_rate: 'The learning rate and the size of the start have to be positive, finite numbers.',
  bad_batch: 'The sentences to learn from hold a word or place that the model does not have, or ask nothing.',
  diverged: 'Training diverged: a number became infinite, and it stopped before that. Try a smaller learning rate.',
  bad_model: 'This file is no model saved by this page, or its sizes do not fit.',
  unknown_word: 'There is a word that the model never learned.',
  too_many_words: 'There are more tokens than the model has positions.',
  no_wasm: 'This browser can’t run WebAssembly, so nothing can be computed. Any browser from 2023 or later can.',
  no_simd: 'This browser’s WebAssembly has no SIMD, so nothing can be computed. Any browser from 2023 or later has it.',
  load_failed: 'The part that computes did not arrive. Check the connection and try again.',
  crashed: 'The part that computes stopped unexpectedly.',
}

const tensors: Record<TensorName, string> = {
  token_vectors: 'token vector', positions: 'position', x: 'X', context: 'context', mask: 'mask',
  w_q: 'weight matrix W_Q', w_k: 'weight matrix W_K', w_v: 'weight matrix W_V', w_o: 'output projection W_O',
  b_q: 'bias of Q', b_k: 'bias of K', b_v: 'bias of V', b_o: 'bias of the output',
  q: 'query Q', k: 'key K', v: 'value V', q_heads: 'query q', k_heads: 'key k', v_heads: 'value v',
  raw_scores: 'score', scaled_scores: 'scaled score', masked_scores: 'masked score', weights: 'attention weight',
  heads: 'head output', concat: 'concatenation Z', output: 'output Y', masked_rows: 'masked row', contributions: 'contribution',
}

const names: Record<Key, string> = {
  chapter: 'chapter', lang: 'language', theme: 'colours', view: 'view', signs: 'signs', sentence: 'sentence', dModel: 'd', heads: 'h', causal: 'causal mask',
  scaled: 'scaling', positions: 'positions', padding: 'padding', weights: 'weights', seed: 'seed', tour: 'tour', stop: 'step', head: 'head',
  pin: 'pinned cell', out: 'heads switched off', predict: 'guess first',
}

export const common = {
  name: 'Eight Meetings',
  otherName: '八场会',
  colon: ': ',
  comma: ', ',
  listComma: ', ',
  skip: 'Skip to the figure',
  navigation: 'Chapters',
  chapters: { steps: 'Steps', training: 'Training' },
  language: 'Language',
  theme: { label: 'Colours', auto: 'Automatic', light: 'Light', dark: 'Dark' },
  loading: 'Getting the core ready; the first numbers come in a moment.',
  computing: 'Computing',
  chapterFailed: 'This chapter did not arrive. Check the connection and try again.',
  failure: {
    title: 'Computing did not work',
    statuses,
    place: (place: string) => `Found at ${place}.`,
    older: 'What you see is the last result that did work.',
    retry: 'Try again',
    known: (status: CoreFailure['status']): string => (status === 'ok' ? '' : statuses[status]),
  },
  refusals: {
    title: 'The address held values that don’t work here; the defaults stand in for them.',
    item: (key: Key, given: string, problem: Problem) => `${names[key]} (${key}=${given}): ${problems(problem)}`,
    close: 'Close',
  },
  names,
  problems,
  tensors,
  size: (dModel: number, heads: number) => `${dModel} = ${heads} × ${dModel / heads}`,
  head: (number: number) => `Head ${number}`,
  heads: {
    label: 'Choose a head',
    one: (number: number, heads: number) => `Head ${number} of ${heads}`,
    page: (first: number, last: number, heads: number) => `Heads ${first}–${last} of ${heads}`,
    previous: 'Earlier heads',
    next: 'Later heads',
    turnOff: (head: number) => `Switch off head ${head}`,
    turnOn: (head: number) => `Switch on head ${head}`,
    off: 'Switch off',
    on: 'Switch on',
  },
  settings: {
    open: 'Settings',
    title: 'Settings',
    sentence: 'Sentence',
    sentenceHint: 'Cut it yourself with | between tokens, or type and let us cut. 1 to 32 tokens.',
    edit: 'Edit',
    editLabel: 'Edit the sentence token by token',
    groups: { sentence: 'Sentence', size: 'Size', computing: 'Computing', reading: 'Reading', checking: 'Checking' },
    editor: {
      list: 'Tokens of the sentence',
      token: (token: string, place: number, of: number) => `${token}, token ${place} of ${of}, press to edit`,
      count: (tokens: number) => `${count(tokens, 'token')}, 32 at most`,
      fresh: 'New token',
      one: (token: string, place: number) => `Token ${place}: ${token}`,
      text: 'Text',
      apply: 'Done',
      add: 'Add',
      left: 'Move to the left',
      right: 'Move to the right',
      merge: 'Merge with the next',
      remove: 'Delete',
      split: 'Cut at',
      splitAt: (left: string, right: string) => `Cut into ${left} and ${right}`,
      close: 'Close',
      undo: 'Undo',
      ready: 'Ready-made sentences',
      readyPick: 'Pick a sentence',
      readyLesson: 'The lesson’s sentence',
      readyPair: (number: number) => `Pair ${number}: which one is meant?`,
      how: 'Press a token to edit it; | in its text cuts it.',
      keys: 'Keys: ← → choose, Alt + ← → move, Delete deletes. A mouse can drag, too.',
      last: 'One token has to stay.',
      merged: (token: string, tokens: number) => `Merged: ${token}. ${count(tokens, 'token')} now`,
      cut: (pieces: string, tokens: number) => `Cut: ${pieces}. ${count(tokens, 'token')} now`,
      changed: (token: string) => `Changed to: ${token}`,
      added: (pieces: string, tokens: number) => `Added: ${pieces}. ${count(tokens, 'token')} now`,
      removed: (token: string, tokens: number) => `Deleted: ${token}. ${count(tokens, 'token')} now`,
      moved: (token: string, place: number) => `Moved: ${token} is token ${place} now`,
      undone: (tokens: number) => `Undone. ${count(tokens, 'token')} now`,
      loaded: (tokens: number) => `New sentence, ${count(tokens, 'token')}`,
    },
    sizes: 'Size',
    readable: 'readable',
    article: 'as in the article',
    dModel: 'd, numbers per token',
    dModelHint: (max: number) => `1 to ${max} on this page`,
    heads: 'h, heads',
    headsHint: 'must divide d',
    nearest: 'Nearest that would work:',
    presets: {
      label: 'Common sizes',
      own: (size: string) => `${size}, your own`,
      entry: (size: string, name: string) => `${size} · ${name}`,
      names: { readable: 'readable', article: 'the article, Transformer base', bertBase: 'BERT-base', bertLarge: 'BERT-large' },
    },
    widthSaid: (dModel: number) => `${count(dModel, 'number')} per token`,
    headsSaid: (heads: number, width: number) => `${count(heads, 'head')}, ${count(width, 'column')} each`,
    followed: (dModel: number, from: number, to: number) =>
      `${count(dModel, 'column')} can’t be split evenly among ${count(from, 'head')}; now there ${to === 1 ? 'is' : 'are'} ${to}.`,
    causal: 'Causal mask',
    causalHint: 'A token sees itself and what stands before it.',
    scaled: 'Divide by $√d_k$',
    scaledHint: 'Off: scores go to softmax as they are.',
    positions: 'Positions',
    positionsHint: 'Off: the order of the tokens is lost.',
    padding: 'Padding tokens at the end',
    paddingHint: 'May not be seen as keys.',
    signs: 'Mark signs',
    signsHint: 'Negative cells get a tick bottom left, small ones a hatch.',
    seed: 'Seed',
    seedHint: (max: number) => `0 to ${max}. Another seed, other weights.`,
  },
  check: {
    build: (build: 'simd' | 'relaxed') =>
      `Computed here by C++, compiled to WebAssembly (${build === 'relaxed' ? 'relaxed SIMD' : 'SIMD'} build).`,
    ask: 'Check the numbers',
    running: (done: number, total: number) => (total === 0 ? 'Fetching the answers…' : `Checking case ${done + 1} of ${total}…`),
    good: (cases: number) => `${count(cases, 'case')} that PyTorch computed in float64, computed again here: every number is within its bound.`,
    bad: 'At least one number is farther off than rounding explains. Please don’t trust this page in this browser, and tell us.',
    caption: 'Of each tensor, the number that comes closest to its bound',
    tensor: 'tensor',
    error: 'error',
    bound: 'bound',
  },
  breakIt: { title: 'Break it: six famous mistakes', failed: 'This part did not arrive. Check the connection and try again.' },
  atScale: { title: 'One layer of a real model, run right here', failed: 'This part did not arrive. Check the connection and try again.' },
  measureHere: { title: 'How fast your machine is', failed: 'This part did not arrive. Check the connection and try again.' },
  provenance: {
    seeded: (seed: number) => `Random, seed ${seed}`,
    meaning: 'patterns carry no meaning yet',
    of: 'Weights: ',
    press: ', press to change',
    detail: (seed: number) =>
      `Seeded random weights, seed ${seed}: nothing was trained, so the patterns carry no meaning yet. The arithmetic is the real one.`,
    another: 'Another seed',
    drawn: (seed: number) => `Drawn by your browser: seed ${seed}. The same seed gives the same weights on every machine.`,
    copy: 'Copy link',
    copied: 'Copied. The link opens this very page, with this seed.',
    notCopied: 'The browser did not let us copy. Here is the link:',
    link: 'Link to this page',
  },
  figure: {
    asTable: 'Read as a table',
    asPicture: 'Back to the picture',
    csv: 'Save as CSV',
    csvOf: 'Which one:',
    png: 'Save as PNG',
    pngCaption: (size: string, source: string, names: string) => `d = h × k: ${size} · ${source} · ${names}`,
    choose: 'Tensor',
    window: (from: number, to: number, total: number) => `Columns ${from}–${to} of ${total}`,
    rowWindow: (from: number, to: number, total: number) => `Rows ${from}–${to} of ${total}`,
    earlierColumns: 'Earlier columns',
    laterColumns: 'Later columns',
    earlierRows: 'Earlier rows',
    laterRows: 'Later rows',
    rounded: (decimals: number) => `${count(decimals, 'decimal')} shown, computed in full`,
    binned: 'Fewer pixels than numbers: each pixel shows the largest in size, with its sign.',
    legend: {
      diverging: (limit: string) => `Colour scale: minus ${limit} red, 0, plus ${limit} blue`,
      sequential: 'Colour scale: 0 pale to 1 dark',
      signed: (symbols: string) => `${symbols}: blue positive, red negative`,
      weights: (symbols: string) => `${symbols}: attention weight, always 0 to 1`,
      masked: 'hatched: not allowed, score −∞',
      maskedWeight: 'hatched: not allowed, weight 0',
    },
    grid: (name: string, rows: number, columns: number) => `${name}, ${count(rows, 'row')}, ${count(columns, 'column')}`,
  },
  projector: {
    enter: 'Projector',
    hint: 'One figure, one sentence, large type; a clicker turns the steps.',
    leave: 'Leave the projector view (Esc)',
    blank: 'Blank: below 0.05',
    provenance: (seed: number) => `Random, seed ${seed}: patterns carry no meaning`,
  },
  cell: {
    head: (number: number) => `head ${number}`,
    pair: (query: string, key: string) => `${query} to ${key}`,
    place: (row: number, column: number) => `row ${row} column ${column}`,
    masked: 'masked',
  },
  strip: {
    row: 'asks',
    up: (token: string) => `↑ ${token}`,
    down: (token: string) => `↓ ${token}`,
    upLabel: (token: string) => `Row above: ${token}`,
    downLabel: (token: string) => `Row below: ${token}`,
    hint: 'Tap a cell to see how it is made.',
  },
  explain,
  trained,
  walk: {
    label: 'Steps of the computation',
    back: 'Back',
    next: 'Next',
    position: (stop: number, last: number) => `Step ${stop} (0–${last})`,
    announce: (stop: number, title: string, shape: string) => `Step ${stop}, ${title}. ${shape}`,
    scrub: 'Drag to see what happens between the steps',
    step: (stop: number, name: string, last: number) => `Step ${stop}, ${name}, 0 to ${last}`,
    play: 'Play',
    pause: 'Pause',
    speed: (times: number) => `Speed: ${times}×`,
    atStart: 'This is the first step.',
    atEnd: 'This is the last step.',
    keys: 'Keys: ← → step, space plays, 1–8 head, Esc unpins',
  },
}

export type CommonText = typeof common
