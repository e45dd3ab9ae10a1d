// The runs of the chapter `training`: what is asked of the client, when it goes and when it waits, and what is kept of a run.
import { beforeEach, expect, test } from 'vitest'
import { CoreError, Superseded } from '../../src/core/protocol'
import type { RunSettings, SavedRun, Snapshot, StudyReport, TrainingListener } from '../../src/core/training'
import { headSets } from '../../src/model/run_settings'
import { studyPlan } from '../../src/model/seed_study.svelte'
import { Training, isCurrent, longestHistory } from '../../src/model/training.svelte'
import { DrawnClient, drawnSnapshot, drawnStudy } from '../drawn/client'

/** Steps only when it is told to. */
class ByHand extends DrawnClient {
  last: TrainingListener | undefined

  override reset(...[runs, tokens, listener]: Parameters<DrawnClient['reset']>): void {
    this.last = listener
    super.reset(runs, tokens, listener)
  }

  /** what comes of the next file */
  file: () => Promise<void> = () => Promise.resolve()

  override save(run: number, moments: boolean): Promise<SavedRun> {
    this.asked.push(`save ${run}${moments ? '' : ' model only'}`)
    return Promise.resolve({ step: 600, file: new ArrayBuffer(3) })
  }

  override async resume(...[run, , tokens, listener]: Parameters<DrawnClient['resume']>): Promise<void> {
    this.asked.push('resume')
    await this.file()
    // As from a worker: whoever waits for the file knows of it before.
    setTimeout(() => super.reset([run], tokens, listener))
  }

  override play({ stepsPerSecond, snapshotsPerSecond }: Parameters<DrawnClient['play']>[0]): void {
    this.asked.push(`play ${stepsPerSecond} ${snapshotsPerSecond}`)
  }
}

const headCounts = headSets[0]!

let client: ByHand
let training: Training
beforeEach(() => {
  client = new ByHand()
  training = new Training(client)
  training.show(['a', 'b', 'c', 'd', 'e'])
})

const snapshot = (step: number, changes: Partial<Snapshot> = {}): Snapshot => ({ ...drawnSnapshot(training.runs[3]!.settings, step, ['a']), step, ...changes })

test('nothing is asked before the reader wants it', () => {
  expect(client.asked).toEqual([])
  expect(training.state).toBe('idle')
  expect(training.runs.map(({ settings }) => settings.heads)).toEqual([...headCounts])
})

test('play, pause, go on, one step, start over', () => {
  training.play()
  expect(training.state).toBe('running')
  training.pause()
  expect(training.state).toBe('paused')
  training.play()
  training.step()
  expect(training.state).toBe('paused')
  expect(client.asked).toEqual(['reset', 'play Infinity 10', 'pause', 'play Infinity 10', 'pause', 'step'])
  expect(training.runs.map(({ steps }) => steps)).toEqual(headCounts.map(() => [0, 1]))
  training.reset()
  expect(training.state).toBe('idle')
  expect(training.runs.every(({ steps, snapshot }) => steps.length === 0 && snapshot === undefined)).toBe(true)
})

test('all runs share everything but the number of heads', () => {
  training.set({ seed: 7, dModel: 16 })
  for (const { settings } of training.runs) expect({ ...settings, heads: 0 }).toEqual({ ...training.runs[0]!.settings, heads: 0 })
  expect(training.runs[2]!.settings).toMatchObject({ seed: 7, dModel: 16, heads: 4 })
})

test('the same settings again start nothing over; another set of heads does, and the number on show stays where it is one of them', () => {
  training.step()
  training.set({ ...training.settings }, [...training.headCounts])
  expect(training.run.steps).toEqual([0, 1])
  training.set({}, [2, 4, 8, 16])
  expect([training.state, training.run.settings.heads]).toEqual(['idle', 8])
  expect(training.runs.map(({ settings }) => settings.heads)).toEqual([2, 4, 8, 16])
  training.choose(3)
  training.set({}, [1, 2, 4, 8])
  expect(training.run.settings.heads).toBe(8)
})

