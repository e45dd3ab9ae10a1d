// Training: client and service together over real messages, with the real modules; only the worker's thread is missing.
import { afterEach, describe, expect, test } from 'vitest'
import { tasks } from '../../src/core/generated/training_tables'
import type { Build } from '../../src/core/messages'
import { CoreError } from '../../src/core/protocol'
import { type RunSettings, type Snapshot, type TrainingClient, cellStates, trainingTasks } from '../../src/core/training'
import { createTrainingClient } from '../../src/core/training_client'
import { builds } from './core_support'
import { Ear, LocalWorker, moduleBytes, sentence, smallRun } from './training_support'

const settings = smallRun

let workers: LocalWorker[] = []
let client: TrainingClient | undefined

afterEach(() => {
  client?.pause()
  workers.forEach((worker) => worker.terminate())
  workers = []
})

function begin(runs: RunSettings[], { build = 'simd' as Build, tokens = sentence, bytes = () => moduleBytes(build) } = {}): { client: TrainingClient; ear: Ear } {
  const ear = new Ear()
  client = createTrainingClient({ bytes, spawn: () => workers[workers.push(new LocalWorker()) - 1]! })
  client.reset(runs, tokens, ear)
  return { client, ear }
}

const pace = { stepsPerSecond: Infinity, snapshotsPerSecond: 50 }
const isShare = (value: number): boolean => value >= 0 && value <= 1

describe.each(builds)('training in the %s build', (build) => {
  test('runs begin at step 0, go on side by side, and stop when they are told to', async () => {
    const { client, ear } = begin([settings({ heads: 1 }), settings({ heads: 4 })], { build })
    await ear.until(() => ear.heard.length === 2)
    expect([ear.last(0).step, ear.last(1).step]).toEqual([0, 0])
    client.play(pace)
    await ear.until(() => ear.last(1).step > 20)
    client.pause()
    const counted = ear.heard[1]!.length
    await ear.until(() => ear.heard[1]!.length > counted)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const stopped = ear.last(1).step
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(ear.last(1).step).toBe(stopped)
    expect(ear.last(0).step).toBe(stopped)
    expect(ear.last(1).heldOutLoss).toBeLessThan(ear.heard[1]![0]!.heldOutLoss)
  })

  test('every number of a snapshot is one of its kind', async () => {
    const { client, ear } = begin([settings({ heads: 4 })], { build })
    client.step()
    await ear.until(() => ear.heard[0]?.at(-1)?.step === 1)
    const { accuracy, headAccuracy, cells, unused, maps, tokens, relations, dilemma, loss, heldOutLoss } = ear.last()
    expect(relations).toEqual(tasks.relation.relations)
    expect([accuracy.length, headAccuracy.length, cells.length, unused.length]).toEqual([5, 20, 20, 4])
    for (const share of [...accuracy, ...headAccuracy]) expect(share).toSatisfy(isShare)
    for (const cell of cells) expect(cellStates[cell]).toBeDefined()
    expect(tokens).toEqual(sentence)
    expect(maps.length).toBe(4 * 11 * 11)
    for (let row = 0; row < 44; row += 1) expect(maps.subarray(row * 11, row * 11 + 11).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5)
    expect(dilemma).toMatchObject({ query: 3, giver: 0, receiver: 4 })
    expect(dilemma!.weights).toEqual(maps.slice((dilemma!.head * 11 + 3) * 11, (dilemma!.head * 11 + 4) * 11))
    expect(loss).toBeGreaterThan(1)
    expect(heldOutLoss).toBeGreaterThan(1)
  })
})

