// ./dev bench [--quick] [--json FILE]: ours against its peers and against the peak, in every browser of this machine.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type EngineName, freePort, open } from './engines'
import type { Job, Report, Size } from './page/job'
import { cliffs, type EngineRecord, engineRecord, machine, type Result, told } from './report'

const root = resolve(import.meta.dirname, '../..')
const engineNames: readonly EngineName[] = ['Chromium', 'Firefox', 'WebKitGTK']
const sizes: readonly Size[] = [[11, 512, 8], [14, 512, 8], [128, 512, 8], [512, 512, 8], [128, 768, 12], [128, 1024, 16]]
/** Sizes that fit no tile, each before a round one near by, of whose rate they should reach half. Not measured by --quick. */
const odd: readonly (readonly [Size, Size])[] = [[[1, 512, 8], [8, 512, 8]], [[7, 512, 8], [8, 512, 8]], [[127, 511, 7], [128, 512, 8]], [[128, 208, 16], [128, 256, 16]]]
const oddSizes: readonly Size[] = [[1, 512, 8], [7, 512, 8], [8, 512, 8], [127, 511, 7], [128, 208, 16], [128, 256, 16]]
const pace = { quick: { rounds: 5, batchMs: 60, warmMs: 200 }, full: { rounds: 21, batchMs: 60, warmMs: 200 } }

const say = (line: string): void => console.log(line)

interface Wish {
  quick: boolean
  json: string | undefined
}

function wishOf(words: readonly string[]): Wish {
  const wish: Wish = { quick: false, json: undefined }
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--quick') wish.quick = true
    else if (word === '--json' && rest.length > 0) wish.json = rest.shift()
    else throw new Error(`bench does not know ${word}`)
  }
  return wish
}

async function served(): Promise<{ address: string; close(): void }> {
  const port = await freePort()
  const server = spawn(process.execPath, [resolve(root, '.dev/serve.mjs'), resolve(root, 'build/bench'), String(port), 'no'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((done) => server.stdout.once('data', done))
  return { address: `http://127.0.0.1:${port}/`, close: () => void server.kill() }
}

async function measured(name: EngineName, address: string, job: Job): Promise<EngineRecord> {
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

export async function main(words: readonly string[]): Promise<void> {
  const { quick, json } = wishOf(words)
  const result: Result = { machine: machine(), date: new Date().toISOString().slice(0, 10), engines: [] }
  say(`${result.machine}, ${result.date}`)
  const site = await served()
  try {
    for (const name of engineNames) {
      try {
        const record = await measured(name, site.address, quick ? { sizes, ...pace.quick } : { sizes: [...sizes, ...oddSizes], ...pace.full })
        result.engines.push(record)
        say(`\n${told(record)}`)
        for (const cliff of cliffs(record, odd)) say(cliff)
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
}
