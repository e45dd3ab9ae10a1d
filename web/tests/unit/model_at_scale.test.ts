// A layer of a real model between the reader and the core.
import { expect, test } from 'vitest'
import { limits, models } from '../../src/core/generated/tables'
import { type AtScaleReport, CoreError } from '../../src/core/protocol'
import { AtScale, canRun } from '../../src/model/at_scale.svelte'
import { maxTokens } from '../../src/model/limits'
import { SlowCore, settled } from './model_support'

const report: AtScaleReport = { weights: 1, weightBytes: 4, roomBytes: 64, seconds: 1, flopsPerSecond: 1, rms: 1 }

function begin() {
  const core = new SlowCore()
  return { core, atScale: new AtScale(core) }
}

test('GPT-3 is chosen, every model of heads can be run, and any sentence of the page fits', () => {
  expect(models[begin().atScale.model]!.name).toBe('GPT-3')
  for (const [i, { name, kind }] of models.entries()) expect(canRun(i), name).toBe(kind === 'heads')
  expect(canRun(-1)).toBe(false)
  expect(canRun(models.length)).toBe(false)
  expect(limits.maxTokensAtScale).toBeGreaterThanOrEqual(maxTokens)
})

test('says how far it is, then what came of it', async () => {
  const { core, atScale } = begin()
  expect(atScale.now).toBeUndefined()
  atScale.model = 0
  const run = atScale.run(11, 42)
  expect(atScale.now).toEqual({ state: 'running', done: 0, total: 8 })
  const { asked, answer, progress } = core.layers[0]!
  expect(asked).toEqual({ model: 0, tokens: 11, seed: 42 })
  progress!(3, 8)
  expect(atScale.now).toEqual({ state: 'running', done: 3, total: 8 })
  answer(report)
  await run
  expect(atScale.now).toEqual({ state: 'done', request: asked, report })
})

test('one at a time', async () => {
  const { core, atScale } = begin()
  const run = atScale.run(11, 1)
  void atScale.run(11, 2)
  expect(core.layers).toHaveLength(1)
  core.layers[0]!.answer(report)
  await run
  void atScale.run(11, 2)
  expect(core.layers).toHaveLength(2)
})

test('what can’t be run is never asked for', async () => {
  const { core, atScale } = begin()
  for (const model of [...models.keys(), -1, models.length].filter((each) => !canRun(each))) {
    atScale.model = model
    await atScale.run(11, 1)
  }
  expect(core.layers).toEqual([])
  expect(atScale.now).toBeUndefined()
})

test('stopped at once, whatever the core still says of it, and another can run', async () => {
  const { core, atScale } = begin()
  void atScale.run(11, 1)
  atScale.stop()
  expect(atScale.now).toEqual({ state: 'stopped' })
  core.layers[0]!.progress!(5, 96)
  await settled()
  expect(atScale.now).toEqual({ state: 'stopped' })
  const again = atScale.run(11, 2)
  await settled()
  expect(atScale.now).toMatchObject({ state: 'running' })
  core.layers[1]!.answer(report)
  await again
  expect(atScale.now).toMatchObject({ state: 'done', request: { seed: 2 } })
  atScale.stop()
  expect(atScale.now).toMatchObject({ state: 'done' })
})

test('a failure is told, and does not keep the next from running', async () => {
  const { core, atScale } = begin()
  const run = atScale.run(11, 1)
  core.layers[0]!.refuse(new CoreError({ status: 'out_of_memory' }))
  await run
  expect(atScale.now).toEqual({ state: 'failed', failure: { status: 'out_of_memory' } })
  void atScale.run(11, 1)
  expect(core.layers).toHaveLength(2)
})