test('other settings start over, and what still comes of the old runs belongs to nobody', () => {
  training.play()
  const { last } = client
  training.set({ seed: 2 })
  expect(training.state).toBe('idle')
  expect(client.asked.at(-1)).toBe('pause')
  last!.snapshot(0, snapshot(50))
  last!.failed({ status: 'crashed', detail: 'too late' })
  expect(training.runs[0]!.steps).toEqual([])
  expect(training.failure).toBeUndefined()
  training.play()
  last!.snapshot(0, snapshot(50))
  expect(training.runs[0]!.steps).toEqual([0])
})

test('out of sight it pauses by itself and goes on by itself, unless the reader paused it', () => {
  training.play()
  training.see(false)
  expect(training.state).toBe('running')
  expect(training.waiting).toBe(true)
  training.see(true)
  expect(training.waiting).toBe(false)
  expect(client.asked).toEqual(['reset', 'play Infinity 10', 'pause', 'play Infinity 10'])
  training.pause()
  training.see(false)
  training.see(true)
  expect(client.asked.at(-1)).toBe('pause')
})

test('nothing starts out of sight before it is seen', () => {
  training.see(false)
  training.play()
  expect(client.asked).toEqual(['reset'])
  training.see(true)
  expect(client.asked).toEqual(['reset', 'play Infinity 10'])
})

test('little motion: two pictures a second; the speed changes while it goes', () => {
  training.setStill(true)
  training.play()
  training.setSpeed(5)
  training.setStill(false)
  expect(client.asked).toEqual(['reset', 'play Infinity 2', 'play 5 2', 'play 5 10'])
})

test('another sentence is shown, not trained anew', () => {
  training.show(['x'])
  training.step()
  training.show(['y', 'z'])
  training.show(['y', 'z'])
  expect(client.asked).toEqual(['reset', 'step', 'show'])
  expect(training.run.snapshot!.tokens).toEqual(['y', 'z'])
  expect(training.run.steps).toEqual([0, 1])
})

test('heads are switched off in a run that rests; what is told of them is kept with their run', () => {
  training.studyHeads()
  expect(client.asked).toEqual([])
  training.play()
  training.studyHeads()
  expect(training.state).toBe('paused')
  expect(client.asked.slice(2)).toEqual(['pause', 'study 3', 'switch 3 '])
  expect(training.run.study).toMatchObject({ step: 0 })
  expect(isCurrent(training.run)).toBe(true)
  training.switchHeads([2, 5])
  expect(client.asked.at(-1)).toBe('switch 3 2,5')
  expect(training.run).toMatchObject({ off: [2, 5], switched: { off: [2, 5] } })
  training.choose(0)
  expect(training.run).toMatchObject({ off: [], study: undefined, switched: undefined })
})

test('a run that has gone on is measured anew before its heads are switched; the switches stay as they were', () => {
  training.step()
  training.studyHeads()
  training.switchHeads([1])
  training.step()
  expect(isCurrent(training.run)).toBe(false)
  expect(training.run).toMatchObject({ off: [1], study: { step: 1 } })
  training.switchHeads([1, 3])
  expect(client.asked.slice(-2)).toEqual(['study 3', 'switch 3 1,3'])
  expect(training.run).toMatchObject({ study: { step: 2 }, switched: { step: 2, off: [1, 3] } })
  training.play()
  training.switchHeads([])
  expect(client.asked.slice(-3)).toEqual(['pause', 'study 3', 'switch 3 '])
  training.reset()
  expect(training.run).toMatchObject({ off: [], study: undefined, switched: undefined })
})

test('numbers too large to tell are said to be so, and what comes of runs that are gone is dropped', () => {
  training.step()
  client.last!.studied(3, undefined)
  client.last!.switched(3, undefined)
  expect([training.run.study, training.run.switched]).toEqual(['overflow', 'overflow'])
  const { last } = client
  training.reset()
  last!.studied(3, drawnStudy(8, 4))
  expect(training.run.study).toBeUndefined()
})

test('one run that diverges lets the others go on; when all have, it stops', () => {
  training.play()
  client.last!.snapshot(0, snapshot(5, { diverged: true }))
  expect(training.state).toBe('running')
  for (const run of [1, 2, 3]) client.last!.snapshot(run, snapshot(6, { diverged: true }))
  expect(training.state).toBe('diverged')
  expect(training.canGo).toBe(false)
  const asked = client.asked.length
  training.play()
  training.step()
  expect(client.asked).toHaveLength(asked)
  training.reset()
  expect(training.state).toBe('idle')
})

