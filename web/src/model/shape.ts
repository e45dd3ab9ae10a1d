// Sizes that go together, and how far an index may reach before a pass exists.
import { type AxisName, type TensorName, tensorInfos } from '../core/generated/tables'
import { maxDModel } from './limits'
import type { Size } from './problem'

/** The two sizes the lesson walks through: small enough to read, and the article's. */
export const readableSize: Size = { dModel: 8, heads: 2 }
export const articleSize: Size = { dModel: 512, heads: 8 }

/** One head on three words: every product can be done in one's head. */
export const shortSize: Size = { dModel: 4, heads: 1 }

export const divides = (heads: number, dModel: number): boolean => dModel % heads === 0

/** For a pair that does not go together: the nearest pair below and above, changing what the reader did not just type. */
export function nearestSizes({ dModel, heads }: Size, keep: keyof Size): Size[] {
  const fits = keep === 'dModel' ? headsFitting(dModel, heads) : widthsFitting(dModel, heads)
  return fits.map((value) => (keep === 'dModel' ? { dModel, heads: value } : { dModel: value, heads }))
}

function headsFitting(dModel: number, wanted: number): number[] {
  const divisors = Array.from({ length: dModel }, (_, i) => i + 1).filter((heads) => divides(heads, dModel))
  return [divisors.findLast((heads) => heads < wanted), divisors.find((heads) => heads > wanted)].filter(isNumber)
}

function widthsFitting(wanted: number, heads: number): number[] {
  const below = Math.floor(wanted / heads) * heads
  return [below, below + heads].filter((dModel) => dModel >= 1 && dModel <= maxDModel)
}

const isNumber = (value: number | undefined): value is number => value !== undefined

/** The index limits of a tensor of self-attention, axis by axis. */
export function extents(tensor: TensorName, tokens: number, { dModel, heads }: Size): number[] {
  const extent: Record<AxisName, number> = {
    '1': 1, n: tokens, m: tokens, d: dModel, h: heads, g: heads, k: dModel / heads, 'h·k': dModel, 'g·k': dModel,
  }
  return tensorInfos[tensor].axes.map((axis) => extent[axis])
}
