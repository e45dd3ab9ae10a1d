// The pictures: grids of coloured cells. What is written in them, what the keyboard and the pointer say of a cell, and
// the labels beside them, against the oracle.
import type { Page } from '../driver/driver'
import type { Findings } from './numbers'
import type { Oracle } from './oracle'
import { axisKinds, isPerHead, symbolText } from './places'
import type { Random } from './random'
import type { Written } from './recorder'

export interface Grid {
  /** its place among the grids of the page */
  order: number
  tensor: string
  head: number | undefined
  rows: number
  columns: number
  width: number
  height: number
  /** of the cell in the first corner, in CSS pixels */
  cellWidth: number
  cellHeight: number
  written: Written[]
  rowLabels: string[]
  columnLabels: string[]
  /** what the page says of the first cell, and of the last one of the first row: Q1[0, 3] */
  corners: [string, string]
}

/** All pictures on the screen. The keys that visit the corners are made by the page itself, which takes no time. */
export const readGrids = (page: Page): Promise<Grid[]> =>
  page.evaluate(async () => {
    const texts = (labels: Iterable<Element>): string[] => [...labels].map((label) => label.textContent ?? '')
    const above = (map: HTMLElement): string[] => texts(map.querySelectorAll('.labels.top .label'))
    const beside = (map: HTMLElement): string[] => texts(document.querySelectorAll(`[data-of="${map.dataset.part}"] .label`))
    const pointed = (): string => document.querySelector('[data-testid="pointed"] .formula')?.textContent ?? ''
    const later = (): Promise<unknown> => new Promise((done) => setTimeout(done))

    const visit = async (grid: HTMLElement, key: string, ctrlKey: boolean, column: number): Promise<string> => {
      const live = (): HTMLElement => grid.querySelector<HTMLElement>('[data-testid="cell"]')!
      live().focus()
      live().dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }))
      for (let patience = 100; patience > 0; patience -= 1) {
        await later()
        const there = live().getAttribute('aria-colindex') === String(column + 1) && live().parentElement?.getAttribute('aria-rowindex') === '1'
        if (there && document.activeElement === live()) return pointed()
      }
      return 'the keyboard did not get there'
    }

    const grids: Grid[] = []
    for (const grid of document.querySelectorAll<HTMLElement>('[data-testid="grid"]')) {
      const columns = Number(grid.dataset.columns)
      const cell = grid.querySelector<HTMLElement>('[data-testid="cell"]')!
      grids.push({
        order: grids.length,
        tensor: grid.dataset.tensor ?? '',
        head: grid.dataset.head === undefined ? undefined : Number(grid.dataset.head),
        rows: Number(grid.dataset.rows),
        columns,
        width: grid.clientWidth,
        height: grid.clientHeight,
        cellWidth: cell.offsetWidth,
        cellHeight: cell.offsetHeight,
        written: window.writtenOn(grid.querySelector('canvas')!),
        rowLabels: beside(grid.closest<HTMLElement>('.map')!),
        columnLabels: above(grid.closest<HTMLElement>('.map')!),
        corners: [await visit(grid, 'Home', true, 0), await visit(grid, 'End', false, columns - 1)],
      })
    }
    return grids
  })

/** What the page says of the cell that the keyboard stands on. */
export interface Live {
  row: number
  column: number
  value: string | undefined
  spoken: string
  /** Q1[3, 0] as the page writes it, and its value there */
  pointed: string
  pointedValue: string | undefined
  box: { x: number; y: number }
}

export async function stand(page: Page, order: number): Promise<void> {
  await page.evaluate((at) => {
    document.querySelectorAll<HTMLElement>('[data-testid="grid"]')[at]!.querySelector<HTMLElement>('[data-testid="cell"]')!.focus()
  }, order)
}

export const readLive = (page: Page, order: number): Promise<Live> =>
  page.evaluate((at) => {
    const grid = document.querySelectorAll<HTMLElement>('[data-testid="grid"]')[at]!
    const cell = grid.querySelector<HTMLElement>('[data-testid="cell"]')!
    const { left, top, width, height } = cell.getBoundingClientRect()
    const pointed = document.querySelector<HTMLElement>('[data-testid="pointed"]')
    return {
      row: Number(cell.closest('[role="row"]')?.getAttribute('aria-rowindex')) - 1,
      column: Number(cell.getAttribute('aria-colindex')) - 1,
      value: cell.dataset.value,
      spoken: cell.getAttribute('aria-label') ?? '',
      pointed: pointed?.querySelector('.formula')?.textContent ?? '',
      pointedValue: pointed?.querySelector<HTMLElement>('[data-value]')?.dataset.value,
      box: { x: left + width / 2, y: top + height / 2 },
    }
  }, order)

