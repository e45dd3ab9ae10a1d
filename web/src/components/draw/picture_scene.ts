// A drawing on one canvas: what Stage.svelte builds of elements, painted. Places are the scene's, in CSS pixels.
import type { CellRef, Explanation, Pass, TensorView } from '../../core/protocol'
import { fixed } from '../../model/format'
import { domainOf } from '../../model/scale'
import { axisLabels, isTokenAxis } from '../describe'
import { markedTokens, marksOf } from '../marks'
import { longestLabelPx } from './digits'
import { boxOf, gridOf } from './geometry'
import { lookOf } from './look'
import { paint } from './paint'
import type { Ground } from './ramp'
import { type Caption, type Labels, type Part, type Scene, columnFit, columnsPx, pitchOf, rowLabelPx } from './scene'
import { type Faces, clipped, formulaRuns, writeProse, writeRuns } from './write'

export interface Brush {
  context: CanvasRenderingContext2D
  /** a new canvas to paint a map on */
  canvas: () => HTMLCanvasElement
  pixelRatio: number
  ground: Ground
  /** a colour of the style sheet by its name: 'ink', 'h1' */
  colour: (name: string) => string
  faces: Faces
  signs: boolean
  headName: (number: number) => string
}

/** What the numbers are, and what is marked in them. */
export interface Numbers {
  pass: Pass
  contributions: TensorView | undefined
  pin: CellRef | null
  explanation: Explanation | undefined
}

export function drawScene(brush: Brush, scene: Scene, numbers: Numbers): void {
  for (const labels of scene.labels) drawRowLabels(brush, labels, numbers)
  for (const part of scene.parts) drawPart(brush, part, numbers)
  const { context, colour, faces } = brush
  for (const { sign, x, y } of scene.signs) {
    write(brush, sign, x, y, { font: `24px ${faces.sans}`, align: 'center', colour: colour('ink-2') })
  }
  for (const caption of scene.captions) drawCaption(brush, caption)
  context.globalAlpha = 1
}

interface Words {
  font: string
  align?: CanvasTextAlign
  colour: string
}

function write({ context }: Brush, text: string, x: number, y: number, { font, align = 'left', colour }: Words): void {
  context.font = font
  context.fillStyle = colour
  context.textAlign = align
  context.textBaseline = 'middle'
  context.fillText(text, x, y)
}

function drawPart(brush: Brush, part: Part, numbers: Numbers): void {
  const { context, pixelRatio, ground, faces, signs, colour } = brush
  const { matrix, bands, rowHeight, manner } = part
  const grid = gridOf(bands, matrix.rows, rowHeight)
  const narrowest = Math.min(...bands.map(({ width, count }) => width / count))
  const look = lookOf(numbers.pass, matrix, narrowest, rowHeight, manner, numbers.contributions)
  const canvas = brush.canvas()
  paint(canvas, matrix, grid, { ...look, ground, family: faces.sans, signs }, pixelRatio)
  context.drawImage(canvas, part.x, part.y, canvas.width / pixelRatio, canvas.height / pixelRatio)
  drawHeading(brush, part, numbers)
  if (part.edge !== undefined) {
    context.fillStyle = colour(hueOf(part.edge))
    context.fillRect(part.x - 6, part.y, 5, grid.height - 1)
  }
  drawMarks(brush, part, numbers)
  if (part.bars !== undefined) drawBars(brush, part, part.bars, numbers)
}

const hueOf = (head: number): string => (head < 40 ? `h${(head % 8) + 1}` : 'ink-3')
const onHueOf = (head: number): string => (head < 40 ? `on-h${(head % 8) + 1}` : 'paper')

