// Ten thousand passes of mixed shapes: once every shape was seen, the module's memory stays as it is, to the byte.
import { describe, expect, test, vi } from 'vitest'
import { Engine } from '../../src/core/engine'
import type { PassRequest, Shape } from '../../src/core/protocol'
import { Wasm } from '../../src/core/wasm'
import type { Weights } from '../../src/core/weights'
import { builds, drawFrom, drawn, drawnRequest, moduleBytes } from './core_support'

vi.setConfig({ testTimeout: 120_000 })

const many = 10_000

/** A module of its own, with a few layers loaded and shapes for each: how to run a pass, and where its memory ends. */
async function begin(build: (typeof builds)[number]) {
  const instantiate = vi.spyOn(WebAssembly, 'instantiate')
  const started = vi.spyOn(Wasm, 'instantiate')
  const engine = await Engine.start(await moduleBytes(build))
  const { exports } = (await instantiate.mock.results[0]!.value) as unknown as WebAssembly.Instance
  const wasm = await (started.mock.results[0]!.value as Promise<Wasm>)
  vi.restoreAllMocks()

  const draw = drawFrom(drawn)
  const mixed = Array.from({ length: 12 }, (_, place): { asked: PassRequest; shape: Shape; weights: Weights } => {
    const asked = drawnRequest(draw)
    const shape = engine.shape(asked.tokens.length, asked.dModel, asked.heads)
    return { asked, shape, weights: engine.seededWeights(place, shape, asked.seed) }
  })
  return {
    wasm,
    async pass(which = draw(0, mixed.length - 1)): Promise<void> {
      const { asked, shape, weights } = mixed[which % mixed.length]!
      const memory = engine.pass(weights, shape, asked)
      if (which % 5 === 0) memory.explain({ tensor: 'output', index: [0, 0] }, 3)
      if (which % 7 === 0) await memory.contributions([0], async () => {})
      memory.release()
    },
    /** The size of the memory, and the first place in it behind everything that is in use: no gap before it is as large as this block. */
    ends(): { bytes: number; at: number } {
      const behind = wasm.allocate(1 << 20)
      wasm.release(behind)
      return { bytes: (exports.memory as WebAssembly.Memory).buffer.byteLength, at: behind.address }
    },
    shapes: mixed.length,
  }
}

describe.each(builds)('%s build', (build) => {
  test(`ten thousand passes of mixed shapes take no more memory than one of each, seed ${drawn}`, async () => {
    const { pass, ends, shapes } = await begin(build)
    for (let which = 0; which < shapes; which += 1) await pass(which)
    const before = ends()
    for (let i = 0; i < many; i += 1) await pass()
    expect(ends()).toEqual(before)
  })

  test('a pass that kept one number back would be noticed', async () => {
    const { pass, ends, shapes, wasm } = await begin(build)
    for (let which = 0; which < shapes; which += 1) await pass(which)
    const before = ends()
    for (let i = 0; i < many / 10; i += 1) {
      await pass()
      wasm.allocate(1)
    }
    expect(ends().at).toBeGreaterThan(before.at)
  })
})
