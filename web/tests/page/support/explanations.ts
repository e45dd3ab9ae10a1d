// The explanation of a pinned cell: its value, operands and steps as the page shows them, against the oracle. How a cell
// is made is said here on its own, from the equations.
import type { Page } from '../driver/driver'
import { type Findings, parsePrinted } from './numbers'
import type { Expected, Oracle } from './oracle'
import { symbolText } from './places'

export interface Operand {
  cell: string
  value: string
  text: string
  named: boolean
}

interface Shown {
  value: string
  text: string
}

export interface Inspector {
  cell: string
  rule: string
  symbol: string
  value: Shown
  /** in the product line or the table of terms, in order */
  operands: Operand[]
  terms: Shown[]
  sums: Shown[]
  factor: Shown | undefined
  rest: Shown | undefined
  chain: Record<string, Shown>
  /** one per head on the screen */
  bars: { operand: Operand; off: boolean; head: number }[]
  /** the other heads together */
  otherBars: Shown | undefined
  row: { label: string; operand: Operand; exponential: Shown; weight: Shown }[]
}

export const readInspector = (page: Page): Promise<Inspector> =>
  page.evaluate(() => {
    const root = document.querySelector<HTMLElement>('[data-testid="inspector"]')!
    /** What is printed, without what only a screen reader says. */
    const printed = (element: HTMLElement): string => {
      const copy = element.cloneNode(true) as HTMLElement
      for (const unseen of copy.querySelectorAll('.unseen')) unseen.remove()
      return (copy.textContent ?? '').trim()
    }
    const shown = (element: HTMLElement): { value: string; text: string } => ({ value: element.dataset.value ?? '', text: printed(element) })
    const operand = (element: HTMLElement) => ({
      ...shown(element),
      cell: element.dataset.cell ?? '',
      named: element.querySelector('.formula') !== null,
    })
    const all = (selector: string, within: Element = root): HTMLElement[] => [...within.querySelectorAll<HTMLElement>(selector)]
    const id = (name: string): string => `[data-testid="${name}"]`
    const wholeRow = `details table:not(${id('term-table')})`
    const optional = (name: string) => all(id(name)).map(shown)[0]
    const bars = all(`${id('bars')} li`).filter((bar) => bar.querySelector(id('gate')) !== null)
    return {
      cell: root.dataset.cell ?? '',
      rule: root.dataset.rule ?? '',
      symbol: root.querySelector(id('explained-value'))?.parentElement?.querySelector('.formula')?.textContent ?? '',
      value: optional('explained-value') ?? { value: '', text: '' },
      operands: all(id('operand')).filter((one) => one.closest(`${wholeRow}, ${id('bars')}`) === null).map(operand),
      terms: all(id('term')).map(shown),
      sums: all(id('sum')).map(shown),
      factor: optional('factor'),
      rest: optional('rest'),
      chain: Object.fromEntries(
        all('[data-testid^="softmax-"][data-value]').map((box) => [box.dataset.testid!.replace('softmax-', ''), shown(box)]),
      ),
      bars: bars.map((bar) => {
        const gate = bar.querySelector<HTMLElement>(id('gate'))!
        return { operand: operand(bar.querySelector<HTMLElement>(id('operand'))!), off: gate.dataset.off === 'true', head: Number(gate.dataset.head) }
      }),
      otherBars: optional('bars-rest'),
      row: all(`${wholeRow} tbody tr`).map((line) => {
        const [exponential, weight] = all('td[data-value]', line).map(shown)
        return {
          label: line.querySelector('th')?.textContent ?? '',
          operand: operand(line.querySelector<HTMLElement>(id('operand'))!),
          exponential: exponential!,
          weight: weight!,
        }
      }),
    }
  })

export interface Cell {
  tensor: string
  index: number[]
}

const nameOf = ({ tensor, index }: Cell): string => [tensor, ...index].join('.')

export function parseCell(name: string): Cell {
  const [tensor = '', ...index] = name.split('.')
  return { tensor, index: index.map(Number) }
}

