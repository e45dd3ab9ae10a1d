// The lesson without a mouse: the whole walk, choosing and explaining a cell, and a focus that is seen and never caught.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkInspector, readInspector } from './support/explanations'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { stand as standIn, readGrids, readLive } from './support/maps'
import { Findings } from './support/numbers'
import { ask } from './support/oracle'
import { lesson as lessonProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('keyboard')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open('', { lang: 'en' })
})
afterAll(() => stand.fall())

/** What has the focus, and whether a reader can see that. */
interface Focus {
  /** a path of places, the same for the same element */
  key: string
  name: string
  visible: boolean
  inView: boolean
}

const focus = (): Promise<Focus> =>
  lesson.page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return { key: '', name: 'body', visible: true, inView: true }
    const path: number[] = []
    for (let at: Element | null = element; at?.parentElement; at = at.parentElement) path.push([...at.parentElement.children].indexOf(at))
    // Radio buttons are shown by their label.
    const shows = element.matches('.unseen') ? (element.closest('label') ?? element) : element
    const ringed = [shows, element].some((one) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5) || boxShadow !== 'none'
    })
    const { top, bottom, left, right, width, height } = shows.getBoundingClientRect()
    return {
      key: path.join('.'),
      name: `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}”`,
      visible: element.matches(':focus-visible') && ringed,
      inView: width > 0 && height > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    }
  })

/** The place, among all maps, of the one whose live cell has the focus; −1: it is not in a map. */
const gridInFocus = (): Promise<number> =>
  lesson.page.evaluate(() => {
    const cell = document.activeElement
    const grids = [...document.querySelectorAll('[data-testid="grid"]')]
    return cell?.matches('[data-testid="cell"]') ? grids.findIndex((grid) => grid.contains(cell)) : -1
  })

/** Pins the cell in focus again and follows its first operand: what has the focus then, and what must have it. */
async function followFirst(stop: number): Promise<[has: string, must: string]> {
  await lesson.page.press('Enter')
  await lesson.settled()
  const there = await lesson.page.evaluate((which) => {
    const operand = document.querySelector<HTMLElement>(which)
    operand?.focus()
    return operand !== null
  }, id('operand'))
  if (there) await lesson.page.press('Enter')
  await lesson.settled()
  const has = await lesson.page.evaluate(() => document.activeElement?.id || (document.activeElement as HTMLElement | null)?.dataset.testid || 'body')
  if (!there) return [has, 'cell']
  return [has, (await lesson.stop()) === stop ? 'inspector' : 'page-title']
}

describe('the walk', () => {
  test('arrows, Home and End move through the stops, and are said', async () => {
    await lesson.visit('?lang=en')
    for (let stop = 1; stop <= lastStop; stop += 1) {
      await lesson.page.press('ArrowRight')
      await lesson.settled()
      expect(await lesson.stop()).toBe(stop)
      expect(await lesson.text(id('announced'))).toContain(`Step ${stop}`)
    }
    await lesson.page.press('ArrowRight')
    expect(await lesson.stop()).toBe(lastStop)
    await lesson.page.press('ArrowLeft')
    expect(await lesson.stop()).toBe(lastStop - 1)
    await lesson.page.press('Home')
    expect(await lesson.stop()).toBe(0)
    await lesson.page.press('ArrowLeft')
    expect(await lesson.stop()).toBe(0)
    await lesson.page.press('End')
    expect(await lesson.stop()).toBe(lastStop)
  })

  test('digits and brackets choose heads', async () => {
    const problem = { ...lessonProblem('en'), dModel: 24, heads: 12, tokens: ['a', 'b', 'a'] }
    const oracle = await ask(problem)
    await lesson.visitProblem(problem, { stop: 6 })
    const presses: readonly [string, number][] = [['3', 2], ['8', 7], [']', 8], [']', 9], ['[', 8], ['1', 0], ['[', 0]]
    for (const [key, chosen] of presses) {
      await lesson.page.press(key)
      await lesson.settled()
      expect(await lesson.exists(`${id('head')}[data-head="${chosen}"][aria-checked="true"]`), `after ${key}`).toBe(true)
    }
    await checkStop(lesson, 6, oracle, random, { chosen: 0, samples: 1 })
  })

  test('pins, explains, follows and unpins a cell at every stop', async () => {
    const problem = lessonProblem('en')
    const oracle = await ask(problem)
    const findings = new Findings()
    await lesson.visitProblem(problem)
    for (let stop = 0; stop <= lastStop; stop += 1) {
      const grids = await readGrids(lesson.page)
      const { order, tensor } = random.pick(grids)
      await standIn(lesson.page, order)
      await lesson.page.press('Control+Home')
      await lesson.page.press('ArrowDown')
      await lesson.page.press(' ')
      await lesson.settled()
      const shown = await readInspector(lesson.page)
      const [name = '', ...index] = shown.cell.split('.')
      findings.equal(`stop ${stop}: the pinned tensor`, name, tensor)
      checkInspector(shown, { tensor: name, index: index.map(Number) }, oracle, `stop ${stop}`, findings)
      findings.equal(`stop ${stop}: the live cell`, (await readLive(lesson.page, order)).row, 1)
      findings.equal(`stop ${stop}: the focus after pinning`, await gridInFocus(), order)
      await lesson.page.press('Escape')
      await lesson.settled()
      findings.equal(`stop ${stop}: after Esc`, (await readInspector(lesson.page)).cell, '')
      findings.equal(`stop ${stop}: the focus after Esc`, await gridInFocus(), order)
      findings.equal(`stop ${stop}: the focus after following`, ...(await followFirst(stop)))
      await lesson.visitProblem(problem, { stop })
      if (stop < lastStop) await lesson.page.press('ArrowRight')
      await lesson.settled()
      findings.equal(`after stop ${stop}`, await lesson.stop(), Math.min(stop + 1, lastStop))
    }
    findings.conclude('keyboard')
  })

  test('the skip link leads past the controls', async () => {
    await lesson.visit('?lang=en')
    await lesson.page.press('Tab')
    expect((await focus()).name).toContain('Skip')
    await lesson.page.press('Enter')
    await lesson.page.waitUntil('the title has the focus', () => document.activeElement?.id === 'page-title')
  })
})