describe.each([1, 4])('heads switched off, h = %i', (heads) => {
  test('a study pauses the runs, and tells of every head and of both orders, in numbers that fit together', async () => {
    const { client, ear } = begin([settings({ heads: 2 }), settings({ heads })])
    client.play(pace)
    await ear.until(() => ear.heard[1] !== undefined && ear.last(1).step > 10)
    client.studyHeads(1)
    await ear.until(() => ear.studies.length === 1)
    const [run, study] = ear.studies[0]!
    expect(run).toBe(1)
    expect(study!.step).toBe(ear.last(1).step)
    const resting = ear.last(1).step
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(ear.last(1).step).toBe(resting)

    expect(study!.heads.length).toBe(heads)
    for (const { without, sliced, accuracyLost, importance, normalised, rank, importanceRank } of study!.heads) {
      for (const loss of [without.loss, sliced.loss, importance]) expect(loss).toBeGreaterThanOrEqual(0)
      for (const share of [without.accuracy, sliced.accuracy, normalised]) expect(share).toSatisfy(isShare)
      expect(accuracyLost).toBeCloseTo(study!.greedy[0]!.accuracy - without.accuracy, 12)
      for (const place of [rank, importanceRank]) expect(place >= 1 && place <= heads && Number.isInteger(place)).toBe(true)
    }
    expect(study!.heads.some(({ rank }) => rank === 1)).toBe(true)
    for (const curve of [study!.byImportance, study!.greedy]) {
      expect(curve.length).toBe(heads + 1)
      expect(curve[0]).toEqual({ loss: ear.last(1).heldOutLoss, accuracy: study!.greedy[0]!.accuracy, head: undefined })
      expect(curve.slice(1).map(({ head }) => head).sort()).toEqual(Array.from({ length: heads }, (_, head) => head))
      // Without biases and residual every answer is as likely as any other then.
      expect(curve.at(-1)!.loss).toBeCloseTo(Math.log(tasks.relation.words.length), 5)
    }
  })

  test('by hand: all on is the model as it is, one off is what the study says, all off is a guess', async () => {
    const { client, ear } = begin([settings({ heads })])
    client.play(pace)
    await ear.until(() => ear.heard[0] !== undefined && ear.last().step > 10)
    client.studyHeads(0)
    const all = Array.from({ length: heads }, (_, head) => head)
    for (const off of [[], [heads - 1], all]) client.switchHeads(0, off)
    await ear.until(() => ear.switches.length === 3)
    const study = ear.studies[0]![1]!
    const [none, one, every] = ear.switches.map(([, switched]) => switched!)
    expect(none!.now).toEqual(none!.allOn)
    expect(none!.now.loss).toBe(ear.last().heldOutLoss)
    expect(Array.from(none!.now.relations, Math.fround)).toEqual([...ear.last().accuracy])
    expect(one!.now.loss).toBe(study.heads[heads - 1]!.without.loss)
    expect(one!.now.accuracy).toBe(study.heads[heads - 1]!.without.accuracy)
    expect(every!.now.loss).toBe(study.greedy.at(-1)!.loss)
    for (const { allOn, step } of [one!, every!]) expect([allOn, step]).toEqual([none!.allOn, study.step])
    for (const share of [...every!.now.relations, ...every!.allOn.relations]) expect(share).toSatisfy(isShare)
  })
})

test('heads of a run that was replaced, or that is none, are answered to nobody', async () => {
  const { client, ear } = begin([settings()])
  await ear.until(() => ear.heard.length === 1)
  const next = new Ear()
  client.studyHeads(0)
  client.switchHeads(0, [0])
  client.reset([settings({ seed: 2 })], sentence, next)
  client.studyHeads(7)
  client.switchHeads(-1, [0])
  client.step()
  await next.until(() => next.heard[0]?.at(-1)?.step === 1)
  expect([ear.studies, ear.switches, next.studies, next.switches, next.failures]).toEqual([[], [], [], [], []])
})

test('a run whose numbers are too wild to tell is no failure: it has no study, or one of finite numbers', async () => {
  const { client, ear } = begin([settings({ heads: 8, dModel: 8, learningRate: 1e30, batch: 1 })])
  client.play(pace)
  await ear.until(() => ear.heard.length === 1 && ear.last().diverged)
  client.studyHeads(0)
  client.switchHeads(0, [0, 1])
  await ear.until(() => ear.studies.length + ear.failures.length > 0 && ear.switches.length + ear.failures.length > 0)
  expect(ear.failures).toEqual([])
  const numbers = [ear.studies[0]![1]?.heads ?? [], ear.switches[0]![1]?.now ?? []]
  expect(JSON.stringify(numbers)).not.toContain('null')
})