/** The two factors of every product of a cell that is a sum of products. */
export function factorsOf({ tensor, index }: Cell, oracle: Oracle): [Cell, Cell][] | undefined {
  const { tokens, dModel } = oracle.problem
  const k = oracle.headDim
  const [a = 0, b = 0, c = 0] = index
  const each = (count: number, pair: (i: number) => [Cell, Cell]): [Cell, Cell][] => Array.from({ length: count }, (_, i) => pair(i))
  const cell = (name: string, ...at: number[]): Cell => ({ tensor: name, index: at })
  switch (tensor) {
    case 'q': case 'k': case 'v':
      return each(dModel, (i) => [cell('x', a, i), cell(`w_${tensor}`, i, b)])
    case 'raw_scores':
      return each(k, (i) => [cell('q_heads', a, b, i), cell('k_heads', a, c, i)])
    case 'heads':
      return each(tokens.length, (j) => [cell('weights', a, b, j), cell('v_heads', a, j, c)])
    case 'concat': {
      const head = Math.floor(b / k)
      return each(tokens.length, (j) => [cell('weights', head, a, j), cell('v_heads', head, j, b % k)])
    }
    case 'contributions':
      return each(k, (i) => [cell('heads', a, b, i), cell('w_o', a * k + i, c)])
    case 'output':
      return each(dModel, (i) => [cell('concat', a, i), cell('w_o', i, b)])
    default:
      return undefined
  }
}

const rules: Record<string, string> = {
  token_vectors: 'given', positions: 'given', w_q: 'given', w_k: 'given', w_v: 'given', w_o: 'given', x: 'sum', q_heads: 'same',
  k_heads: 'same', v_heads: 'same', scaled_scores: 'scale', masked_scores: 'mask', weights: 'softmax',
}

const longestLine = 8
const largestShown = 5

export function checkInspector(shown: Inspector, cell: Cell, oracle: Oracle, where: string, findings: Findings): void {
  const name = `${where}, explanation of ${nameOf(cell)}`
  const value = oracle.cell(cell.tensor, cell.index)
  findings.equal(`${name}: cell`, shown.cell, nameOf(cell))
  findings.equal(`${name}: rule`, shown.rule, rules[cell.tensor] ?? 'dot')
  findings.equal(`${name}: symbol`, shown.symbol, symbolText(cell.tensor, cell.index))
  findings.number(`${name}: value`, shown.value.value, value)
  findings.number(`${name}: value as printed`, shown.value.text.replace(/^=/, ''), value, 'printed')
  for (const operand of [...shown.operands, ...shown.bars.map((bar) => bar.operand), ...shown.row.map((one) => one.operand)]) {
    checkOperand(operand, oracle, name, findings)
  }

  const factors = factorsOf(cell, oracle)
  if (factors !== undefined) checkProducts(shown, factors, cell, oracle, name, findings)
  else if (cell.tensor === 'weights') checkSoftmax(shown, cell, oracle, name, findings)
  else checkStep(shown, cell, oracle, name, findings)
  if (cell.tensor === 'output') checkBars(shown, cell, oracle, name, findings)
}

function checkOperand(operand: Operand, oracle: Oracle, name: string, findings: Findings): void {
  const cell = parseCell(operand.cell)
  const expected = oracle.cell(cell.tensor, cell.index)
  findings.number(`${name}: operand ${operand.cell}`, operand.value, expected)
  if (operand.named) {
    const symbol = symbolText(cell.tensor, cell.index)
    findings.note(`${name}: operand ${operand.cell} is named`, operand.text.startsWith(symbol) ? '' : `“${operand.text}”, not ${symbol}`)
  } else {
    findings.number(`${name}: operand ${operand.cell} as printed`, operand.text.replace(/^\((.*)\)$/, '$1'), expected, 'printed')
  }
}

/** a·b with the tolerances of both. */
function product(oracle: Oracle, [a, b]: [Cell, Cell]): Expected {
  const [x, y] = [oracle.cell(a.tensor, a.index), oracle.cell(b.tensor, b.index)]
  const tolerance = Math.abs(x.value) * y.tolerance + Math.abs(y.value) * x.tolerance + x.tolerance * y.tolerance
  return { value: x.value * y.value, tolerance: tolerance + Number.EPSILON * Math.abs(x.value * y.value) }
}

function total(parts: readonly Expected[]): Expected {
  const sum = (of: (part: Expected) => number): number => parts.reduce((so, part) => so + of(part), 0)
  return { value: sum(({ value }) => value), tolerance: sum(({ tolerance }) => tolerance) + 1e-15 * sum(({ value }) => Math.abs(value)) }
}

