// A layer of a real model. The type of this file is the type of at_scale.zh.ts.
const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

export const atScale = {
  intro: (tokens: number) =>
    `One attention layer of a real model, at its real size, reads ${count(tokens, 'token')} in your browser. Its matrices are made block by block, used once and overwritten: none of them is ever stored whole.`,
  model: 'Model',
  sizes: { layers: 'layers', modelDim: 'd, numbers per token', heads: 'h, heads', kvHeads: 'key/value heads', headDim: 'numbers per head' },
  latent: (kvRank: number, queryRank: number, headDim: number, rotaryDim: number, valueDim: number) =>
    `Latent attention: all keys and values of a token are made from one vector of ${kvRank} numbers, all queries from one of ${queryRank}. In each head, queries and keys have ${headDim} + ${rotaryDim} numbers, values ${valueDim}. It is shown here, not run.`,
  undisclosed: 'Its sizes are not disclosed. The “120 layers, 128 heads” that go around are rumour.',
  run: 'Run one layer',
  stop: 'Stop',
  progress: 'Heads done',
  running: (head: number, heads: number) => `Head ${head} of ${heads}`,
  stopped: 'Stopped. Nothing is left of it.',
  done: (model: string, tokens: number) => `${model}, one layer, ${count(tokens, 'token')}`,
  report: {
    seconds: 'time',
    speed: 'matrix products',
    weights: 'weights made',
    weightBytes: 'never stored',
    roomBytes: 'memory used',
    rms: 'output, root mean square',
  },
  meaning: (seed: number) =>
    `Seeded random weights, seed ${seed}, and seeded inputs: the amount of work is that of the real model, the result has no meaning.`,
}

export type AtScaleText = typeof atScale
