// Predict, then see: a question in front of stops 2, 8 and 9, answered in the figure by mouse or keyboard, skipped, turned off;
// whatever is answered, everything on show afterwards is right, and Next never waits.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lesson, Stand, test as id } from './support/lesson'
import { stand as standIn } from './support/maps'
import { Findings } from './support/numbers'
import { ask } from './support/oracle'
import { type Problem, lesson as lessonProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('predict')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open('', { reducedMotion: false })
})
afterAll(() => stand.fall())

const problem: Problem = { ...lessonProblem(random.pick(['zh', 'en'])), dModel: 12, heads: 3, seed: random.whole(0, 1e6) }
const k = problem.dModel / problem.heads
const look = { chosen: 0, samples: 1 }

/** Walks to a stop by Next, and waits until the figure rests. */
async function arrive(at: Lesson, stop: number, of = problem): Promise<void> {
  await at.visitProblem(of, { predict: 1, stop: stop - 1 })
  await at.next()
  await rest(at)
}

const rest = (at: Lesson): Promise<void> => at.page.waitUntil('the figure rests', () => document.querySelector('.stage.moving') === null)

interface Asked {
  stop: string | undefined
  head: number
  answered: boolean
  line: string
}

const asked = (at: Lesson): Promise<Asked> =>
  at.page.evaluate(() => {
    const question = document.querySelector<HTMLElement>('[data-testid="question"]')!
    const { stop, head, answered } = question.dataset
    return { stop, head: Number(head), answered: answered === 'true', line: (question.textContent ?? '').replace(/\s+/gu, ' ').trim() }
  })

/** The middle of a column of the only map. */
async function clickColumn(at: Lesson, column: number, columns: number): Promise<void> {
  const point = await at.page.evaluate(
    ({ share }) => {
      const grid = document.querySelector<HTMLElement>('[data-testid="grid"]')!
      grid.scrollIntoView({ block: 'center' })
      const { left, top, width, height } = grid.getBoundingClientRect()
      return { x: left + width * share, y: top + height * 0.3 }
    },
    { share: (column + 0.5) / columns },
  )
  await at.page.click(point)
}

const count = (selector: string): Promise<number> => lesson.page.evaluate((which) => document.querySelectorAll(which).length, selector)

test('someone who arrives by a link sees the ordinary figure, and may ask to be asked', async () => {
  await lesson.visitProblem(problem, { predict: 1, stop: 2 })
  expect((await asked(lesson)).line).toBe('')
  await checkStop(lesson, 2, await ask(problem), random, look)
  await lesson.clickOne(id('guess'))
  await rest(lesson)
  expect((await asked(lesson)).stop).toBe('split')
  expect(await count(id('grid'))).toBe(1)
})

test('split: a right and a wrong column, by mouse; then all numbers are right', async () => {
  const oracle = await ask(problem)
  for (const isRight of [true, false]) {
    await arrive(lesson, 2)
    const { stop, head, line } = await asked(lesson)
    expect([stop, line.includes(String(head + 1))]).toEqual(['split', true])
    expect(await lesson.exists(`${id('grid')}[data-tensor="q"][data-columns="12"]`)).toBe(true)
    const owner = isRight ? head : (head + 1) % problem.heads
    const column = owner * k + random.whole(0, k - 1)
    await clickColumn(lesson, column, problem.dModel)
    await rest(lesson)
    const { answered, line: answer } = await asked(lesson)
    expect(answered).toBe(true)
    expect(/^(对|Right)/u.test(answer), answer).toBe(isRight)
    for (const number of [column, owner + 1, head * k, head * k + k - 1]) expect(answer).toContain(String(number))
    expect(await lesson.exists(`${id('inspector')}[data-cell]`), 'nothing is pinned').toBe(false)
    await checkStop(lesson, 2, oracle, random, look)
  }
  // Now a cell is a cell again.
  await lesson.clickOne(id('grid'))
  expect(await lesson.exists(`${id('inspector')}[data-cell^="q_heads"]`)).toBe(true)
  expect(lesson.page.complaints).toEqual([])
})

test('concat: by the keyboard, and asked again about another head', async () => {
  await arrive(lesson, 8)
  const { head, stop } = await asked(lesson)
  expect(stop).toBe('concat')
  await standIn(lesson.page, 0)
  await lesson.page.press('Control+Home')
  const column = random.whole(0, problem.dModel - 1)
  for (let i = 0; i < column; i += 1) await lesson.page.press('ArrowRight')
  await lesson.page.press('Enter')
  await rest(lesson)
  const answer = await asked(lesson)
  expect(/^(对|Right)/u.test(answer.line), answer.line).toBe(Math.floor(column / k) === head)
  expect(await lesson.page.evaluate(() => (document.activeElement as HTMLElement).dataset.testid)).toBe('cell')
  await checkStop(lesson, 8, await ask(problem), random, look)
  await lesson.clickOne(id('question-again'))
  await rest(lesson)
  const again = await asked(lesson)
  expect([again.stop, again.answered, again.head === head]).toEqual(['concat', false, false])
})

