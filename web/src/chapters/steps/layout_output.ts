// Stop 9: every head's output times its own row block of W_O is its contribution; contributions add up to Y. Few and narrow
// heads cross as in a multiplication by hand; many or wide ones get a lane each, the chosen one taller.
import { contributionOf, slice } from '../../components/figures'
import { emWidth } from '../../components/draw/digits'
import { plainBand } from '../../components/draw/geometry'
import { type Caption, type Part, type Scene, type Sign, abovePx, gridPx, labelled, noted, partOf, sceneOf, widthPx } from '../../components/draw/scene'
import { laneHeads } from '../../model/heads'
import type { Matrix } from '../../model/matrix'
import type { Setting } from './layouts'
import { laneWidths, outputCross, vectorBand } from './stage'

interface Lane {
  head: number
  z: Matrix
  w: Matrix
  /** undefined until it is there */
  c: Matrix | undefined
}

function lanesOf({ pass, contributions, sizes }: Setting, heads: readonly number[]): Lane[] {
  return heads.map((head) => ({
    head,
    z: slice(pass, 'heads', { head }),
    w: slice(pass, 'w_o', { rows: [head * sizes.k, sizes.k] }),
    c: contributionOf(contributions, pass, head),
  }))
}

export function output(setting: Setting): Scene {
  const cell = outputCross(setting.stage, setting.sizes)
  return cell === undefined ? inLanes(setting) : crossing(setting, cell)
}

const columnGap = 12
const signPx = 30

/** Z_i on the left, W_O's rows above, × in the corner, the contribution where they cross, and the sum at the end. */
function crossing(setting: Setting, cell: number): Scene {
  const { pass, stage, sizes, heads, text } = setting
  const { labelPx } = stage
  const lanes = lanesOf(setting, heads.shown)
  /** W_O's rows above take the height of about two tokens. */
  const rowHeight = Math.max(24, Math.min(28, Math.floor((stage.row * sizes.n - 60) / sizes.n)))
  const dBand = plainBand(sizes.d, sizes.d * cell)
  const parts: Part[] = []
  const signs: Sign[] = []
  const captions: Caption[] = []
  const top = 30
  const y = top + sizes.k * rowHeight + 36
  let x = stage.gutter
  for (const { head, z, w, c } of lanes) {
    captions.push({ id: `head ${head}`, x: head === lanes[0]?.head ? 0 : x - 4, y: 0, opacity: 1, head, label: 'long' })
    const left = partOf({ matrix: z, bands: plainBand(sizes.k, sizes.k * cell), rowHeight, labelPx, x, y, bridge: 7, edge: head === lanes[0]?.head ? undefined : head })
    x += gridPx(left).width + columnGap
    const room = sizes.d * cell + columnGap
    const above = partOf({ matrix: w, bands: dBand, rowHeight, labelPx, x, y: top, edge: head, heading: { title: 'W_O' } })
    parts.push(left, noted(above, text.output.rowBlock(head + 1), room))
    signs.push({ id: `times ${head}`, sign: '×', x: x - columnGap - 12, y: top + (sizes.k * rowHeight) / 2, opacity: 1 })
    const share = c && partOf({ matrix: c, bands: dBand, rowHeight, labelPx, x, y, edge: head, crossed: true, bridge: 7, into: 'output' })
    if (share) parts.push(noted(share, text.output.contribution, room))
    else captions.push({ id: `no contribution ${head}`, x: x + 20, y: y + 20, opacity: 1, text: '…' })
    x += sizes.d * cell
    signs.push({ id: `after ${head}`, sign: head === lanes.at(-1)?.head ? '=' : '+', x: x + columnGap / 2 + signPx / 2, y: y + (sizes.n * rowHeight) / 2, opacity: 1 })
    x += columnGap + signPx
  }
  parts.push(partOf({ matrix: slice(pass, 'output'), bands: dBand, rowHeight, labelPx, x, y, bridge: 7, heading: { note: text.output.sum(sizes.h, true) } }))
  return sceneOf({ parts, signs, captions, labels: labelled([{ part: parts[0]!, gutter: stage.gutter }]) })
}

