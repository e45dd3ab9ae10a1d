// A tensor as one block of numbers, for whoever wants to compute with it outside the page.
import type { Shape, TensorView } from '../core/protocol'

export interface Extract {
  shape: number[]
  /** row-major */
  data: Float32Array
}

export const noSuchHead = (head: number, { heads }: Shape): RangeError => new RangeError(`head ${head}: allowed are 0 to ${heads - 1}`)

/** The range of each axis that belongs to a head; a single place drops the axis. */
function rangeOf(axis: string, extent: number, { heads, kvHeads, headDim }: Shape, head: number): [first: number, count: number, kept: boolean] {
  const kvHead = Math.floor(head / (heads / kvHeads))
  switch (axis) {
    case 'h': return [head, 1, false]
    case 'g': return [kvHead, 1, false]
    case 'h·k': return [head * headDim, headDim, true]
    case 'g·k': return [kvHead * headDim, headDim, true]
    default: return [0, extent, true]
  }
}

/**
 * All of a tensor, or what belongs to one head (from 0): its entry, its columns or its rows, whatever the tensor has.
 * Throws a RangeError if there is no such head, or the tensor is no head's.
 */
export function extract(view: TensorView, shape: Shape, head?: number): Extract {
  if (head !== undefined && !(Number.isInteger(head) && head >= 0 && head < shape.heads)) throw noSuchHead(head, shape)
  const ranges = view.axes.map((axis, place) => {
    const extent = view.shape[place] ?? 0
    return head === undefined ? ([0, extent, true] as const) : rangeOf(axis, extent, shape, head)
  })
  if (head !== undefined && !view.axes.some((axis) => /^[hg]/.test(axis))) throw new RangeError(`${view.name} belongs to no single head`)
  const data = new Float32Array(ranges.reduce((product, [, count]) => product * count, 1))
  let next = 0
  const walk = (place: number, offset: number): void => {
    const range = ranges[place]
    if (range === undefined) {
      data[next++] = view.data[offset] ?? NaN
      return
    }
    const stride = view.strides[place] ?? 0
    for (let i = range[0]; i < range[0] + range[1]; i += 1) walk(place + 1, offset + i * stride)
  }
  walk(0, view.offset)
  return { shape: ranges.filter(([, , kept]) => kept).map(([, count]) => count), data }
}