function checkProducts(shown: Inspector, factors: [Cell, Cell][], cell: Cell, oracle: Oracle, name: string, findings: Findings): void {
  const products = factors.map((pair) => product(oracle, pair))
  const line = factors.length <= longestLine
  const operands = line ? shown.operands : shown.operands.filter(({ named }) => !named)
  findings.equal(`${name}: how many terms`, shown.terms.length, line ? factors.length : largestShown)
  const places: number[] = []
  shown.terms.forEach((term, i) => {
    const [a, b] = operands.slice(2 * i, 2 * i + 2).map((operand) => operand.cell)
    const place = factors.findIndex(([x, y]) => nameOf(x) === a && nameOf(y) === b)
    places.push(place)
    if (line) findings.equal(`${name}: term ${i} is`, [a, b], factors[i]!.map(nameOf))
    else findings.note(`${name}: term ${i}`, place < 0 ? `${a} × ${b} does not belong here` : '')
    const expected = products[place]
    if (expected === undefined) return
    findings.number(`${name}: term ${i}`, term.value, expected)
    findings.number(`${name}: term ${i} as printed`, term.text, expected, 'printed')
  })

  // What is shown is the sum before the gate: of a head that is off, what it would have said.
  const off = gateOf(cell, oracle) === 0
  const sum = off ? total(products) : oracle.cell(cell.tensor, cell.index)
  const marked = shown.sums.at(-1)
  findings.number(`${name}: sum`, marked?.value, sum)
  findings.number(`${name}: sum as printed`, marked?.text, sum, 'printed')
  if (line) return

  const rest = total(products.filter((_, i) => !places.includes(i)))
  findings.number(`${name}: rest`, shown.rest?.value, rest)
  // The column adds up as printed.
  const printed = [...shown.terms, shown.rest].map((one) => Number(one?.text.replace('\u2212', '-')))
  const [added, said] = [printed.reduce((a, b) => a + b, 0), Number(marked?.text.replace('\u2212', '-'))]
  findings.note(`${name}: the printed column`, Math.abs(added - said) < 1e-6 ? '' : `adds up to ${added}, not ${said}`)
  const smallest = Math.min(...places.map((place) => Math.abs(products[place]?.value ?? 0)))
  const missed = products.find(({ value, tolerance }, i) => !places.includes(i) && Math.abs(value) > smallest + tolerance + 1e-6)
  findings.note(`${name}: the largest terms`, missed === undefined ? '' : `do not include ${missed.value}`)
}

function gateOf({ tensor, index }: Cell, { problem, headDim }: Oracle): number {
  const head = tensor === 'heads' ? index[0] : tensor === 'concat' ? Math.floor((index[1] ?? 0) / headDim) : undefined
  return head !== undefined && problem.out.includes(head) ? 0 : 1
}

/** Sums of two, scaling, masking, the same bytes: one or two operands and a result. */
function checkStep(shown: Inspector, { tensor, index }: Cell, oracle: Oracle, name: string, findings: Findings): void {
  const k = oracle.headDim
  const [a = 0, b = 0, c = 0] = index
  const from: Record<string, string[]> = {
    x: [`token_vectors.${a}.${b}`, `positions.${a}.${b}`],
    scaled_scores: [`raw_scores.${index.join('.')}`],
    masked_scores: [`scaled_scores.${index.join('.')}`],
    q_heads: Array(2).fill(`q.${b}.${a * k + c}`) as string[],
    k_heads: Array(2).fill(`k.${b}.${a * k + c}`) as string[],
    v_heads: Array(2).fill(`v.${b}.${a * k + c}`) as string[],
  }
  findings.equal(`${name}: operands`, shown.operands.map(({ cell }) => cell), from[tensor] ?? [])
  if (tensor === 'scaled_scores') {
    const factor = oracle.problem.scaled ? 1 / Math.sqrt(k) : 1
    findings.number(`${name}: factor`, shown.factor?.value, { value: factor, tolerance: factor * 2 ** -23 })
  }
  if (['x', 'scaled_scores', 'masked_scores'].includes(tensor)) {
    findings.number(`${name}: result`, shown.sums.at(-1)?.value, oracle.cell(tensor, index))
    findings.number(`${name}: result as printed`, shown.sums.at(-1)?.text, oracle.cell(tensor, index), 'printed')
  }
}