test('split by the keyboard: the focus stays in the figure', async () => {
  await arrive(lesson, 2)
  await standIn(lesson.page, 0)
  await lesson.page.press('Control+End')
  await lesson.page.press('Enter')
  await rest(lesson)
  expect((await asked(lesson)).answered).toBe(true)
  const place = await lesson.page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-testid="grid"]')?.dataset.head)
  expect(place).toBe(String(problem.heads - 1))
})

test('W_O: the head is really off, what changed is what the oracle says, and one button turns it on again', async () => {
  const on = await ask(problem)
  for (const [tensor, isRight] of [['output', true], ['w_o', false]] as const) {
    await arrive(lesson, 9)
    const { head, stop } = await asked(lesson)
    expect(stop).toBe('output')
    await lesson.clickOne(`${id('grid')}[data-tensor="${tensor}"]`)
    await lesson.page.waitUntil('it is said what changed', (which) => document.querySelector(which) !== null, id('change'))
    const off = await ask({ ...problem, out: [head] })
    const { line } = await asked(lesson)
    expect(/^(对|Right)/u.test(line), line).toBe(isRight)
    await lesson.addressSays('out', String(head))

    const shown = await lesson.page.evaluate(() => {
      const change = document.querySelector<HTMLElement>('[data-testid="change"]')!
      const largest = document.querySelector<HTMLElement>('[data-testid="largest"]')!
      const { row, column } = largest.dataset
      const values = [...largest.querySelectorAll<HTMLElement>('[data-value]')]
      return {
        changed: Number(change.dataset.changed), total: Number(change.dataset.total), place: [Number(row), Number(column)],
        full: values.map(({ dataset }) => dataset.value), printed: values.map(({ textContent }) => textContent ?? ''),
      }
    })
    const total = problem.tokens.length * problem.dModel
    const surely = Array.from({ length: total }, (_, i) => [Math.floor(i / problem.dModel), i % problem.dModel]).filter((index) => {
      const [was, is] = [on.cell('output', index), off.cell('output', index)]
      return Math.abs(was.value - is.value) > was.tolerance + is.tolerance
    }).length
    expect(shown.total).toBe(total)
    expect(shown.changed).toBeGreaterThanOrEqual(surely)
    expect(shown.changed).toBeLessThanOrEqual(total)
    expect(surely).toBeGreaterThan(total / 2)
    const findings = new Findings()
    const expected = [on.cell('contributions', [head, ...shown.place]), on.cell('output', shown.place), off.cell('output', shown.place)]
    expected.forEach((one, i) => {
      findings.number(`the largest, ${i}`, shown.full[i], one)
      findings.number(`the largest as printed, ${i}`, shown.printed[i], one, 'printed')
    })
    findings.conclude('what changed')
    await checkStop(lesson, 9, off, random, look)
    await lesson.clickOne(id('question-undo'))
    await lesson.addressSays('out', null)
    await checkStop(lesson, 9, on, random, look)
  }
})

test('W_O: whoever walks on with the head off has it back', async () => {
  await arrive(lesson, 9)
  await lesson.clickOne(`${id('grid')}[data-tensor="output"]`)
  await lesson.next()
  await lesson.addressSays('out', null)
  await lesson.settled()
  await rest(lesson)
  await checkStop(lesson, 10, await ask(problem), random, look)
})

test('W_O: whoever switches heads after the answer has them that way, on and back', async () => {
  await arrive(lesson, 9)
  const { head } = await asked(lesson)
  const other = (head + 1) % problem.heads
  await lesson.clickOne(`${id('grid')}[data-tensor="output"]`)
  await lesson.addressSays('out', String(head))
  await lesson.clickOne(`${id('switch')}[data-head="${other}"]`)
  const out = [head, other].sort((a, b) => a - b)
  await lesson.addressSays('out', out.join(','))
  await lesson.next()
  await rest(lesson)
  await lesson.addressSays('out', out.join(','))
  await lesson.click('back')
  await rest(lesson)
  await lesson.addressSays('out', out.join(','))
  await checkStop(lesson, 9, await ask({ ...problem, out }), random, look)
})