test('a client that fails is told of, and can be started over', () => {
  training.play()
  client.last!.failed({ status: 'crashed' })
  expect([training.state, training.failure]).toEqual(['failed', { status: 'crashed' }])
  training.reset()
  training.play()
  expect(training.state).toBe('running')
})

test('without a client nothing goes', () => {
  const none = new Training(undefined)
  none.play()
  none.step()
  expect([none.state, none.canGo]).toEqual(['idle', false])
})

test('a history never grows beyond its bound, and keeps its order and its ends', () => {
  training.step()
  for (let step = 2; step < 3 * longestHistory; step += 1) client.last!.snapshot(3, snapshot(step))
  const { steps, heldOutLoss, headAccuracy } = training.runs[3]!
  expect(steps.length).toBeLessThanOrEqual(longestHistory)
  expect([heldOutLoss.length, headAccuracy.length]).toEqual([steps.length, steps.length])
  expect([steps[0], steps.at(-1)]).toEqual([0, 3 * longestHistory - 1])
  expect(steps.every((step, i) => i === 0 || step > steps[i - 1]!)).toBe(true)
})

const studied = (now: { seed: number; heads: number; step: number } | undefined): StudyReport => ({ now, done: now?.seed ?? 20, total: 20, relations: [], summaries: [] })

test('a study is of the settings on the page, for every h, and pauses the runs', () => {
  training.listenTo('en')
  training.set({ seed: 7 })
  training.play()
  training.beginStudy()
  expect(training.state).toBe('paused')
  expect(client.asked.slice(-2)).toEqual(['pause', 'study'])
  expect(training.study.settings).toEqual({ ...training.settings, ...studyPlan, steps: 600, heads: headCounts, lang: 'en' })
  training.beginStudy()
  expect(client.asked.filter((asked) => asked === 'study')).toHaveLength(1)
})

test('steps are those of the run on show; of one that has diverged, those of the furthest', () => {
  training.play()
  const { last } = client
  last!.snapshot(0, snapshot(7))
  last!.snapshot(3, snapshot(6))
  expect(training.steps).toBe(6)
  last!.snapshot(3, snapshot(6, { diverged: true }))
  expect(training.steps).toBe(7)
})

test('the other language is another question: what was studied by sentences of the first is dropped', () => {
  training.listenTo('zh')
  training.step()
  client.last!.studied(3, drawnStudy(8, 1))
  training.beginStudy()
  client.studied!.report(studied({ seed: 3, heads: 4, step: 10 }))
  training.listenTo('zh')
  expect([training.runs[3]!.study !== undefined, training.study.report !== undefined]).toEqual([true, true])
  training.listenTo('en')
  expect([training.runs[3]!.study, training.study.report, training.study.state]).toEqual([undefined, undefined, 'idle'])
  // Curves of the one language do not go on with the other.
  for (const { steps, heldOutLoss, headAccuracy } of training.runs) expect([steps, heldOutLoss, headAccuracy]).toEqual([[], [], []])
})

test('what a study found stays when it is done or stopped; other settings forget it', () => {
  const { study } = training
  training.beginStudy()
  client.studied!.report(studied({ seed: 3, heads: 4, step: 10 }))
  expect([study.state, study.report?.done]).toEqual(['running', 3])
  study.stop()
  expect([study.state, study.report?.done, client.asked.at(-1)]).toEqual(['stopped', 3, 'stop study'])
  client.studied!.report(studied({ seed: 4, heads: 1, step: 10 }))
  expect(study.report?.done).toBe(3)
  training.beginStudy()
  expect([study.state, study.report]).toEqual(['running', undefined])
  client.studied!.report(studied(undefined))
  expect(study.state).toBe('done')
  training.reset()
  expect(study.state).toBe('done')
  training.set({ seed: 2 })
  expect([study.state, study.report, study.settings]).toEqual(['idle', undefined, undefined])
})

test('other settings or another length stop a study, and what still comes of it belongs to nobody', () => {
  const { study } = training
  for (const change of [() => training.set({ dModel: 8 }), () => study.setSteps(200)]) {
    training.beginStudy()
    const { studied: old } = client
    change()
    expect([study.state, client.asked.at(-1)]).toEqual(['idle', 'stop study'])
    training.beginStudy()
    old!.report(studied(undefined))
    old!.failed({ status: 'crashed' })
    expect(study.state).toBe('running')
    study.stop()
  }
})

