// The drawing of every stop: which maps, where, how large. Pure functions of the numbers and the room; components/Stage.svelte
// draws what they say, and components/draw/tween.ts makes the moments between two of them.
import { slice } from '../../components/figures'
import { emWidth } from '../../components/draw/digits'
import { type Band, dockedBands, plainBand } from '../../components/draw/geometry'
import { type Caption, type Draft, type Item, type Part, type Scene, abovePx, flow, gridPx, keyOfChosen, labelled, partOf, sceneOf } from '../../components/draw/scene'
import type { TensorName } from '../../core/generated/tables'
import type { CellRef, Pass, Role } from '../../core/protocol'
import { trimmed } from '../../model/format'
import type { Matrix, Slice } from '../../model/matrix'
import { tokensOf } from '../../model/pin'
import type { Contributions } from '../../model/questions'
import type { StopName } from '../../model/stops'
import type { StepsText } from '../../text/steps.en'
import { output } from './layout_output'
import { type Heads, type Sizes, type Stage, columnBands, crossing, headGap, mixing, projectionWidths, scoreCell, scorePair, vectorBand, weightRow } from './stage'

export interface Setting {
  pass: Pass
  contributions: Contributions | undefined
  stage: Stage
  sizes: Sizes
  heads: Heads
  role: Role
  /** stop 1: 0, one product for all heads, to 1, one per head */
  apart: number
  pin: CellRef | null
  text: StepsText
}

export type Layout = (setting: Setting) => Scene

/** More pieces than this would take longer to make than a frame has. */
const mostPieces = 16
const seam = 3

const tokens: Layout = ({ pass, stage, sizes, text }) => {
  const room = stage.width < 860 ? stage.width - stage.gutter : (stage.width - stage.gutter - 2 * stage.operator) / 3
  const map = (tensor: TensorName, note: string): Item => ({
    draft: { ...common(stage), matrix: slice(pass, tensor), bands: vectorBand(room, sizes.d), heading: { note } },
    gutter: tensor === 'token_vectors' ? stage.gutter : 0,
  })
  return flow([map('token_vectors', text.vectors.tokens), { sign: '+' }, map('positions', text.vectors.positions), { sign: '=' }, map('x', text.vectors.sum)], stage)
}

const project: Layout = ({ pass, stage, sizes, heads, role, apart, text }) => {
  const widths = projectionWidths(stage, sizes)
  const narrow = apart > 0.5 && sizes.h > 1
  // One wide product is one block; h narrow ones stand apart, each under its head's tab.
  const bands = (width: number): Band[] => {
    const blocks = columnBands(width, heads, sizes.k)
    return blocks.length === sizes.h ? opened(blocks, apart) : narrow ? blocks : plainBand(sizes.d, width)
  }
  const heading = { tabs: narrow, note: '' }
  const q = slice(pass, role)
  const qBands = bands(widths.q)
  return flow(
    [
      { draft: { ...common(stage), matrix: slice(pass, 'x'), bands: vectorBand(widths.x, sizes.d) }, gutter: stage.gutter },
      { sign: '×' },
      {
        draft: {
          ...common(stage), matrix: slice(pass, `w_${role}`), bands: bands(widths.w), rowHeight: weightRow(sizes.d, stage, sizes.n),
          heading: { ...heading, note: narrow ? text.columnBlocks(sizes.h) : '' }, crossed: true,
        },
      },
      { sign: '=' },
      { draft: { ...common(stage), matrix: q, bands: qBands, heading, entry: { by: 'rows' }, bridge: 7, pieces: () => piecesOf(pass, `${role}_heads`, stage, qBands, heading.tabs) } },
    ],
    stage,
  )
}

const split: Layout = ({ pass, stage, sizes, heads, role, pin, text }) => {
  const room = stage.width - stage.gutter
  const gap = stage.narrow ? 4 : headGap
  const bands = columnBands(room, heads, sizes.k, gap, stage.cell)
  const wide = bands.find(({ head }) => head === heads.chosen)
  const digits = (wide?.width ?? 0) / sizes.k >= 24
  const { query, key } = pin ? tokensOf(pin) : { query: undefined, key: undefined }
  const token = (role === 'q' ? query : key) ?? query ?? key
  // Without digits rows may be lower, which leaves room for the bars.
  const rowHeight = digits || stage.projected ? stage.row : Math.min(27, stage.row)
  const parts = bands.map((band) => {
    const bars = !digits && !stage.projected && band.head === heads.chosen ? token : undefined
    return partOf({ ...common(stage), ...blockOf(pass, `${role}_heads`, band, true), rowHeight, bridge: gap / 2 + 1, bars })
  })
  return ranged(onShelf(parts, bands, stage), bands, sizes.k, stage, text)
}

/** Two lines of captions. */
const cornerPx = 60

