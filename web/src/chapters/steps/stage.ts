// How the parts of a stop share the stage: pixels only, no numbers of the lesson.
import { gutterPx, labelFit, labelHeightPx, leastColumnPx } from '../../components/draw/digits'
import { type Band, planBands, plainBand } from '../../components/draw/geometry'
import { type Manner, projecting, reading } from '../../components/draw/manner'

export interface Stage {
  width: number
  /** a phone: one map above, its chosen row as a strip below */
  narrow: boolean
  labelPx: number
  /** room for token labels on the left of every map that has them */
  gutter: number
  /** room of × and = between maps */
  operator: number
  /** the height of one token's row, and the widest cell of a map that stands alone */
  row: number
  cell: number
  manner: Manner
  /** for a room: one map large, what it is made of beside it in colours */
  projected: boolean
}

const bandGap = 10
/** Below this no two decimals fit in 12 px. */
const digitCell = 31

/** What stands above and below a map on every stop: header, controls, title, labels, legend, explanation, footer. */
const aroundPx = 506

export function stageOf(width: number, screenHeight: number, tokens: readonly string[]): Stage {
  const narrow = width < 600
  const labelPx = narrow ? 14 : 16
  return {
    width,
    narrow,
    labelPx,
    gutter: gutterPx(tokens, labelPx),
    operator: width >= 1200 ? 52 : 36,
    cell: 72,
    manner: reading,
    projected: false,
    row: Math.max(tokens.length > 13 ? 20 : 24, Math.min(narrow ? 26 : 34, Math.floor((screenHeight - aroundPx) / tokens.length))),
  }
}

/** 1 on a beamer of 1024 × 768, and more on a larger one: a room sees the same share of the wall. */
export const roomUnit = (screenWidth: number, screenHeight: number): number => Math.max(1, Math.min(screenWidth / 1024, screenHeight / 768))

/** Everything on the screen of a room that is neither the map nor the labels above it, at unit 1. */
export const roomAroundPx = 194

/** The stage of a room that has `height` for a map and what stands above it. */
export function roomStage(width: number, height: number, unit: number, tokens: readonly string[]): Stage {
  const labelPx = Math.round(26 * unit)
  const gutter = gutterPx(tokens, labelPx)
  const cell = Math.round(78 * unit)
  const labels = labelHeightPx(tokens, labelFit(tokens, roomScoreCell({ width, gutter, cell, labelPx }, tokens.length), labelPx))
  // Below 28 px a row's own label would be too small to read; then the page scrolls.
  const row = Math.max(28, Math.min(Math.round(46 * unit), Math.floor((height - labels - 8) / tokens.length)))
  return { width, narrow: false, labelPx, gutter, operator: Math.round(36 * unit), row, cell, manner: projecting(unit), projected: true }
}

export interface Sizes {
  n: number
  d: number
  h: number
  k: number
}

export interface Heads {
  /** the heads on the screen, and the chosen one */
  shown: readonly number[]
  chosen: number
}

/** X, W, Q side by side; undefined where they have to stand below each other. */
export function projectionWidths({ width, gutter, operator }: Stage, { d, h }: Sizes): { x: number; w: number; q: number } {
  const gaps = 2 * (h - 1) * bandGap
  const room = width - gutter - 2 * operator
  const cell = Math.min(46, Math.floor((room - gaps) / (3 * d)))
  if (cell >= digitCell) return { x: d * cell, w: d * cell + gaps / 2, q: d * cell + gaps / 2 }
  if (width < 860) return { x: width - gutter, w: width - gutter, q: width - gutter }
  return { x: Math.floor(room * 0.24), w: Math.floor(room * 0.38), q: Math.floor(room * 0.38) }
}

/** Columns of all heads in one map: alike where digits fit, else the chosen head wide. */
export const columnBands = (available: number, { shown, chosen }: Heads, k: number, gap = bandGap, widest = 46): Band[] =>
  planBands({ available, heads: shown, headDim: k, chosen, gap, cell: { max: widest, min: digitCell }, firstColumn: (shown[0] ?? 0) * k })

export const headGap = 12

/** A matrix of weights is as tall as it needs to be: readable rows while they are few. */
export const weightRow = (rows: number, { row }: Stage, n: number): number =>
  Math.min(row, Math.max(n * row, 240) / rows)

/** A tensor of d columns that stands alone. */
export const vectorBand = (available: number, columns: number): Band[] => plainBand(columns, Math.min(available, columns * 46))

/** One or two maps of tokens by tokens, each with its labels. */
export function scoreCell({ width, gutter, operator }: Stage, n: number, maps: 1 | 2): number {
  const side = maps === 2 && width >= 860
  const room = side ? (width - 2 * gutter - operator) / 2 : width - gutter
  return Math.max(leastColumnPx, Math.min(maps === 1 ? 72 : 56, Math.floor(room / n)))
}

