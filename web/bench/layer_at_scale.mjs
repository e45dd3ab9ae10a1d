// One layer of a real model, in both builds, without the page: seconds of computing, head by head, in Chromium.
//   node bench/layer_at_scale.mjs [name of a model, as in the table]; CHROMIUM names the browser, RUNS how often, TOKENS how many
// On a machine that does other work, too, look at the thread's own time: it leaves out what others took.
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const generated = new URL('../src/core/generated/', import.meta.url)
const name = process.argv[2] ?? 'GPT-3'
const [runs, tokens] = [Number(process.env.RUNS ?? 7), Number(process.env.TOKENS ?? 11)]
const names = [...readFileSync(new URL('tables.ts', generated), 'utf8').matchAll(/^ {4}name: '(.*)', kind/gm)].map(([, each]) => each)
const heads = [...readFileSync(new URL('tables.ts', generated), 'utf8').matchAll(/, heads: (\d+), kvHeads/g)].map(([, each]) => Number(each))
const model = names.indexOf(name)
if (model < 0) throw new Error(`the models are ${names.join(', ')}`)

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const sorted = (values) => [...values].sort((a, b) => a - b)
const said = (values) => `least ${sorted(values)[0].toFixed(0)}, median ${sorted(values)[values.length >> 1].toFixed(0)}`

for (const build of ['simd', 'relaxed']) {
  const page = await browser.newPage()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.exposeFunction('threadMs', async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * metrics.find((metric) => metric.name === 'ThreadTime').value
  })
  const bytes = readFileSync(new URL(`mha-${build}.wasm`, generated)).toString('base64')
  const { walls, threads, longest, cost } = await page.evaluate(
    async ({ bytes, model, heads, tokens, runs }) => {
      const module = await WebAssembly.compile(Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)))
      const imports = {}
      for (const { module: space, name } of WebAssembly.Module.imports(module)) (imports[space] ??= {})[name] = () => 0
      const { exports: core } = await WebAssembly.instantiate(module, imports)
      core._initialize()
      const record = core.mha_allocate(64)
      core.mha_at_scale_cost(model, tokens, record)
      const cost = [...new Float64Array(core.memory.buffer, record, 4)]
      const room = core.mha_allocate(cost[2])
      const [walls, threads, longest] = [[], [], []]
      for (let run = 0; run < runs; run += 1) {
        const began = await window.threadMs()
        let wall = 0
        let most = 0
        for (let head = 0; head < heads; head += 1) {
          const start = performance.now()
          if (core.mha_at_scale_head(model, tokens, 1, head, room) !== 0) throw new Error('refused')
          const took = performance.now() - start
          wall += took
          most = Math.max(most, took)
        }
        threads.push((await window.threadMs()) - began)
        walls.push(wall)
        longest.push(most)
      }
      return { walls, threads, longest, cost }
    },
    { bytes, model, heads: heads[model], tokens, runs },
  )
  const [weights, , room, flops] = cost
  const least = Math.min(...walls)
  console.log(`${name}, ${tokens} tokens, ${build}: ${said(walls)} ms (the thread's own ${said(threads)}), the first ${walls[0].toFixed(0)}; ` +
    `the longest head ${said(longest)} ms; ${(weights / 1e6).toFixed(0)} M weights, ${(room / 2 ** 20).toFixed(2)} MiB; ${(flops / least / 1e6).toFixed(1)} GFLOP/s at best`)
  await page.close()
}
await browser.close()