const lanesTop = 28
/** The symbol alone where a caption, with a gap behind it, has no room. */
const shortened = (caption: string, symbol: string, roomPx: number): string => (16 * emWidth(caption.replace(/[$_{}]/g, '')) + 6 <= roomPx ? caption : symbol)
const [mostDigitsPx, leastDigitRow] = [640, 24]
const laneGap = 3

function inLanes(setting: Setting): Scene {
  const { pass, stage, sizes, heads, text } = setting
  const { labelPx } = stage
  const lanes = lanesOf(setting, laneHeads(sizes.h, heads.chosen))
  const widths = laneWidths(stage, sizes)
  /** Digits where all lanes then still stand on one screen. */
  const row = Math.min(28, stage.row, Math.floor(mostDigitsPx / (lanes.length * sizes.n)))
  const digits = widths.cell > 0 && row >= leastDigitRow
  const gutter = digits ? stage.gutter : 0
  /** Without digits a lane is a strip; the chosen one is taller. */
  const strip = (head: number): number => (lanes.length <= 4 ? 90 : head === heads.chosen ? 60 : 22)
  const at = { tab: 0, z: (stage.narrow ? 44 : 56) + gutter, w: 0, c: 0 }
  at.w = at.z + widths.z + 26
  at.c = at.w + widths.w + 26
  const parts: Part[] = []
  const signs: Sign[] = []
  const captions: Caption[] = [
    { id: 'column of heads', x: 0, y: 0, opacity: 1, text: text.output.lane.head },
    { id: 'column of Z', x: at.z, y: 0, opacity: 1, text: text.output.lane.z },
    { id: 'column of W', x: at.w, y: 0, opacity: 1, text: shortened(text.output.lane.w, '$W_O$', at.c - at.w) },
    { id: 'column of C', x: at.c, y: 0, opacity: 1, text: shortened(text.output.lane.c, '$C_i$', stage.width - at.c) },
  ]
  let y = lanesTop
  for (const { head, z, w, c } of lanes) {
    const rowHeight = digits ? row : strip(head) / sizes.n
    const plain = { labelPx, y, edge: head, heading: { title: null } }
    const high = Math.max(rowHeight * sizes.n, digits ? sizes.k * 28 : 0)
    const left = partOf({ ...plain, matrix: z, bands: plainBand(sizes.k, widths.z), rowHeight, x: at.z, edge: digits ? undefined : head })
    parts.push(left, partOf({ ...plain, matrix: w, bands: plainBand(sizes.d, widths.w), rowHeight: digits ? 28 : strip(head) / sizes.k, x: at.w }))
    if (c) parts.push(partOf({ ...plain, matrix: c, bands: plainBand(sizes.d, widths.c), rowHeight, x: at.c, crossed: true, into: 'output' }))
    else captions.push({ id: `no contribution ${head}`, x: at.c + 12, y, opacity: 1, text: '…' })
    captions.push({ id: `head ${head}`, x: 0, y: y + high / 2 - 14, opacity: 1, head })
    const middle = y + (digits ? sizes.k * 14 : high / 2)
    signs.push({ id: `times ${head}`, sign: '×', x: at.w - 15, y: middle, opacity: 1 }, { id: `gives ${head}`, sign: '=', x: at.c - 15, y: middle, opacity: 1 })
    y += high + laneGap + (digits ? 12 : 0)
  }
  const yBand = vectorBand(stage.width - stage.gutter, sizes.d)
  /** Without digits as low as its labels can be read: it shall stand on the screen with its lanes. */
  const sumRow = yBand[0]!.width / sizes.d >= 31 ? 28 : stage.narrow ? 20 : 16
  const sum = partOf({
    matrix: slice(pass, 'output'), bands: yBand, rowHeight: Math.min(sumRow, stage.row), labelPx,
    heading: { note: text.output.sum(sizes.h, lanes.length === sizes.h) }, bridge: 3,
  })
  sum.x = stage.gutter
  sum.y = y + 4 + abovePx(sum)
  parts.push(sum)
  const first = parts[0]!
  const labels = labelled([{ part: sum, gutter: stage.gutter }, ...(digits ? lanes.map(({ head }) => ({ part: parts.find(({ id }) => id === `heads/${head}`) ?? first, gutter: stage.gutter })) : [])])
  const scene = sceneOf({ parts, signs, captions, labels })
  return { ...scene, width: Math.max(scene.width, widthPx(sum)) }
}
