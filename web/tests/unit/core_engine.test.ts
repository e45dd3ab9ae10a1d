// The wasm boundary and what it computes, in both builds.
import { describe, expect, test, vi } from 'vitest'
import { Engine } from '../../src/core/engine'
import { tensorInfos, tensorNames, type TensorName } from '../../src/core/generated/tables'
import type { Pass } from '../../src/core/protocol'
import { Wasm } from '../../src/core/wasm'
import { attention, distance } from './core_reference'
import {
  builds,
  drawFrom,
  drawn,
  drawnRequest,
  engines,
  failure,
  moduleBytes,
  request,
  values,
  withPass,
} from './core_support'

// Every test is quick, but a busy machine is not.
vi.setConfig({ testTimeout: 30_000 })

const tensor = (pass: Pass, name: TensorName) => pass.tensor(name)!

describe.each(builds)('%s build', (build) => {
  const engine = engines[build]

  test('is what it is said to be', () => {
    expect(engine.arch).toBe('wasm')
    expect(engine.relaxed).toBe(build === 'relaxed')
  })

  test('refuses bytes that are no module', async () => {
    expect(await failure(() => Engine.start(new Uint8Array([1, 2, 3])))).toMatchObject({ status: 'load_failed' })
  })

  test('priming changes no number and keeps no memory', async () => {
    const allocated = vi.spyOn(Wasm.prototype, 'allocate')
    const released = vi.spyOn(Wasm.prototype, 'release')
    const asked = request({ dModel: 64, heads: 4 })
    await withPass(engine, asked, async ({ pass, memory }) => {
      allocated.mockClear()
      released.mockClear()
      await engine.prime(1)
      const kept = new Set(allocated.mock.results.map(({ value }) => value))
      for (const [block] of released.mock.calls) kept.delete(block)
      // The block for the arrays of calls grows once and stays.
      expect(kept.size).toBeLessThanOrEqual(1)
      await engine.prime(1)
      expect(memory.copyOut().trace).toEqual(pass.tensor('output')!.data)
    })
    vi.restoreAllMocks()
  })

  test(`layouts agree with the table and stay within their slabs, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 20; round++) {
      const asked = drawnRequest(draw)
      await withPass(engine, asked, ({ pass }) => {
        const { shape } = pass
        const extents = {
          '1': 1, n: shape.tokens, m: shape.context, d: shape.modelDim, h: shape.heads, g: shape.kvHeads,
          k: shape.headDim, 'h·k': shape.heads * shape.headDim, 'g·k': shape.kvHeads * shape.headDim,
        }
        for (const name of tensorNames) {
          const view = pass.tensor(name)
          const absent = ['context', 'mask', 'b_q', 'b_k', 'b_v', 'b_o', 'contributions'].includes(name)
          expect(view === undefined, name).toBe(absent)
          if (!view) continue
          expect(view.axes, name).toEqual(tensorInfos[name].axes)
          expect(view.shape, name).toEqual(tensorInfos[name].axes.map((axis) => extents[axis]))
          const last = view.shape.reduce((sum, extent, axis) => sum + (extent - 1) * view.strides[axis]!, view.offset)
          expect(last, name).toBeLessThan(view.data.length)
        }
      })
    }
  })

  test('heads are views of the same bytes', async () => {
    await withPass(engine, request({ dModel: 12, heads: 3 }), ({ pass }) => {
      const pairs = [['q', 'q_heads'], ['k', 'k_heads'], ['v', 'v_heads'], ['concat', 'heads']] as const
      for (const [whole, split] of pairs) {
        const [all, heads] = [tensor(pass, whole), tensor(pass, split)]
        expect(heads.data).toBe(all.data)
        expect(heads.offset).toBe(all.offset)
        expect(heads.strides).toEqual([4, 12, 1])
        for (let i = 0; i < 3; i++)
          for (let row = 0; row < 5; row++)
            for (let c = 0; c < 4; c++) expect(heads.at(i, row, c)).toBe(all.at(row, i * 4 + c))
        all.data[all.offset + 12 + 5] = 42
        expect(heads.at(1, 1, 1)).toBe(42)
      }
    })
  })

  test(`a pass is attention, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 30; round++) {
      const asked = drawnRequest(draw)
      await withPass(engine, asked, ({ pass }) => {
        const expected = attention((name) => tensor(pass, name), asked)
        // A priori bounds are for the core's own tests; here the wiring is what may break.
        expect(distance(values(tensor(pass, 'weights')), expected.weights), JSON.stringify(asked)).toBeLessThan(1e-5)
        expect(distance(values(tensor(pass, 'output')), expected.output), JSON.stringify(asked)).toBeLessThan(1e-5)
        expect(pass.scale).toBe(asked.scaled ? Math.fround(1 / Math.sqrt(pass.shape.headDim)) : 1)

        const n = asked.tokens.length
        const rows = values(tensor(pass, 'weights'))
        for (let row = 0; row < asked.heads * n; row++) {
          const sum = rows.slice(row * n, (row + 1) * n).reduce((a, b) => a + b, 0)
          expect(sum).toBeCloseTo(pass.maskedRows[row % n] ? 0 : 1, 5)
        }
        expect(pass.maskedRows).toEqual(asked.tokens.map(() => asked.padding === n))

        const [vectors, positions] = [values(tensor(pass, 'token_vectors')), values(tensor(pass, 'positions'))]
        expect(values(tensor(pass, 'x'))).toEqual(vectors.map((value, i) => Math.fround(value + positions[i]!)))
        // The first column of the first place is sin 0.
        expect(positions.some((value) => value !== 0)).toBe(asked.positions && positions.length > 1)
      })
    }
  })

  test('memory that grows in between harms nothing', async () => {
    // A module of its own, whose memory can still grow.
    const instantiate = vi.spyOn(WebAssembly, 'instantiate')
    const fresh = await Engine.start(await moduleBytes(build))
    const { exports } = (await instantiate.mock.results[0]!.value) as unknown as WebAssembly.Instance
    instantiate.mockRestore()
    const memory = exports.memory as WebAssembly.Memory

    const small = request({ heads: 4 })
    await withPass(fresh, small, async ({ pass, memory: inModule }) => {
      const before = values(tensor(pass, 'output'))
      const explained = inModule.explain({ tensor: 'output', index: [2, 3] }, 4)
      const [oldBuffer, oldSize] = [memory.buffer, memory.buffer.byteLength]

      const tokens = Array.from({ length: 384 }, (_, i) => `w${i}`)
      const shape = fresh.shape(tokens.length, 512, 8)
      const weights = fresh.seededWeights(1, shape, 3)
      const large = fresh.pass(weights, shape, request({ tokens, dModel: 512, heads: 8 }))
      expect(memory.buffer.byteLength).toBeGreaterThan(oldSize)
      expect(oldBuffer.byteLength).toBe(0)

      expect(Number.isFinite(large.explain({ tensor: 'output', index: [383, 511] }, 1).value)).toBe(true)
      expect(values(tensor(pass, 'output'))).toEqual(before)
      expect(inModule.explain({ tensor: 'output', index: [2, 3] }, 4)).toEqual(explained)
      large.release()
      weights.release()
    })
    await withPass(fresh, small, ({ pass }) => {
      expect(pass.tensor('output')!.data.buffer).not.toBe(memory.buffer)
    })
  })

  test('a released and reused module leaks nothing', async () => {
    const tokens = Array.from({ length: 64 }, (_, i) => `w${i}`)
    const spy = vi.spyOn(WebAssembly, 'instantiate')
    const fresh = await Engine.start(await moduleBytes(build))
    const { exports } = (await spy.mock.results[0]!.value) as unknown as WebAssembly.Instance
    spy.mockRestore()
    const memory = exports.memory as WebAssembly.Memory
    const rounds = async (count: number): Promise<number> => {
      for (let i = 0; i < count; i++) {
        await withPass(fresh, request({ tokens, dModel: 256, heads: 8, seed: i }), async ({ memory: pass }) => {
          pass.explain({ tensor: 'weights', index: [7, 3, 5] }, 8)
          await pass.contributions([0, 1, 5], async () => {})
        })
        await failure(() => withPass(fresh, request({ tokens, padding: 65 }), () => {}))
      }
      return memory.buffer.byteLength
    }
    expect(await rounds(2)).toBe(await rounds(40))
  })

  test(`every cell can be explained by the values of the pass, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      await withPass(engine, drawnRequest(draw), ({ pass, memory }) => {
        for (const name of tensorNames) {
          const view = pass.tensor(name)
          if (!view || name === 'masked_rows') continue
          const index = view.shape.map((extent) => draw(0, extent - 1))
          const explained = memory.explain({ tensor: name, index }, 3)
          expect(explained.cell).toEqual({ tensor: name, index })
          expect(explained.value).toBe(view.at(...index))
          for (const { a, b } of explained.terms) {
            for (const operand of b ? [a, b] : [a]) {
              expect(operand.value).toBe(pass.tensor(operand.tensor)!.at(...operand.index))
            }
          }
          if (explained.rule === 'dot') {
            expect(Math.abs(explained.value - explained.gate * explained.sum)).toBeLessThanOrEqual(explained.bound)
            expect(explained.terms.at(-1)!.running).toBe(explained.sum)
          }
          const largest = explained.largest.map((place) => explained.terms[place]!.value)
          expect(largest).toEqual([...largest].sort((a, b) => Math.abs(b) - Math.abs(a)))
        }
      })
    }
  })

  test(`contributions add up to the output, in the order asked, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      const heads = draw(2, 20)
      await withPass(engine, request({ heads, dModel: heads * 3 }), async ({ pass, memory }) => {
        const order = Array.from({ length: heads }, (_, i) => (i * (heads > 2 ? heads - 1 : 1)) % heads)
        let pauses = 0
        const { view, data } = await memory.contributions([...order, 0], async () => void pauses++)
        expect(view.shape).toEqual([heads + 1, 5, heads * 3])
        expect(pauses).toBeGreaterThan(0)
        const size = 5 * heads * 3
        const straight = (await memory.contributions([...order.keys()], async () => {})).data
        order.forEach((head, place) => {
          expect(data.slice(place * size, (place + 1) * size)).toEqual(straight.slice(head * size, (head + 1) * size))
        })
        const sumAt = (i: number): number => order.reduce((sum, head) => sum + straight[head * size + i]!, 0)
        const sums = Array.from({ length: size }, (_, i) => sumAt(i))
        expect(distance(sums, values(tensor(pass, 'output')))).toBeLessThan(1e-5)

        const { byHead } = memory.explain({ tensor: 'output', index: [1, 2] }, 1)
        expect(distance(byHead!, order.map((_, head) => straight[head * size + heads * 3 + 2]!))).toBeLessThan(1e-5)
        expect(memory.explain({ tensor: 'concat', index: [1, 2] }, 1).byHead).toBeUndefined()
      })
    }
  })

  test('no heads are no contributions', async () => {
    await withPass(engine, request(), async ({ memory }) => {
      expect((await memory.contributions([], async () => {})).view.shape).toEqual([0, 5, 8])
    })
  })
})

test(`both builds make the same weights and words, bit by bit, seed ${drawn}`, async () => {
  const draw = drawFrom(drawn)
  for (let round = 0; round < 10; round++) {
    const asked = drawnRequest(draw)
    // Tensor by tensor: what lies between them in a slab is nobody's.
    const bits = (engine: Engine) =>
      withPass(engine, asked, ({ pass }) =>
        tensorNames
          .filter((name) => ['input', 'parameters'].includes(tensorInfos[name].slab))
          .flatMap((name) => pass.tensor(name) ?? [])
          .flatMap(values)
          .map((value) => new Uint32Array(Float32Array.of(value).buffer)[0]),
      )
    expect(await bits(engines.simd)).toEqual(await bits(engines.relaxed))
  }
})