function drawHeading(brush: Brush, part: Part, numbers: Numbers): void {
  const { context, colour, faces } = brush
  const { heading, manner, matrix, bands } = part
  const foot = part.y - columnsPx(part)
  if (heading.title !== null) {
    const y = foot - (heading.tabs ? manner.tabsPx : 0) - 8
    context.fillStyle = colour('ink')
    let x = writeRuns(context, formulaRuns(heading.title, manner.symbolPx, faces, 700), part.x, y) + 8
    context.fillStyle = colour('ink-3')
    x = writeRuns(context, [{ text: `${matrix.rows} × ${matrix.columns}`, font: `14px ${faces.mono}`, drop: 0 }], x, y) + 8
    if (heading.note !== '') writeProse(context, heading.note, x, y, { sizePx: 15, linePx: 20, family: faces.sans }, faces)
  }
  if (heading.tabs) {
    for (const { head, left, width } of bands) {
      if (head === undefined) continue
      context.fillStyle = colour(hueOf(head))
      context.fillRect(part.x + left, foot - 5, width, 4)
      if (width >= 12) drawTab(brush, head, part.x + left, foot - 29, width >= 90)
    }
  }
  drawColumnLabels(brush, part, numbers)
}

/** Number on hue, 24 px high; returns its width. */
function drawTab(brush: Brush, head: number, x: number, y: number, long: boolean): void {
  const { context, colour, faces } = brush
  const text = long ? brush.headName(head + 1) : String(head + 1)
  context.font = `700 15px ${faces.sans}`
  const padding = long ? 8 : 2
  context.fillStyle = colour(hueOf(head))
  context.fillRect(x, y, context.measureText(text).width + 2 * padding, 24)
  write(brush, text, x + padding, y + 12.5, { font: `700 15px ${faces.sans}`, colour: colour(onHueOf(head)) })
}

function drawColumnLabels(brush: Brush, part: Part, { pin, explanation }: Numbers): void {
  const { context } = brush
  const { heading: { columns }, matrix } = part
  const pitch = pitchOf(part)
  const { mode, fontPx: labelPx } = columnFit(part)
  const marked = markedTokens(matrix, pin, marksOf(matrix, pin, explanation, undefined)).column
  const rise = 0.6 * labelPx + 1
  columns.forEach((label, i) => {
    const [x, y] = [part.x + (i + 0.5) * pitch, part.y - 4]
    context.save()
    context.translate(x, y)
    if (mode === 'slanted') context.rotate((-42 * Math.PI) / 180)
    const signs = [...label]
    if (mode === 'stacked') signs.forEach((sign, j) => word(brush, sign, 0, -1 - (signs.length - j - 0.5) * 1.2 * labelPx, labelPx, 'center', i === marked))
    else word(brush, label, mode === 'flat' ? 0 : 1, -rise, labelPx, mode === 'flat' ? 'center' : 'left', i === marked)
    context.restore()
  })
}

/** A token, highlighted if the pin is there. */
function word(brush: Brush, label: string, x: number, y: number, sizePx: number, align: 'left' | 'center' | 'right', marked: boolean): void {
  const { context, colour, faces } = brush
  const font = `${marked ? 700 : 400} ${sizePx}px ${faces.sans}`
  context.font = font
  const text = clipped(context, label, longestLabelPx(sizePx) - 10)
  if (marked) {
    const width = context.measureText(text).width + 8
    const left = align === 'left' ? x - 4 : align === 'right' ? x - width + 4 : x - width / 2
    context.fillStyle = colour('mark')
    context.fillRect(left, y - 0.65 * sizePx, width, 1.3 * sizePx)
  }
  write(brush, text, x, y, { font, align, colour: colour(marked ? 'mark-ink' : 'ink') })
}

function drawRowLabels(brush: Brush, labels: Labels, { pass, pin, explanation }: Numbers): void {
  const { matrix } = labels.of
  if (!isTokenAxis(matrix.rowAxis)) return
  const marked = markedTokens(matrix, pin, marksOf(matrix, pin, explanation, undefined)).row
  axisLabels(pass, matrix.rowAxis, matrix.firstRow, matrix.rows).forEach((label, i) => {
    word(brush, label, labels.x - 15, labels.y + (i + 0.5) * labels.pitchPx, rowLabelPx(labels), 'right', i === marked)
  })
}

