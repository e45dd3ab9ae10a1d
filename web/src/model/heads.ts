// Which heads are on the screen: all up to 16, then pages of 8, the same in every view; only lanes come by pages of 8 at once.
export const pageSize = 8
const maxTogether = 16

export interface HeadPage {
  chosen: number
  first: number
  count: number
  /** how many pages there are; 1: all heads are shown */
  pages: number
  page: number
}

/** `wanted` may be of a state that is ahead of the numbers on show: to them it means their last head. */
export function headPage(heads: number, wanted: number, together = maxTogether): HeadPage {
  const chosen = Math.min(wanted, heads - 1)
  if (heads <= together) return { chosen, first: 0, count: heads, pages: 1, page: 0 }
  const page = Math.floor(chosen / pageSize)
  const first = page * pageSize
  return { chosen, first, count: Math.min(pageSize, heads - first), pages: Math.ceil(heads / pageSize), page }
}

export const headsOn = ({ first, count }: HeadPage): number[] => Array.from({ length: count }, (_, i) => first + i)

/** Heads with a lane each at ×W_O: no more than Y can stand below of on one screen. */
export const laneHeads = (heads: number, wanted: number): number[] => headsOn(headPage(heads, wanted, pageSize))
