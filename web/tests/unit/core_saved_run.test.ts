// Runs as files, in the real modules: saved, read by their metadata, restored, and gone on with.
import { describe, expect, test } from 'vitest'
import { tasks } from '../../src/core/generated/training_tables'
import { CoreError } from '../../src/core/protocol'
import { type RunSettings, type Saving, trainingTasks } from '../../src/core/training'
import { TrainingRun } from '../../src/core/training_engine'
import { Wasm } from '../../src/core/wasm'
import { builds, failure } from './core_support'
import { metadataOf } from './model_files'
import { moduleBytes, sentence } from './training_support'

const settings = (patch: Partial<RunSettings> = {}): RunSettings => ({
  task: 'relation', heads: 2, dModel: 16, learningRate: 0.01, residual: false, seed: 3, batch: 8, ...patch,
})
const whole: Saving = { precision: 'float32', moments: true }

/** Files are compared in one piece: number by number, as toEqual does it, a large one takes minutes. */
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b)

const modules = await Promise.all(builds.map(async (build) => ({ build, wasm: await Wasm.instantiate(await moduleBytes(build)) })))

describe.each(modules)('saved runs in the $build build', ({ wasm }) => {
  test.each(trainingTasks)('%s: a restored run goes on bit for bit like one never interrupted', (task) => {
    const run = new TrainingRun(wasm, 0, settings({ task }))
    run.listenTo('zh')
    run.advance(6)
    const file = run.save(whole)
    const next = new TrainingRun(wasm, 1, settings({ task }))
    next.listenTo('zh')
    next.restore(file)
    expect(next.snapshot(sentence, true, 0).step).toBe(6)
    run.advance(5)
    next.advance(5)
    expect(next.snapshot(sentence, true, 0)).toEqual(run.snapshot(sentence, true, 0))
    expect(same(next.save(whole), run.save(whole))).toBe(true)
  })

  test('a file larger than usual comes whole, too', () => {
    const run = new TrainingRun(wasm, 0, settings({ dModel: 128, batch: 1 }))
    const file = run.save(whole)
    expect(file.length).toBeGreaterThan(2 ** 20)
    run.advance(1)
    run.restore(file)
    expect(same(run.save(whole), file)).toBe(true)
    wasm.run('mha_run_close', 0)
  })

  test('a file tells what was asked to be told, and what its run is', () => {
    const run = new TrainingRun(wasm, 0, settings({ heads: 4 }))
    const file = run.save({ precision: 'float16', moments: false }, { note: '说明 “x”', loss: 'none' })
    const metadata = metadataOf(file)
    expect(metadata).toMatchObject({
      note: '说明 “x”', task: 'relation', relations: tasks.relation.relations.join('\n'),
      seed: '3', batch: '8', learning_rate: '0.01', rounding: 'float16', heads: '4',
    })
    expect(Number(metadata.loss)).toBeGreaterThan(1)
    expect(metadata['heads.english.cause']!.split(' ').length).toBe(4)
    expect(metadataOf(run.save({ precision: 'float32', decimals: 2, moments: false })).rounding).toBe('2 decimals')
  })

  test('what is no file of this run is refused, and the run stays as it was', async () => {
    const run = new TrainingRun(wasm, 0, settings())
    run.advance(3)
    const file = run.save(whole)
    const others = [settings({ heads: 4 }), settings({ dModel: 32 }), settings({ residual: true }), settings({ task: 'two-women' })]
    const files = others.map((other) => new TrainingRun(wasm, 1, other).save(whole))
    const scratched = file.slice()
    scratched.fill(0xff, -4) // NaN
    for (const wrong of [...files, file.slice(0, -1), file.slice(0, 100), new Uint8Array(3), scratched]) {
      expect(await failure(() => run.restore(wrong))).toMatchObject({ status: 'bad_model' })
    }
    expect(same(run.save(whole), file)).toBe(true)
    expect(() => run.save(whole, { empty: '' })).toThrow(CoreError)
  })
})
