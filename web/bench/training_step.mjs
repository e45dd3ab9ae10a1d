// One step of relation reading (64 sentences, d = 32, h = 4), in both builds in Chromium, against PyTorch on one thread, in turns.
// Ours makes its sentences within the step; PyTorch's are there beforehand. Checked first: the run must learn.
//   node bench/training_step.mjs; CHROMIUM and PYTHON name the programs, ROUNDS how often they take turns
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const generated = new URL('../src/core/generated/', import.meta.url)
const tables = readFileSync(new URL('training_tables.ts', generated), 'utf8')
const recordSize = (name) => Number(new RegExp(`${name}Record = \\{\\s*size: (\\d+)`).exec(tables)[1])
const place = (name, field) => Number(new RegExp(`${name}Record = \\{[^}]*?\\b${field}: (\\d+)`).exec(tables)[1])
const words = tables.split("'relation': {")[1].split('words: [')[1].split(']')[0].split("', '").length

const [sentences, length, modelDim, heads, slots] = [64, 14, 32, 4, 2]
const rounds = Number(process.env.ROUNDS ?? 21)
const steps = 50
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

async function openOurs(browser, build) {
  const page = await browser.newPage()
  const bytes = readFileSync(new URL(`training-${build}.wasm`, generated)).toString('base64')
  const settings = new Array(recordSize('runSettings')).fill(0)
  for (const [field, value] of Object.entries({ heads, modelDim, layers: 1, batch: sentences, learningRate: 0.003, seed: 1 })) settings[place('runSettings', field)] = value
  await page.evaluate(
    async ({ bytes, settings }) => {
      const module = await WebAssembly.compile(Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)))
      const imports = {}
      for (const { module: space, name } of WebAssembly.Module.imports(module)) (imports[space] ??= {})[name] = () => 0
      const { exports: core } = await WebAssembly.instantiate(module, imports)
      core._initialize()
      const record = core.mha_allocate(256)
      new Float64Array(core.memory.buffer, record, settings.length).set(settings)
      if (core.mha_run_open(0, record) !== 0) throw new Error('refused')
      window.advance = (count) => {
        const start = performance.now()
        if (core.mha_run_advance(0, count, record) !== 0) throw new Error('refused')
        return [performance.now() - start, ...new Float64Array(core.memory.buffer, record, 3)]
      }
    },
    { bytes, settings },
  )
  const advance = (count) => page.evaluate((wanted) => window.advance(wanted), count)
  const [, , before] = await advance(1)
  const [, , after] = await advance(400)
  if (!(after < before / 10)) throw new Error(`${build}: the loss went from ${before} to ${after}, so these times mean nothing`)
  return { name: `ours, ${build}`, time: async () => (await advance(steps))[0] }
}

function openPyTorch() {
  const program = fileURLToPath(new URL('training_step.py', import.meta.url))
  const going = spawn(process.env.PYTHON ?? '/usr/bin/python3', [program, ...[sentences, length, modelDim, heads, words, slots].map(String)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: going.stdout })[Symbol.asyncIterator]()
  const time = async () => {
    going.stdin.write(`${steps}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error('PyTorch did not answer')
    return Number(value)
  }
  return { name: 'PyTorch, one thread', time, close: () => void going.stdin.end() }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const peer = openPyTorch()
try {
  const contenders = [await openOurs(browser, 'relaxed'), await openOurs(browser, 'simd'), peer]
  await peer.time()
  const times = contenders.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, { time }] of contenders.entries()) times[i].push((await time()) / steps)
  }
  const slowest = median(times.at(-1))
  for (const [i, { name }] of contenders.entries()) {
    const [mid, low, high] = [median(times[i]), Math.min(...times[i]), Math.max(...times[i])]
    console.log(`a training step, ${sentences} sentences, d = ${modelDim}, h = ${heads}: ${name}: ${mid.toFixed(2)} ms (${low.toFixed(2)}–${high.toFixed(2)}); PyTorch takes ${(slowest / mid).toFixed(1)} × as long`)
  }
} finally {
  peer.close()
  await browser.close()
}