test('the same settings give the same run, whether it is stepped or played', async () => {
  const losses = async (go: (client: TrainingClient, ear: Ear) => Promise<void>): Promise<Snapshot> => {
    const { client, ear } = begin([settings()])
    await ear.until(() => ear.heard.length === 1)
    await go(client, ear)
    return ear.last()
  }
  const played = await losses(async (client, ear) => {
    client.play({ stepsPerSecond: 200, snapshotsPerSecond: 1000 })
    await ear.until(() => ear.last().step >= 5)
    client.pause()
    const count = ear.heard[0]!.length
    await ear.until(() => ear.heard[0]!.length > count)
    await new Promise((resolve) => setTimeout(resolve, 60))
  })
  const stepped = await losses(async (client, ear) => {
    for (let step = 1; step <= played.step; step += 1) client.step()
    await ear.until(() => ear.last().step === played.step)
  })
  expect(stepped.heldOutLoss).toBe(played.heldOutLoss)
  expect(stepped.maps).toEqual(played.maps)
})

test('another pace than as fast as it goes is kept to', async () => {
  const { client, ear } = begin([settings({ batch: 1 })])
  await ear.until(() => ear.heard.length === 1)
  client.play({ stepsPerSecond: 50, snapshotsPerSecond: 100 })
  const start = performance.now()
  await ear.until(() => ear.last().step >= 10)
  // It may be late, but never early.
  expect(ear.last().step).toBeLessThanOrEqual(Math.ceil(((performance.now() - start) / 1000) * 50) + 2)
})

test('a word that the task does not have is named, and a held-out sentence is shown instead', async () => {
  const { client, ear } = begin([settings()], { tokens: ['小明', '把', '灯泡', '递给', '小红'] })
  await ear.until(() => ear.heard.length === 1)
  expect(ear.last().unknown).toEqual(['灯泡'])
  expect(ear.last().tokens.length).toBeGreaterThan(5)
  client.show(sentence)
  await ear.until(() => ear.last().unknown.length === 0)
  expect(ear.last().tokens).toEqual(sentence)
})

test('runs are measured by sentences of the reader’s language, also in a worker that was started anew', async () => {
  const { client, ear } = begin([settings()], { tokens: ['灯泡'] })
  await ear.until(() => ear.heard.length === 1)
  const measured = async (lang: 'zh' | 'en'): Promise<Snapshot> => {
    const count = ear.heard[0]!.length
    client.listenTo(lang)
    await ear.until(() => ear.heard[0]!.length > count)
    return ear.last()
  }
  const [zh, en, again] = [await measured('zh'), await measured('en'), await measured('zh')]
  expect(zh.heldOutLoss).not.toBe(en.heldOutLoss)
  expect(again.heldOutLoss).toBe(zh.heldOutLoss)
  expect(zh.tokens.join('')).toMatch(/\p{Script=Han}/u)
  expect(en.tokens.join('')).not.toMatch(/\p{Script=Han}/u)
  workers[0]!.onerror?.call(workers[0] as never, { message: 'trap', preventDefault: () => {} } as ErrorEvent)
  const next = new Ear()
  client.reset([settings()], sentence, next)
  await next.until(() => next.heard.length === 1)
  expect(next.last().heldOutLoss).toBe(zh.heldOutLoss)
})

test.each(trainingTasks)('the task %s can be trained, whatever the sentence of the lesson', async (task) => {
  const { client, ear } = begin([settings({ task, heads: 4 })])
  client.play(pace)
  await ear.until(() => ear.heard[0] !== undefined && ear.last().step > 5)
  expect(ear.failures).toEqual([])
  expect(Number.isFinite(ear.last().heldOutLoss)).toBe(true)
})

test('a run that diverges stops and says so, the others go on, and no number is infinite or NaN', async () => {
  const { client, ear } = begin([settings({ heads: 8, dModel: 8, learningRate: 1e30, batch: 1 }), settings()])
  client.play(pace)
  await ear.until(() => ear.heard.length === 2 && ear.last(0).diverged && ear.last(1).step > ear.last(0).step + 5)
  expect(ear.last(1).diverged).toBe(false)
  for (const { heldOutLoss, loss, accuracy, headAccuracy, maps } of ear.heard[0]!) {
    for (const value of [heldOutLoss, loss, ...accuracy, ...headAccuracy, ...maps]) expect(Number.isFinite(value)).toBe(true)
  }
})

