// Client and service together over real messages, with the real modules; only the worker's thread is missing.
import { afterEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { createCore } from '../../src/core/client'
import { Engine } from '../../src/core/engine'
import { limits, models } from '../../src/core/generated/tables'
import type { WorkerPort } from '../../src/core/environment'
import type { Build, Message, Reply } from '../../src/core/messages'
import { Service } from '../../src/core/service'
import { type CellRef, type Core, CoreError, Superseded, type TensorView } from '../../src/core/protocol'
import { type Block, Wasm } from '../../src/core/wasm'
import { builds, failure, goldenCases, moduleBytes, request, values } from './core_support'

/** A worker in this thread: every message is cloned or transferred, and arrives later. */
class LocalWorker implements WorkerPort {
  onmessage: WorkerPort['onmessage'] = null
  onmessageerror: WorkerPort['onmessageerror'] = null
  onerror: WorkerPort['onerror'] = null
  readonly said: Reply[] = []
  readonly #service = new Service((reply, transfer) => {
    const copy = structuredClone(reply, { transfer: transfer as never })
    this.said.push(copy)
    setTimeout(() => this.onmessage?.call(this as never, { data: copy } as MessageEvent))
  })

  postMessage(message: Message): void {
    const copy = structuredClone(message)
    setTimeout(() => this.#service.receive(copy))
  }

  terminate(): void {}
}

let workers: LocalWorker[] = []
let core: Core | undefined

afterEach(() => {
  vi.restoreAllMocks()
  core?.dispose()
  workers = []
})

const answered = [
  'concat', 'contributions', 'heads', 'k', 'masked_rows', 'masked_scores', 'output', 'q', 'raw_scores', 'scaled_scores', 'v', 'weights',
]

function start(
  build: Build, bytes: () => Promise<ArrayBuffer> = () => moduleBytes(build), golden = async () => goldenCases(),
): Core {
  core = createCore({
    build: async () => build,
    bytes,
    spawn: () => workers[workers.push(new LocalWorker()) - 1]!,
    golden,
    models: [],
    model: () => Promise.reject(new CoreError({ status: 'load_failed' })),
  })
  return core
}

/** The engine that was started last: other services of this file may still be priming theirs. */
const lastOf = (starts: MockInstance<typeof Engine.start>): Promise<Engine> =>
  starts.mock.results.at(-1)!.value as Promise<Engine>

const named = (model: string): number => models.findIndex(({ name }) => name === model)

const results = (): Reply[] => workers[0]!.said.filter(({ kind }) => kind === 'result')

