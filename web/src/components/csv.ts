// A matrix as a file: full precision, tokens as headers.
import type { Matrix } from '../model/matrix'

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

export const csvName = (matrix: Matrix): string =>
  matrix.head === undefined ? `${matrix.tensor}.csv` : `${matrix.tensor}-head-${matrix.head}.csv`
