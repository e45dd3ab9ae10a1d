// A figure as one picture to keep: what is on the stage, above it what it is about, below it the scales, where the numbers come
// from and whose page this is. Drawing only; the canvas is given.
import type { Legend } from '../Figure.svelte'
import { limitText } from '../figures'
import { type Brush, type Numbers, drawScene } from './picture_scene'
import { colourOf, css, digitDepth } from './ramp'
import type { Scene } from './scene'
import { type Style, linesOf, widthOfRuns, writeRuns } from './write'

export interface PictureFile {
  scene: Scene
  numbers: Numbers
  stop: number
  /** in our markup, as everything else here */
  title: string
  line: string
  legends: readonly Legend[]
  notes: readonly string[]
  caption: string
}

const margin = 32
const leastWidth = 640
const titlePx = 40
const gap = 12
const legendPx = 24
/** Labels that lean and rings reach over the edge of a drawing. */
const overhang = 40

/** Sizes the canvas and draws on it. */
export function drawPicture(canvas: HTMLCanvasElement, file: PictureFile, brushOf: (context: CanvasRenderingContext2D) => Brush): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const brush = brushOf(context)
  const { colour, faces, pixelRatio } = brush
  const plain: Style = { sizePx: 17, linePx: 28, family: faces.sans }
  const small: Style = { sizePx: 14, linePx: 22, family: faces.sans }
  const inner = Math.max(leastWidth, Math.ceil(file.scene.width) + overhang)
  const line = linesOf(context, file.line, plain, faces, inner)
  const scales = placeLegends(brush, file.legends, inner, small)
  const words = [...file.notes, file.caption].flatMap((text) => linesOf(context, text, small, faces, inner))
  const top = { line: margin + titlePx, scene: margin + titlePx + line.length * plain.linePx + gap, legends: 0, words: 0 }
  top.legends = top.scene + Math.ceil(file.scene.height) + gap
  top.words = top.legends + (scales.at(-1)?.row ?? -1) * legendPx + legendPx
  const height = top.words + words.length * small.linePx + margin - 8

  canvas.width = Math.round((inner + 2 * margin) * pixelRatio)
  canvas.height = Math.round(height * pixelRatio)
  context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0)
  context.fillStyle = colour('paper')
  context.fillRect(0, 0, inner + 2 * margin, height)
  context.translate(margin, 0)
  context.fillStyle = colour('ink')
  const heading = linesOf(context, `${file.stop}  ${file.title}`, { sizePx: 26, linePx: titlePx, family: faces.serif, weight: 700 }, faces, Infinity)
  writeRuns(context, heading.flat(), 0, margin + 22)
  line.forEach((runs, i) => writeRuns(context, runs, 0, top.line + i * plain.linePx + 18))
  context.translate(0, top.scene)
  drawScene(brush, file.scene, file.numbers)
  context.translate(0, -top.scene)
  for (const { legend, x, row } of scales) drawLegend(brush, legend, x, top.legends + row * legendPx, small)
  context.fillStyle = colour('ink-3')
  words.forEach((runs, i) => writeRuns(context, runs, 0, top.words + i * small.linePx + 15))
}

const barPx = 120
const blocks = 24

interface PlacedLegend {
  legend: Legend
  x: number
  row: number
}

function placeLegends({ context, faces }: Brush, legends: readonly Legend[], widthPx: number, style: Style): PlacedLegend[] {
  let [x, row] = [0, 0]
  return legends.map((legend) => {
    const width = barPx + 100 + widthOfRuns(context, linesOf(context, legend.caption, style, faces, Infinity).flat())
    if (x > 0 && x + width > widthPx) {
      x = 0
      row += 1
    }
    const placed = { legend, x, row }
    x += width + 24
    return placed
  })
}

function drawLegend({ context, colour, faces, ground }: Brush, { domain, pale, from, caption }: Legend, x: number, y: number, style: Style): void {
  const [low, high] = limitText(domain)
  const font = `${style.sizePx}px ${faces.sans}`
  const number = (text: string, at: number): number => writeRuns(context, [{ text, font, drop: 0 }], at, y + 15)
  context.fillStyle = colour('ink-2')
  const left = number(low, x) + 6
  const first = domain.kind === 'diverging' ? -domain.limit : 0
  for (let i = 0; i < blocks; i += 1) {
    const value = first + ((domain.limit - first) * (i + 0.5)) / blocks
    context.fillStyle = css(colourOf(value, domain, ground, pale ? digitDepth : 1, from))
    context.fillRect(left + (i * barPx) / blocks, y + 4, barPx / blocks, 12)
  }
  context.fillStyle = colour('ink-2')
  const end = number(high, left + barPx + 6)
  context.fillStyle = colour('ink-3')
  writeRuns(context, linesOf(context, caption, style, faces, Infinity).flat(), end + 10, y + 15)
}

/** eight-meetings-stop-6-softmax-8x2.png: a folder of them is in the order of the walk. */
export const pictureName = (stop: number, name: string, dModel: number, heads: number): string =>
  `eight-meetings-stop-${stop}-${name}-${dModel}x${heads}.png`
