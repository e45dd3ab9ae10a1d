// Runs saved to files and gone on with: client and service together over real messages, with the real modules.
import { afterEach, describe, expect, test } from 'vitest'
import { CoreError, Superseded } from '../../src/core/protocol'
import type { RunSettings, TrainingClient } from '../../src/core/training'
import { createTrainingClient } from '../../src/core/training_client'
import { readRunFile } from '../../src/model/run_file'
import { builds } from './core_support'
import { Ear, LocalWorker, moduleBytes, sentence, smallRun } from './training_support'

let workers: LocalWorker[] = []
afterEach(() => {
  workers.forEach((worker) => worker.terminate())
  workers = []
})

const pace = { stepsPerSecond: Infinity, snapshotsPerSecond: 50 }

async function begin(runs: RunSettings[], build: (typeof builds)[number] = 'simd'): Promise<{ client: TrainingClient; ear: Ear }> {
  const ear = new Ear()
  const client = createTrainingClient({ bytes: () => moduleBytes(build), spawn: () => workers[workers.push(new LocalWorker()) - 1]! })
  client.listenTo('zh')
  client.reset(runs, sentence, ear)
  await ear.until(() => ear.heard.length === runs.length)
  return { client, ear }
}

async function stepped(client: TrainingClient, ear: Ear, run: number, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) client.step()
  const goal = ear.last(run).step + steps
  await ear.until(() => ear.last(run).step === goal)
}

describe.each(builds)('files of runs in the %s build', (build) => {
  test('one of several is saved, and goes on alone as it would have gone on beside the others, bit for bit', async () => {
    const { client, ear } = await begin([smallRun({ heads: 1 }), smallRun({ heads: 4, residual: true, seed: 9 })], build)
    await stepped(client, ear, 1, 6)
    const { step, file } = await client.save(1, true)
    expect(step).toBe(6)
    await stepped(client, ear, 1, 4)

    const { settings } = await readRunFile(new Blob([file]))
    expect(settings).toEqual(smallRun({ heads: 4, residual: true, seed: 9 }))
    const next = new Ear()
    await client.resume(settings, file, sentence, next)
    await next.until(() => next.heard.length === 1)
    expect(next.last().step).toBe(6)
    await stepped(client, next, 0, 4)
    const rate = { stepsPerSecond: 0 }
    expect({ ...next.last(), ...rate }).toEqual({ ...ear.last(1), ...rate })
    // Once more, from the run of a file.
    const again = await client.save(0, true)
    expect(again.step).toBe(10)
    await client.resume(settings, again.file, sentence, next)
    await stepped(client, next, 0, 1)
    expect(next.last().step).toBe(11)
  })
})

test('a file that is none, or not of these settings, is refused, and the runs go on', async () => {
  const { client, ear } = await begin([smallRun(), smallRun({ heads: 4 })])
  client.play(pace)
  await ear.until(() => ear.last(1).step > 3)
  const { file } = await client.save(0, true)
  const next = new Ear()
  const wrong: [RunSettings, ArrayBuffer, string][] = [
    [smallRun(), new ArrayBuffer(0), 'bad_model'], [smallRun(), new ArrayBuffer(99), 'bad_model'], [smallRun(), file.slice(0, -4), 'bad_model'],
    [smallRun({ heads: 4 }), file, 'bad_model'], [smallRun({ task: 'two-women' }), file, 'bad_model'], [smallRun({ heads: 3 }), file, 'head_dim_out_of_range'],
  ]
  for (const [settings, bytes, status] of wrong) {
    await expect(client.resume(settings, bytes, sentence, next)).rejects.toMatchObject({ failure: { status } })
  }
  const before = ear.last(1).step
  await ear.until(() => ear.last(1).step > before)
  expect([ear.failures, next.heard]).toEqual([[], []])
})

test('runs that are begun while a file is on its way stay; a run that is not there is not saved', async () => {
  const { client } = await begin([smallRun()])
  const { file } = await client.save(0, true)
  const [late, newer] = [new Ear(), new Ear()]
  const resumed = client.resume(smallRun(), file, sentence, late)
  client.reset([smallRun({ seed: 2 })], sentence, newer)
  await expect(resumed).rejects.toThrow(Superseded)
  await newer.until(() => newer.heard.length === 1)
  expect(late.heard).toEqual([])
  await expect(client.save(5, true)).rejects.toThrow(CoreError)
})

test('whoever waits for a file is told when the worker is gone', async () => {
  const { client } = await begin([smallRun()])
  const saved = client.save(0, true)
  workers[0]!.onerror?.call(workers[0] as never, { message: 'trap', preventDefault: () => {} } as ErrorEvent)
  await expect(saved).rejects.toMatchObject({ failure: { status: 'crashed' } })
  await expect(client.save(0, true)).rejects.toThrow(CoreError)
})

test('what says nothing of its settings, or nonsense, is no file of a run', async () => {
  const encode = (header: string): Blob => {
    const bytes = new TextEncoder().encode(header)
    const length = new DataView(new ArrayBuffer(8))
    length.setBigUint64(0, BigInt(bytes.length), true)
    return new Blob([length.buffer, bytes])
  }
  const withSettings = (settings: unknown): Blob => encode(JSON.stringify({ __metadata__: { settings: typeof settings === 'string' ? settings : JSON.stringify(settings) } }))
  expect((await readRunFile(withSettings(smallRun()))).settings).toEqual(smallRun())
  const wrong = [
    new Blob([]), new Blob(['x'.repeat(7)]), new Blob([new Uint8Array(64).fill(255)]), encode('{}'), encode('null'), encode('{"__metadata__":{"settings":1}}'), encode('{"__metadata__":{}}'),
    ...['', '{', 'null', '[]', '7'].map(withSettings),
    ...[{ task: 'induction' }, { task: 'toString' }, { heads: '2' }, { dModel: null }, { residual: 1 }, { seed: undefined }].map((patch) => withSettings({ ...smallRun(), ...patch })),
  ]
  for (const file of wrong) await expect(readRunFile(file)).rejects.toMatchObject({ failure: { status: 'bad_model' } })
})
