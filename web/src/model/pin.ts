// A cell in the address: its tensor and its index, `weights.0.6.4`. Counts from 0, as code does.
import { type TensorName, tensorInfos, tensorNames } from '../core/generated/tables'
import type { CellRef } from '../core/protocol'
import { type Parsed, type Size, accepted, refused } from './problem'
import { extents } from './shape'
import { isPinnable } from './stops'

const isTensorName = (name: string): name is TensorName => (tensorNames as readonly string[]).includes(name)

export const formatPin = (cell: CellRef): string => [cell.tensor, ...cell.index].join('.')

export function parsePin(text: string, tokens: number, size: Size): Parsed<CellRef> {
  const match = text.length <= 64 ? /^([a-z_]+)((?:\.\d{1,5})+)$/.exec(text) : null
  const [, name = '', places = ''] = match ?? []
  if (!isTensorName(name)) return refused({ code: 'no_such_cell' })
  const cell = { tensor: name, index: places.slice(1).split('.').map(Number) }
  return isCell(cell, tokens, size) && formatPin(cell) === text ? accepted(cell) : refused({ code: 'no_such_cell' })
}

export function isCell({ tensor, index }: CellRef, tokens: number, size: Size): boolean {
  if (!isPinnable(tensor) || index.length !== tensorInfos[tensor].rank) return false
  return extents(tensor, tokens, size).every((extent, axis) => (index[axis] ?? extent) < extent)
}

export const sameCell = (a: CellRef, b: CellRef): boolean =>
  a.tensor === b.tensor && a.index.length === b.index.length && a.index.every((i, axis) => i === b.index[axis])

/** The head a cell belongs to, where its index says so. */
export function headOf({ tensor, index }: CellRef): number | undefined {
  const [first] = tensorInfos[tensor].axes
  return first === 'h' || first === 'g' ? index[0] : undefined
}

/** The tokens a cell is about: who asks, and who is asked. */
export function tokensOf({ tensor, index }: CellRef): { query: number | undefined; key: number | undefined } {
  const { axes } = tensorInfos[tensor]
  const at = (letter: string): number | undefined => {
    const place = axes.findIndex((axis) => axis === letter)
    return place < 0 ? undefined : index[place]
  }
  return { query: at('n'), key: at('m') }
}