/** Two of them side by side; the second goes without its labels where only then digits have room. */
export function scorePair(stage: Stage, n: number): { cell: number; gutter: number } {
  const { width, gutter, operator } = stage
  const cell = scoreCell(stage, n, 2)
  const closer = Math.floor((width - gutter - operator) / 2 / n)
  return cell < digitCell && closer >= digitCell && width >= 860 ? { cell: closer, gutter: 0 } : { cell, gutter }
}

/** In a room, who asks whom. Narrower, labels would be smaller than a room can read; then the figure scrolls. The last one leans out. */
export const roomScoreCell = ({ width, gutter, cell, labelPx }: Pick<Stage, 'width' | 'gutter' | 'cell' | 'labelPx'>, n: number): number =>
  Math.max(1.5 * labelPx, Math.min(cell, Math.floor((width - gutter) / (n + 0.35))))

/** In a room, what a result is made of: colours in narrow strips, together with their signs in half of the room, but never too thin. */
export function roomOperand({ width, gutter, operator, cell }: Stage, columns: number, strips: number): number {
  const share = Math.floor((width - gutter) / 2 / Math.max(1, strips)) - operator
  return Math.max(8, Math.min(columns * Math.round(cell * 0.16), Math.round(cell * 1.6), share))
}

export interface Crossing {
  /** the width of a score's cell, and its height */
  score: number
  row: number
  /** the width of all of Q_i, the height of a row of K_iᵀ */
  q: number
  kRow: number
  /** the width left of the scores: Q_i, or the words in the corner above it */
  left: number
  /** room for names on the right */
  side: number
}

/** “columns: who is asked”, with its letter. */
const cornerWords = 222

/** Stop 3: Q_i on the left, K_iᵀ above, their scores where they cross. */
export function crossing({ width, gutter, narrow, row: token }: Stage, { n, k }: Sizes): Crossing {
  const side = width >= 1000 ? 100 : 0
  const room = width - gutter - side - 30
  const even = Math.min(72, Math.floor(room / (k + n)))
  const q = even >= digitCell && k <= 8 ? k * even : Math.min(256, Math.max(120, k * 6))
  const left = Math.max(q, cornerWords - gutter - 30)
  const score = Math.max(leastColumnPx, narrow ? Math.min(40, Math.floor((width - gutter) / n)) : Math.min(72, Math.floor((room - left) / n)))
  // K_iᵀ above takes the height of two to four rows.
  const row = narrow ? token : Math.max(n > 13 ? 20 : 24, Math.min(30, Math.floor((token * n - 44) / n)))
  return { score, row, q, kRow: k <= 4 ? 27 : k <= 8 ? 24 : 72 / k, left, side }
}

/** Stop 7: A_i, V_i and Z_i. */
export function mixing(stage: Stage, { n, k }: Sizes): { a: number; v: number } {
  const { width, gutter, operator } = stage
  const room = width - 2 * gutter - 2 * operator
  const even = Math.floor(room / (n + 2 * k))
  if (even >= digitCell && k <= 12) return { a: Math.min(48, even), v: k * Math.min(64, even) }
  // Before A's columns get too narrow for their words, V and Z do.
  const v = Math.max(150, Math.min(260, k * 8, Math.floor((room - 24 * n) / 2)))
  const a = Math.floor((room - 2 * v) / n)
  if (width >= 860 && a >= leastColumnPx) return { a: Math.min(48, a), v }
  return { a: scoreCell(stage, n, 1), v: Math.min(width - gutter, k * 60, 420) }
}

/** What “Z_1 11 × 4” takes. */
const titleOfZ = 99

/** Stop 9: whether everything can stand as in the pictures, crossing, and how wide a cell then is. */
export function outputCross({ width, gutter }: Stage, { d, h, k }: Sizes): number | undefined {
  const gaps = h * (3 * 12 + 30)
  const cell = Math.min(44, Math.floor((width - gutter - gaps) / (h * (k + d) + d)))
  return cell >= digitCell && k * cell + 12 >= titleOfZ ? cell : undefined
}

export interface LaneWidths {
  z: number
  w: number
  c: number
  /** the width of every cell if digits fit, else 0 */
  cell: number
}

/** Stop 9 in lanes: Z_i, W_O's rows and C_i of one head in a line. */
export function laneWidths({ width, narrow, gutter }: Stage, { d, h, k }: Sizes): LaneWidths {
  const room = width - (narrow ? 100 : 130)
  const cell = Math.min(44, Math.floor((room - gutter) / (k + 2 * d)))
  if (cell >= digitCell && h <= 4) return { z: k * cell, w: d * cell, c: d * cell, cell }
  const z = Math.floor(Math.min(room * 0.18, Math.max(40, k * 12)))
  const wide = Math.floor(Math.min((room - z) / 2, d * 40))
  return { z, w: wide, c: wide, cell: 0 }
}
