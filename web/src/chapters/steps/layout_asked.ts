// Stops 2 and 8 while they ask where a head's columns lie: one closed map, without tabs and gaps.
import { slice } from '../../components/figures'
import { type Band, dockedBands } from '../../components/draw/geometry'
import { partOf } from '../../components/draw/scene'
import type { StopName } from '../../model/stops'
import { type Layout, type Setting, common, onShelf, piecesOf } from './layouts'

/** As many bands as the open map has, so that the columns can slide apart. */
const closed = ({ stage, sizes }: Pick<Setting, 'stage' | 'sizes'>): Band[] =>
  dockedBands(stage.width - stage.gutter, Array.from({ length: sizes.h }, (_, head) => head), sizes.k, 0, 72)

/** A finger needs that much. */
const leastBandPx = 24

/** Whether every head's columns can be chosen in the closed map. */
export const isRoomy = (setting: Pick<Setting, 'stage' | 'sizes'>): boolean => closed(setting).every(({ width }) => width >= leastBandPx)

const split: Layout = (setting) => {
  const { pass, stage, sizes, role } = setting
  const bands = closed(setting)
  const rowHeight = bands[0]!.width / sizes.k >= 24 ? stage.row : Math.min(27, stage.row)
  const pieces = () => piecesOf(pass, `${role}_heads`, stage, bands, false).map((piece) => ({ ...piece, rowHeight }))
  return onShelf([partOf({ ...common(stage), matrix: slice(pass, role), bands, rowHeight, pieces })], [{ left: 0 }], stage)
}

/** No pieces: on the way here a head would show where it lands. */
const concat: Layout = (setting) =>
  onShelf([partOf({ ...common(setting.stage), matrix: slice(setting.pass, 'concat'), bands: closed(setting) })], [{ left: 0 }], setting.stage)

export const askedLayouts: Partial<Record<StopName, Layout>> = { split, concat }
