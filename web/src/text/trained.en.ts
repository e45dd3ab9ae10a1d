// Where the numbers come from: training, a seed, and why it is not always training. The type of this file is the type of trained.zh.ts.
const list = (parts: readonly string[]): string => (parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? ''))
const quoted = (words: readonly string[]): string => list(words.map((word) => `“${word}”`))
const thousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

const roundings: Readonly<Record<string, string>> = { '2 decimals': 'two decimals', float16: 'half precision (float16)' }

export const trained = {
  name: 'Trained',
  here: 'Trained here',
  hereOnly: 'Trained in this page, and here only: neither a link nor a reload can bring it back.',
  recipe: (seed: string, steps: number) => `seed ${seed} · ${thousands(steps)} ${steps === 1 ? 'step' : 'steps'}`,
  caption: (name: string, seed: string, steps: number) => `${name}, seed ${seed}, ${thousands(steps)} ${steps === 1 ? 'step' : 'steps'}`,
  loading: (percent: number) => `fetching the trained numbers, ${percent}%`,
  loadingSome: (megabytes: string) => `fetching the trained numbers, ${megabytes} MB`,
  meanwhile: 'Seeded meanwhile',
  retry: 'Try again',
  kinds: { label: 'Which numbers', trained: 'trained', seeded: 'seeded random', run: 'trained here' },
  /** beside the seed, on the chip */
  short: {
    size: 'no trained model of this size',
    run: 'the run trained here is gone',
    positions: 'the trained model needs positions',
    words: (words: readonly string[]) => (words.length > 1 ? `${words.length} words it never learned` : `never learned ${quoted(words)}`),
    length: 'longer than it was trained for',
    load: 'the trained model did not arrive',
    meanwhile: 'until the trained model is here',
  },
  /** the same in full */
  why: {
    size: (sizes: readonly string[]) => `There is no trained model of this size; there are some of ${list(sizes)}. So these numbers are seeded ones.`,
    run: 'The run lived in its page only: neither a link nor a reload can bring it back. Train another one.',
    positions: 'The trained model never saw a sentence without positions. Switch them on, and its numbers are back.',
    words: (words: readonly string[]) => `The trained model never learned ${quoted(words)}. So these numbers are seeded ones; a sentence of its own words brings the trained ones back.`,
    length: 'The sentence is longer than any the trained model was trained on. So these numbers are seeded ones; a shorter one brings the trained ones back.',
    load: 'The trained model did not arrive. Check the connection and try again; until then these numbers are seeded ones.',
    meanwhile: 'The trained model is on its way. Until it is here, these numbers are seeded ones.',
  },
  words: (words: readonly string[]) => `The model knows ${words.length} words of this language:`,
  task:
    'Trained to read relations: the verb names who gives and who receives, the pronoun whom it means, “because” the cause, a purpose its object. The right answers are given, and the task has several jobs by design; which head does which, nobody told them.',
  run: (seed: string, chosen: string, steps: number, batch: number) =>
    `Seed ${seed}${chosen}; ${thousands(steps)} ${steps === 1 ? 'step' : 'steps'}, ${batch} ${batch === 1 ? 'sentence' : 'sentences'} each.`,
  first: ' (the first one tried)',
  lowest: (seeds: number) => ` (of ${seeds} tried, the one with the lowest loss: not a typical one)`,
  held: (loss: string, accuracy: string, relations: readonly string[]) =>
    `On sentences held out from training: loss ${loss}, ${accuracy} of the answers right (${relations.join(', ')}).`,
  spread: (fewest: string, middle: string, most: string) => `All seeds that were tried: from ${fewest} to ${most} right, ${middle} in the middle.`,
  rounding: (how: string, largest: string) => `Stored as ${roundings[how] ?? how}: no number moved by more than ${largest}.`,
  sentence: (head: number, query: string, key: string, weight: string) => `In this sentence head ${head} gives ${query} → ${key} most: ${weight}.`,
  reliable: (head: number, share: string) =>
    `How reliable is it? Over all held-out sentences in English, the largest weight of head ${head} is on the word the pronoun means in ${share}.`,
  byProduct: 'A word with no job in the task has a pattern, too: a by-product.',
  relations: { giver: 'giver', receiver: 'receiver', reference: 'reference', cause: 'cause', object: 'object' } as Readonly<Record<string, string>>,
  share: (relation: string, share: string) => `${relation} ${share}`,
}

export type TrainedText = typeof trained
