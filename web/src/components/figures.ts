// Small helpers for figures: the legend of a tensor, the sheet of a matrix.
import type { Pass, TensorView } from '../core/protocol'
import { type TensorName, tensorInfos } from '../core/generated/tables'
import { type Matrix, type Slice, matrixOf } from '../model/matrix'
import { fixed } from '../model/format'
import type { Contributions } from '../model/questions'
import { type Domain, domainOf } from '../model/scale'
import { symbolOf } from '../model/symbols'
import { fitDigits } from './draw/digits'
import type { Manner } from './draw/manner'
import { type Part, type Scene, pitchOf } from './draw/scene'
import type { Legend, Sheet } from './Figure.svelte'
import type { CommonText } from '../text/common.en'

const slices = new WeakMap<Pass | Float32Array, Map<string, Matrix>>()

/**
 * A slice of a tensor that every full pass holds; the same object every time, so that what shows it need not be painted again. Passes
 * with the same parameters share theirs.
 */
export function slice(pass: Pass, name: TensorName, options: Slice = {}): Matrix {
  const view = pass.tensor(name)
  if (view === undefined) throw new Error(`this pass does not hold ${name}`)
  // Parameters outlive a pass, and none of them is another view of one.
  const shared = tensorInfos[name].slab === 'parameters'
  const owner = shared ? view.data : pass
  const known = slices.get(owner) ?? new Map<string, Matrix>()
  slices.set(owner, known)
  const key = `${name} ${JSON.stringify(options)}`
  const matrix = known.get(key) ?? matrixOf(view, options, shared ? undefined : pass)
  known.set(key, matrix)
  return matrix
}

const contributed = new WeakMap<TensorView, Matrix[]>()

/** What a head adds to the output, if this pass's contributions are there and it is one of those asked for. */
export function contributionOf(own: Contributions | undefined, pass: Pass, head: number): Matrix | undefined {
  if (own?.pass !== pass) return undefined
  const { view, first } = own
  const matrices = contributed.get(view) ?? Array.from({ length: view.shape[0] ?? 0 }, (_, place) => matrixOf(view, { head: first + place, place }, pass))
  contributed.set(view, matrices)
  return matrices[head - first]
}

export const sheet = (matrix: Matrix, title = symbolOf(matrix.tensor, matrix.head)): Sheet => ({
  key: `${matrix.tensor}.${matrix.head ?? ''}.${matrix.firstRow}.${matrix.firstColumn}`,
  title,
  matrix,
})

export interface Shown {
  tensor: TensorName
  symbol: string
  cellWidth: number
  cellHeight: number
  manner: Manner
}

/** What a drawing shows, tensor by tensor; heads that stand together are named together, Z_i. */
export function shownIn({ parts }: Scene): Shown[] {
  const byTensor = new Map<TensorName, Part[]>()
  for (const part of parts) byTensor.set(part.matrix.tensor, [...(byTensor.get(part.matrix.tensor) ?? []), part])
  return [...byTensor.values()].map((same) => {
    const [{ matrix, rowHeight, manner }] = same as [Part]
    const symbol = same.length > 1 && matrix.head !== undefined ? `${symbolOf(matrix.tensor)}_i` : symbolOf(matrix.tensor, matrix.head)
    return { tensor: matrix.tensor, symbol, cellWidth: Math.max(...same.map(pitchOf)), cellHeight: rowHeight, manner }
  })
}

/** The matrix a drawing is about comes first: it is the last that is drawn. */
export function sheetsOf({ parts }: Scene): Sheet[] {
  const sheets = parts.map(({ matrix, heading: { title, note } }) =>
    sheet(matrix, matrix.tensor === 'w_o' && note !== '' ? `${title ?? 'W_O'} · ${note}` : (title ?? undefined)),
  )
  return [...sheets.slice(-1), ...sheets.slice(0, -1)]
}

/** The two ends of a scale in numbers. */
export function limitText({ kind, limit }: Domain): [low: string, high: string] {
  if (kind === 'sequential') return ['0', '1']
  const text = fixed(limit, limit >= 10 || Number.isInteger(limit) ? 0 : limit >= 1 ? 1 : 3).replace(/(\.\d*?)0+$/, '$1')
  return [`−${text}`, `+${text}`]
}

/** One legend per scale; maps that share one are named together. */
export function legendsOf(text: CommonText, pass: Pass, shown: readonly Shown[], also?: TensorView): Legend[] {
  const groups = new Map<string, Legend & { symbols: string[] }>()
  for (const { tensor, symbol, cellWidth, cellHeight, manner } of shown) {
    const domain = domainOf(pass, tensor, also)
    const pale = manner.underDigits < 1 && fitDigits(domain, cellWidth, cellHeight, manner.digits) !== undefined
    const { from } = manner
    const key = `${domain.kind} ${domain.limit} ${pale}`
    const group = groups.get(key) ?? { domain, pale, from, caption: '', symbols: [] }
    if (!group.symbols.includes(symbol)) group.symbols.push(symbol)
    groups.set(key, group)
  }
  let explained = false
  return [...groups.values()].map(({ domain, pale, from, symbols }) => {
    const names = symbols.map((symbol) => `$${symbol}$`).join(text.comma)
    if (domain.kind === 'sequential') return { domain, pale, from, caption: text.figure.legend.weights(names) }
    const caption = explained ? names : text.figure.legend.signed(names)
    explained = true
    return { domain, pale, from, caption }
  })
}
