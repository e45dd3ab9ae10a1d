// A drawing: where every map, label and sign of a figure lies on its stage, in CSS pixels. Data only, made by pure functions,
// so that a moment between two drawings can be made from the two (tween.ts).
import type { Matrix } from '../../model/matrix'
import { symbolOf } from '../../model/symbols'
import { type LabelFit, emWidth, labelFit, labelHeightPx } from './digits'
import { type Band, type Box, gridOf } from './geometry'
import { type Manner, reading } from './manner'

/** What stands above a map. */
export interface Heading {
  /** a formula; null: no title */
  title: string | null
  note: string
  /** a head's tab over every band */
  tabs: boolean
  /** words over the columns, where they are tokens */
  columns: readonly string[]
}

/** How much of a map is there already, 0 … 1, and in which order it comes. */
export interface Reveal {
  by: 'rows' | 'diagonals'
  share: number
}

/**
 * How a map comes into a drawing whose forerunner does not have it: out of another map, filled bit by bit, or, a transposed matrix,
 * turned over its diagonal, from where it stood upright.
 */
export type Entry = { from: string } | { by: Reveal['by']; startAt?: number } | { upright: Box }

/** A matrix with the upper left corner of its cells at (x, y). */
export interface Part {
  /** the same in two drawings: it is the same matrix, and moves from one to the other */
  id: string
  /** the same while the reader turns to another head: the map stays, with its cursor, and shows other numbers */
  key: string
  matrix: Matrix
  x: number
  y: number
  bands: readonly Band[]
  rowHeight: number
  heading: Heading
  headingOpacity: number
  labelPx: number
  manner: Manner
  /** hue on the left edge: the whole map belongs to this head */
  edge: number | undefined
  /** a cell pinned in it rules its column, too */
  crossed: boolean
  /** how far the rules of a row reach over the map's sides */
  bridge: number
  opacity: number
  /** while its shape changes: the shape it is painted in once, and stretched from */
  stretchedFrom: Pick<Part, 'bands' | 'rowHeight'> | undefined
  reveal: Reveal | undefined
  /** how far it is turned over its diagonal: 1, its columns lie as rows; 0, as it is */
  turn: number
  entry: Entry | undefined
  /** the map of the next drawing that it becomes a part of */
  into: string | undefined
  /** the row shown as signed bars below */
  bars: number | undefined
  /** the same cells as one map per head, placed from its corner: for drawings in which the heads go their own ways */
  pieces: (() => Part[]) | undefined
}

/** Token labels left of a map. */
export interface Labels {
  id: string
  /** the map whose rows they name */
  of: Part
  /** their right edge, and the top of the first */
  x: number
  y: number
  widthPx: number
  pitchPx: number
  opacity: number
}

/** Labels as large as the part's own, while their rows have room for them. */
export const rowLabelPx = ({ of, pitchPx }: Labels): number => Math.max(12, Math.min(Math.max(16, of.labelPx), pitchPx - 4))

/** × = → between maps, around a middle. */
export interface Sign {
  id: string
  sign: string
  x: number
  y: number
  opacity: number
}

/** A head's tab as a button, or a line of text. */
export interface Caption {
  id: string
  x: number
  y: number
  opacity: number
  head?: number
  /** how its tab is written; 'long' where there is room */
  label?: 'long' | 'tiny'
  text?: string
  role?: 'q' | 'k' | 'v'
}

export interface Scene {
  width: number
  height: number
  parts: readonly Part[]
  labels: readonly Labels[]
  signs: readonly Sign[]
  captions: readonly Caption[]
}

/** What a map needs to be drawn; everything else has a default. */
export type Draft = Pick<Part, 'matrix' | 'bands' | 'rowHeight'> & Partial<Omit<Part, 'heading'>> & { heading?: Partial<Heading> }

const idOf = ({ tensor, head, rowAxis, firstRow }: Matrix): string =>
  `${tensor}${head === undefined ? '' : `/${head}`}${rowAxis === 'k' ? '/turned' : ''}${firstRow > 0 ? `/${firstRow}` : ''}`

/** For drawings of the chosen head only. */
export const keyOfChosen = (matrix: Matrix): { key: string } => ({ key: idOf({ ...matrix, head: undefined }) })

export function partOf(draft: Draft): Part {
  const { matrix } = draft
  const id = idOf(matrix)
  return {
    id, key: id, x: 0, y: 0, headingOpacity: 1, labelPx: 16, manner: reading, edge: undefined, crossed: false, bridge: 3, opacity: 1,
    stretchedFrom: undefined, reveal: undefined, turn: 0, entry: undefined, into: undefined, bars: undefined, pieces: undefined,
    ...draft,
    heading: { title: symbolOf(matrix.tensor, matrix.head), note: '', tabs: false, columns: [], ...draft.heading },
  }
}

const barsPx = 80

/** The width of one column of a map with labels above. */
export const pitchOf = ({ bands: [first] }: Pick<Part, 'bands'>): number => (first ? first.width / first.count : 0)

/** How the labels above it stand. */
export const columnFit = (part: Part): LabelFit => labelFit(part.heading.columns, pitchOf(part), part.labelPx)

export const columnsPx = (part: Part): number => (part.heading.columns.length === 0 ? 0 : labelHeightPx(part.heading.columns, columnFit(part)))

