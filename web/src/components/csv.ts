// A matrix as a file: full precision, tokens as headers.
import type { Pass } from '../core/protocol'
import type { Matrix } from '../model/matrix'
import { axisLabels, isTokenAxis } from './describe'

/** Quoted, and never a formula to a spreadsheet: tokens are what anybody typed into a link. */
const quoted = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

export function csvOf(matrix: Matrix, rowLabels: readonly string[], columnLabels: readonly string[]): string {
  const lines = [['', ...columnLabels].map(quoted).join(',')]
  for (let row = 0; row < matrix.rows; row += 1) {
    const values = Array.from({ length: matrix.columns }, (_, column) => String(matrix.value(row, column)))
    lines.push([quoted(rowLabels[row] ?? ''), ...values].join(','))
  }
  // The mark in front tells spreadsheets that this is UTF-8.
  return `\ufeff${lines.join('\r\n')}\r\n`
}

/** Heads count from 1, as everywhere on the page; the first is head-1. */
export const csvName = ({ tensor, head }: Matrix): string => (head === undefined ? `${tensor}.csv` : `${tensor}-head-${head + 1}.csv`)

/** Tokens with their places: the same word may stand twice. */
export function tableLabels(pass: Pass, axis: string, first: number, count: number): string[] {
  const labels = axisLabels(pass, axis, first, count)
  return isTokenAxis(axis) ? labels.map((token, i) => `${token} ${first + i}`) : labels
}

export function csvFile(pass: Pass, matrix: Matrix): { name: string; content: Blob } {
  const rows = tableLabels(pass, matrix.rowAxis, matrix.firstRow, matrix.rows)
  const columns = tableLabels(pass, matrix.columnAxis, matrix.firstColumn, matrix.columns)
  return { name: csvName(matrix), content: new Blob([csvOf(matrix, rows, columns)], { type: 'text/csv;charset=utf-8' }) }
}
