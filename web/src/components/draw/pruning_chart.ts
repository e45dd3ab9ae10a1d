// A chart of right answers against heads that are out, for several orders in which they go. Pure: numbers in, places in CSS pixels out.
import { type Plot, px } from './loss_chart'

export interface PruningChart {
  /** one for every number of heads that are out, from none to all */
  x: readonly { at: number; gone: number }[]
  y: readonly { at: number; percent: number }[]
  lines: readonly { path: string; points: readonly { x: number; y: number }[] }[]
}

/** Each line has the share of right answers with no head out, with one, … with all. */
export function pruningChart(lines: readonly (readonly number[])[], { left, top, width, height }: Plot): PruningChart {
  const heads = Math.max(1, ...lines.map((shares) => shares.length - 1))
  const x = (gone: number): number => px(left + (width * gone) / heads)
  const y = (share: number): number => px(top + height * (1 - share))
  return {
    x: Array.from({ length: heads + 1 }, (_, gone) => ({ at: x(gone), gone })),
    y: [0, 25, 50, 75, 100].map((percent) => ({ at: y(percent / 100), percent })),
    lines: lines.map((shares) => {
      const points = shares.map((share, gone) => ({ x: x(gone), y: y(share) }))
      return { points, path: points.length === 0 ? '' : `M${points.map((point) => `${point.x} ${point.y}`).join('L')}` }
    }),
  }
}