/** Which cell of its tensor stands at a place of a grid. */
export type Places = (row: number, column: number) => number[]

/** Read off the corners. */
function placesOf(grid: Grid, where: string, findings: Findings): Places | undefined {
  const [first, last] = grid.corners.map(innerIndex)
  if (first === undefined || last === undefined) {
    findings.note(where, `says of its corners: ${grid.corners.join(' … ')}`)
    return undefined
  }
  const across = last[1] - first[1] === grid.columns - 1 && last[0] === first[0]
  const turned = last[0] - first[0] === grid.columns - 1 && last[1] === first[1]
  if (!across && !turned) {
    findings.note(where, `the first row runs from ${grid.corners.join(' to ')} in ${grid.columns} columns`)
    return undefined
  }
  const head = isPerHead(grid.tensor) ? [grid.head ?? -1] : []
  // One column: only a tensor of tokens and numbers can be turned, and then its tokens stand above.
  const turn = across && turned ? grid.rowLabels.length === 0 && grid.columnLabels.length > 0 && axisKinds(grid.tensor)[1] === 'number' : turned
  return (row, column) => [...head, ...(turn ? [first[0] + column, first[1] + row] : [first[0] + row, first[1] + column])]
}

function innerIndex(formula: string): [number, number] | undefined {
  const match = /\[(\d+), (\d+)\]$/.exec(formula)
  return match === null ? undefined : [Number(match[1]), Number(match[2])]
}

/** Checks one grid: labels and every digit written. Returns what stands where. */
export function checkGrid(grid: Grid, oracle: Oracle, where: string, findings: Findings): Places | undefined {
  const name = nameOf(grid, where)
  findings.equal(`${name}: it belongs to a head`, grid.head !== undefined, isPerHead(grid.tensor))
  const places = placesOf(grid, name, findings)
  if (places === undefined) return undefined
  checkLabels(grid, places, oracle, name, findings)
  checkDigits(grid, places, oracle, name, findings)
  return places
}

const nameOf = ({ tensor, head }: Grid, where: string): string => `${where}, map of ${tensor}${head === undefined ? '' : ` head ${head}`}`

/** The keyboard goes to some cell, a few steps from a corner. */
export async function goSomewhere(page: Page, { order, rows, columns }: Grid, random: Random): Promise<{ row: number; column: number }> {
  await stand(page, order)
  const end = random.chance(0.5)
  await page.press(end ? 'Control+End' : 'Control+Home')
  const [down, aside] = [random.whole(0, Math.min(3, rows - 1)), random.whole(0, Math.min(3, columns - 1))]
  for (let i = 0; i < down; i += 1) await page.press(end ? 'ArrowUp' : 'ArrowDown')
  for (let i = 0; i < aside; i += 1) await page.press(end ? 'ArrowLeft' : 'ArrowRight')
  return end ? { row: rows - 1 - down, column: columns - 1 - aside } : { row: down, column: aside }
}

/** Walks the keyboard from a corner to a cell, then moves the pointer onto it: both must say the same, and the right thing. */
export async function checkRandomCell(
  page: Page, grid: Grid, places: Places, oracle: Oracle, random: Random, where: string, findings: Findings,
): Promise<void> {
  const { order } = grid
  const { row, column } = await goSomewhere(page, grid, random)
  const live = await readLive(page, order)
  const index = places(row, column)
  const expected = oracle.cell(grid.tensor, index)
  const cell = `${nameOf(grid, where)}, row ${row} column ${column}`
  findings.equal(`${cell}: place of the keyboard`, [live.row, live.column], [row, column])
  findings.number(`${cell}: the live cell`, live.value, expected)
  findings.equal(`${cell}: its formula`, live.pointed, symbolText(grid.tensor, index))
  findings.number(`${cell}: beside the formula`, live.pointedValue, expected)
  for (const token of tokensOf(grid.tensor, index, oracle)) {
    findings.note(`${cell}: spoken “${live.spoken}”`, live.spoken.includes(token) ? '' : `does not say “${token}”`)
  }
  await page.point(live.box)
  const { pointed, pointedValue } = await readLive(page, order)
  if (grid.columns <= grid.width && grid.rows <= grid.height) {
    findings.equal(`${cell}: under the pointer`, pointed, symbolText(grid.tensor, index))
    findings.number(`${cell}: under the pointer`, pointedValue, expected)
  } else {
    checkStrongest(grid, pointed, pointedValue, index, oracle, `${cell}: under the pointer`, findings)
  }
}

