// Matrices are addresses: they show the core's numbers where the core put them, and know each other's cells by memory.
import { describe, expect, test } from 'vitest'
import { tensorNames } from '../../src/core/generated/tables'
import type { TensorView } from '../../src/core/protocol'
import { alias, matrixOf, movedBytes } from '../../src/model/matrix'
import { drawFrom, drawn, drawnRequest, engines, withPass } from './core_support'

const draw = drawFrom(drawn)

describe(`on a drawn pass (seed ${drawn})`, () => {
  test('every cell shows the value at its own index, upright and turned', () =>
    withPass(engines.simd, drawnRequest(draw), ({ pass }) => {
      for (const name of tensorNames) {
        const view = pass.tensor(name)
        if (view === undefined || view.shape.length === 1) continue
        const heads = view.shape.length === 3 ? view.shape[0]! : 1
        for (let head = 0; head < heads; head += 1) {
          for (const transposed of [false, true]) {
            const matrix = matrixOf(view, { head, transposed }, pass)
            for (let row = 0; row < matrix.rows; row += 1) {
              for (let column = 0; column < matrix.columns; column += 1) {
                const cell = matrix.cell(row, column)
                expect(matrix.value(row, column)).toBe(view.at(...cell.index))
                expect(matrix.find(cell)).toEqual({ row, column })
              }
            }
          }
        }
      }
    }))

  test('row and column blocks keep the index of the whole', () =>
    withPass(engines.simd, drawnRequest(draw), ({ pass }) => {
      const view = pass.tensor('w_o')!
      const { headDim, heads } = pass.shape
      const head = heads - 1
      const block = matrixOf(view, { rows: [head * headDim, headDim] }, pass)
      expect(block.rows).toBe(headDim)
      expect(block.cell(0, 0).index).toEqual([head * headDim, 0])
      expect(block.value(headDim - 1, 1 % block.columns)).toBe(view.at(head * headDim + headDim - 1, 1 % block.columns))
      if (head > 0) expect(block.find({ tensor: 'w_o', index: [0, 0] })).toBeUndefined()
    }))

  test('split and concatenated cells are found by where they lie', () =>
    withPass(engines.simd, drawnRequest(draw), ({ pass }) => {
      const k = pass.shape.headDim
      for (const [whole, split] of [['q', 'q_heads'], ['k', 'k_heads'], ['v', 'v_heads'], ['concat', 'heads']] as const) {
        const view = pass.tensor(whole)!
        expect(movedBytes(view, pass.tensor(split)!)).toBe(0)
        const [row, column] = [view.shape[0]! - 1, view.shape[1]! - 1]
        expect(alias(pass, { tensor: whole, index: [row, column] }, split)).toEqual({
          tensor: split, index: [Math.floor(column / k), row, column % k],
        })
        expect(alias(pass, { tensor: split, index: [0, row, 0] }, whole)).toEqual({ tensor: whole, index: [row, 0] })
      }
      expect(alias(pass, { tensor: 'x', index: [0, 0] }, 'q')).toBeUndefined()
    }))
})

describe('the part of a box', () => {
  const view: TensorView = {
    name: 'weights', axes: ['h', 'n', 'm'], shape: [3, 5, 6], strides: [30, 6, 1], offset: 0, data: new Float32Array(90), at: () => 0,
  }
  const region = { tensor: 'weights', first: [1, 2, 0], count: [2, 3, 4] } as const
  const box = { ...region, first: [...region.first], count: [...region.count] }

  test('is of the same tensor and head', () => {
    expect(matrixOf(view, { head: 2 }).part(box)).toEqual({ row: 2, column: 0, rows: 3, columns: 4 })
    expect(matrixOf(view, { head: 0 }).part(box)).toBeUndefined()
    expect(matrixOf(view, { head: 2 }).part({ ...box, tensor: 'masked_scores' })).toBeUndefined()
  })

  test('is what a slice shows of it, turned with it', () => {
    const slice = { head: 1, rows: [3, 2], columns: [1, 5] } as const
    expect(matrixOf(view, slice).part(box)).toEqual({ row: 0, column: 0, rows: 2, columns: 3 })
    expect(matrixOf(view, { ...slice, transposed: true }).part(box)).toEqual({ row: 0, column: 0, rows: 3, columns: 2 })
    expect(matrixOf(view, { head: 1, columns: [4, 2] }).part(box)).toBeUndefined()
  })
})

test('a copy is said to have moved', () => {
  const view: TensorView = {
    name: 'q', axes: ['n', 'h·k'], shape: [2, 3], strides: [3, 1], offset: 4, data: new Float32Array(10), at: () => 0,
  }
  expect(movedBytes(view, { ...view, name: 'q_heads', shape: [1, 2, 3], strides: [3, 3, 1] })).toBe(0)
  expect(movedBytes(view, { ...view, data: view.data.slice() })).toBe(24)
  expect(movedBytes(view, { ...view, offset: 0 })).toBe(24)
})

test('a page of contributions shows the head it is asked for', () => {
  const data = Float32Array.from({ length: 2 * 2 * 3 }, (_, i) => i)
  const view: TensorView = { name: 'contributions', axes: ['h', 'n', 'd'], shape: [2, 2, 3], strides: [6, 3, 1], offset: 0, data, at: () => 0 }
  const matrix = matrixOf(view, { head: 17, place: 1 })
  expect(matrix.value(1, 2)).toBe(11)
  expect(matrix.cell(1, 2).index).toEqual([17, 1, 2])
  expect(matrix.find({ tensor: 'contributions', index: [1, 1, 2] })).toBeUndefined()
})