describe('Tab', () => {
  // A page of its own for each: the focus that has left for the browser's window may not come back as it was.
  beforeEach(async () => {
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
    lesson = await stand.open('', { lang: 'en' })
  })

  test.each([
    ['at the start', '?lang=en'],
    ['with settings and an explanation open', '?lang=en&stop=9&pin=output.1.2'],
    ['at the article’s size', '?lang=en&dModel=512&heads=8&stop=2'],
  ])('visits everything once, visibly, and comes out again: %s', async (what, search) => {
    await lesson.visit(search)
    if (what.includes('settings')) {
      await lesson.page.click(id('settings'))
      await lesson.page.evaluate(() => (document.activeElement as HTMLElement).blur())
      await lesson.visit(search)
      await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id('settings'))
    }
    const seen: Focus[] = []
    let out = false
    for (let presses = 0; presses < 250 && !out; presses += 1) {
      await lesson.page.press('Tab')
      const now = await focus()
      // Behind the last element some browsers go on in their own window, where a page does not see its focus leave at once.
      out = now.key === '' || now.key === seen[0]?.key || now.key === seen.at(-1)?.key
      if (!out) seen.push(now)
    }
    expect(out, `caught after ${seen.at(-1)?.name}`).toBe(true)
    expect(seen.at(-1)?.name, 'the last to have the focus').toContain('Next')
    expect(new Set(seen.map(({ key }) => key)).size).toBe(seen.length)
    expect(seen.filter(({ visible }) => !visible).map(({ name }) => name), 'focus that nobody sees').toEqual([])
    expect(seen.filter(({ inView }) => !inView).map(({ name }) => name), 'focus out of sight').toEqual([])
    const names = seen.map(({ name }) => name).join('\n')
    for (const part of ['Skip', 'Next', '中文']) expect(names).toContain(part)
    const grids = await readGrids(lesson.page)
    expect(seen.length).toBeGreaterThan(grids.length + 6)

    // And back the same way.
    await lesson.page.evaluate(() => document.querySelector<HTMLElement>('[data-testid="next"]')!.focus())
    const from = await focus()
    await lesson.page.press('Shift+Tab')
    expect((await focus()).key).not.toBe(from.key)
    await lesson.page.press('Tab')
    expect((await focus()).key).toBe(from.key)
  })
})

describe('keys of the walk are left alone', () => {
  test.each(['ArrowRight', 'ArrowLeft', 'Home', 'End', '1', '2', '[', ']', 'Escape'])('%s in a text field', async (key) => {
    await lesson.visit('?lang=en&stop=5&head=1&pin=masked_scores.1.2.3')
    await lesson.page.click(id('sentence'))
    await lesson.page.press(key)
    expect(await lesson.stop()).toBe(5)
    expect(await lesson.exists(`${id('head')}[data-head="1"][aria-checked="true"]`)).toBe(true)
    expect(await lesson.exists(`${id('inspector')}[data-cell]`)).toBe(true)
  })

  test('while an input method is at work', async () => {
    const { compose } = lesson.page
    if (compose === undefined) return
    await lesson.visit('?lang=en&stop=5')
    await lesson.page.click(id('sentence'))
    await compose(['n', 'ni'], null)
    await lesson.page.press('ArrowRight')
    expect(await lesson.stop()).toBe(5)
    await compose([], '你')
  })

  test.each(['Control+ArrowRight', 'Alt+2', 'Meta+ArrowRight'])('%s belongs to the browser', async (key) => {
    await lesson.visit('?lang=en&stop=5')
    await lesson.page.press(key)
    expect(await lesson.stop()).toBe(5)
    expect(await lesson.exists(`${id('head')}[data-head="0"][aria-checked="true"]`)).toBe(true)
  })
})

test('nothing complained', () => expect(lesson.page.complaints).toEqual([]))
