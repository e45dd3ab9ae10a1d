// Broken models: client and service together over real messages, with the real module; only the worker's thread is missing.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Mistake } from '../../src/core/broken'
import { BreakClient, type BreakQuestion } from '../../src/core/broken_client'
import { breakNames, tasks } from '../../src/core/generated/training_tables'
import { CoreError, type CoreFailure } from '../../src/core/protocol'
import { mistakeNames } from '../../src/chapters/steps/mistakes'
import { LocalWorker, moduleBytes, sentence } from './training_support'
import { smallModel } from './model_bytes'

const question = (patch: Partial<BreakQuestion> = {}): BreakQuestion => ({ model: 'small', heads: 2, mistake: 'wrong_reshape', lang: 'zh', tokens: sentence, ...patch })

let workers: LocalWorker[]
let fetches: string[]
/** what the network gives next */
let files: Record<string, () => Promise<ArrayBuffer>>
let client: BreakClient
beforeEach(() => {
  workers = []
  fetches = []
  files = { small: async () => smallModel({ dModel: 8, heads: 2 }), cut: async () => smallModel({ dModel: 8, heads: 2 }).slice(0, -1) }
  client = new BreakClient({
    bytes: () => moduleBytes('simd'),
    spawn: () => workers[workers.push(new LocalWorker()) - 1]!,
    models: ['small', 'cut'],
    model: (name) => (fetches.push(name), files[name]!()),
  })
})
afterEach(() => workers.forEach((worker) => worker.terminate()))

const failure = async (asked: Promise<unknown>): Promise<CoreFailure> => {
  try {
    await asked
  } catch (error) {
    if (error instanceof CoreError) return error.failure
  }
  throw new Error('it did not fail')
}

test('every mistake is offered, and none twice', () => expect([...mistakeNames].sort()).toEqual(breakNames.slice(1).sort()))

test('before is the same model whatever the mistake, and every mistake changes something', async () => {
  const answers = await Promise.all(mistakeNames.map((mistake) => client.ask(question({ mistake }))))
  const { relations } = tasks.relation
  for (const [i, { mistake, before, after, sentence: shown, unknown, about }] of answers.entries()) {
    expect(mistake).toBe(mistakeNames[i])
    expect(before).toEqual(answers[0]!.before)
    expect(after.loss).not.toBe(before.loss)
    expect([before.relations.length, after.relations.length]).toEqual([relations.length, relations.length])
    expect(unknown).toEqual([])
    expect(about.heads).toBe('2')
    expect(shown!.before).toEqual(answers[0]!.sentence!.before)
    expect(shown!.after.length).toBe(2 * sentence.length ** 2)
    expect(shown!.largestChange).toBeGreaterThan(0)
    if (mistake === 'mask_after_softmax') expect(shown!.smallestRowSum).toBeLessThan(0.99)
    else expect(shown!.smallestRowSum).toBeCloseTo(1, 4)
    expect(shown!.largestRowSum).toBeLessThan(1.0001)
  }
  expect([workers.length, fetches.length], 'one worker and one file serve them all').toEqual([1, 1])
})

test('one head for all gives all heads the same map; without W_O maps stay', async () => {
  const maps = async (mistake: Mistake) => (await client.ask(question({ mistake }))).sentence!
  const shared = (await maps('shared_projection')).after
  expect(shared.slice(0, shared.length / 2)).toEqual(shared.slice(shared.length / 2))
  const { before, after } = await maps('no_output_projection')
  expect(after).toEqual(before)
})

test('a sentence that the model cannot read leaves the held-out answers as they are', async () => {
  const { before } = await client.ask(question())
  const strange = await client.ask(question({ tokens: ['小明', 'xyz', '把', 'abc'] }))
  expect([strange.unknown, strange.sentence, strange.before]).toEqual([['xyz', 'abc'], undefined, before])
  const long = await client.ask(question({ tokens: Array.from({ length: tasks.relation.longest + 1 }, () => '小明') }))
  expect([long.unknown, long.sentence, long.before]).toEqual([[], undefined, before])
  const longest = await client.ask(question({ tokens: Array.from({ length: tasks.relation.longest }, () => '小明') }))
  expect(longest.sentence!.before.length).toBe(2 * tasks.relation.longest ** 2)
})

test('the other language is measured by its own sentences', async () => {
  const [zh, en] = await Promise.all([client.ask(question()), client.ask(question({ lang: 'en' }))])
  expect(zh.before.loss).not.toBe(en.before.loss)
})

test('what is no model fails with its reason, and the next question is answered', async () => {
  expect(await failure(client.ask(question({ model: 'cut' })))).toEqual({ status: 'bad_model' })
  expect(await failure(client.ask(question({ heads: 4 })))).toEqual({ status: 'bad_model' })
  expect((await client.ask(question())).before.loss).toBeGreaterThan(0)
})

test('a file that did not arrive is asked for again', async () => {
  const good = files.small!
  files.small = () => Promise.reject(new CoreError({ status: 'load_failed' }))
  expect((await failure(client.ask(question()))).status).toBe('load_failed')
  files.small = good
  await client.ask(question())
  expect(fetches).toEqual(['small', 'small'])
})

test('whoever waits for a worker that crashes is told, and the next question starts another one', async () => {
  await client.ask(question())
  const waiting = failure(client.ask(question({ mistake: 'no_scale' })))
  await new Promise((resolve) => setTimeout(resolve))
  workers[0]!.onerror!.call(workers[0] as never, { preventDefault: () => {}, message: 'gone' } as ErrorEvent)
  expect(await waiting).toEqual({ status: 'crashed', detail: 'gone' })
  expect(workers[0]!.terminated).toBe(true)
  await client.ask(question())
  expect(workers.length).toBe(2)
})
