// The client alone: the worker is a script that says what the test wants.
import { beforeEach, describe, expect, test } from 'vitest'
import { createCore } from '../../src/core/client'
import type { Environment, WorkerPort } from '../../src/core/environment'
import type { Kind, Message, MessageOf, PassAnswer, Reply } from '../../src/core/messages'
import { type Core, CoreError, type CoreFailure, Superseded } from '../../src/core/protocol'
import { request } from './core_support'
import { trainedFile } from './model_file_support'

class FakeWorker implements WorkerPort {
  onmessage: WorkerPort['onmessage'] = null
  onmessageerror: WorkerPort['onmessageerror'] = null
  onerror: WorkerPort['onerror'] = null
  readonly received: Message[] = []
  terminated = false

  postMessage(message: Message): void {
    this.received.push(structuredClone(message))
    const loaded: Reply = { id: message.id, kind: 'result', value: { build: 'simd', arch: 'wasm' } }
    if (message.kind === 'load') queueMicrotask(() => this.say(loaded))
  }

  terminate(): void {
    this.terminated = true
  }

  say(reply: Reply): void {
    this.onmessage!.call(this as never, { data: structuredClone(reply) } as MessageEvent)
  }

  crash(message: string): void {
    this.onerror!.call(this as never, { message, preventDefault() {} } as ErrorEvent)
  }

  all<K extends Kind | 'cancel'>(kind: K): MessageOf<K>[] {
    return this.received.filter((message) => message.kind === kind) as MessageOf<K>[]
  }
}

let workers: FakeWorker[]
let environment: Environment
let core: Core
const worker = (): FakeWorker => workers.at(-1)!

beforeEach(() => {
  workers = []
  environment = {
    build: async () => 'simd',
    bytes: async () => new ArrayBuffer(8),
    spawn: () => workers[workers.push(new FakeWorker()) - 1]!,
    golden: async () => [],
    models: [],
    model: () => Promise.reject(new CoreError({ status: 'load_failed' })),
  }
  core = createCore(environment)
})

