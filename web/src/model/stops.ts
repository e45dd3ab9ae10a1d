// The eleven stops of the walk: which tensors each one shows, and which cell a pinned cell becomes there.
import type { CellRef } from '../core/protocol'
import type { TensorName } from '../core/generated/tables'

export const stopCount = 11
export const lastStop = stopCount - 1

/** Per stop, the tensors on show; the first is the one the stop is about. */
export const shownAt: readonly (readonly TensorName[])[] = [
  ['x', 'token_vectors', 'positions'],
  ['q', 'k', 'v', 'x', 'w_q', 'w_k', 'w_v'],
  ['q_heads', 'k_heads', 'v_heads'],
  ['raw_scores', 'q_heads', 'k_heads'],
  ['scaled_scores', 'raw_scores'],
  ['masked_scores', 'scaled_scores'],
  ['weights', 'masked_scores'],
  ['heads', 'weights', 'v_heads'],
  ['concat', 'heads'],
  ['output', 'contributions', 'heads', 'w_o'],
  ['output'],
]

export const isShown = (tensor: TensorName, stop: number): boolean => shownAt[stop]?.includes(tensor) ?? false

/** Whether a reader can get to a cell of this tensor at all. */
export const isPinnable = (tensor: TensorName): boolean => shownAt.some((tensors) => tensors.includes(tensor))

/** The stop nearest to `stop` that shows the tensor, earlier ones first: numbers are followed back to where they come from. */
export function stopShowing(tensor: TensorName, stop: number): number {
  for (let distance = 0; distance < stopCount; distance += 1) {
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
  const shown = shownAt[stop] ?? []
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
