// What in a pass the reader is looking at, as far as the pass has it.
import type { CellRef, Pass } from '../core/protocol'
import { formatPin } from './pin'
import type { State } from './state'
import { nameOf } from './stops'

/** The pinned cell, if this pass has it. */
export function pinnedIn(pass: Pass, { pin }: State): string | undefined {
  return pin !== null && exists(pass, pin) ? formatPin(pin) : undefined
}

/** The row of the output whose heads are weighed against each other. */
export function sharedRow(pass: Pass, { pin, stop }: State): number | undefined {
  if (nameOf(stop) !== 'output' || (pin?.tensor !== 'output' && pin?.tensor !== 'contributions')) return undefined
  const row = pin.index.at(-2)!
  return row < pass.shape.tokens ? row : undefined
}

function exists(pass: Pass, { tensor, index }: CellRef): boolean {
  const shape = pass.tensor(tensor)?.shape
  return shape === undefined ? tensor === 'contributions' : index.every((i, axis) => i < (shape[axis] ?? 0))
}