describe.each(builds)('%s build', (build) => {
  test('says what runs', async () => {
    expect(await start(build).ready()).toEqual({ build, arch: 'wasm' })
  })

  test('everything about a pass in one answer', async () => {
    const pass = await start(build).pass(request())
    for (const name of ['x', 'positions', 'w_q', 'w_o', 'q_heads', 'weights', 'output'] as const) {
      expect(pass.tensor(name)!.shape.length, name).toBeGreaterThan(1)
    }
    expect(pass.tensor('context')).toBeUndefined()
    expect(pass.tensor('q')!.data.buffer).toBe(pass.tensor('output')!.data.buffer)
    expect(pass.shape).toEqual({ tokens: 5, context: 5, modelDim: 8, heads: 2, kvHeads: 2, headDim: 4 })
    expect(pass.maskedRows).toEqual([false, false, false, false, false])
    expect(results()).toHaveLength(2)
  })

  test('parameters travel once', async () => {
    const client = start(build)
    const first = await client.pass(request())
    const other = await client.pass(request({ seed: 8 }))
    const again = await client.pass(request({ causal: true }))
    const sent = results().map((reply) => 'value' in reply && 'parameters' in reply.value!)
    expect(sent).toEqual([false, true, true, false])
    expect(again.tensor('w_q')!.data).toBe(first.tensor('w_q')!.data)
    expect(values(other.tensor('w_q')!)).not.toEqual(values(first.tensor('w_q')!))
  })

  test('many seeds, shapes and layers leave earlier passes as they were', async () => {
    const client = start(build)
    const asked = Array.from({ length: 24 }, (_, i) =>
      request({ layer: i % 14, seed: i % 5, dModel: 4 * (1 + (i % 3)), tokens: ['a', 'b', 'c'].slice(i % 3) }),
    )
    const passes = []
    for (const each of asked) passes.push(await client.pass(each))
    const outputs = passes.map((pass) => values(pass.tensor('output')!))
    for (const [i, each] of asked.entries()) {
      expect(values((await client.pass(each)).tensor('output')!)).toEqual(outputs[i])
    }
  })

  test('what is current can be asked, layer by layer', async () => {
    const client = start(build)
    const [zero, one] = [await client.pass(request()), await client.pass(request({ layer: 1, seed: 9 }))]
    for (const pass of [zero, one]) {
      const explained = await client.explain(pass, { tensor: 'output', index: [4, 7] }, 3)
      expect(explained.value).toBe(pass.tensor('output')!.at(4, 7))
      expect(explained.byHead).toHaveLength(2)
      const parts: TensorView = await client.contributions(pass, [1, 0])
      expect(parts.shape).toEqual([2, 5, 8])
      expect(parts.at(0, 4, 7)).toBeCloseTo(explained.byHead![1]!, 5)
      const { direct, reached } = await client.influence(pass, { tensor: 'w_o', index: [0, 3] })
      expect(reached).toEqual(direct)
      expect(direct.map(({ tensor }) => tensor)).toEqual(['output', 'contributions'])
      expect((await client.rowShares(pass, 4)).shares).toHaveLength(2)
      expect(await client.narrow(pass, 'v')).toEqual({ numbers: 40, differing: 0, largest: 0 })
      expect(await client.compare(pass, 'v', [1, 0])).toEqual({ numbers: 40, differing: 0, largest: 0 })
      expect(await client.compare(pass, 'concat', [1, 0])).toMatchObject({ numbers: 40, differing: 20 })
    }
    await client.pass(request({ seed: 1 }))
    await expect(client.explain(zero, { tensor: 'output', index: [0, 0] }, 1)).rejects.toBeInstanceOf(Superseded)
  })

  test('a burst of passes: only the last is computed', async () => {
    const client = start(build)
    await client.ready()
    const burst = await Promise.allSettled(Array.from({ length: 20 }, (_, seed) => client.pass(request({ seed }))))
    expect(burst.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(burst.at(-1)).toMatchObject({ value: { request: { seed: 19 } } })
    expect(results().length).toBeLessThan(5)
  })

  test('a failed pass says why, and the one before can still be explained', async () => {
    const client = start(build)
    const good = await client.pass(request())
    const error: unknown = await client.pass(request({ headGate: [1, Infinity] })).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CoreError)
    expect((error as CoreError).failure).toEqual({ status: 'bad_gate', index: [1] })
    expect((await client.explain(good, { tensor: 'q', index: [0, 0] }, 1)).rule).toBe('dot')
    await expect(client.pass(request({ layer: 14 }))).rejects.toMatchObject({ failure: { status: 'not_loaded' } })
  })

  test('long work says how far it is', async () => {
    const client = start(build)
    const pass = await client.pass(request({ dModel: 64, heads: 64 }))
    const told: [number, number][] = []
    const parts = await client.contributions(pass, [...Array(64).keys()], (done, total) => told.push([done, total]))
    expect(parts.shape[0]).toBe(64)
    expect(told).toEqual([8, 16, 24, 32, 40, 48, 56].map((done) => [done, 64]))
  })

  test('what is taken back is not begun, or goes no further', async () => {
    const replies: Reply[] = []
    const service = new Service((reply) => {
      replies.push(reply)
      if (reply.kind === 'progress') service.receive({ id: reply.id, kind: 'cancel' })
    })
    const asked = request({ dModel: 64, heads: 64 })
    service.receive({ id: 1, kind: 'load', build, bytes: await moduleBytes(build) })
    service.receive({ id: 2, kind: 'pass', request: asked, known: [] })
    service.receive({ id: 3, kind: 'contributions', pass: 2, request: asked, heads: [...Array(64).keys()] })
    const cell: CellRef = { tensor: 'x', index: [0, 0] }
    const question = { pass: 2, request: asked, cell, largest: 1 }
    service.receive({ id: 4, kind: 'explain', ...question })
    service.receive({ id: 5, kind: 'explain', ...question })
    service.receive({ id: 4, kind: 'cancel' })
    await vi.waitUntil(() => replies.some(({ id }) => id === 5))
    expect(replies.map(({ id, kind }) => [id, kind])).toEqual([
      [1, 'result'],
      [2, 'result'],
      [3, 'progress'],
      [3, 'failed'],
      [4, 'failed'],
      [5, 'result'],
    ])
    expect(replies[3]).toMatchObject({ failure: 'superseded' })
  })

  test('a layer of a real model: says how far it is, then what it took', async () => {
    const told: [number, number][] = []
    const request = { model: named('Transformer base'), tokens: 5, seed: 1 }
    const client = start(build)
    const report = await client.atScale(request, (done, total) => told.push([done, total]))
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7].map((done) => [done, 8]))
    expect(report).toMatchObject({ weights: 4 * 512 ** 2, weightBytes: 16 * 512 ** 2 })
    // X, Y and what a head needs.
    expect(report.roomBytes).toBeGreaterThan(2 * 5 * 512 * 4)
    expect(report.roomBytes).toBeLessThan(report.weightBytes / 10)
    expect(report.seconds).toBeGreaterThan(0)
    expect(report.flopsPerSecond * report.seconds).toBeCloseTo(2 * 5 * 4 * 512 ** 2 + 4 * 5 ** 2 * 512, -2)
    // A mix of values: of variance below that of one value, 1, and above that of the mean of all.
    expect(report.rms).toBeGreaterThan(0.2)
    expect(report.rms).toBeLessThan(1)
    expect((await client.atScale(request)).rms).toBe(report.rms)
    expect((await client.atScale({ ...request, seed: 2 })).rms).not.toBe(report.rms)
  })

  test('grouped heads, and heads that are no d/h wide', async () => {
    const report = await start(build).atScale({ model: named('Qwen3-8B'), tokens: 1, seed: 1 })
    expect(report.weights).toBe(2 * 4096 * 32 * 128 + 2 * 4096 * 8 * 128)
    expect(report.rms).toBeGreaterThan(0.2)
  })

  test('a layer that can’t be run says why', async () => {
    const client = start(build)
    const refused = (model: number, tokens: number) => failure(() => client.atScale({ model, tokens, seed: 1 }))
    for (const model of [-1, models.length, 0.5, NaN, named('GPT-4'), named('DeepSeek-V3')]) {
      expect(await refused(model, 5)).toEqual({ status: 'no_such_cell' })
    }
    for (const tokens of [0, -1, 1.5]) expect(await refused(0, tokens)).toEqual({ status: 'tokens_out_of_range' })
    expect(await refused(0, limits.maxTokensAtScale + 1)).toEqual({ status: 'too_large' })
  })

  test('a layer that is taken back stops between two heads and leaves no memory behind; others are answered meanwhile', async () => {
    const allocated = vi.spyOn(Wasm.prototype, 'allocate')
    const released = vi.spyOn(Wasm.prototype, 'release')
    const replies: Reply[] = []
    const service = new Service((reply) => {
      replies.push(reply)
      if (reply.kind !== 'progress') return
      if (reply.done === 2) service.receive({ id: 3, kind: 'pass', request: request(), known: [] })
      if (reply.done === 4) service.receive({ id: reply.id, kind: 'cancel' })
    })
    service.receive({ id: 1, kind: 'load', build, bytes: await moduleBytes(build) })
    service.receive({ id: 2, kind: 'atScale', request: { model: 0, tokens: 5, seed: 1 } })
    await vi.waitUntil(() => replies.some(({ id, kind }) => id === 2 && kind === 'failed'))
    expect(replies.map(({ id, kind }) => [id, kind])).toEqual([
      [1, 'result'],
      [2, 'progress'],
      [2, 'progress'],
      [3, 'result'],
      [2, 'progress'],
      [2, 'progress'],
      [2, 'failed'],
    ])
    expect(replies.at(-1)).toMatchObject({ failure: 'superseded' })
    const freed = new Set(released.mock.calls.map(([block]) => block))
    const [room] = allocated.mock.results.map(({ value }) => value as Block).filter(({ floats }) => floats > 2 * 5 * 512)
    expect(freed).toContain(room)
  })

  test('the client takes a layer back by its signal, and the next one runs', async () => {
    const client = start(build)
    const controller = new AbortController()
    const request = { model: 0, tokens: 5, seed: 1 }
    // Long enough for the word to arrive before the last head.
    const long = { ...request, model: models.findIndex(({ name }) => name === 'GPT-3') }
    const first = client.atScale(long, () => controller.abort(), controller.signal)
    await expect(first).rejects.toBeInstanceOf(Superseded)
    await expect(client.atScale(request, undefined, controller.signal)).rejects.toBeInstanceOf(Superseded)
    expect((await client.atScale(request)).weights).toBe(4 * 512 ** 2)
    expect(workers[0]!.said.filter(({ kind }) => kind === 'failed')).toHaveLength(1)
  })

  test('the kernels are primed after the first pass, unseen, and whoever asks in between comes first', async () => {
    const asked = request({ seed: 3 })
    const log: string[] = []
    const starts = vi.spyOn(Engine, 'start')
    const service = new Service(({ id }) => log.push(`answer ${id}`))
    service.receive({ id: 1, kind: 'load', build, bytes: await moduleBytes(build) })
    await vi.waitUntil(() => log.length === 1)
    vi.spyOn(await lastOf(starts), 'prime').mockImplementation(async () => {
      log.push('round')
      // Asked while the first round runs.
      if (log.length === 3) service.receive({ id: 3, kind: 'pass', request: asked, known: [] })
    })
    for (let i = 0; i < 20; i++) await new Promise((done) => setTimeout(done))
    service.receive({ id: 2, kind: 'pass', request: asked, known: [] })
    await vi.waitUntil(() => log.length === 11)
    expect(log).toEqual(['answer 1', 'answer 2', 'round', 'answer 3', ...Array<string>(7).fill('round')])
  })

  test('priming that fails is nobody’s failure', async () => {
    const starts = vi.spyOn(Engine, 'start')
    const client = start(build)
    await client.ready()
    const prime = vi.spyOn(await lastOf(starts), 'prime').mockRejectedValue(new CoreError({ status: 'out_of_memory' }))
    await client.pass(request())
    await vi.waitUntil(() => prime.mock.calls.length > 0)
    expect((await client.pass(request({ seed: 1 }))).tensor('output')!.shape).toEqual([5, 8])
    expect(prime).toHaveBeenCalledTimes(1)
  })

  test('the golden cases: every tensor within its bound, and the case that comes closest', async () => {
    const told: [number, number][] = []
    const report = await start(build).check((done, total) => told.push([done, total]))
    expect(report).toMatchObject({ build, ok: true, cases: goldenCases().length })
    expect(told).toEqual(goldenCases().map((_, i) => [i, report.cases]))
    expect(Object.keys(report.tensors).sort()).toEqual(answered)
    for (const [name, { error, bound }] of Object.entries(report.tensors)) {
      expect(error, name).toBeLessThanOrEqual(bound)
      if (name !== 'masked_rows') expect(error, name).toBeGreaterThan(0)
    }
  })

  test('one answer that is a little off is found and named', async () => {
    const cases = goldenCases()
    const { file } = cases.find(({ name }) => name === 'self_d8_h2')!
    // The last number of the file is the last of masked_rows, the one before it the last output.
    const floats = new Float32Array(file.slice(file.byteLength - 4 * 4))
    const spoilt = new Uint8Array(file)
    floats[0]! += 1e-4
    spoilt.set(new Uint8Array(floats.buffer), file.byteLength - 4 * 4)
    const client = start(build, undefined, async () => cases)
    const report = await client.check()
    expect(report.ok).toBe(false)
    const beyond = Object.entries(report.tensors).filter(([, { error, bound }]) => error > bound)
    expect(beyond).toMatchObject([[expect.any(String), { case: 'self_d8_h2' }]])
  })

  test('golden cases that do not arrive, or are none', async () => {
    const broken = start(build, undefined, async () => [{ name: 'x', file: new ArrayBuffer(40) }])
    await expect(broken.check()).rejects.toMatchObject({ failure: { status: 'bad_text' } })
    const missing = start(build, undefined, () => Promise.reject(new CoreError({ status: 'load_failed' })))
    await expect(missing.check()).rejects.toMatchObject({ failure: { status: 'load_failed' } })
    expect((await start(build, undefined, async () => []).check()).ok).toBe(false)
  })

  test('bytes that are no module fail to load; the next try may succeed', async () => {
    let tries = 0
    const client = start(build, async () => (tries++ === 0 ? new ArrayBuffer(4) : moduleBytes(build)))
    await expect(client.ready()).rejects.toMatchObject({ failure: { status: 'load_failed' } })
    expect(await client.ready()).toMatchObject({ build })
  })
})

test('the other build under this name is refused', async () => {
  await expect(start('relaxed', () => moduleBytes('simd')).ready()).rejects.toMatchObject({
    failure: { status: 'load_failed' },
  })
})

test('a trap in the module is a crash', async () => {
  // An export that ends in unreachable, in a module with nothing else.
  const trap = new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 0x0f, 1, 0x0b,
    ...new TextEncoder().encode('_initialize'), 0, 0, 0x0a, 5, 1, 3, 0, 0, 0x0b,
  ])
  await expect(start('simd', async () => trap.buffer).ready()).rejects.toMatchObject({
    failure: { status: 'load_failed', detail: expect.stringContaining('unreachable') },
  })
})
