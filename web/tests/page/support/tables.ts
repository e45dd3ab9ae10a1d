// The table view of a figure: every cell by the labels that stand beside it, against the oracle.
import type { Page } from '../driver/driver'
import type { Findings } from './numbers'
import type { Oracle } from './oracle'
import { type AxisKind, axisKinds, isPerHead } from './places'

export interface Table {
  tensor: string
  head: number | undefined
  columns: string[]
  rows: { label: string; cells: { value: string | null; text: string }[] }[]
}

/**
 * Every sheet of the figure, every window of each sheet. The buttons are pressed by the page itself, all in one go; that
 * readers can press them is for other tests.
 */
export const readTables = (page: Page): Promise<Table[]> =>
  page.evaluate(async () => {
    const figure = document.querySelector<HTMLElement>('[data-testid="figure"]')!
    const asTable = figure.querySelector<HTMLButtonElement>('[data-testid="as-table"]')!
    const text = (node: Element): string => node.textContent ?? ''
    const drawn = (): Promise<unknown> => new Promise((done) => setTimeout(done))
    const press = async (button: HTMLButtonElement | undefined): Promise<boolean> => {
      if (button === undefined || button.ariaDisabled === 'true') return false
      button.click()
      await drawn()
      return true
    }
    // In this order: rows, columns; each with a button back and one on; a pager is there only if it is needed.
    const pagers = (): HTMLButtonElement[][] => [...figure.querySelectorAll('.pager')].map((pager) => [...pager.querySelectorAll('button')])
    const turn = async (): Promise<boolean> => {
      if (await press(pagers().at(-1)?.[1])) return true
      if (pagers().length < 2) return false
      while (await press(pagers().at(-1)?.[0])) continue
      return press(pagers()[0]?.[1])
    }
    const read = (): Table => {
      const table = figure.querySelector<HTMLTableElement>('[data-testid="table"]')!
      return {
        tensor: table.dataset.tensor ?? '',
        head: table.dataset.head === undefined ? undefined : Number(table.dataset.head),
        columns: [...table.querySelectorAll('thead th')].map(text),
        rows: [...table.querySelectorAll('tbody tr')].map((row) => ({
          label: text(row.querySelector('th')!),
          cells: [...row.querySelectorAll('td')].map((cell) => ({ value: cell.dataset.value ?? null, text: text(cell) })),
        })),
      }
    }

    await press(asTable)
    const tables: Table[] = []
    const select = figure.querySelector('select')!
    for (const { value } of [...select.options]) {
      select.value = value
      select.dispatchEvent(new Event('change', { bubbles: true }))
      await drawn()
      do tables.push(read())
      while (await turn())
    }
    await press(asTable)
    return tables
  })

export function checkTable(table: Table, oracle: Oracle, where: string, findings: Findings): void {
  const { tensor, head } = table
  const name = `${where}, table of ${tensor}${head === undefined ? '' : ` head ${head}`}`
  findings.equal(`${name}: it belongs to a head`, head !== undefined, isPerHead(tensor))
  findings.note(`${name}: size`, table.rows.length > 0 && table.columns.length > 0 ? '' : 'is empty')

  const transposed = isTransposed(table, oracle)
  const [rowKind, columnKind] = transposed ? [...axisKinds(tensor)].reverse() as [AxisKind, AxisKind] : axisKinds(tensor)
  const columns = table.columns.map((label) => placeOf(label, columnKind, oracle))
  columns.forEach((place, i) => findings.note(`${name}: column label “${table.columns[i]}”`, place === undefined ? 'names no place' : ''))

  for (const { label, cells } of table.rows) {
    const row = placeOf(label, rowKind, oracle)
    findings.note(`${name}: row label “${label}”`, row === undefined ? 'names no place' : '')
    findings.equal(`${name}: cells of row “${label}”`, cells.length, columns.length)
    cells.forEach(({ value, text }, i) => {
      const column = columns[i]
      if (row === undefined || column === undefined) return
      const inner = transposed ? [column, row] : [row, column]
      const index = head === undefined ? inner : [head, ...inner]
      const expected = oracle.cell(tensor, index)
      findings.number(`${name}[${inner.join(', ')}]`, value, expected)
      findings.number(`${name}[${inner.join(', ')}] as printed`, text, expected, 'printed')
    })
  }
}

/** A label of a token is its text and its place, so that equal words can be told apart; of a number, its place. */
function placeOf(label: string, kind: AxisKind, { problem }: Oracle): number | undefined {
  const place = Number(/(\d+)$/.exec(label)?.[1])
  const wanted = kind === 'token' ? `${problem.tokens[place]} ${place}` : String(place)
  return label === wanted ? place : undefined
}

/** Kᵀ stands with its tokens above. Only labels of different kinds can tell. */
function isTransposed({ tensor, rows, columns }: Table, oracle: Oracle): boolean {
  const [rowKind, columnKind] = axisKinds(tensor)
  if (rowKind === columnKind) return false
  const fits = (labels: string[], kind: AxisKind): boolean => labels.every((label) => placeOf(label, kind, oracle) !== undefined)
  return fits(rows.map(({ label }) => label), columnKind) && fits(columns, rowKind)
}