test('a study that fails says so and can be begun anew; without a client there is none', () => {
  training.beginStudy()
  client.studied!.failed({ status: 'out_of_memory' })
  expect([training.study.state, training.study.failure]).toEqual(['failed', { status: 'out_of_memory' }])
  training.beginStudy()
  expect([training.study.state, training.study.failure]).toEqual(['running', undefined])
  const none = new Training(undefined)
  none.beginStudy()
  expect(none.study.state).toBe('idle')
})

/** As much of a file as is read here. */
function fileOf(settings: RunSettings): Blob {
  const header = new TextEncoder().encode(JSON.stringify({ __metadata__: { settings: JSON.stringify(settings) } }))
  return new Blob([new BigUint64Array([BigInt(header.length)]).buffer, header])
}
const inFile: RunSettings = { task: 'two-women', heads: 4, dModel: 32, learningRate: 0.01, residual: true, seed: 9, batch: 16 }

test('the chosen run is saved under a name that says what it is; before anything has begun there is none', async () => {
  expect(await training.save()).toBeUndefined()
  training.step()
  training.choose(1)
  const saved = await training.save()
  expect([saved?.name, saved?.file.size, client.asked.at(-1)]).toEqual(['run-relation-64x2-seed1-600.safetensors', 3, 'save 1'])
})

test('the run of a file stands alone, goes on, and makes room again when it is started over or set anew', async () => {
  training.play()
  await training.resume(fileOf(inFile))
  await new Promise((resolve) => setTimeout(resolve))
  expect([training.isAlone, training.state, training.run.settings]).toEqual([true, 'paused', inFile])
  // It was not touched by the settings of the page; the same ones again leave it alone.
  training.set({ ...training.settings })
  expect(training.isAlone).toBe(true)
  training.step()
  expect(training.run.steps).toEqual([0, 1])
  training.studyHeads()
  expect(client.asked.slice(-2)).toEqual(['study 0', 'switch 0 '])
  training.reset()
  expect([training.isAlone, training.state, training.run.settings.heads]).toEqual([false, 'idle', 8])
  await training.resume(fileOf(inFile))
  training.set({ seed: 2 })
  expect([training.isAlone, training.run.settings.seed]).toEqual([false, 2])
})

test('a bad file says so and changes nothing; the next good one says nothing', async () => {
  training.play()
  const before = training.runs
  await training.resume(new Blob(['nothing of the kind']))
  expect([training.fileFailure?.status, client.asked.includes('resume')]).toEqual(['bad_model', false])
  client.file = () => Promise.reject(new CoreError({ status: 'head_dim_out_of_range' }))
  await training.resume(fileOf(inFile))
  expect([training.fileFailure?.status, training.state]).toEqual(['head_dim_out_of_range', 'running'])
  expect(training.runs).toBe(before)
  client.file = () => Promise.reject(new Superseded())
  await training.resume(fileOf(inFile))
  expect([training.fileFailure, training.runs === before]).toEqual([undefined, true])
  client.file = () => Promise.resolve()
  await training.resume(fileOf(inFile))
  expect([training.fileFailure, training.isAlone]).toEqual([undefined, true])
})

test('the model of the run on show goes to the walk, without what only training needs; what cannot be walked says why', async () => {
  expect(training.whyNotWalked).toBe('idle')
  await expect(training.model()).rejects.toMatchObject({ failure: { status: 'not_loaded' } })
  training.step()
  expect(training.whyNotWalked).toBeUndefined()
  expect((await training.model()).byteLength).toBe(3)
  expect(client.asked.at(-1)).toBe('save 3 model only')
  client.last!.snapshot(3, snapshot(2, { diverged: true }))
  expect(training.whyNotWalked).toBe('diverged')
  training.choose(0)
  expect(training.whyNotWalked).toBeUndefined()
  client.last!.failed({ status: 'crashed' })
  expect(training.whyNotWalked).toBe('failed')
  training.set({ task: 'four-jobs' })
  expect(training.whyNotWalked).toBe('letters')
})