function checkSoftmax(shown: Inspector, { index }: Cell, oracle: Oracle, name: string, findings: Findings): void {
  const [head = 0, row = 0, key = 0] = index
  const { tokens } = oracle.problem
  const scores = tokens.map((_, j) => oracle.cell('masked_scores', [head, row, j]))
  const most = scores.reduce((best, score) => (score.value > best.value ? score : best))
  const slack = Math.max(...scores.map(({ tolerance }) => tolerance))
  const dead = most.value === -Infinity
  const exponentials = scores.map(({ value }) => exponential(dead ? -Infinity : value - most.value, 2 * slack))

  findings.equal(`${name}: keys in the whole row`, shown.row.map(({ label }) => label), tokens)
  shown.row.forEach(({ operand, exponential: e, weight }, j) => {
    findings.equal(`${name}: key ${j} is`, operand.cell, `masked_scores.${head}.${row}.${j}`)
    findings.number(`${name}: exponential of key ${j}`, e.value, exponentials[j]!)
    findings.number(`${name}: weight of key ${j}`, weight.value, oracle.cell('weights', [head, row, j]))
  })
  if (scores[key]!.value === -Infinity) return findings.equal(`${name}: chain of a masked key`, Object.keys(shown.chain), [])

  const difference = { value: scores[key]!.value - most.value, tolerance: 2 * slack }
  const steps: Record<string, Expected> = {
    max: { value: most.value, tolerance: slack },
    difference,
    exponential: exponentials[key]!,
    sum: total(exponentials),
    weight: oracle.cell('weights', index),
  }
  findings.equal(`${name}: steps`, Object.keys(shown.chain), Object.keys(steps))
  for (const [step, expected] of Object.entries(steps)) {
    findings.number(`${name}: ${step}`, shown.chain[step]?.value, expected)
    findings.number(`${name}: ${step} as printed`, shown.chain[step]?.text, expected, 'printed')
  }
  findings.equal(`${name}: the score is`, shown.operands[0]?.cell, `masked_scores.${index.join('.')}`)
}

/** exp of a difference that may be off by `error`. */
function exponential(difference: number, error: number): Expected {
  const value = Math.exp(difference)
  return { value, tolerance: value * Math.expm1(error) + 1e-15 * value }
}

function checkBars(shown: Inspector, { index }: Cell, oracle: Oracle, name: string, findings: Findings): void {
  const { heads, out } = oracle.problem
  const [row = 0, column = 0] = index
  const first = shown.bars[0]?.head ?? 0
  findings.equal(`${name}: how many bars`, shown.bars.length, heads > 16 ? Math.min(8, heads - first) : heads)
  shown.bars.forEach(({ operand, off, head }) => {
    findings.equal(`${name}: bar of head ${head} is`, operand.cell, `contributions.${head}.${row}.${column}`)
    findings.equal(`${name}: head ${head} is off`, off, out.includes(head))
  })
  const sum = oracle.cell('output', index)
  findings.number(`${name}: sum of the bars`, shown.sums[0]?.value, sum)
  findings.equal(`${name}: other heads have a number`, shown.otherBars !== undefined, heads > shown.bars.length)
  if (shown.otherBars === undefined) return

  const open = new Set(shown.bars.map(({ head }) => head))
  const others = Array.from({ length: heads }, (_, head) => head).filter((head) => !open.has(head))
  const rest = total(others.map((head) => oracle.cell('contributions', [head, row, column])))
  // The column adds up as printed, so the rest makes up for every number that was rounded.
  const { halfUnit } = parsePrinted(shown.otherBars.text)
  findings.number(`${name}: the other heads`, shown.otherBars.value, { ...rest, tolerance: rest.tolerance + (open.size + 1.01) * halfUnit })
  findings.equal(`${name}: the other heads as printed`, parsePrinted(shown.otherBars.text).value, Number(shown.otherBars.value))
  const printed = [...shown.bars.map(({ operand }) => operand), shown.otherBars].map(({ text }) => parsePrinted(text).value)
  const [added, said] = [printed.reduce((a, b) => a + b, 0), parsePrinted(shown.sums[0]?.text ?? '').value]
  findings.note(`${name}: the printed bars`, Math.abs(added - said) < 1e-6 ? '' : `add up to ${added}, not ${said}`)
}