const score: Layout = ({ pass, stage, sizes, heads: { chosen: head }, text }) => {
  const { tokens: words } = pass.request
  const size = crossing(stage, sizes)
  const scores = plainBand(sizes.n, size.score * sizes.n)
  const s: Draft = { ...common(stage), ...ofHead(pass, 'raw_scores', { head }), bands: scores, rowHeight: size.row, crossed: true, entry: { by: 'diagonals' } }
  if (stage.narrow) return flow([{ draft: { ...s, heading: { columns: words } }, gutter: stage.gutter }], stage)
  const beside = size.side > 0
  const k = partOf({
    ...common(stage), ...ofHead(pass, 'k_heads', { head, transposed: true }), bands: scores, rowHeight: size.kRow,
    heading: { title: beside ? null : `K_{${head + 1}}^T`, columns: words },
  })
  const q = partOf({ ...common(stage), ...ofHead(pass, 'q_heads', { head }), bands: plainBand(sizes.k, size.q), rowHeight: size.row, bridge: 16 })
  const result = partOf({ ...s, bridge: 16, heading: { title: null } })
  q.x = stage.gutter
  k.x = result.x = q.x + size.left + 30
  // In the corner, who asks and who is asked stand above Q's title, however few rows K has.
  k.y = Math.max(abovePx(k), cornerPx + abovePx(q) - gridPx(k).height - 10)
  q.y = result.y = k.y + gridPx(k).height + 10
  // Before it is turned, K has the shape of Q, a row for every token. It stands where Q and the first scores leave room.
  const { width, height } = gridPx(q)
  k.entry = { upright: { left: Math.max(k.x, k.x + gridPx(k).width - width), top: q.y, width, height } }
  const right = result.x + gridPx(result).width + 22
  const name = (of: Part, symbol: string): Caption => ({ id: `name of ${of.id}`, x: right, y: of.y, opacity: 1, text: `$${symbol}$ ${of.matrix.rows} × ${of.matrix.columns}` })
  const captions: Caption[] = [
    { id: 'who asks', x: 0, y: 2, opacity: 1, role: 'q', text: text.axes.query },
    { id: 'who is asked', x: 0, y: 32, opacity: 1, role: 'k', text: text.axes.key },
    ...(beside ? [name(k, `K_{${head + 1}}^T`), name(result, `S_{${head + 1}}`)] : []),
  ]
  const scene = sceneOf({ parts: [q, k, result], labels: labelled([{ part: q, gutter: stage.gutter }]), captions })
  return { ...scene, width: scene.width + size.side }
}

type ScoreTensor = 'raw_scores' | 'scaled_scores' | 'masked_scores' | 'weights'

/** The same pairs of tokens before and after. A phone has room for one of them: after, or before if a cell of it is pinned. */
const pair =
  (from: ScoreTensor, to: ScoreTensor, notes: (setting: Setting) => [string, string]): Layout =>
  (setting) => {
    const { pass, stage, sizes, heads: { chosen: head }, pin } = setting
    const { cell, gutter } = stage.narrow ? { cell: scoreCell(stage, sizes.n, 1), gutter: stage.gutter } : scorePair(stage, sizes.n)
    const [before, after] = notes(setting)
    const map = (tensor: ScoreTensor, note: string, entry?: Part['entry']): Item => ({
      draft: { ...common(stage), ...ofHead(pass, tensor, { head }), bands: plainBand(sizes.n, cell * sizes.n), heading: { note, columns: pass.request.tokens }, entry },
      gutter: stage.gutter,
    })
    if (!stage.narrow) return flow([map(from, before), { sign: '→' }, { ...map(to, after, { by: 'rows' }), gutter }], stage)
    return flow([pin?.tensor === from ? map(from, before) : map(to, after, { from: `${from}/${head}` })], stage)
  }

const scale = pair('raw_scores', 'scaled_scores', ({ pass, sizes, text }) => [
  text.scaling.before,
  pass.request.scaled ? text.scaling.after(sizes.k, trimmed(pass.scale)) : text.scaling.off,
])
const mask = pair('scaled_scores', 'masked_scores', ({ text }) => [text.mask.before, text.mask.after])
const softmax = pair('masked_scores', 'weights', ({ text }) => [text.softmax.before, text.softmax.after])

const mix: Layout = ({ pass, stage, sizes, heads: { chosen: head }, text }) => {
  const size = mixing(stage, sizes)
  const bands = plainBand(sizes.k, size.v)
  const map = (tensor: TensorName, note: string, more: Partial<Draft> = {}): Draft => ({ ...common(stage), ...ofHead(pass, tensor, { head }), bands, ...more, heading: { note, ...more.heading } })
  return flow(
    [
      { draft: map('weights', text.mix.weights, { bands: plainBand(sizes.n, size.a * sizes.n), heading: { columns: pass.request.tokens } }), gutter: stage.gutter },
      { sign: '×' },
      { draft: map('v_heads', text.mix.values), gutter: stage.gutter },
      { sign: '=' },
      { draft: map('heads', text.mix.output, { edge: head, entry: { by: 'rows' } }) },
    ],
    stage,
  )
}

