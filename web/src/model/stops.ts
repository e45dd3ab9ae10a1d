// The stops of the walk, in ONE table, and which cell a pinned cell becomes at each.
import type { CellRef } from '../core/protocol'
import type { TensorName } from '../core/generated/tables'

interface Stop {
  /** the tensors on show; the first is the one the stop is about */
  shows: readonly TensorName[]
  /** the picture is that of one head, or marks one */
  ofHead?: true
  /** the picture is that of Q, K or V, as chosen */
  ofRole?: true
  /** what each head contributes to the output is on show, or one step away */
  contributions?: true
  /** it changes nothing while no mask is on */
  optional?: true
}

const table = {
  tokens: { shows: ['x', 'token_vectors', 'positions'] },
  project: { shows: ['q', 'k', 'v', 'x', 'w_q', 'w_k', 'w_v'], ofHead: true, ofRole: true },
  split: { shows: ['q_heads', 'k_heads', 'v_heads'], ofHead: true, ofRole: true },
  score: { shows: ['raw_scores', 'q_heads', 'k_heads'], ofHead: true },
  scale: { shows: ['scaled_scores', 'raw_scores'], ofHead: true },
  mask: { shows: ['masked_scores', 'scaled_scores'], ofHead: true, optional: true },
  softmax: { shows: ['weights', 'masked_scores'], ofHead: true },
  mix: { shows: ['heads', 'weights', 'v_heads'], ofHead: true },
  // The next stop's parts are asked for one stop early, so that they are there when the walk gets there.
  concat: { shows: ['concat'], ofHead: true, contributions: true },
  output: { shows: ['output', 'contributions', 'heads', 'w_o'], ofHead: true, contributions: true },
  result: { shows: ['output'], contributions: true },
} as const satisfies Record<string, Stop>

/** Its place in the walk, from 0, is what the address says. */
export type StopName = keyof typeof table
export const stopNames = Object.keys(table) as StopName[]
export const lastStop = stopNames.length - 1

/** The whole walk; or, for whoever never met attention, one head on three words: similarity, shares, a mix. */
const tours = {
  all: stopNames,
  one: ['tokens', 'score', 'softmax', 'mix'],
} as const satisfies Record<string, readonly StopName[]>

export type Tour = keyof typeof tours
export const tourNames = Object.keys(tours) as Tour[]

/** The stops of a tour, in order. */
export const stopsOf = (tour: Tour): readonly number[] => tours[tour].map((name) => stopNames.indexOf(name))

/** Precondition, here and below: 0 ≤ stop ≤ lastStop. */
export const nameOf = (stop: number): StopName => stopNames[stop]!
export const stopAt = (stop: number): Stop => table[nameOf(stop)]

const allShown = stopNames.map((name): readonly TensorName[] => table[name].shows)

export const isShown = (tensor: TensorName, stop: number): boolean => allShown[stop]?.includes(tensor) ?? false

/** Whether a reader can get to a cell of this tensor at all. */
export const isPinnable = (tensor: TensorName): boolean => allShown.some((tensors) => tensors.includes(tensor))

/** The stop nearest to `stop` that shows the tensor, earlier ones first: numbers are followed back to where they come from. */
export function stopShowing(tensor: TensorName, stop: number): number {
  for (let distance = 0; distance <= lastStop; distance += 1) {
    for (const candidate of [stop - distance, stop + distance]) {
      if (isShown(tensor, candidate)) return candidate
    }
  }
  return stop
}

/** The same question, one step further on: a score, scaled, masked, as a weight. Indices are the same in all four. */
const scoreLike: readonly TensorName[] = ['raw_scores', 'scaled_scores', 'masked_scores', 'weights']
/** Cells of these hold the same number in the same place of memory. */
const sameBytes: readonly (readonly TensorName[])[] = [
  ['q', 'q_heads'],
  ['k', 'k_heads'],
  ['v', 'v_heads'],
  ['heads', 'concat'],
]

/** What a pinned cell becomes when the reader walks to `stop`: the same pair of tokens, or the same number, where it can. */
export function carry(cell: CellRef, stop: number, alias: (cell: CellRef, tensor: TensorName) => CellRef | undefined): CellRef {
  const shown = stopAt(stop).shows
  if (scoreLike.includes(cell.tensor)) {
    const tensor = shown.find((name) => scoreLike.includes(name))
    return tensor === undefined ? cell : { tensor, index: cell.index }
  }
  if (shown.includes(cell.tensor)) return cell
  const twin = sameBytes.find((names) => names.includes(cell.tensor))?.find((name) => shown.includes(name))
  if (twin !== undefined) return alias(cell, twin) ?? cell
  if (cell.tensor === 'contributions' && shown.includes('output')) return { tensor: 'output', index: cell.index.slice(1) }
  return cell
}
