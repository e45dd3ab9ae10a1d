// The models that come with the page, all of the task of reading relations, and how each is trained. `./dev train` makes them.
//
// steps: 8 × 2 answers 99 % right from 1200 on with most seeds; 64 × h know all within 600; 512 × 8 is below a loss of 0.005 from 80 on.
// seeds: so many are tried, from 1 on, and the one with the lowest held-out loss is kept.
// decimals: so few that the numbers can be written on a board; not rounded to them if that costs 1 % of the answers.
// mostBytes: what a reader shall have to fetch at most.

const usual = { learningRate: 0.003, batch: 64, seeds: 1, precision: 'float16', decimals: -1, mostBytes: 100_000 }

export const models = [
  { ...usual, dModel: 8, heads: 2, steps: 1200, learningRate: 0.01, seeds: 20, precision: 'float32', decimals: 2, mostBytes: 40_000 },
  ...[1, 2, 4, 8].map((heads) => ({ ...usual, dModel: 64, heads, steps: 600 })),
  { ...usual, dModel: 512, heads: 8, steps: 90, learningRate: 0.001, mostBytes: 2_500_000 },
].map((model) => ({ ...model, name: `${model.dModel}x${model.heads}` }))

/** The sentence of the article that the lesson follows. */
export const sentence = '小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。'.split('|')

const folder = new URL('../src/core/generated/models/', import.meta.url)
export const modelFile = ({ name }) => new URL(`${name}.safetensors`, folder)
