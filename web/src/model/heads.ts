// Which heads are on the screen: all up to 16, then pages of 8, the same in every view.
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
export function headPage(heads: number, wanted: number): HeadPage {
  const chosen = Math.min(wanted, heads - 1)
  if (heads <= maxTogether) return { chosen, first: 0, count: heads, pages: 1, page: 0 }
  const page = Math.floor(chosen / pageSize)
  const first = page * pageSize
  return { chosen, first, count: Math.min(pageSize, heads - first), pages: Math.ceil(heads / pageSize), page }
}

export const headsOn = ({ first, count }: HeadPage): number[] => Array.from({ length: count }, (_, i) => first + i)
