// Which heads are on the screen: all up to 16, then pages of 8, the same in every view.
export const pageSize = 8
const maxTogether = 16

export interface HeadPage {
  first: number
  count: number
  /** how many pages there are; 1: all heads are shown */
  pages: number
  page: number
}

export function headPage(heads: number, chosen: number): HeadPage {
  if (heads <= maxTogether) return { first: 0, count: heads, pages: 1, page: 0 }
  const page = Math.floor(chosen / pageSize)
  const first = page * pageSize
  return { first, count: Math.min(pageSize, heads - first), pages: Math.ceil(heads / pageSize), page }
}

export const headsOn = ({ first, count }: HeadPage): number[] => Array.from({ length: count }, (_, i) => first + i)
