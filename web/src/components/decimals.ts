// How many decimals a number gets in an explanation: enough for its own tensor, and for a sum enough for its terms.
import type { CellRef, Explanation, Pass } from '../core/protocol'
import { sumDecimals } from '../model/format'
import { domainOf } from '../model/scale'

export function decimalsOf(pass: Pass, cell: CellRef): number {
  const { kind, limit } = domainOf(pass, cell.tensor)
  return kind === 'sequential' ? 3 : sumDecimals(limit)
}

export function termDecimals(pass: Pass, { cell, terms }: Explanation): number {
  const largest = Math.max(0, ...terms.map(({ value }) => (Number.isFinite(value) ? Math.abs(value) : 0)))
  // The largest term keeps two digits that say something.
  const own = largest >= 0.1 || largest === 0 ? 2 : largest >= 0.01 ? 3 : 4
  return Math.max(decimalsOf(pass, cell), own)
}
