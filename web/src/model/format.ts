// Numbers as they are printed. Rounding for display is the page's only arithmetic.

const minus = '\u2212'

/** `value` with a fixed number of decimals and a real minus sign; −0.00 is written 0.00. */
export function fixed(value: number, decimals: number): string {
  if (Number.isNaN(value)) return '∅'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${minus}∞`
  const text = value.toFixed(decimals)
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', minus)
}

/** Attention weights stand in cells without their leading zero: .58 */
export const bare = (text: string): string => text.replace(/^(\u2212?)0\./, '$1.')

/** In a product, what is negative stands in brackets. */
export const bracketed = (text: string): string => (text.startsWith(minus) ? `(${text})` : text)

/** Six significant digits, for whoever asks for more than a cell can hold. */
export function significant(value: number): string {
  if (!Number.isFinite(value)) return fixed(value, 0)
  if (value === 0) return '0'
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent >= 6 || exponent < -6) return value.toExponential(5).replace('-', minus).replace('e-', `e${minus}`)
  return fixed(value, Math.max(0, 5 - exponent))
}

/** Errors and bounds: how large about, 1.2e−7. */
export const scientific = (value: number): string =>
  value === 0 || !Number.isFinite(value) ? fixed(value, 0) : value.toExponential(1).replace('e-', `e${minus}`).replace('e+', 'e')

/** Six significant digits without zeros that say nothing: 0.5, 0.125, 0.353553. */
export const trimmed = (value: number): string => significant(value).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')

/** Decimals inside a cell: two, but one where a value may reach 10 and the cell is narrow. */
export const cellDecimals = (limit: number, cellWidthPx: number): number => (limit < 10 || cellWidthPx >= 60 ? 2 : 1)

/** Decimals in a sum that is read term by term: enough for the smaller of its factors. */
export const sumDecimals = (limit: number): number => (limit >= 0.5 ? 2 : limit >= 0.05 ? 3 : 4)

/** What must stand under the shown terms so that the column adds up as printed. */
export function restAsPrinted(sum: number, shown: readonly number[], decimals: number): number {
  const printed = (value: number): number => Math.round(value * 10 ** decimals)
  return (printed(sum) - shown.reduce((total, value) => total + printed(value), 0)) / 10 ** decimals
}

/** So many significant digits, without zeros that say nothing and without a power of ten: 0.0042, 12.5, 1230. */
export const rounded = (value: number, digits: number): string => String(Number(value.toPrecision(digits)))

/** A loss: three digits are what the eye can compare, fewer where it is small. */
export const printedLoss = (loss: number): string =>
  loss < 0.0001 ? '< 0.0001' : loss >= 1000 ? '> 1000' : rounded(loss, loss < 0.001 ? 1 : loss < 0.01 ? 2 : 3)

/** Three significant digits in the unit that reads best. */
export function duration(ms: number): string {
  const [count, unit] = ms < 0.1 ? [1000 * ms, 'µs'] : ms < 1000 ? [ms, 'ms'] : [ms / 1000, 's']
  return `${rounded(count, 3)} ${unit}`
}

/** A share in whole percent; 100 only if nothing is missing, 0 only if there is nothing. */
export const percentOf = (share: number): number => (share <= 0 || share >= 1 ? Math.round(100 * share) : Math.min(99, Math.max(1, Math.round(100 * share))))

/** A whole number with its digits in threes. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009')

/** Three significant digits with a prefix: 2.42 GB, 28.3 GFLOP/s. */
export function prefixed(value: number, unit: string): string {
  const rounded = Number(value.toPrecision(3))
  const step = Math.min(Math.max(Math.floor(Math.log10(rounded) / 3), 0), 4)
  return `${(rounded / 1000 ** step).toPrecision(3)} ${['', 'k', 'M', 'G', 'T'][step]}${unit}`
}