test('Next never waits: it opens what is closed, then goes on; what is shown elsewhere is what it must be', async () => {
  const oracle = await ask(problem)
  await lesson.visitProblem(problem, { predict: 1 })
  for (let stop = 1; stop <= 10; stop += 1) {
    await lesson.next()
    expect(await lesson.stop()).toBe(stop)
    expect((await asked(lesson)).stop !== undefined).toBe([2, 8, 9].includes(stop))
    if (stop !== 2 && stop !== 8) continue
    // The closed figure opens first, so that nobody walks past it.
    await lesson.next()
    expect([await lesson.stop(), (await asked(lesson)).line]).toEqual([stop, ''])
  }
  await rest(lesson)
  await checkStop(lesson, 10, oracle, random, look)
  // Once per visit, and never on the way back.
  for (const stop of [9, 8, 7]) {
    await lesson.click('back')
    expect((await asked(lesson)).line).toBe('')
    await rest(lesson)
    if (stop !== 7) await checkStop(lesson, stop, oracle, random, look)
  }
  await lesson.next()
  expect((await asked(lesson)).line).toBe('')
})

test('skipped, the figure opens; “don’t ask” goes into the address', async () => {
  const oracle = await ask(problem)
  await arrive(lesson, 2)
  await lesson.click('question-skip')
  await rest(lesson)
  expect((await asked(lesson)).line).toBe('')
  await checkStop(lesson, 2, oracle, random, look)
  await arrive(lesson, 8)
  await lesson.click('question-never')
  await lesson.addressSays('predict', '0')
  await lesson.next()
  expect((await asked(lesson)).line).toBe('')
})

test('not by a teacher’s link, with one head, while it plays, or where no motion is wanted', async () => {
  await lesson.visitProblem(problem, { predict: 0, stop: 1 })
  await lesson.next()
  expect((await asked(lesson)).line).toBe('')
  await arrive(lesson, 2, { ...problem, heads: 1 })
  expect((await asked(lesson)).line).toBe('')
  expect(await lesson.exists(id('guess'))).toBe(false)
  await lesson.visitProblem(problem, { predict: 1, stop: 1 })
  await lesson.page.click(id('play'))
  await lesson.page.waitUntil('stop 2 is reached', () => document.querySelector<HTMLElement>('[data-testid="main"]')?.dataset.place === '2')
  expect((await asked(lesson)).line).toBe('')
  const still = await stand.open('', { reducedMotion: true })
  await arrive(still, 2)
  expect((await asked(still)).line).toBe('')
  await still.clickOne(id('guess'))
  await clickColumn(still, 1, problem.dModel)
  await still.settled()
  expect((await asked(still)).answered).toBe(true)
  await checkStop(still, 2, await ask(problem), random, look)
  await still.close()
})

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

test.each([['zh', 'light'], ['en', 'dark']] as const)('a phone, %s, %s: nothing sticks out, no rule is broken, and questions unfold at every stop', async (lang, theme) => {
  const phone = await stand.open('', { width: 390, height: 844, theme, reducedMotion: false })
  const small = { ...problem, lang, tokens: lessonProblem(lang).tokens, dModel: 8, heads: 2 }
  await phone.page.goto('about:blank')
  const found: string[] = []
  const look = async (where: string): Promise<void> => {
    await rest(phone)
    await phone.page.run(axe)
    found.push(
      ...(await phone.page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: { run(on: Document): Promise<{ violations: { id: string; nodes: { target: unknown }[] }[] }> } }).axe.run(document)
        const wide = document.documentElement.scrollWidth > innerWidth ? ['sticks out'] : []
        return [...wide, ...violations.map(({ id: rule, nodes }) => `${rule} at ${String(nodes[0]?.target)}`)]
      })).map((fault) => `${where}: ${fault}`),
    )
  }
  for (const stop of [2, 8, 9]) {
    await arrive(phone, stop, small)
    await look(`stop ${stop}, asked`)
    await phone.clickOne(`${id('grid')}${stop === 9 ? '[data-tensor="output"]' : ''}`)
    expect((await asked(phone)).answered, `stop ${stop}`).toBe(true)
    const top = await phone.page.evaluate((which) => document.querySelector(which)!.getBoundingClientRect().top, id('question'))
    expect(top, 'the answer is in sight').toBeGreaterThanOrEqual(-1)
    await look(`stop ${stop}, answered`)
  }
  expect(found).toEqual([])
  for (let stop = 1; stop <= 10; stop += 1) {
    await phone.visitProblem(small, { stop })
    await phone.clickOne(`${id('often-asked')} summary`)
    const text = await phone.text(id('often-asked'))
    expect(text, `stop ${stop}`).not.toMatch(/undefined|NaN|\$|\*/u)
    expect(text.length).toBeGreaterThan(40)
  }
  await look('often asked')
  expect(found).toEqual([])
  expect(phone.page.complaints).toEqual([])
  await phone.close()
})
