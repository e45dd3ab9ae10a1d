// What can be asked about a pass beside where a number comes from, in both builds.
import { describe, expect, test, vi } from 'vitest'
import { tensorNames } from '../../src/core/generated/tables'
import type { CellRef, Region, Role } from '../../src/core/protocol'
import { builds, drawFrom, drawn, drawnRequest, engines, failure, request, values, withPass } from './core_support'

vi.setConfig({ testTimeout: 30_000 })

const contains = ({ tensor, first, count }: Region, cell: CellRef): boolean =>
  tensor === cell.tensor && cell.index.every((i, axis) => i >= first[axis]! && i < first[axis]! + count[axis]!)

describe.each(builds)('%s build', (build) => {
  const engine = engines[build]

  test(`a cell goes into what it is an operand of, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      await withPass(engine, drawnRequest(draw), ({ pass, memory }) => {
        for (const name of tensorNames) {
          const view = pass.tensor(name)
          if (!view || name === 'masked_rows') continue
          const made = { tensor: name, index: view.shape.map((extent) => draw(0, extent - 1)) }
          const { rule, masked, gate, terms } = memory.explain(made, 0)
          if (masked || gate === 0 || rule === 'given') continue
          // Terms that a mask or a gate stops are the business of the core's own tests.
          const live = terms.find(({ a, value }) => value !== 0 && a.value !== -Infinity)
          for (const { tensor, index } of live ? [live.a, live.b ?? live.a] : []) {
            const { direct, reached } = memory.influence({ tensor, index })
            for (const regions of [direct, reached]) {
              expect(regions.some((region) => contains(region, made)), `${tensor}[${index}] → ${name}[${made.index}]`).toBe(true)
            }
          }
        }
      })
    }
  })

  test('the boxes of one cell, in the order of the table', async () => {
    await withPass(engine, request({ causal: true }), ({ memory }) => {
      expect(memory.influence({ tensor: 'masked_scores', index: [1, 3, 2] })).toEqual({
        direct: [{ tensor: 'weights', first: [1, 3, 0], count: [1, 1, 4] }],
        reached: [
          { tensor: 'weights', first: [1, 3, 0], count: [1, 1, 4] },
          { tensor: 'heads', first: [1, 3, 0], count: [1, 1, 4] },
          { tensor: 'concat', first: [3, 4], count: [1, 4] },
          { tensor: 'output', first: [3, 0], count: [1, 8] },
          { tensor: 'contributions', first: [1, 3, 0], count: [1, 1, 8] },
        ],
      })
      expect(memory.influence({ tensor: 'masked_scores', index: [1, 2, 3] })).toEqual({ direct: [], reached: [] })
    })
  })

  test(`shares of a row add up to its length, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      await withPass(engine, drawnRequest(draw), ({ pass, memory }) => {
        const output = pass.tensor('output')!
        const row = draw(0, pass.shape.tokens - 1)
        const { shares, bias, norm } = memory.rowShares(row)
        const length = Math.hypot(...values(output).slice(row * pass.shape.modelDim, (row + 1) * pass.shape.modelDim))
        expect(shares).toHaveLength(pass.shape.heads)
        expect(bias).toBe(0)
        expect(norm).toBeCloseTo(length, 4)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(norm, 10)
      })
    }
    await withPass(engine, request({ headGate: [0, 0] }), ({ memory }) => {
      expect(memory.rowShares(0)).toEqual({ shares: [0, 0], bias: 0, norm: 0 })
    })
  })

  test(`narrow projections are the wide one, bit by bit, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      await withPass(engine, drawnRequest(draw), ({ pass, memory }) => {
        const numbers = pass.shape.tokens * pass.shape.modelDim
        for (const role of ['q', 'k', 'v'] as const) {
          expect(memory.narrow(role)).toEqual({ numbers, differing: 0, largest: 0 })
        }
      })
    }
  })

  test(`two passes with other gates, counted number by number, seed ${drawn}`, async () => {
    const draw = drawFrom(drawn)
    for (let round = 0; round < 10; round++) {
      const asked = drawnRequest(draw)
      const headGate = Array.from({ length: asked.heads }, () => draw(0, 1))
      const bits = (numbers: number[]): Int32Array => new Int32Array(Float32Array.from(numbers).buffer)
      const after = await withPass(engine, { ...asked, headGate }, ({ pass }) => pass)
      await withPass(engine, asked, ({ pass, memory }) => {
        for (const name of ['weights', 'heads', 'concat', 'output'] as const) {
          const [was, is] = [values(pass.tensor(name)!), values(after.tensor(name)!)]
          const other = bits(is)
          const differing = bits(was).filter((value, i) => value !== other[i]).length
          const largest = Math.max(0, ...was.map((value, i) => Math.abs(value - is[i]!)))
          expect(memory.compare(name, headGate), `${name}, ${String(headGate)}`).toEqual({ numbers: was.length, differing, largest })
        }
        // What it was compared with has left nothing behind.
        expect(memory.compare('output', asked.headGate ?? headGate.map(() => 1))).toMatchObject({ differing: 0 })
      })
    }
  })

  test('a head changes nothing where every key is masked', async () => {
    await withPass(engine, request({ padding: 5 }), ({ memory }) => {
      expect(memory.compare('output', [0, 1])).toEqual({ numbers: 40, differing: 0, largest: 0 })
    })
  })

  test('what is not there is refused', async () => {
    await withPass(engine, request(), async ({ memory }) => {
      const cell = { tensor: 'output', index: [5, 0] } as const
      expect(await failure(() => memory.influence({ ...cell, index: [...cell.index] }))).toEqual({ status: 'no_such_cell', ...cell })
      expect(await failure(() => memory.rowShares(5))).toMatchObject({ status: 'no_such_cell', tensor: 'output' })
      expect(await failure(() => memory.rowShares(0.5))).toMatchObject({ status: 'no_such_cell' })
      expect(await failure(() => memory.narrow('o' as Role))).toMatchObject({ status: 'no_such_cell' })
      expect(await failure(() => memory.compare('x', [1, 1]))).toMatchObject({ status: 'no_such_cell' })
      expect(await failure(() => memory.compare('output', [1]))).toMatchObject({ status: 'bad_gate' })
      expect(await failure(() => memory.compare('output', [1, Infinity]))).toMatchObject({ status: 'bad_gate', index: [1] })
    })
  })
})
