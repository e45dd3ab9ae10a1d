// Everything a stop shows, compared with the oracle: as tables, as pictures, head by head.
import { checkHeadings } from './headings'
import type { Lesson } from './lesson'
import { checkGrid, checkRandomCell, readGrids } from './maps'
import { Findings } from './numbers'
import type { Oracle } from './oracle'
import type { Random } from './random'
import { checkTable, readTables } from './tables'

interface Sheet {
  tensor: string
  /** whose: the chosen head's, every shown head's, or no head's */
  of?: 'chosen' | 'shown'
}

/** What each stop must show, whatever else it may. */
function sheetsOf(stop: number, oracle: Oracle, role: string): Sheet[] {
  const stops: Sheet[][] = [
    [{ tensor: 'x' }, { tensor: 'token_vectors' }, ...(oracle.problem.positions ? [{ tensor: 'positions' }] : [])],
    [{ tensor: 'x' }, { tensor: `w_${role}` }, { tensor: role }],
    [{ tensor: `${role}_heads`, of: 'shown' }],
    [{ tensor: 'raw_scores', of: 'chosen' }, { tensor: 'q_heads', of: 'chosen' }, { tensor: 'k_heads', of: 'chosen' }],
    [{ tensor: 'raw_scores', of: 'chosen' }, { tensor: 'scaled_scores', of: 'chosen' }],
    [{ tensor: 'scaled_scores', of: 'chosen' }, { tensor: 'masked_scores', of: 'chosen' }],
    [{ tensor: 'masked_scores', of: 'chosen' }, { tensor: 'weights', of: 'chosen' }],
    [{ tensor: 'weights', of: 'chosen' }, { tensor: 'v_heads', of: 'chosen' }, { tensor: 'heads', of: 'chosen' }],
    [{ tensor: 'concat' }],
    [{ tensor: 'heads', of: 'shown' }, { tensor: 'w_o' }, { tensor: 'contributions', of: 'shown' }, { tensor: 'output' }],
    [{ tensor: 'output' }],
  ]
  return stops[stop] ?? []
}

/** Stops at which the chosen head decides what is on show. */
export const headStops: readonly number[] = [3, 4, 5, 6, 7]

/** Up to so many heads stand together; at ×W_O, where each has a lane, fewer. */
const togetherAt = (stop: number): number => (stop === 9 ? 8 : 16)

/** The page of heads that is open: all of them, or 8 at a time. */
function shownHeads({ problem: { heads } }: Oracle, chosen: number, together = 16): number[] {
  if (heads <= together) return Array.from({ length: heads }, (_, i) => i)
  const first = Math.floor(chosen / 8) * 8
  return Array.from({ length: Math.min(8, heads - first) }, (_, i) => first + i)
}

const named = (tensor: string, head?: number): string => (head === undefined ? tensor : `${tensor} of head ${head}`)

function expectedSheets(stop: number, oracle: Oracle, chosen: number, role: string): string[] {
  return sheetsOf(stop, oracle, role).flatMap(({ tensor, of }) => {
    if (of === 'chosen') return [named(tensor, chosen)]
    return of === 'shown' ? shownHeads(oracle, chosen, togetherAt(stop)).map((head) => named(tensor, head)) : [named(tensor)]
  })
}

export interface Look {
  chosen: number
  /** the projection that stops 1 and 2 look at */
  role?: 'q' | 'k' | 'v'
  /** cells, of any map, that the keyboard and the pointer go to */
  samples: number
}

/** Checks the stop that is open. */
export async function checkStop(lesson: Lesson, stop: number, oracle: Oracle, random: Random, look: Look): Promise<number> {
  const findings = new Findings()
  const where = `stop ${stop}`
  const wanted = expectedSheets(stop, oracle, look.chosen, look.role ?? 'q')
  findings.equal(`${where}: the open stop`, await lesson.stop(), stop)
  await checkHeadings(lesson, oracle, look.chosen, shownHeads(oracle, look.chosen), where, findings)
  await checkPictures(lesson, oracle, random, look.samples, wanted, where, findings)
  await checkTables(lesson, oracle, wanted, shownHeads(oracle, look.chosen, togetherAt(stop)).length, where, findings)
  findings.conclude(`${where}, head ${look.chosen}`)
  return findings.checked
}

async function checkPictures(
  lesson: Lesson, oracle: Oracle, random: Random, samples: number, wanted: readonly string[], where: string, findings: Findings,
): Promise<void> {
  const grids = await readGrids(lesson.page)
  const shown = new Set(grids.map(({ tensor, head }) => named(tensor, head)))
  for (const name of wanted) findings.note(`${where}: picture of ${name}`, shown.has(name) ? '' : 'is missing')
  const placed = grids.flatMap((grid) => {
    const places = checkGrid(grid, oracle, where, findings)
    return places === undefined ? [] : [{ grid, places }]
  })
  for (let i = 0; i < samples && placed.length > 0; i += 1) {
    const { grid, places } = random.pick(placed)
    await checkRandomCell(lesson.page, grid, places, oracle, random, where, findings)
  }
}

/** Every sheet of the table view; the sheets wanted must be complete. */
async function checkTables(lesson: Lesson, oracle: Oracle, wanted: readonly string[], heads: number, where: string, findings: Findings): Promise<void> {
  const seen = new Map<string, Set<string>>()
  for (const table of await readTables(lesson.page)) {
    checkTable(table, oracle, where, findings)
    const name = named(table.tensor, table.head)
    const cells = table.rows.flatMap((row) => row.cells.map(({ cell }) => cell))
    seen.set(name, new Set([...(seen.get(name) ?? []), ...cells]))
  }
  for (const name of wanted) {
    const [tensor = ''] = name.split(' ')
    const whole = oracle.shape(tensor).slice(-2).reduce((a, b) => a * b)
    // W_O comes in row blocks, one per shown head.
    const share = tensor === 'w_o' ? heads / oracle.problem.heads : 1
    findings.equal(`${where}: numbers in the table of ${name}`, seen.get(name)?.size ?? 0, whole * share)
  }
}