/** The rules of the pinned row and column, and the ring. */
function drawMarks({ context, colour }: Brush, part: Part, { pin, explanation }: Numbers): void {
  const { matrix, bands, rowHeight, x, y, bridge } = part
  const grid = gridOf(bands, matrix.rows, rowHeight)
  const { pinned, twin, row, column } = marksOf(matrix, pin, explanation, undefined)
  const ruled = column ?? (part.crossed ? (pinned ?? twin)?.column : undefined)
  context.fillStyle = colour('ink')
  if (row !== undefined) {
    const [top, bottom] = [y + row * rowHeight, y + row * rowHeight + Math.max(3, rowHeight)]
    for (const at of [top - 0.5, bottom - 2.5]) context.fillRect(x - bridge, at, grid.width + 2 * bridge, rowHeight < 8 ? 1 : 2)
  }
  const box = ruled === undefined ? undefined : boxOf(grid, 0, ruled)
  if (box !== undefined) {
    for (const at of [box.left - 0.5, box.left + Math.max(3, box.width) - 2.5]) context.fillRect(x + at, y - 3, box.width < 6 ? 1 : 2, grid.height + 6)
  }
  for (const [place, outer] of [[twin, 'ink-2'], [pinned, 'focus']] as const) {
    const cell = place && boxOf(grid, place.row, place.column)
    if (cell === undefined) continue
    const ring = (grow: number, width: number, name: string): void => {
      context.strokeStyle = colour(name)
      context.lineWidth = width
      context.strokeRect(x + cell.left - grow, y + cell.top - grow, Math.max(3, cell.width - 1) + 2 * grow, Math.max(3, cell.height - 1) + 2 * grow)
    }
    ring(1, 2, 'focus-gap')
    ring(3.25, 2.5, outer)
  }
}

function drawCaption(brush: Brush, { x, y, head, role, text }: Caption): void {
  const { context, colour, faces } = brush
  let place = x
  if (head !== undefined) drawTab(brush, head, x + 3, y + 2, true)
  if (role !== undefined) {
    context.strokeStyle = colour(role)
    context.lineWidth = 1.4
    context.beginPath()
    if (role === 'q') context.arc(x + 11, y + 14, 9.5, 0, 2 * Math.PI)
    else context.rect(x + 2, y + 5, 18, 18)
    context.stroke()
    write(brush, role, x + 11, y + 14, { font: `italic 700 14px ${faces.serif}`, align: 'center', colour: colour(role) })
    place += 28
  }
  if (text === undefined) return
  context.fillStyle = colour('ink-2')
  writeProse(context, text, place, y + 19, { sizePx: 16, linePx: 28, family: faces.sans }, faces)
}

const barsHeight = 72

function drawBars(brush: Brush, part: Part, row: number, { pass }: Numbers): void {
  const { context, colour, faces } = brush
  const { matrix } = part
  const { limit } = domainOf(pass, matrix.tensor)
  const grid = gridOf(part.bands, matrix.rows, part.rowHeight)
  const [top, half, pitch] = [part.y + grid.height + 4, barsHeight / 2, grid.width / matrix.columns]
  for (let column = 0; column < matrix.columns; column += 1) {
    const share = Math.max(-1, Math.min(1, matrix.value(row, column) / limit))
    context.fillStyle = colour(share < 0 ? 'neg' : 'pos')
    context.fillRect(part.x + column * pitch, top + half - Math.max(0, share) * half, Math.max(0.5, pitch - (pitch > 4 ? 1 : 0)), Math.abs(share) * half)
  }
  context.fillStyle = colour('ink-3')
  context.fillRect(part.x, top + half - 0.5, grid.width, 1)
  const font = `700 15px ${faces.sans}`
  context.font = font
  const token = clipped(context, pass.request.tokens[row] ?? '', longestLabelPx(15) + 12)
  write(brush, token, part.x - 10, top + half - 10, { font, align: 'right', colour: colour('ink') })
  write(brush, `±${fixed(limit, limit < 10 ? 1 : 0)}`, part.x - 10, top + half + 10, { font: `15px ${faces.sans}`, align: 'right', colour: colour('ink-2') })
}
