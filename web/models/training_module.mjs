// The training module under Node, without the page: what is needed to train a model and to look at it.
import { readFileSync } from 'node:fs'

const generated = new URL('../src/core/generated/', import.meta.url)
const tables = readFileSync(new URL('training_tables.ts', generated), 'utf8')

/** What stands between the braces of a table, as numbers by their names. */
function numbers(table) {
  const [, body] = new RegExp(`export const ${table} = \\{([^}]*)\\}`).exec(tables)
  return Object.fromEntries([...body.matchAll(/(\w+): (\d+)/g)].map(([, name, value]) => [name, Number(value)]))
}
const [settingsPlaces, savingPlaces, progressPlaces, dilemmaPlaces, precisionIds] =
  ['runSettingsRecord', 'savingRecord', 'runProgressRecord', 'dilemmaRecord', 'precisionIds'].map(numbers)
const relations = /'relation': \{\s*relations: \[([^\]]*)\]/.exec(tables)[1].split(', ').length

function record({ size, ...places }, values) {
  const made = new Float64Array(size)
  for (const [name, value] of Object.entries(values)) made[places[name]] = value
  return made
}

function packed(texts) {
  const parts = texts.map((text) => Buffer.from(text))
  const offsets = Int32Array.from([0, ...parts.map((_, i) => Buffer.concat(parts.slice(0, i + 1)).length)])
  return [new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1)])), offsets]
}

async function instantiate() {
  const module = await WebAssembly.compile(readFileSync(new URL('training-simd.wasm', generated)))
  const imports = {}
  for (const { module: space, name } of WebAssembly.Module.imports(module)) (imports[space] ??= {})[name] = () => 0
  const { exports } = await WebAssembly.instantiate(module, imports)
  exports._initialize()
  return exports
}
const core = await instantiate()

/** Calls a function: arrays are copied in, and back out. Throws the number of its Status. */
function call(name, ...values) {
  const blocks = values.map((value) => (ArrayBuffer.isView(value) ? core.mha_allocate(Math.max(value.byteLength, 8)) : undefined))
  // Made anew each time: memory may have grown.
  const view = (i) => new Uint8Array(core.memory.buffer, blocks[i], values[i].byteLength)
  const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  blocks.forEach((block, i) => block !== undefined && view(i).set(bytes(values[i])))
  const status = core[name](...values.map((value, i) => blocks[i] ?? value))
  blocks.forEach((block, i) => block !== undefined && bytes(values[i]).set(view(i)))
  for (const block of blocks) if (block !== undefined) core.mha_release(block)
  if (status !== 0) throw new Error(`${name} answers with status ${status}`)
}

const settingsOf = ({ dModel, heads, learningRate, batch, seed }) =>
  record(settingsPlaces, { task: 0, heads, modelDim: dModel, layers: 1, batch, learningRate, seed })

/** The module's runs have places; each of these runs takes one, which is begun anew. */
export class Run {
  constructor(place, settings) {
    this.place = place
    this.settings = settings
    call('mha_run_open', place, settingsOf(settings))
  }

  advance(steps) {
    call('mha_run_advance', this.place, steps, new Float64Array(progressPlaces.size))
  }

  /** A model file with `said` in its metadata. */
  save(precision, decimals, said) {
    const texts = Object.entries(said).flat()
    const file = new Uint8Array(16_000_000)
    const size = new Float64Array(1)
    const saving = record(savingPlaces, { precision: precisionIds[precision], decimals, moments: 0 })
    call('mha_run_save', this.place, saving, ...packed(texts), texts.length, file, file.length, size)
    return file.slice(0, size[0])
  }

  restore(file) {
    call('mha_run_restore', this.place, settingsOf(this.settings), file, file.length)
  }

  /** Of each head the attention weight from one word of a sentence to another; places count from 0. */
  weights(words, from, to) {
    const n = words.length
    const places = new Int32Array(n)
    call('mha_task_words', 0, ...packed(words), n, places)
    const maps = new Float32Array(this.settings.heads * n * n)
    call('mha_run_show', this.place, places, n, maps, new Float64Array(dilemmaPlaces.size))
    return Array.from({ length: this.settings.heads }, (_, head) => maps[(head * n + from) * n + to])
  }
}

/** As any reader of .safetensors finds it. */
export function metadataOf(file) {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
  return JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))).__metadata__
}
