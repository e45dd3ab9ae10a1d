// Whether and how numbers fit into cells, and how labels fit above columns.
import { cellDecimals } from '../../model/format'
import type { Domain } from '../../model/scale'
import { type Manner, reading } from './manner'

export interface Digits {
  fontPx: number
  decimals: number
  /** .58 instead of 0.58 */
  bare: boolean
}

/** Digits of the sans face are all this wide, in em; a point, a minus sign. Measured on Source Sans 3, rounded up. */
const digitEm = 0.5
const pointEm = 0.26

const gapPx = 3

/** The largest size that fits, or undefined: then the cell stays without digits. */
export function fitDigits(
  domain: Domain, cellWidthPx: number, cellHeightPx: number, [smallestPx, largestPx]: Manner['digits'] = reading.digits,
): Digits | undefined {
  if (cellHeightPx < 17) return undefined
  const bare = domain.kind === 'sequential'
  const wholes = bare ? 1 : Math.max(1, Math.floor(Math.log10(Math.max(1, domain.limit))) + 1)
  const wanted = bare ? 2 : cellDecimals(domain.limit, cellWidthPx)
  for (const decimals of domain.limit >= 10 && wanted === 2 ? [2, 1] : [wanted]) {
    const em = (wholes + decimals + (bare ? 0 : 1)) * digitEm + pointEm
    for (let fontPx = largestPx; fontPx >= smallestPx; fontPx -= 1) {
      if (em * fontPx + gapPx <= cellWidthPx && fontPx * 1.3 <= cellHeightPx) return { fontPx, decimals, bare }
    }
  }
  return undefined
}

export type LabelMode = 'flat' | 'stacked' | 'slanted'

const wide = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u3000-\u303f\uff00-\uff60]/u

/** About how wide a text is, in em: full-width characters 1, others .55. */
export const emWidth = (text: string): number => [...text].reduce((sum, c) => sum + (wide.test(c) ? 1 : 0.55), 0)

export interface LabelFit {
  mode: LabelMode
  fontPx: number
}

/** No letter is smaller. */
const leastLabelPx = 12
/** Of a column's width: lines that stand or lean closer than their letters are high cover each other. */
const [stackedShare, slantedShare] = [1 / 1.15, 0.75]
/** Closer, two words read as one. */
const wordGapPx = 6
/** Columns with labels are this wide or wider. */
export const leastColumnPx = leastLabelPx / slantedShare

/**
 * Flat where every label fits; two Chinese characters may stand on each other; anything longer leans. Over narrow columns letters are
 * smaller than asked.
 */
export function labelFit(labels: readonly string[], cellWidthPx: number, fontPx: number): LabelFit {
  if (labels.every((label) => emWidth(label) * fontPx <= cellWidthPx - wordGapPx)) return { mode: 'flat', fontPx }
  const stackable = labels.every((label) => [...label].length <= 3 && [...label].every((c) => wide.test(c) || label.length === 1))
  const smaller = (share: number): number => Math.min(fontPx, Math.floor(cellWidthPx * share))
  const stacked = smaller(stackedShare)
  if (stackable && stacked >= leastLabelPx) return { mode: 'stacked', fontPx: stacked }
  return { mode: 'slanted', fontPx: Math.max(leastLabelPx, smaller(slantedShare)) }
}

/** The size at which a word fits into its room, if letters of that size can be read; a longer one ends in an ellipsis. */
export const wordPx = (word: string, roomPx: number, fontPx: number): number =>
  Math.max(leastLabelPx, Math.min(fontPx, Math.floor(roomPx / emWidth(word))))

const slant = (42 * Math.PI) / 180
/** Longer labels end in an ellipsis. */
export const longestLabelPx = (fontPx: number): number => Math.max(104, Math.round(4.5 * fontPx))

/** The height that the labels above a map need. */
export function labelHeightPx(labels: readonly string[], { mode, fontPx }: LabelFit): number {
  const em = Math.max(1, ...labels.map(emWidth))
  if (mode === 'flat') return Math.round(fontPx * 1.75)
  if (mode === 'stacked') return Math.round(Math.max(...labels.map((label) => [...label].length)) * fontPx * 1.2 + 6)
  return Math.round(Math.min(longestLabelPx(fontPx), em * fontPx) * Math.sin(slant) + fontPx * 1.1)
}

/** The width of row labels, the same for every map of a stop so that rows line up. */
export const gutterPx = (labels: readonly string[], fontPx: number): number =>
  Math.round(Math.min(longestLabelPx(fontPx), Math.max(2, ...labels.map(emWidth)) * fontPx) + 22)
