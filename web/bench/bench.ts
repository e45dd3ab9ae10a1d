// ./dev bench [--quick] [--scaling] [--json FILE]: ours against its peers and against the peak, in every browser of this machine and
// without one. --table: the tables of the READMEs anew, from the figures that are kept.
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type BrowserName, freePort, open } from './engines'
import { curves } from './curves'
import type { Job, Report, Size } from './page/job'
import { cliffs, type EngineRecord, engineRecord, machine, type Result, told, toldScaling } from './report'
import { renewTables } from './table'

const root = resolve(import.meta.dirname, '../..')
const browserNames: readonly BrowserName[] = ['Chromium', 'Firefox', 'WebKitGTK']
const sizes: readonly Size[] = [[11, 512, 8], [14, 512, 8], [128, 512, 8], [512, 512, 8], [128, 768, 12], [128, 1024, 16]]
/** Sizes that fit no tile, each before a round one near by, of whose rate they should reach half. Not measured by --quick. */
const odd: readonly (readonly [Size, Size])[] = [[[1, 512, 8], [8, 512, 8]], [[7, 512, 8], [8, 512, 8]], [[127, 511, 7], [128, 512, 8]], [[128, 208, 16], [128, 256, 16]]]
const oddSizes: readonly Size[] = [[1, 512, 8], [7, 512, 8], [8, 512, 8], [127, 511, 7], [128, 208, 16], [128, 256, 16]]
const pace = { quick: { rounds: 5, batchMs: 60, warmMs: 200 }, full: { rounds: 21, batchMs: 60, warmMs: 200 } }

const say = (line: string): void => console.log(line)

interface Wish {
  quick: boolean
  scaling: boolean
  table: boolean
  json: string | undefined
}

function wishOf(words: readonly string[]): Wish {
  const wish: Wish = { quick: false, scaling: false, table: false, json: undefined }
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--quick' || word === '--scaling' || word === '--table') wish[word.slice(2) as 'quick'] = true
    else if (word === '--json' && rest.length > 0) wish.json = rest.shift()
    else throw new Error(`bench does not know ${word}`)
  }
  return wish
}

async function served(folder: string): Promise<{ address: string; close(): void }> {
  const port = await freePort()
  const server = spawn(process.execPath, [resolve(root, '.dev/serve.mjs'), resolve(root, folder), String(port), 'no'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((done) => server.stdout.once('data', done))
  return { address: `http://127.0.0.1:${port}/`, close: () => void server.kill() }
}

async function measured(name: BrowserName, address: string, job: Job): Promise<EngineRecord> {
  const engine = await open(name, address)
  try {
    await engine.evaluate((wanted) => window.bench.start(wanted), job)
    for (let said = ''; ; ) {
      await new Promise((done) => setTimeout(done, 500))
      const state = await engine.evaluate(() => (window.bench.state.at === 'done' ? { at: 'done' as const } : window.bench.state))
      if (state.at === 'failed') throw new Error(state.error)
      if (state.at === 'running' && state.doing !== said) {
        said = state.doing
        process.stderr.write(`  ${name}: ${said}\n`)
      }
      if (state.at === 'done') break
    }
    // As text: a driver may lose numbers that are no whole ones.
    const text = await engine.evaluate(() => JSON.stringify((window.bench.state as { report: Report }).report))
    return engineRecord(name, engine.version, JSON.parse(text) as Report)
  } finally {
    await engine.close()
  }
}

/** The same without a browser, as this machine's compiler makes it. */
function measuredNatively({ sizes, rounds, batchMs, warmMs }: Job): EngineRecord {
  const words = [rounds, batchMs, warmMs, ...sizes.map((size) => size.join(','))].map(String)
  const { version, report } = JSON.parse(execFileSync(resolve(root, 'build/release/mha_bench_native'), words, { encoding: 'utf8' })) as { version: string; report: Omit<Report, 'scaling'> }
  return engineRecord('native', version, { ...report, scaling: [] })
}

/** Programs of their own, in Chromium: a real model's layer, a training step, and how long the reader of the page waits. */
async function tellTheRest(): Promise<void> {
  const page = await served('dist')
  try {
    for (const [program, ...words] of [['layer_at_scale.mjs'], ['training_step.mjs'], ['main_thread.mjs', page.address]] as const) {
      say('')
      const going = spawn(process.execPath, [resolve(import.meta.dirname, program), ...words], { stdio: 'inherit' })
      const code = await new Promise<number | null>((done) => going.once('exit', done))
      if (code !== 0) say(`${program}: not measured`)
    }
  } finally {
    page.close()
  }
}

export async function main(words: readonly string[]): Promise<void> {
  const { quick, scaling, table, json } = wishOf(words)
  if (table) return renewTables()
  const result: Result = { machine: machine(), date: new Date().toISOString().slice(0, 10), engines: [] }
  say(`${result.machine}, ${result.date}`)
  const site = await served('build/bench')
  const job: Job = { sizes: quick ? sizes : [...sizes, ...oddSizes], scaling: scaling ? curves : [], ...(quick ? pace.quick : pace.full) }
  try {
    for (const name of [...browserNames, 'native'] as const) {
      try {
        const record = name === 'native' ? measuredNatively(job) : await measured(name, site.address, job)
        result.engines.push(record)
        say(`\n${told(record)}`)
        for (const cliff of cliffs(record, odd)) say(cliff)
        if (record.scaling) say(`\n${toldScaling(record)}`)
      } catch (error) {
        say(`\n${name}: not measured. ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  } finally {
    site.close()
  }
  const wrong = result.engines.flatMap(({ name, rows }) => rows.filter(({ deviation }) => !(deviation <= 1)).map(({ contender, n, d, h }) => `${name}, ${contender} at ${n}, ${d}, ${h}`))
  if (wrong.length > 0) throw new Error(`wrong results, so these times mean nothing: ${wrong.join('; ')}`)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, undefined, 1)}\n`)
  if (!quick) await tellTheRest()
}