/** The height of everything above the cells. */
export const abovePx = (part: Part): number =>
  (part.heading.title === null ? 0 : part.manner.titlePx) + (part.heading.tabs ? part.manner.tabsPx : 0) + columnsPx(part) + 2

export const gridPx = ({ bands, matrix, rowHeight }: Part): { width: number; height: number } => gridOf(bands, matrix.rows, rowHeight)

/** The width with the title, as far as it can be known without drawing it. */
export function widthPx(part: Part): number {
  const { title, note } = part.heading
  const { rows, columns } = part.matrix
  if (title === null) return gridPx(part).width
  const { symbolPx, shapes } = part.manner
  const shape = shapes ? 9 * `${rows} × ${columns}`.length + 17 : 0
  const titleWidth = 0.7 * symbolPx * title.replace(/[_{}^]/g, '').length + shape + 15 * emWidth(note.replace(/[$_{}*]/g, ''))
  return Math.max(gridPx(part).width, titleWidth)
}

/** With a note behind its title, if both fit into the room. */
export function noted(part: Part, note: string, roomPx: number): Part {
  const longer = { ...part, heading: { ...part.heading, note } }
  return widthPx(longer) <= roomPx ? longer : part
}

const unnoted = (part: Part): Part => ({ ...part, heading: { ...part.heading, note: '' } })

function bottomOf(part: Part): number {
  return part.y + gridPx(part).height + (part.bars === undefined ? 0 : barsPx)
}

/** Everything a drawing holds, with its size read off. */
export function sceneOf({ parts, labels = [], signs = [], captions = [] }: Partial<Scene> & Pick<Scene, 'parts'>): Scene {
  return {
    width: Math.max(0, ...parts.map((part) => part.x + widthPx(part))),
    height: Math.max(0, ...parts.map(bottomOf)) + 4,
    parts,
    labels,
    signs,
    captions,
  }
}

export interface Placed {
  part: Part
  /** room for its row labels; 0: none */
  gutter: number
}

const labelsOf = ({ part, gutter }: Placed, id: string): Labels => ({
  id, of: part, x: part.x - (part.edge === undefined ? 0 : 6), y: part.y, widthPx: gutter, pitchPx: part.rowHeight, opacity: part.opacity,
})

/** The first labels of a drawing are the rows of the sentence: they glide from drawing to drawing and never leave. */
export const labelled = (placed: readonly Placed[]): Labels[] =>
  placed.filter(({ gutter }) => gutter > 0).map((one, i) => labelsOf(one, i === 0 ? 'rows' : `rows of ${one.part.id}`))

export type Item = { draft: Draft; gutter?: number } | { sign: string }

/** Side by side with the tops of their cells in line; what does not fit stands in the next line. */
export function flow(items: readonly Item[], { width, operator }: { width: number; operator: number }): Scene {
  const signs: Sign[] = []
  const placed: Placed[] = []
  let line: Placed[] = []
  let [x, top, pending] = [0, 0, '']

  /** Whether `more` fits behind the last one if that goes without its note: then it does. */
  const hushed = (more: number): boolean => {
    const last = line.at(-1)!.part
    if (last.x + widthPx(unnoted(last)) + more > width + 1) return false
    last.heading = unnoted(last).heading
    x = last.x + widthPx(last)
    return true
  }
  const close = (): void => {
    if (line.length > 1 && x > width + 1) hushed(0)
    const above = Math.max(0, ...line.map(({ part }) => abovePx(part)))
    for (const { part } of line) part.y = top + above
    placed.push(...line)
    top = Math.max(top, ...line.map(({ part }) => bottomOf(part))) + 10
    line = []
    x = 0
  }
  for (const item of items) {
    if ('sign' in item) {
      pending = item.sign
      continue
    }
    const part = partOf(item.draft)
    const needs = (pending === '' ? 0 : operator) + (item.gutter ?? 0) + widthPx(unnoted(part))
    const wraps = line.length > 0 && x + needs > width + 1 && !hushed(needs)
    if (wraps) close()
    // Every line begins with labels.
    const gutter = wraps ? Math.max(item.gutter ?? 0, placed[0]?.gutter ?? 0) : (item.gutter ?? 0)
    part.x = x + gutter + (pending === '' || wraps ? 0 : operator)
    line.push({ part, gutter })
    if (pending !== '') signs.push(signBefore(part, pending, wraps ? x + gutter / 2 : x + operator / 2, wraps))
    x = part.x + widthPx(part)
    pending = ''
  }
  close()
  const middles = signs.map(({ id, sign, x: middle, y }) => {
    const part = placed.find(({ part: { id: own } }) => `before ${own}` === id)!.part
    const neighbour = placed[0]!.part
    // Beside a map it stands at the middle of the rows; at the start of a line, beside the title.
    return { id, sign, x: middle, y: y < 0 ? part.y - 16 : part.y + (neighbour.matrix.rows * neighbour.rowHeight) / 2, opacity: 1 }
  })
  return sceneOf({ parts: placed.map(({ part }) => part), labels: labelled(placed), signs: middles })
}

const signBefore = ({ id }: Part, sign: string, x: number, wraps: boolean): Sign => ({ id: `before ${id}`, sign, x, y: wraps ? -1 : 0, opacity: 1 })
