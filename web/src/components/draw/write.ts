// Our small markup (prose.ts) on a canvas: bold, formulas with lowered and raised signs, lines that break where a reader expects.
import { type Piece, parseFormula, parseProse } from '../prose'

export interface Faces {
  sans: string
  serif: string
  mono: string
}

interface Run {
  text: string
  font: string
  /** how much lower than the line it stands */
  drop: number
}

/** What no line break may part. */
type Atom = readonly Run[]

const small = 0.68

export function formulaRuns(formula: string, sizePx: number, { serif }: Faces, weight = 400): Run[] {
  return parseFormula(formula).map(({ kind, text }) => {
    const shrunk = kind === 'lowered' || kind === 'raised'
    const drop = kind === 'lowered' ? 0.22 * sizePx : kind === 'raised' ? -0.36 * sizePx : 0
    return { text, font: `${slantOf(kind)}${weight} ${sizePx * (shrunk ? small : 1)}px ${serif}`, drop }
  })
}

const slantOf = (kind: Piece['kind']): string => (kind === 'letter' ? 'italic ' : '')

/** Chinese breaks anywhere but before what closes; other writing at its blanks. */
const unbroken = /\p{sc=Han}[，。；：、）”！？…]*|[^\s\p{sc=Han}]*\s+|[^\s\p{sc=Han}]+/gu

function atomsOf(text: string, sizePx: number, faces: Faces, family: string, weight: number): Atom[] {
  return parseProse(text).flatMap((part): Atom[] => {
    if (part.kind === 'formula') return [formulaOf(part.pieces, sizePx, faces, weight)]
    const font = `${part.kind === 'bold' ? 700 : weight} ${sizePx}px ${family}`
    return (part.text.match(unbroken) ?? []).map((piece) => [{ text: piece, font, drop: 0 }])
  })
}

const formulaOf = (pieces: readonly Piece[], sizePx: number, faces: Faces, weight: number): Run[] =>
  formulaRuns(pieces.map(({ kind, text }) => (kind === 'lowered' ? `_{${text}}` : kind === 'raised' ? `^{${text}}` : text)).join(''), sizePx, faces, weight)

export function widthOfRuns(context: CanvasRenderingContext2D, runs: readonly Run[]): number {
  return runs.reduce((sum, { text, font }) => {
    context.font = font
    return sum + context.measureText(text).width
  }, 0)
}

/** Writes from x on, the letters standing on y; returns where it ends. */
export function writeRuns(context: CanvasRenderingContext2D, runs: readonly Run[], x: number, y: number): number {
  context.textAlign = 'left'
  context.textBaseline = 'alphabetic'
  return runs.reduce((place, { text, font, drop }) => {
    context.font = font
    context.fillText(text, place, y + drop)
    return place + context.measureText(text).width
  }, x)
}

export interface Style {
  sizePx: number
  linePx: number
  family: string
  weight?: number
}

/** The lines a text takes in this width. */
export function linesOf(context: CanvasRenderingContext2D, text: string, { sizePx, family, weight = 400 }: Style, faces: Faces, widthPx: number): Run[][] {
  const lines: Run[][] = [[]]
  let used = 0
  for (const atom of atomsOf(text, sizePx, faces, family, weight)) {
    const width = widthOfRuns(context, atom)
    if (used > 0 && used + width > widthPx) {
      lines.push([])
      used = 0
    }
    lines.at(-1)?.push(...atom)
    used += width
  }
  return lines
}

/** One line of our markup; returns where it ends. */
export const writeProse = (context: CanvasRenderingContext2D, text: string, x: number, y: number, style: Style, faces: Faces): number =>
  writeRuns(context, linesOf(context, text, style, faces, Infinity).flat(), x, y)

/** As much of a text as fits. */
export function clipped(context: CanvasRenderingContext2D, text: string, widthPx: number): string {
  if (context.measureText(text).width <= widthPx) return text
  const signs = [...text]
  while (signs.length > 1 && context.measureText(`${signs.join('')}…`).width > widthPx) signs.pop()
  return `${signs.join('')}…`
}