const concat: Layout = ({ pass, stage, sizes, heads, text }) => {
  const room = stage.width - stage.gutter
  /** Z holds all heads, also those whose page is not open. */
  const all = Array.from({ length: sizes.h }, (_, head) => head)
  const bands = dockedBands(room, all, sizes.k, sizes.h > 32 ? 1 : seam, stage.cell)
  const part = partOf({
    ...common(stage), matrix: slice(pass, 'concat'), bands, heading: stage.projected ? { tabs: true, title: null } : { tabs: true, note: text.concat.together(sizes.h) }, bridge: 3,
    pieces: () => (heads.shown.length === sizes.h ? docking(piecesOf(pass, 'heads', stage, bands, true)) : []),
  })
  return ranged(onShelf([part], [{ left: 0 }], stage), bands, sizes.k, stage, text)
}

const rangePx = 26
/** A long tab with its gap. */
const tabPx = 84

/** Which columns of the whole each head has, where there is room to say it: below its block, or beside its tab if bars stand below. */
function ranged(scene: Scene, bands: readonly Band[], k: number, stage: Stage, text: StepsText): Scene {
  if (stage.projected) return scene
  const bottom = Math.max(...scene.parts.map((part) => part.y + gridPx(part).height))
  const hasBars = scene.parts.some(({ bars }) => bars !== undefined)
  const indent = hasBars ? tabPx : 0
  const fitting = (say: (from: number, to: number) => string): { band: Band; line: string }[] =>
    bands
      .map((band) => ({ band, line: say((band.head ?? 0) * k, ((band.head ?? 0) + 1) * k - 1) }))
      .filter(({ band, line }) => band.head !== undefined && indent + 16 * emWidth(line) <= band.width)
  const [long, short] = [fitting(text.blockRange), fitting((from, to) => (from === to ? `${from}` : `${from}–${to}`))]
  // At every block in the same words, or at the widest only.
  const widest = Math.max(...bands.map(({ width }) => width))
  const said = [long, short].find(({ length }) => length === bands.length) ?? long.filter(({ band }) => band.width === widest).slice(0, 1)
  const captions = said.map(
    ({ band: { left, head }, line }): Caption => ({ id: `columns of ${head}`, x: stage.gutter + left + indent, y: hasBars ? 2 : bottom, opacity: 1, text: line }),
  )
  if (captions.length === 0) return scene
  return { ...scene, captions: [...scene.captions, ...captions], height: hasBars ? scene.height : Math.max(scene.height, bottom + rangePx) }
}

/** The chosen head comes from where it was; once it has passed, the others fill their own columns, all at the same time: nothing is moved. */
const docking = (pieces: readonly Part[]): Part[] => pieces.map((piece) => ({ ...piece, entry: { by: 'rows', startAt: 0.75 } }))

const result: Layout = ({ pass, stage, sizes }) =>
  flow([{ draft: { ...common(stage), matrix: slice(pass, 'output'), bands: vectorBand(stage.width - stage.gutter, sizes.d) }, gutter: stage.gutter }], stage)

export const layouts: Readonly<Record<StopName, Layout>> = { tokens, project, split, score, scale, mask, softmax, mix, concat, output, result }

/** From one block, all columns alike (0), to blocks that stand apart (1). */
function opened(bands: readonly Band[], share: number): Band[] {
  const even = bands.reduce((sum, { width }) => sum + width, 0) / bands.length
  return bands.map((band, i) => ({ ...band, left: i * even + (band.left - i * even) * share, width: even + (band.width - even) * share }))
}

/** A map of the chosen head, whichever that is. */
export function ofHead(pass: Pass, tensor: TensorName, options: Slice): { matrix: Matrix; key: string } {
  const matrix = slice(pass, tensor, options)
  return { matrix, ...keyOfChosen(matrix) }
}

export const common = ({ row, labelPx, manner }: Stage): Pick<Part, 'rowHeight' | 'labelPx' | 'manner'> => ({ rowHeight: row, labelPx, manner })

/** One head's own columns, as a map of its own where its band lies. */
function blockOf(pass: Pass, tensor: TensorName, band: Band, tabs: boolean): { matrix: Matrix; bands: Band[]; heading: { title: null; tabs: boolean } } {
  const options: Slice = band.head === undefined ? {} : { head: band.head }
  return { matrix: slice(pass, tensor, options), bands: [{ ...band, start: 0, left: 0 }], heading: { title: null, tabs } }
}

/** A map of all heads as one map per head: the same cells in the same pixels, places counted from its corner. */
export function piecesOf(pass: Pass, tensor: TensorName, stage: Stage, bands: readonly Band[], tabs: boolean): Part[] {
  if (bands.length > mostPieces || bands.some(({ head }) => head === undefined)) return []
  return bands.map((band) => partOf({ ...common(stage), ...blockOf(pass, tensor, band, tabs), x: band.left }))
}

/** Maps in one row from the labels on, the tops of their cells in line. */
export function onShelf(parts: Part[], places: readonly { left: number }[], stage: Stage): Scene {
  const y = Math.max(...parts.map(abovePx))
  parts.forEach((part, i) => {
    part.x = stage.gutter + (places[i]?.left ?? 0)
    part.y = y
  })
  const [first] = parts
  return sceneOf({ parts, labels: first ? labelled([{ part: first, gutter: stage.gutter }]) : [] })
}
