// The strided view that the page reads.
import { expect, test } from 'vitest'
import { StridedView } from '../../src/core/tensor'

const data = Float32Array.from({ length: 12 }, (_, i) => i)
const view = { axes: ['h', 'n', 'k'], shape: [2, 2, 3], strides: [3, 6, 1], offset: 0 }
const heads = new StridedView('q_heads', view, data)

test('places follow the strides', () => {
  expect(heads.at(0, 0, 2)).toBe(2)
  expect(heads.at(1, 0, 0)).toBe(3)
  expect(heads.at(1, 1, 2)).toBe(11)
})

const outside = [[2, 0, 0], [0, 2, 0], [0, 0, 3], [-1, 0, 0], [0.5, 0, 0], [NaN, 0, 0], [0, 0], [0, 0, 0, 0], []]

test.each(outside.map((index) => ({ index })))('no value at $index', ({ index }) => {
  expect(() => heads.at(...index)).toThrow(RangeError)
})
