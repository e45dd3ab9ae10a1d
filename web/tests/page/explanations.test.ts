// Pinning cells at every stop, by the pointer and by Enter: where each number comes from, against the oracle.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cell, checkInspector, parseCell, readInspector } from './support/explanations'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { type Grid, type Places, checkGrid, goSomewhere, readGrids, readLive } from './support/maps'
import { Findings } from './support/numbers'
import { type Oracle, ask } from './support/oracle'
import { type Problem, describeProblem, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'

const quick = process.env.QUICK === '1'
const random = new Random('explanations')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

/** Few terms: each product on its own. Many: the largest, the rest, the sum. */
const small: Problem = { ...randomProblem(random), tokens: ['她', 'cake', '她', '𠮷', '🎂'], padding: random.whole(0, 2), dModel: 6, heads: 3, causal: true, out: [2] }
const wide: Problem = { ...randomProblem(random, { tokens: 12 }), dModel: 48, heads: random.pick([2, 4]), out: [] }

/** A map and what stands where in it; cells of less than a few pixels are no target. */
async function someMap(lesson: Lesson, oracle: Oracle, where: string, findings: Findings): Promise<{ grid: Grid; places: Places }> {
  const grids = (await readGrids(lesson.page)).filter(({ cellWidth, cellHeight }) => cellWidth >= 4 && cellHeight >= 4)
  const grid = random.pick(grids)
  const places = checkGrid(grid, oracle, where, findings)
  if (places === undefined) throw new Error(`${where}: nobody knows what stands in the map of ${grid.tensor}`)
  return { grid, places }
}

async function pinSomething(lesson: Lesson, oracle: Oracle, how: 'Enter' | 'click', where: string, findings: Findings): Promise<Cell> {
  const { grid, places } = await someMap(lesson, oracle, where, findings)
  const { row, column } = await goSomewhere(lesson.page, grid, random)
  if (how === 'Enter') await lesson.page.press('Enter')
  else await lesson.page.click((await readLive(lesson.page, grid.order)).box)
  await lesson.settled()
  return { tensor: grid.tensor, index: places(row, column) }
}

async function checkPinned(lesson: Lesson, cell: Cell, oracle: Oracle, where: string, findings: Findings): Promise<void> {
  await lesson.addressSays('pin', [cell.tensor, ...cell.index].join('.'))
  checkInspector(await readInspector(lesson.page), cell, oracle, where, findings)
  const grids = await readGrids(lesson.page)
  findings.note(`${where}: a map of ${cell.tensor}`, grids.some(({ tensor }) => tensor === cell.tensor) ? '' : 'is not on the screen')
}

/** Presses one of the operands: it becomes the pinned cell, at a stop that shows it. */
async function follow(lesson: Lesson, oracle: Oracle, where: string, findings: Findings): Promise<void> {
  const operands = `${id('inspector')} :not(details *) > ${id('operand')}`
  const cells = await lesson.page.evaluate((which) => [...document.querySelectorAll<HTMLElement>(which)].map(({ dataset }) => dataset.cell ?? ''), operands)
  if (cells.length === 0) return
  const order = random.whole(0, cells.length - 1)
  await lesson.clickOne(operands, order)
  await checkPinned(lesson, parseCell(cells[order]!), oracle, `${where}, followed to ${cells[order]}`, findings)
}

describe.each(quick ? [small] : [small, wide])('problem %#', (problem) => {
  test(`explains cells at every stop: ${describeProblem(problem)}`, async () => {
    const oracle = await ask(problem)
    const lesson = await stand.open()
    const findings = new Findings()
    for (let stop = 0; stop <= lastStop; stop += quick ? 3 : 1) {
      await lesson.visitProblem(problem, { stop })
      for (const how of ['click', 'Enter'] as const) {
        const where = `stop ${stop} by ${how}`
        const cell = await pinSomething(lesson, oracle, how, where, findings)
        await checkPinned(lesson, cell, oracle, where, findings)
      }
      await follow(lesson, oracle, `stop ${stop}`, findings)
    }
    findings.conclude('explanations')
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test('more than 16 heads: those on other pages stand in the sum as one number', async () => {
  const heads = random.whole(17, 21)
  const problem = { ...wide, heads, dModel: 2 * heads, out: random.some(Array.from({ length: heads }, (_, i) => i), 0.2) }
  const oracle = await ask(problem)
  const lesson = await stand.open()
  const findings = new Findings()
  for (const head of [0, heads - 1]) {
    const cell = { tensor: 'output', index: [random.whole(0, problem.tokens.length - 1), random.whole(0, problem.dModel - 1)] }
    await lesson.visitProblem(problem, { stop: 9, head, pin: [cell.tensor, ...cell.index].join('.') })
    await checkPinned(lesson, cell, oracle, `from head ${head}`, findings)
  }
  findings.conclude('contributions of many heads')
  await lesson.close()
})

test('Esc and the button take the pin away', async () => {
  const lesson = await stand.open()
  for (const remove of [() => lesson.page.press('Escape'), () => lesson.page.click(id('unpin'))]) {
    await lesson.visit('?stop=6&pin=weights.1.6.4')
    expect(await lesson.exists(`${id('inspector')}[data-cell]`)).toBe(true)
    await remove()
    await lesson.settled()
    expect(await lesson.exists(`${id('inspector')}[data-cell]`)).toBe(false)
    await lesson.addressSays('pin', null)
  }
  await lesson.close()
})

test('a pinned pair of tokens stays with the reader from score to weight and back', async () => {
  const problem = { ...small, out: [] }
  const oracle = await ask(problem)
  const lesson = await stand.open()
  const findings = new Findings()
  const index = [1, problem.tokens.length - 1, 0]
  await lesson.visitProblem(problem, { stop: 3, head: 1, pin: ['raw_scores', ...index].join('.') })
  await checkPinned(lesson, { tensor: 'raw_scores', index }, oracle, 'at first', findings)
  for (const tensor of ['scaled_scores', 'masked_scores', 'weights']) {
    await lesson.next()
    await checkPinned(lesson, { tensor, index }, oracle, `carried to ${tensor}`, findings)
  }
  await lesson.chooseHead(0)
  await checkPinned(lesson, { tensor: 'weights', index: [0, ...index.slice(1)] }, oracle, 'another head', findings)
  findings.conclude('carrying a pin')
  await lesson.close()
})