/** Cells share a pixel: the pointer means the strongest of them, which need not be the one the keyboard stands on. */
function checkStrongest(
  grid: Grid, pointed: string, value: string | undefined, index: readonly number[], oracle: Oracle, where: string, findings: Findings,
): void {
  const found = innerIndex(pointed)
  if (found === undefined) return findings.note(where, `is “${pointed}”`)
  const there = [...index.slice(0, -2), ...found]
  findings.equal(where, pointed, symbolText(grid.tensor, there))
  findings.number(where, value, oracle.cell(grid.tensor, there))
  const crowd = Math.ceil(Math.max(grid.columns / grid.width, grid.rows / grid.height))
  const away = found.map((at, axis) => Math.abs(at - index.at(axis - 2)!))
  if (Math.max(...away) > crowd) findings.note(where, `is ${pointed}, far from ${symbolText(grid.tensor, index)}`)
  const [theirs, own] = [oracle.cell(grid.tensor, there), oracle.cell(grid.tensor, index)].map(({ value: number }) => Math.abs(number))
  if (theirs! < own! * (1 - 1e-5)) findings.note(where, `is ${pointed}, weaker than ${symbolText(grid.tensor, index)}`)
}

function tokensOf(tensor: string, index: readonly number[], { problem }: Oracle): string[] {
  const inner = isPerHead(tensor) ? index.slice(1) : index
  return axisKinds(tensor).flatMap((kind, axis) => (kind === 'token' ? [problem.tokens[inner[axis]!]!] : []))
}

function checkLabels(grid: Grid, places: Places, { problem }: Oracle, name: string, findings: Findings): void {
  const kinds = axisKinds(grid.tensor)
  const inner = (row: number, column: number): number[] => places(row, column).slice(-2)
  const turned = grid.rows > 1 ? inner(1, 0)[0] === inner(0, 0)[0] : false
  const [rowKind, columnKind] = turned ? [kinds[1], kinds[0]] : kinds
  const token = (axis: 0 | 1, place: number[]): string => problem.tokens[place[turned ? 1 - axis : axis]!] ?? ''
  if (grid.rowLabels.length > 0 && rowKind === 'token') {
    findings.equal(`${name}: row labels`, grid.rowLabels, Array.from({ length: grid.rows }, (_, row) => token(0, inner(row, 0))))
  }
  if (grid.columnLabels.length > 0 && columnKind === 'token') {
    findings.equal(`${name}: column labels`, grid.columnLabels, Array.from({ length: grid.columns }, (_, column) => token(1, inner(0, column))))
  }
}

/** Either no digits at all, or one number in every cell that may be looked at. */
function checkDigits(grid: Grid, places: Places, oracle: Oracle, name: string, findings: Findings): void {
  if (grid.written.length === 0) return
  const rowHeight = grid.height / grid.rows
  for (let row = 0; row < grid.rows; row += 1) {
    const here = grid.written.filter(({ y }) => Math.floor(y / rowHeight) === row).sort((a, b) => a.x - b.x)
    const columns = Array.from({ length: grid.columns }, (_, column) => column).filter(
      (column) => !isForbidden(grid.tensor, places(row, column), oracle),
    )
    findings.equal(`${name}: how many digits row ${row} has`, here.length, columns.length)
    columns.forEach((column, i) => {
      const index = places(row, column)
      findings.number(`${name}: written at [${index.join(', ')}]`, here[i]?.text, oracle.cell(grid.tensor, index), 'printed')
    })
  }
}

/** Hatched cells have no digits. */
const isForbidden = (tensor: string, index: readonly number[], oracle: Oracle): boolean =>
  (tensor === 'weights' || tensor === 'masked_scores') && oracle.cell('masked_scores', index).value === -Infinity