/** Until everything that can happen without an answer has happened. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

function answer({ id, request: { seed } }: MessageOf<'pass'>, withParameters = true): Reply {
  const value: PassAnswer = {
    shape: { tokens: 1, context: 1, modelDim: 1, heads: 1, kvHeads: 1, headDim: 1 },
    scale: 1,
    weightsId: `seed ${seed}`,
    views: {
      masked_rows: { axes: ['n'], shape: [1], strides: [1], offset: 0 },
      w_q: { axes: ['d', 'h·k'], shape: [1, 1], strides: [1, 1], offset: 0 },
    },
    input: Float32Array.of(0),
    trace: Float32Array.of(0),
    ...(withParameters && { parameters: Float32Array.of(seed) }),
  }
  return { id, kind: 'result', value }
}

async function failureOf(promise: Promise<unknown>): Promise<CoreFailure> {
  const error: unknown = await promise.then(() => undefined, (reason: unknown) => reason)
  expect(error).toBeInstanceOf(CoreError)
  return (error as CoreError).failure
}

const pass = async (changes = {}) => {
  const asked = core.pass(request(changes))
  await settle()
  worker().say(answer(worker().all('pass').at(-1)!))
  return asked
}

describe('contributions asked for together with a pass', () => {
  const view = { axes: ['h', 'n', 'd'], shape: [2, 1, 1], strides: [1, 1, 1], offset: 0 }
  const say = (index: number, data: number[]): void => {
    const { id } = worker().all('contributions')[index]!
    worker().say({ id, kind: 'result', value: { view: { ...view, shape: [data.length, 1, 1] }, data: Float32Array.from(data) } })
  }

  test('go out right behind it, once, and are the answer to the question', async () => {
    const asked = core.pass(request({ heads: 2 }), [0, 1])
    await settle()
    const [message] = worker().all('pass')
    expect(worker().all('contributions')).toMatchObject([{ pass: message!.id, heads: [0, 1] }])
    worker().say(answer(message!))
    say(0, [3, 5])
    const parts = await core.contributions(await asked, [0, 1])
    expect([parts.at(0, 0, 0), parts.at(1, 0, 0)]).toEqual([3, 5])
    expect(worker().all('contributions')).toHaveLength(1)
  })

  test('that failed are asked for again by the next question', async () => {
    const asked = core.pass(request({ heads: 2 }), [0, 1])
    await settle()
    worker().say(answer(worker().all('pass')[0]!))
    worker().say({ id: worker().all('contributions')[0]!.id, kind: 'failed', failure: { status: 'out_of_memory' } })
    const first = await asked
    expect((await failureOf(core.contributions(first, [0, 1]))).status).toBe('out_of_memory')
    const again = core.contributions(first, [0, 1])
    await settle()
    say(1, [3, 5])
    expect((await again).at(1, 0, 0)).toBe(5)
  })

  test('of other heads, or of another pass, are asked for', async () => {
    const asked = core.pass(request({ heads: 2 }), [0, 1])
    await settle()
    worker().say(answer(worker().all('pass')[0]!))
    say(0, [3, 5])
    const first = await asked
    const others = core.contributions(first, [1])
    await settle()
    say(1, [7])
    expect((await others).at(0, 0, 0)).toBe(7)
    const later = core.contributions(await pass({ seed: 9 }), [0, 1])
    await settle()
    say(2, [11, 13])
    expect((await later).at(1, 0, 0)).toBe(13)
  })

  test('are taken back with it, and fail with it, in silence', async () => {
    const [old, failing] = [core.pass(request({ seed: 1 }), [0]), core.pass(request({ seed: 2 }), [0])]
    await expect(old).rejects.toBeInstanceOf(Superseded)
    await settle()
    for (const { id } of [...worker().all('pass'), ...worker().all('contributions')]) worker().say({ id, kind: 'failed', failure: { status: 'bad_text' } })
    expect((await failureOf(failing)).status).toBe('bad_text')
    await settle()
  })
})

describe('superseding', () => {
  test('a newer pass replaces all that wait, even before the worker runs', async () => {
    const asked = [1, 2, 3].map((seed) => core.pass(request({ seed })))
    const outcomes = Promise.allSettled(asked)
    await settle()
    expect(worker().all('pass').map((message) => message.request.seed)).toEqual([3])
    worker().say(answer(worker().all('pass')[0]!))
    const [first, second, third] = await outcomes
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(Superseded) })
    expect(second).toMatchObject({ status: 'rejected', reason: expect.any(Superseded) })
    expect(third).toMatchObject({ status: 'fulfilled', value: { request: { seed: 3 } } })
  })

  test('a pass that is under way is taken back, and its late answer dropped', async () => {
    const first = core.pass(request({ seed: 1 }))
    await settle()
    const second = core.pass(request({ seed: 2 }))
    await expect(first).rejects.toBeInstanceOf(Superseded)
    await settle()
    const [one, two] = worker().all('pass')
    expect(worker().all('cancel').map(({ id }) => id)).toEqual([one!.id])
    worker().say(answer(one!))
    worker().say(answer(two!))
    expect((await second).request.seed).toBe(2)
  })

  test('an answered pass is not taken back', async () => {
    await pass()
    await pass()
    expect(worker().all('cancel')).toEqual([])
  })

  test('layers do not replace each other', async () => {
    const passes = [core.pass(request({ layer: 0 })), core.pass(request({ layer: 1 }))]
    await settle()
    for (const message of worker().all('pass')) worker().say(answer(message))
    expect((await Promise.all(passes)).map(({ request: { layer } }) => layer)).toEqual([0, 1])
  })

  test('an explanation of an outdated pass', async () => {
    const old = await pass()
    const current = await pass()
    await expect(core.explain(old, { tensor: 'output', index: [0, 0] }, 3)).rejects.toBeInstanceOf(Superseded)
    await expect(core.contributions(old, [0])).rejects.toBeInstanceOf(Superseded)
    await expect(core.influence(old, { tensor: 'output', index: [0, 0] })).rejects.toBeInstanceOf(Superseded)
    await expect(core.rowShares(old, 0)).rejects.toBeInstanceOf(Superseded)
    await expect(core.narrow(old, 'q')).rejects.toBeInstanceOf(Superseded)
    await expect(core.compare(old, 'output', [0, 1])).rejects.toBeInstanceOf(Superseded)
    expect(worker().all('explain')).toEqual([])

    const explained = core.explain(current, { tensor: 'output', index: [0, 0] }, 3)
    await settle()
    expect(worker().all('explain')[0]).toMatchObject({ pass: current.id, request: current.request })
    const outcome = expect(explained).rejects.toBeInstanceOf(Superseded)
    await pass() // in the meantime
    await outcome
    expect(worker().all('cancel').map(({ id }) => id)).toEqual([worker().all('explain')[0]!.id])
  })

  test('a failed pass leaves the one before current', async () => {
    const good = await pass()
    const bad = core.pass(request({ heads: 3 }))
    await settle()
    const failure: CoreFailure = { status: 'not_finite', tensor: 'w_q', index: [1, 2], detail: 'x' }
    worker().say({ id: worker().all('pass').at(-1)!.id, kind: 'failed', failure })
    expect(await failureOf(bad)).toEqual(failure)
    void core.explain(good, { tensor: 'output', index: [0, 0] }, 3).catch(() => {})
    await settle()
    expect(worker().all('explain')).toHaveLength(1)
  })
})

describe('parameters', () => {
  test('come once for each weights id', async () => {
    const first = await pass({ seed: 5 })
    const asked = core.pass(request({ seed: 5, causal: true }))
    await settle()
    const message = worker().all('pass').at(-1)!
    expect(message.known).toEqual(['seed 5'])
    worker().say(answer(message, false))
    const second = await asked
    expect(second.tensor('w_q')!.data).toBe(first.tensor('w_q')!.data)
    expect(second.tensor('w_q')!.at(0, 0)).toBe(5)
  })

  test('of two weights are kept', async () => {
    for (const seed of [1, 2, 3]) await pass({ seed })
    await pass({ seed: 2 })
    await pass({ seed: 4 })
    void core.pass(request()).catch(() => {})
    await settle()
    expect(worker().all('pass').at(-1)!.known).toEqual(['seed 2', 'seed 4'])
  })
})

describe('starting', () => {
  test('ready says what runs, and starts one worker only', async () => {
    expect(await Promise.all([core.ready(), core.ready()])).toEqual([
      { build: 'simd', arch: 'wasm' },
      { build: 'simd', arch: 'wasm' },
    ])
    expect(workers).toHaveLength(1)
  })

  const missing: CoreFailure[] = [{ status: 'no_wasm' }, { status: 'no_simd' }]
  test.each(missing)('$status is said, then tried again', async (failure) => {
    const working = environment.build
    environment.build = () => Promise.reject(new CoreError(failure))
    expect(await failureOf(core.ready())).toEqual(failure)
    expect(await failureOf(core.pass(request()))).toEqual(failure)
    environment.build = working
    expect(await core.ready()).toMatchObject({ arch: 'wasm' })
  })

  test('an environment that throws at once does not lock the client', async () => {
    const working = environment.build
    environment.build = () => {
      throw new Error('no')
    }
    await expect(core.ready()).rejects.toThrow('no')
    environment.build = working
    expect(await core.ready()).toMatchObject({ arch: 'wasm' })
  })

  test('a download that fails is tried again', async () => {
    const working = environment.bytes
    environment.bytes = () => Promise.reject(new CoreError({ status: 'load_failed', detail: '404' }))
    expect(await failureOf(core.pass(request()))).toEqual({ status: 'load_failed', detail: '404' })
    environment.bytes = working
    expect((await pass()).scale).toBe(1)
    expect(workers).toHaveLength(1)
  })

  test('a worker that dies while it starts has not loaded', async () => {
    const spawn = environment.spawn
    environment.spawn = () => {
      const silent = spawn() as FakeWorker
      silent.postMessage = () => queueMicrotask(() => silent.crash('no script'))
      return silent
    }
    expect(await failureOf(core.ready())).toEqual({ status: 'load_failed', detail: 'no script' })
    expect(worker().terminated).toBe(true)
    environment.spawn = spawn
    expect(await core.ready()).toMatchObject({ arch: 'wasm' })
  })
})

describe('a crash', () => {
  test('fails everything unanswered; the next request starts anew without the network', async () => {
    const current = await pass()
    const unanswered = [core.pass(request()), core.explain(current, { tensor: 'q', index: [0, 0] }, 1)]
    await settle()
    worker().crash('out of luck')
    const failure = { status: 'crashed', detail: 'out of luck' }
    for (const promise of unanswered) expect(await failureOf(promise)).toEqual(failure)
    expect(worker().terminated).toBe(true)

    environment.bytes = () => Promise.reject(new Error('offline'))
    const explained = core.explain(current, { tensor: 'q', index: [0, 0] }, 1)
    await settle()
    expect(workers).toHaveLength(2)
    const [message] = worker().all('explain')
    expect(message).toMatchObject({ pass: current.id, request: current.request })
    worker().say({ id: message!.id, kind: 'result', value: { rule: 'dot' } as never })
    expect(await explained).toEqual({ rule: 'dot' })
  })

  test('may be a trap that the worker reports', async () => {
    const asked = core.pass(request())
    await settle()
    const failure: CoreFailure = { status: 'crashed', detail: 'unreachable' }
    worker().say({ id: worker().all('pass')[0]!.id, kind: 'failed', failure })
    expect(await failureOf(asked)).toEqual(failure)
    expect(worker().terminated).toBe(true)
    await core.ready()
    expect(workers).toHaveLength(2)
  })

  test('that was superseded is not shown', async () => {
    const first = core.pass(request({ seed: 1 }))
    await settle()
    const second = core.pass(request({ seed: 2 }))
    await expect(first).rejects.toBeInstanceOf(Superseded)
    await settle()
    worker().crash('late')
    expect((await failureOf(second)).status).toBe('crashed')
  })
})

test('reactive objects of the page are copied before they are sent', async () => {
  const tokens = new Proxy(['a'], {})
  const asked = core.pass(request({ tokens, headGate: new Proxy([1, 1], {}) }))
  await settle()
  const [message] = worker().all('pass')
  expect(message!.request).toMatchObject({ tokens: ['a'], headGate: [1, 1] })
  worker().say(answer(message!))
  const done = await asked
  tokens[0] = 'b'
  expect(done.request.tokens).toEqual(['a'])
})

test('after dispose everything is superseded and the worker gone', async () => {
  const current = await pass()
  const asked = core.pass(request())
  await settle()
  core.dispose()
  await expect(asked).rejects.toBeInstanceOf(Superseded)
  await expect(core.pass(request())).rejects.toBeInstanceOf(Superseded)
  await expect(core.ready()).rejects.toBeInstanceOf(Superseded)
  await expect(core.explain(current, { tensor: 'q', index: [0, 0] }, 1)).rejects.toBeInstanceOf(Superseded)
  expect(worker().terminated).toBe(true)
  expect(workers).toHaveLength(1)
})

describe('a trained model', () => {
  const trained = { weights: 'trained', dModel: 4, heads: 2 } as const
  const given = trainedFile()

  test('is given to the worker once before the pass, again to the next worker, and names what the pass is made of', async () => {
    let fetched = 0
    core = createCore({ ...environment, models: ['4x2'], model: async () => ((fetched += 1), given.file) })
    expect(core.trainedSizes).toEqual([{ dModel: 4, heads: 2 }])
    const kinds = (): string[] => worker().received.map(({ kind }) => kind)
    const ask = async () => {
      const asked = core.pass(request(trained))
      await settle()
      const [model] = worker().all('model')
      worker().say({ id: model!.id, kind: 'result', value: null })
      await settle()
      worker().say(answer(worker().all('pass').at(-1)!))
      return asked
    }
    const first = await ask()
    expect(first.weights).toMatchObject({ kind: 'trained', about: { seed: '3' } })
    await ask()
    expect(kinds()).toEqual(['load', 'model', 'pass', 'pass'])
    worker().crash('boom')
    await ask()
    expect([kinds(), fetched]).toEqual([['load', 'model', 'pass'], 1])
  })

  test('that the core does not take is fetched anew by the next one who asks', async () => {
    let fetched = 0
    core = createCore({ ...environment, models: ['4x2'], model: async () => ((fetched += 1), given.file) })
    for (const _ of [1, 2]) {
      const asked = failureOf(core.pass(request(trained)))
      await settle()
      worker().say({ id: worker().all('model').at(-1)!.id, kind: 'failed', failure: { status: 'bad_model' } })
      expect((await asked).status).toBe('bad_model')
    }
    expect([fetched, worker().all('pass')]).toEqual([2, []])
  })

  test('a seeded pass asks for none', async () => {
    core = createCore({ ...environment, models: ['4x2'], model: () => Promise.reject(new Error('asked')) })
    expect((await pass({ dModel: 4 })).weights).toEqual({ kind: 'seeded', seed: 7 })
  })
})

describe('a run of this page', () => {
  const asked = { weights: 'run', dModel: 4, heads: 2 } as const
  const run = (seed: string): ArrayBuffer => trainedFile({ changes: { seed } }).file
  const answered = async (): Promise<void> => {
    await settle()
    const model = worker().all('model').at(-1)!
    worker().say({ id: model.id, kind: 'result', value: null })
    await settle()
    worker().say(answer(worker().all('pass').at(-1)!))
  }

  test('needs no network, says where it was trained, and a second one is another model', async () => {
    core = createCore({ ...environment, model: () => Promise.reject(new Error('asked')) })
    expect((await failureOf(core.pass(request(asked)))).status).toBe('not_loaded')
    expect(core.keepRun(run('5'))).toMatchObject({ seed: '5', d_model: '4' })
    const first = core.pass(request(asked))
    await answered()
    expect((await first).weights).toMatchObject({ kind: 'trained', here: true, about: { seed: '5' } })
    core.keepRun(run('6'))
    await expect(core.explain(await first, { tensor: 'q', index: [0, 0] }, 1)).rejects.toBeInstanceOf(Superseded)
    const second = core.pass(request(asked))
    await answered()
    expect((await second).weights).toMatchObject({ about: { seed: '6' } })
    expect(worker().all('model').map(({ name }) => name)).toEqual(['run 1', 'run 2'])
  })

  test('a file that is none leaves the one before', async () => {
    core.keepRun(run('5'))
    expect(() => core.keepRun(new ArrayBuffer(3))).toThrow(CoreError)
    const again = core.pass(request(asked))
    await answered()
    expect((await again).weights).toMatchObject({ about: { seed: '5' } })
  })
})
