// The table view of a figure: every cell by the name it carries and the labels beside it, against the oracle.
import type { Page } from '../driver/driver'
import { parseCell } from './explanations'
import type { Findings } from './numbers'
import type { Oracle } from './oracle'
import { type AxisKind, axisKinds, isPerHead } from './places'

export interface Table {
  tensor: string
  head: number | undefined
  columns: string[]
  rows: { label: string; cells: { cell: string; value: string | null; text: string }[] }[]
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
          cells: [...row.querySelectorAll('td')].map((cell) => ({ cell: cell.dataset.cell ?? '', value: cell.dataset.value ?? null, text: text(cell) })),
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

export function checkTable({ tensor, head, columns, rows }: Table, oracle: Oracle, where: string, findings: Findings): void {
  const name = `${where}, table of ${tensor}${head === undefined ? '' : ` head ${head}`}`
  findings.equal(`${name}: it belongs to a head`, head !== undefined, isPerHead(tensor))
  findings.note(`${name}: size`, rows.length > 0 && columns.length > 0 ? '' : 'is empty')
  const kinds = axisKinds(tensor)
  for (const { label, cells } of rows) {
    findings.equal(`${name}: cells of row “${label}”`, cells.length, columns.length)
    cells.forEach(({ cell, value, text }, i) => {
      const { tensor: named, index } = parseCell(cell)
      const inner = index.slice(-2)
      findings.equal(`${name}: ${cell} is of`, [named, ...index.slice(0, -2)], head === undefined ? [tensor] : [tensor, head])
      const wanted = inner.map((place, axis) => labelOf(kinds[axis]!, place, oracle))
      const labels = [label, columns[i]]
      // Kᵀ stands with its tokens above: labels of different kinds can't be taken for each other.
      if (kinds[0] !== kinds[1] && labels[0] !== wanted[0]) labels.reverse()
      findings.equal(`${name}: labels of ${cell}`, labels, wanted)
      const expected = oracle.cell(tensor, index)
      findings.number(`${name}[${inner.join(', ')}]`, value, expected)
      findings.number(`${name}[${inner.join(', ')}] as printed`, text, expected, 'printed')
    })
  }
}

/** A label of a token is its text and its place, so that equal words can be told apart; of a number, its place. */
const labelOf = (kind: AxisKind, place: number, { problem }: Oracle): string =>
  kind === 'token' ? `${problem.tokens[place]} ${place}` : String(place)
