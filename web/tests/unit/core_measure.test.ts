// A measurement in the worker: what it says, that nobody waits for it, and that it leaves nothing behind.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Build, Message, PassAnswer, Reply } from '../../src/core/messages'
import type { CoreFailure, MeasureReport } from '../../src/core/protocol'
import { Service } from '../../src/core/service'
import { type Block, Wasm } from '../../src/core/wasm'
import { builds, moduleBytes, request } from './core_support'

vi.setConfig({ testTimeout: 60_000 })
afterEach(() => void vi.restoreAllMocks())

const sizes = [{ tokens: 5, modelDim: 8, heads: 2 }, { tokens: 3, modelDim: 64, heads: 4 }]

/** A service with a module in it; `on` is told every reply and may ask for more. */
async function begin(build: Build, on: (reply: Reply, service: Service) => void = () => {}) {
  const replies: Reply[] = []
  const service: Service = new Service((reply) => {
    replies.push(reply)
    on(reply, service)
  })
  const over = async (message: Message): Promise<Reply> => {
    service.receive(message)
    await vi.waitUntil(() => replies.some(({ id, kind }) => id === message.id && kind !== 'progress'), { timeout: 60_000 })
    return replies.find(({ id, kind }) => id === message.id && kind !== 'progress')!
  }
  await over({ id: 1, kind: 'load', build, bytes: await moduleBytes(build) })
  return { replies, over }
}

const outputOf = (reply: Reply): Float32Array => {
  if (reply.kind !== 'result') throw new Error(reply.kind)
  const { trace, views } = reply.value as PassAnswer
  const { offset, shape } = views.output!
  // Between two tensors of a slab anything may stand.
  return trace.slice(offset, offset + shape[0]! * shape[1]!)
}

test('the fastest round counts, whatever disturbs the others', async () => {
  const ms = [[9, 5, 7], [40, 20, 30]]
  vi.doMock('../../src/core/race', () => ({ race: async () => ms }))
  vi.resetModules()
  const { Measurement } = await import('../../src/core/measurement')
  const { Engine } = await import('../../src/core/engine')
  const engine = await Engine.start(await moduleBytes('simd'))
  const measurement = engine.measurement()
  expect(measurement).toBeInstanceOf(Measurement)
  measurement.add(0, engine.shape(3, 64, 4))
  const { passes, peakFlopsPerSecond } = await measurement.run(async () => {})
  vi.doUnmock('../../src/core/race')
  expect(passes[0]!.ms).toBe(20)
  expect(passes[0]!.flopsPerSecond).toBeCloseTo((1000 * (8 * 3 * 64 ** 2 + 4 * 3 ** 2 * 64)) / 20, 6)
  // The loop never ran: it has done nothing in its 5 ms.
  expect(peakFlopsPerSecond).toBe(0)
})

describe.each(builds)('%s build', (build) => {
  test('times every size in the order asked, beside the peak; who asks meanwhile is answered with the right numbers', async () => {
    // Weights of another seed, so that a place is taken while the measurement has its own.
    const meanwhile: Message = { id: 3, kind: 'pass', request: request({ seed: 9 }), known: [] }
    let asked = 0
    const { replies, over } = await begin(build, ({ kind, id }, service) => {
      if (kind === 'progress' && id === 2 && asked++ === 20) service.receive(meanwhile)
    })
    const reply = await over({ id: 2, kind: 'measure', request: { sizes } })
    const { peakFlopsPerSecond, passes, build: ran } = (reply as { value: MeasureReport }).value
    expect(ran).toBe(build)
    expect(passes).toMatchObject(sizes)
    expect(peakFlopsPerSecond).toBeGreaterThan(1e8)
    for (const { tokens: n, modelDim: d, ms, flopsPerSecond, ofPeak } of passes) {
      expect(ms).toBeGreaterThan(0)
      expect((flopsPerSecond * ms) / 1000 / (8 * n * d * d + 4 * n * n * d)).toBeCloseTo(1, 9)
      expect(ofPeak).toBeCloseTo(flopsPerSecond / peakFlopsPerSecond, 9)
    }
    const told = replies.flatMap((each) => (each.kind === 'progress' ? [each.done / each.total] : []))
    expect(told).toEqual([...told].sort((a, b) => a - b))
    expect(told.at(-1)).toBe(1)
    const answers = replies.filter(({ kind }) => kind === 'result').map(({ id }) => id)
    expect(answers).toEqual([1, 3, 2])
    const alone = await (await begin(build)).over(meanwhile)
    expect(outputOf(replies.find(({ id }) => id === 3)!)).toEqual(outputOf(alone))
  })

  test('taken back, it stops before its next batch and gives back all of its memory', async () => {
    const allocated = vi.spyOn(Wasm.prototype, 'allocate')
    const released = vi.spyOn(Wasm.prototype, 'release')
    let progress = 0
    const { over } = await begin(build, ({ kind, id }, service) => {
      if (kind === 'progress' && id === 2 && ++progress === 10) service.receive({ id, kind: 'cancel' })
    })
    expect(await over({ id: 2, kind: 'measure', request: { sizes } })).toMatchObject({ failure: 'superseded' })
    expect(progress).toBe(10)
    const kept = new Set(allocated.mock.results.map(({ value }) => value as Block))
    for (const [block] of released.mock.calls) kept.delete(block)
    // The block for the arrays of calls stays.
    expect(kept.size).toBeLessThanOrEqual(1)
  })

  test('a size that can’t be is refused by name, and the next measurement has all places again', async () => {
    const { over } = await begin(build)
    for (let id = 2; id < 22; id += 1) {
      const reply = await over({ id, kind: 'measure', request: { sizes: [sizes[0]!, { tokens: 5, modelDim: 8, heads: 3 }] } })
      expect((reply as { failure: CoreFailure }).failure).toMatchObject({ status: 'head_dim_out_of_range' })
    }
  })
})
