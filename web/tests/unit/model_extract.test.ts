// Tensors as blocks of numbers, whole or of one head.
import { describe, expect, test } from 'vitest'
import { tensorNames } from '../../src/core/generated/tables'
import type { TensorView } from '../../src/core/protocol'
import { extract } from '../../src/model/extract'
import { engines, request, values, withPass } from './core_support'

const asked = request({ dModel: 12, heads: 3 })
const withTensors = (use: (tensor: (name: (typeof tensorNames)[number]) => TensorView) => void) =>
  withPass(engines.simd, asked, ({ pass }) => use((name) => pass.tensor(name)!))
const shape = { tokens: 5, context: 5, modelDim: 12, heads: 3, kvHeads: 3, headDim: 4 }

describe('a whole tensor', () => {
  test('is every number, row-major, whatever its strides', () =>
    withPass(engines.simd, asked, ({ pass }) => {
      for (const name of tensorNames) {
        const view = pass.tensor(name)
        if (view === undefined) continue
        const { shape: extents, data } = extract(view, shape)
        expect(extents, name).toEqual([...view.shape])
        expect([...data], name).toEqual(values(view))
      }
    }))
})

describe('one head', () => {
  test('of a tensor of heads: its entry', () =>
    withTensors((tensor) => {
      for (const name of ['raw_scores', 'weights', 'heads', 'q_heads', 'k_heads'] as const) {
        const view = tensor(name)
        const { shape: extents, data } = extract(view, shape, 2)
        expect(extents).toEqual(view.shape.slice(1))
        expect(data[extents[1]! + 1], name).toBe(view.at(2, 1, 1))
      }
    }))

  test('of a wide tensor: its columns, which are the split one’s', () =>
    withTensors((tensor) => {
      for (const [wide, split] of [['q', 'q_heads'], ['k', 'k_heads'], ['v', 'v_heads'], ['concat', 'heads']] as const) {
        expect(extract(tensor(wide), shape, 1)).toEqual(extract(tensor(split), shape, 1))
      }
    }))

  test('of a matrix of parameters: its columns, of W_O its rows', () =>
    withTensors((tensor) => {
      const columns = extract(tensor('w_q'), shape, 1)
      expect(columns.shape).toEqual([12, 4])
      expect(columns.data[4 * 3 + 2]).toBe(tensor('w_q').at(3, 4 + 2))
      const rows = extract(tensor('w_o'), shape, 1)
      expect(rows.shape).toEqual([4, 12])
      expect(rows.data[12 * 3 + 2]).toBe(tensor('w_o').at(4 + 3, 2))
    }))

  test('that does not exist, or of a tensor that is no head’s', () =>
    withTensors((tensor) => {
      for (const head of [-1, 3, 0.5, NaN]) expect(() => extract(tensor('weights'), shape, head)).toThrow(RangeError)
      for (const name of ['x', 'output', 'masked_rows'] as const) expect(() => extract(tensor(name), shape, 0)).toThrow(RangeError)
    }))
})