test('settings that cannot be trained fail with their reason, and the next ones run', async () => {
  const { client, ear } = begin([settings({ heads: 3 })])
  await ear.until(() => ear.failures.length > 0)
  expect(ear.failures[0]!.status).toBe('head_dim_out_of_range')
  const next = new Ear()
  client.reset([settings()], sentence, next)
  await next.until(() => next.heard.length === 1)
  expect(next.failures).toEqual([])
})

test('answers of runs that were replaced are dropped', async () => {
  const { client, ear } = begin([settings()])
  const next = new Ear()
  client.play(pace)
  client.reset([settings({ seed: 2 })], sentence, next)
  await next.until(() => next.heard.length === 1)
  const heard = ear.heard[0]?.length ?? 0
  client.step()
  await next.until(() => next.last().step === 1)
  expect(ear.heard[0]?.length ?? 0).toBe(heard)
})

test('a module that cannot be had is a failure, and is asked for again', async () => {
  let times = 0
  const { client, ear } = begin([settings()], {
    bytes: () => {
      times += 1
      return times === 1 ? Promise.reject(new CoreError({ status: 'load_failed' })) : moduleBytes('simd')
    },
  })
  await ear.until(() => ear.failures.length > 0)
  expect(ear.failures[0]!.status).toBe('load_failed')
  client.reset([settings()], sentence, ear)
  await ear.until(() => ear.heard.length === 1)
})

test('what is prepared is not fetched again, and a network that is missing then matters only when runs begin', async () => {
  let times = 0
  const ear = new Ear()
  client = createTrainingClient({
    bytes: () => {
      times += 1
      return times === 1 ? Promise.reject(new CoreError({ status: 'load_failed' })) : moduleBytes('simd')
    },
    spawn: () => workers[workers.push(new LocalWorker()) - 1]!,
  })
  client.prepare()
  await new Promise((resolve) => setTimeout(resolve, 10))
  client.prepare()
  client.prepare()
  client.reset([settings()], sentence, ear)
  await ear.until(() => ear.heard.length === 1)
  expect(ear.failures).toEqual([])
  expect([times, workers.length]).toEqual([2, 1])
})

test('a module that could not be loaded is fetched anew', async () => {
  let times = 0
  const { client, ear } = begin([settings()], {
    bytes: () => {
      times += 1
      return times === 1 ? Promise.resolve(new ArrayBuffer(8)) : moduleBytes('simd')
    },
  })
  await ear.until(() => ear.failures.length > 0)
  expect(ear.failures[0]!.status).toBe('load_failed')
  const next = new Ear()
  client.reset([settings()], sentence, next)
  await next.until(() => next.heard.length === 1)
  expect([times, workers.length, next.failures.length]).toEqual([2, 2, 0])
})

test('what was measured by the other language, but comes later, is dropped', async () => {
  const { client, ear } = begin([settings()])
  await ear.until(() => ear.heard.length === 1)
  client.listenTo('zh')
  client.step()
  client.listenTo('en')
  await ear.until(() => ear.heard[0]!.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ear.heard[0]!.length).toBe(2)
  const counted = ear.heard[0]!.length
  client.show(['灯泡'])
  await ear.until(() => ear.heard[0]!.length > counted)
  expect(ear.last().tokens.join('')).not.toMatch(/\p{Script=Han}/u)
})

test('a worker that crashes is replaced with the next reset', async () => {
  const { client, ear } = begin([settings()])
  await ear.until(() => ear.heard.length === 1)
  workers[0]!.onerror?.call(workers[0] as never, { message: 'trap', preventDefault: () => {} } as ErrorEvent)
  expect(ear.failures).toEqual([{ status: 'crashed', detail: 'trap' }])
  expect(workers[0]!.terminated).toBe(true)
  client.reset([settings()], sentence, ear)
  await ear.until(() => ear.heard[0]!.length === 2)
  expect(workers.length).toBe(2)
})
