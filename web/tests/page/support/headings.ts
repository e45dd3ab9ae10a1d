// What a stop says about its figures in words: which head, how many, what shape. Somebody's page once called every head
// "Head 1".
import type { Lesson } from './lesson'
import type { Findings } from './numbers'
import type { Oracle } from './oracle'
import { isPerHead, letterOf } from './places'

interface Heading {
  tensor: string
  head: number | undefined
  rows: number
  columns: number
  /** what a screen reader calls the map */
  name: string
  /** K1T, and 4 × 11, where the map has a title */
  symbol: string | undefined
  dims: string | undefined
  /** on its head tabs, from left to right */
  tabs: string[]
}

interface Headings {
  maps: Heading[]
  /** the picker's buttons */
  heads: { place: number; checked: boolean; name: string; text: string }[]
  /** shape chips of the line about memory: shape, shape, strides, strides */
  memory: string[] | undefined
  moved: string | undefined
}

const readHeadings = (lesson: Lesson): Promise<Headings> =>
  lesson.page.evaluate(() => {
    const text = (element: Element | null | undefined): string | undefined => element?.textContent?.replace(/\s+/gu, ' ').trim()
    const all = (selector: string, within: ParentNode = document): HTMLElement[] => [...within.querySelectorAll<HTMLElement>(selector)]
    const [memory] = all('[data-testid="memory"]')
    return {
      maps: all('[data-testid="grid"]').map((grid) => {
        const map = grid.closest('.map')
        return {
          tensor: grid.dataset.tensor ?? '',
          head: grid.dataset.head === undefined ? undefined : Number(grid.dataset.head),
          rows: Number(grid.dataset.rows),
          columns: Number(grid.dataset.columns),
          name: grid.getAttribute('aria-label') ?? '',
          symbol: text(map?.querySelector('.title .symbol')),
          dims: text(map?.querySelector('.title .dims')),
          tabs: map === null ? [] : all('.tabs .plate', map).map((plate) => text(plate) ?? ''),
        }
      }),
      heads: all('[data-testid="head"]').map((button) => ({
        place: Number(button.dataset.head),
        checked: button.getAttribute('aria-checked') === 'true',
        name: button.getAttribute('aria-label') ?? '',
        text: text(button) ?? '',
      })),
      memory: memory && all('.dims', memory).map((chip) => text(chip) ?? ''),
      moved: memory && all('[data-testid="moved"]', memory)[0]?.dataset.value,
    }
  })

/** Shares aside: what a head was measured to do is no number of the pass. */
const numbers = (text: string): number[] => [...text.replace(/\d+%/g, '').matchAll(/\d+/g)].map(([digits]) => Number(digits))

export async function checkHeadings(lesson: Lesson, oracle: Oracle, chosen: number, shown: readonly number[], where: string, findings: Findings): Promise<void> {
  const { maps, heads, memory, moved } = await readHeadings(lesson)
  for (const map of maps) checkMap(map, oracle, shown, where, findings)

  const { heads: h, dModel: d } = oracle.problem
  if (heads.length > 0) findings.equal(`${where}: heads to choose from`, heads.map(({ place }) => place), shown)
  for (const { place, checked, name, text } of heads) {
    findings.equal(`${where}: the name of head ${place}, “${name}”`, numbers(name).sort(byValue), [place + 1, h].sort(byValue))
    findings.equal(`${where}: the tab of head ${place}`, numbers(text), [place + 1])
    findings.equal(`${where}: head ${place} is chosen`, checked, place === chosen)
  }

  if (memory === undefined) return
  const [n, k] = [oracle.problem.tokens.length, oracle.headDim]
  const shapes = [[n, d], [h, n, k]]
  const strides = [[d, 1], [k, d, 1]]
  // Stop 8 tells it the other way round: from heads to the whole.
  const order = numbers(memory[0] ?? '').length === 2 ? [0, 1] : [1, 0]
  findings.equal(`${where}: shapes and strides`, memory.map(numbers), [...order.map((i) => shapes[i]), ...order.map((i) => strides[i])])
  findings.equal(`${where}: bytes moved`, moved, '0')
}

const byValue = (a: number, b: number): number => a - b

function checkMap(heading: Heading, oracle: Oracle, shown: readonly number[], where: string, findings: Findings): void {
  const { tensor, head, rows, name, symbol, dims, tabs } = heading
  const map = `${where}, map of ${tensor}${head === undefined ? '' : ` head ${head}`}`
  // Where only the open page of heads is drawn, the title still is that of the whole matrix.
  const columns = shown.length < oracle.problem.heads && /^(w_)?[qkv]$/.test(tensor) ? oracle.problem.dModel : heading.columns
  findings.equal(`${map}: its name “${name}” says head, rows, columns`, numbers(name), [...(head === undefined ? [] : [head + 1]), rows, columns])
  if (dims !== undefined) findings.equal(`${map}: its size`, numbers(dims), [rows, columns])
  if (symbol !== undefined) {
    const letter = `${letterOf(tensor)}${isPerHead(tensor) ? (head ?? 0) + 1 : ''}`
    findings.note(`${map}: its title`, symbol === letter || symbol === `${letter}T` ? '' : `is “${symbol}”, not ${letter}`)
  }
  const tabbed = tabs.map((tab) => (numbers(tab)[0] ?? 0) - 1)
  if (head !== undefined && tabs.length > 0) findings.equal(`${map}: its tab`, tabbed, [head])
  // A map of all heads: tabs too narrow for a number have none, the others stand in order.
  const known = tabbed.every((one, i) => (i === 0 || one > tabbed[i - 1]!) && (tensor === 'concat' || shown.includes(one)))
  findings.note(`${map}: its tabs`, known ? '' : `are ${tabs.join(', ')}`)
}
