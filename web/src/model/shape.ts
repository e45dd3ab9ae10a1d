// Sizes that go together, and how far an index may reach before a pass exists.
import { type AxisName, type TensorName, tensorInfos } from '../core/generated/tables'
import { maxDModel } from './limits'
import type { Size } from './problem'

/** The two sizes the lesson walks through: small enough to read, and the article's. */
export const readableSize: Size = { dModel: 8, heads: 2 }
export const articleSize: Size = { dModel: 512, heads: 8 }

/** One head on three words: every product can be done in one's head. */
export const shortSize: Size = { dModel: 4, heads: 1 }

/** Sizes with a name. The Transformer's base model has the article's size. */
export const presets = {
  readable: readableSize,
  article: articleSize,
  bertBase: { dModel: 768, heads: 12 },
  bertLarge: { dModel: 1024, heads: 16 },
} as const satisfies Record<string, Size>

/** Widths worth a stop of a slider; any other can be typed. */
export const widths: readonly number[] = [8, 16, 32, 64, 128, 256, 512, 768, 1024]

export const sameSize = (a: Size, b: Size): boolean => a.dModel === b.dModel && a.heads === b.heads

export const divides = (heads: number, dModel: number): boolean => dModel % heads === 0

/** For a pair that does not go together: the nearest pair below and above, changing what the reader did not just type. */
export function nearestSizes({ dModel, heads }: Size, keep: keyof Size): Size[] {
  const fits = keep === 'dModel' ? headsFitting(dModel, heads) : widthsFitting(dModel, heads)
  return fits.map((value) => (keep === 'dModel' ? { dModel, heads: value } : { dModel: value, heads }))
}

/** Every number of heads that divides d, ascending. */
export const divisorsOf = (dModel: number): number[] =>
  Array.from({ length: dModel }, (_, i) => i + 1).filter((heads) => divides(heads, dModel))

/** Where in an ascending list the wanted number is, or else the one nearest to it; of two as near the smaller. */
export const nearestPlace = (values: readonly number[], wanted: number): number =>
  values.reduce((best, value, i) => (Math.abs(value - wanted) < Math.abs(values[best]! - wanted) ? i : best), 0)

/** The same number of heads where it divides d, else the divisor nearest to it. */
export function nearestHeads(dModel: number, wanted: number): number {
  const divisors = divisorsOf(dModel)
  return divisors[nearestPlace(divisors, wanted)] ?? 1
}

function headsFitting(dModel: number, wanted: number): number[] {
  const divisors = divisorsOf(dModel)
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
