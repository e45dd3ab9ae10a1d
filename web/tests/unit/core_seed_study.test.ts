// A study of many seeds: client and service together over real messages, with the real module; only the worker's thread is missing.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CoreFailure } from '../../src/core/protocol'
import type { RunSettings, StudyReport, StudySettings, TrainingClient } from '../../src/core/training'
import { createTrainingClient } from '../../src/core/training_client'
import { Ear, LocalWorker, moduleBytes, sentence } from './training_support'

const study = (patch: Partial<StudySettings> = {}): StudySettings => ({
  task: 'relation', heads: [1, 2], dModel: 8, learningRate: 0.01, residual: false, seed: 3, batch: 4, seeds: 3, steps: 12, bound: 4, every: 10, lang: 'zh', ...patch,
})
const run: RunSettings = { task: 'relation', heads: 2, dModel: 8, learningRate: 0.01, residual: false, seed: 3, batch: 4 }

/** What a study tells. */
class StudyEar {
  readonly heard: StudyReport[] = []
  readonly failures: CoreFailure[] = []
  #wake = (): void => {}

  report(report: StudyReport): void {
    this.heard.push(report)
    this.#wake()
  }

  failed(failure: CoreFailure): void {
    this.failures.push(failure)
    this.#wake()
  }

  get last(): StudyReport {
    return this.heard.at(-1)!
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  toTheEnd(): Promise<void> {
    return this.until(() => this.heard.at(-1)?.done === this.heard.at(-1)?.total && this.heard.length > 0)
  }
}

let workers: LocalWorker[]
let client: TrainingClient
beforeEach(() => {
  workers = []
  client = createTrainingClient({ bytes: () => moduleBytes('simd'), spawn: () => workers[workers.push(new LocalWorker()) - 1]! })
})
afterEach(async () => {
  client.pause()
  client.stopStudy()
  await pause(5)
  workers.forEach((worker) => worker.terminate())
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('a study goes to its end without anything else, and every number in it is one of its kind', async () => {
  const ear = new StudyEar()
  client.study(study(), ear)
  await ear.toTheEnd()
  const { now, total, relations, summaries } = ear.last
  expect([now, total, ear.failures.length]).toEqual([undefined, 6, 0])
  expect(summaries.map(({ heads }) => heads)).toEqual([1, 2])
  for (const { runs, reached, diverged, steps, loss, owned, alone, answered, assignments, groupings, reachedAt } of summaries) {
    expect([runs, diverged, reachedAt.length, owned.length]).toEqual([3, 0, 3, relations.length])
    const found = reachedAt.filter((step) => step !== undefined)
    expect(found.length).toBe(reached)
    for (const step of found) expect([10, 12]).toContain(step)
    if (steps !== undefined) expect([steps.fewest, steps.most]).toEqual([Math.min(...found), Math.max(...found)])
    expect(steps === undefined).toBe(reached === 0)
    expect(loss).toBeGreaterThan(0)
    owned.forEach((count, relation) => {
      expect(count).toBeGreaterThanOrEqual(alone[relation]!)
      expect(Math.max(count, answered[relation]!)).toBeLessThanOrEqual(runs)
    })
    expect(groupings.reduce((sum, one) => sum + one.runs, 0)).toBe(runs)
    expect(assignments).toBeGreaterThanOrEqual(groupings.length)
    for (const { groups } of groupings) expect(groups.length).toBe(relations.length)
  }
})

test('the same settings give the same study; another seed another one', async () => {
  const summariesOf = async (settings: StudySettings): Promise<unknown> => {
    const ear = new StudyEar()
    client.study(settings, ear)
    await ear.toTheEnd()
    return ear.last.summaries
  }
  const first = await summariesOf(study())
  expect(await summariesOf(study())).toEqual(first)
  expect(await summariesOf(study({ seed: 4 }))).not.toEqual(first)
})

test('what is done only grows, one h after another and one seed after another', async () => {
  const ear = new StudyEar()
  client.study(study({ seeds: 20, steps: 100, batch: 16 }), ear)
  await ear.until(() => ear.heard.length > 2)
  client.stopStudy()
  ear.heard.forEach(({ now, done, summaries }, place) => {
    if (place > 0) expect(done).toBeGreaterThanOrEqual(ear.heard[place - 1]!.done)
    const [one, two] = summaries
    expect(now!.seed).toBe(two!.runs)
    expect(one!.runs - two!.runs).toBe(now!.heads === 2 ? 1 : 0)
  })
})

test('a study that is stopped says nothing more, and the next one begins anew', async () => {
  const ear = new StudyEar()
  client.study(study({ seeds: 20, steps: 1000 }), ear)
  await ear.until(() => ear.heard.length > 1)
  client.stopStudy()
  const heard = ear.heard.length
  await pause(300)
  expect(ear.heard.length).toBe(heard)
  const next = new StudyEar()
  client.study(study(), next)
  await next.toTheEnd()
  expect(ear.heard.length).toBe(heard)
  expect(next.last.total).toBe(6)
})

test('it waits while runs go, and goes on when they stand', async () => {
  const [ear, runs] = [new StudyEar(), new Ear()]
  client.reset([run], sentence, runs)
  client.play({ stepsPerSecond: 100, snapshotsPerSecond: 50 })
  await runs.until(() => (runs.heard[0]?.length ?? 0) > 1)
  client.study(study(), ear)
  await ear.until(() => ear.heard.length > 1)
  expect(ear.last.done).toBe(0)
  client.pause()
  await ear.toTheEnd()
  expect(runs.last().step).toBeGreaterThan(0)
  expect(runs.failures).toEqual([])
})

test('runs that diverge are counted as such and as nothing else', async () => {
  const ear = new StudyEar()
  client.study(study({ learningRate: 1e30, batch: 1, steps: 100, bound: 1e30 }), ear)
  await ear.toTheEnd()
  for (const { runs, reached, diverged, steps, loss, assignments, reachedAt } of ear.last.summaries) {
    expect([runs, reached, diverged, assignments]).toEqual([3, 0, 3, 0])
    expect([steps, loss, ...reachedAt]).toEqual([undefined, undefined, undefined, undefined, undefined])
  }
})

test('what cannot be studied fails with its reason, and the runs do not hear of it', async () => {
  const [ear, runs] = [new StudyEar(), new Ear()]
  client.reset([run], sentence, runs)
  client.study(study({ heads: [1, 3] }), ear)
  await ear.until(() => ear.failures.length > 0)
  expect(ear.failures[0]!.status).toBe('head_dim_out_of_range')
  expect(runs.failures).toEqual([])
  client.study(study(), ear)
  await ear.toTheEnd()
})

test('a worker that crashes fails the study too, and the next one gets another worker', async () => {
  const ear = new StudyEar()
  client.study(study({ seeds: 3, steps: 200 }), ear)
  await ear.until(() => ear.heard.length > 0)
  workers[0]!.onerror?.call(workers[0] as never, { message: 'trap', preventDefault: () => {} } as ErrorEvent)
  expect(ear.failures).toEqual([{ status: 'crashed', detail: 'trap' }])
  client.study(study(), ear)
  await ear.toTheEnd()
  expect(workers.length).toBe(2)
})
