// A measurement between the reader and the core. How long work runs, is stopped and fails is told in model_at_scale.test.ts.
import { expect, test } from 'vitest'
import type { MeasureReport } from '../../src/core/protocol'
import { MeasureHere } from '../../src/model/measure_here.svelte'
import { SlowCore, settled } from './model_support'

const report: MeasureReport = { build: 'simd', peakFlopsPerSecond: 1, passes: [] }

function begin() {
  const core = new SlowCore()
  return { core, here: new MeasureHere(core) }
}

test('what is on the page is measured first, then the article’s layer with few tokens and with many', async () => {
  const { core, here } = begin()
  const onThePage = { tokens: 5, modelDim: 8, heads: 2 }
  const run = here.run(onThePage)
  const { asked, answer, progress } = core.measurements[0]!
  expect(asked.sizes[0]).toEqual(onThePage)
  const [few, many] = asked.sizes.slice(1)
  expect(few).toEqual({ tokens: 11, modelDim: 512, heads: 8 })
  expect(many!.modelDim).toBe(512)
  expect(many!.tokens).toBeGreaterThan(10 * few!.tokens)
  progress!(3, 80)
  expect(here.now).toEqual({ state: 'running', done: 3, total: 80 })
  answer(report)
  await run
  expect(here.now).toEqual({ state: 'done', request: asked, report })
})

test('no size is measured twice', () => {
  const { core, here } = begin()
  void here.run({ tokens: 11, modelDim: 512, heads: 8 })
  const { sizes } = core.measurements[0]!.asked
  expect(sizes).toHaveLength(2)
  expect(new Set(sizes.map((size) => JSON.stringify(size))).size).toBe(2)
})

test('stopped at once, and another can run', async () => {
  const { core, here } = begin()
  void here.run({ tokens: 5, modelDim: 8, heads: 2 })
  here.stop()
  expect(here.now).toEqual({ state: 'stopped' })
  core.measurements[0]!.progress!(5, 80)
  await settled()
  expect(here.now).toEqual({ state: 'stopped' })
  void here.run({ tokens: 5, modelDim: 8, heads: 2 })
  expect(core.measurements).toHaveLength(2)
})
