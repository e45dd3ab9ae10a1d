// Trains the models of models.mjs with the core's own WebAssembly (simd), so that they are the same bytes on every machine.
//   node models/train.mjs [NAME...]   all, or those named
//   node models/train.mjs --check     only looks whether every file is there
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { modelFile, models, sentence } from './models.mjs'

const words = process.argv.slice(2)
if (words[0] === '--check') process.exit(models.every((model) => existsSync(modelFile(model))) ? 0 : 1)
const unknown = words.filter((word) => !models.some(({ name }) => name === word))
if (unknown.length > 0) {
  console.error(`There is no model ${unknown.join(', ')}. There are: ${models.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const { Run, metadataOf } = await import('./training_module.mjs')

/** A run after its steps: of several seeds the one with the lowest held-out loss, and what is to be said of the choice. */
function train(model) {
  const run = (seed) => {
    const made = new Run(0, { ...model, seed })
    made.advance(model.steps)
    return made
  }
  if (model.seeds === 1) return { run: run(1), said: { seed_chosen: 'first' } }
  const tried = Array.from({ length: model.seeds }, (_, i) => metadataOf(run(i + 1).save('float32', -1, {})))
  const losses = tried.map(({ loss }) => Number(loss))
  const said = { seed_chosen: `lowest loss of ${model.seeds}`, seeds_accuracy: tried.map(({ accuracy }) => accuracy).sort().join(' ') }
  return { run: run(losses.indexOf(Math.min(...losses)) + 1), said }
}

function save(run, said, { precision, decimals }) {
  const exact = run.save(precision, -1, said)
  if (decimals < 0) return exact
  const rounded = run.save(precision, decimals, said)
  const accuracy = (file) => Number(metadataOf(file).accuracy)
  return accuracy(exact) - accuracy(rounded) < 0.01 ? rounded : exact
}

/** Written completely or not at all. */
function write(address, file) {
  mkdirSync(new URL('.', address), { recursive: true })
  const beside = new URL(`${address.href}.part`)
  writeFileSync(beside, file)
  renameSync(beside, address)
}

const [she, xiaohong] = [sentence.indexOf('她'), sentence.indexOf('小红')]

for (const model of models.filter(({ name }) => words.length === 0 || words.includes(name))) {
  const start = performance.now()
  const { run, said: ofSeeds } = train(model)
  const file = save(run, ofSeeds, model)
  run.restore(file)
  write(modelFile(model), file)
  const said = metadataOf(file)
  const weights = run.weights(sentence, she, xiaohong)
  const most = Math.max(...weights)
  const row = {
    steps: said.steps,
    seed: `${said.seed} (${said.seed_chosen})`,
    loss: said.loss,
    rounding: said.rounding,
    accuracy: said.accuracy,
    ...Object.fromEntries(said.relations.split('\n').map((relation) => [relation, said[`accuracy.${relation}`]])),
    bytes: file.length,
    seconds: ((performance.now() - start) / 1000).toFixed(1),
    '她 → 小红': `${most.toFixed(3)} in head ${weights.indexOf(most) + 1}`,
  }
  console.log(`${model.name}: ${Object.entries(row).map(([name, value]) => `${name} ${value}`).join(' · ')}`)
}
