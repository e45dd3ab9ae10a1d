// Cells in words: whose number, about which tokens, how much. Only naming, no arithmetic.
import { significant } from '../model/format'
import type { Matrix, Place } from '../model/matrix'
import { headOf, tokensOf } from '../model/pin'
import { cellSymbol, symbolOf } from '../model/symbols'
import { tensorInfos } from '../core/generated/tables'
import type { CellRef, Pass, Region, Term } from '../core/protocol'
import type { CommonText } from '../text/common.en'

/** The labels of an axis: tokens for n and m, plain numbers otherwise. */
export function axisLabels(pass: Pass, axis: string, first: number, count: number): string[] {
  if (axis === 'n' || axis === 'm') return pass.request.tokens.slice(first, first + count)
  return Array.from({ length: count }, (_, i) => String(first + i))
}

export const isTokenAxis = (axis: string): boolean => axis === 'n' || axis === 'm'

/** The token or the pair of tokens a cell is about; undefined: none (a parameter). */
export function wordsOf(pass: Pass, cell: CellRef, pair: (query: string, key: string) => string): string | undefined {
  const { query, key } = tokensOf(cell)
  const tokens = pass.request.tokens
  const [asks, asked] = [query, key].map((i) => (i === undefined ? undefined : tokens[i]))
  if (asks !== undefined && asked !== undefined) return pair(asks, asked)
  return asks ?? asked
}

/** Q_1[6, 0] as formula markup. */
export function cellFormula(cell: CellRef): string {
  const { symbol, index } = cellSymbol(cell)
  return `${symbol}[${index.join(', ')}]`
}

/** A row, a column or part of one, or all of a tensor, as our markup. Precondition: more than one cell. */
export function describeRegion({ comma, explain: { onward } }: CommonText, pass: Pass, { tensor, first, count }: Region): string {
  const [row, column] = first.length === 3 ? [1, 2] : [0, 1]
  const head = first.length === 3 && count[0] === 1 ? first[0] : undefined
  const name = `$${symbolOf(tensor, head)}$`
  const word = isTokenAxis(tensorInfos[tensor].axes[row]!) ? pass.request.tokens[first[row]!] : undefined
  if (count[row] === 1) return onward.row(name, first[row]! + 1, word)
  if (count[column] !== 1) return name
  const whole = count[row] === (pass.tensor(tensor)?.shape[row] ?? pass.shape.tokens)
  const part = whole ? '' : `${comma}${onward.rows(first[row]! + 1, first[row]! + count[row]!)}`
  return `${onward.column(name, first[column]! + 1)}${part}`
}

/** What all products of a sum are made of: Q_1[6, c] 她 × K_1[4, c] 小红, c counting from 0. '' for a single one. */
export function factorsFormula(pass: Pass, terms: readonly Term[]): string {
  const [first, second] = terms
  if (first?.b === undefined || second?.b === undefined) return ''
  const line = (cell: CellRef, next: CellRef): string => {
    const { symbol, index } = cellSymbol(cell)
    const following = cellSymbol(next).index
    const places = index.map((i, axis) => (following[axis] === i ? String(i) : i === 0 ? 'c' : `c + ${i}`))
    const word = tensorInfos[cell.tensor].axes
      .map((axis, place) => (isTokenAxis(axis) && cell.index[place] === next.index[place] ? cell.index[place] : undefined))
      .map((token) => (token === undefined ? undefined : pass.request.tokens[token]))
      .find((token) => token !== undefined)
    return `$${symbol}[${places.join(', ')}]$${word === undefined ? '' : ` ${word}`}`
  }
  return `${line(first.a, second.a)} × ${line(first.b, second.b)}`
}

const spoken = (value: number): string => (Number.isFinite(value) ? significant(Number(value.toPrecision(3))) : significant(value))

/** What a screen reader hears on a cell of a map. */
export function describePlace(text: CommonText, pass: Pass, matrix: Matrix, place: Place, masked: boolean): string {
  const cell = matrix.cell(place.row, place.column)
  const head = headOf(cell)
  const value = matrix.value(place.row, place.column)
  return [
    head === undefined ? undefined : text.cell.head(head + 1),
    wordsOf(pass, cell, text.cell.pair),
    masked ? text.cell.masked : undefined,
    `${text.tensors[cell.tensor]} ${spoken(value)}`,
    text.cell.place(place.row + 1, place.column + 1),
  ]
    .filter((part) => part !== undefined)
    .join(text.comma)
}
