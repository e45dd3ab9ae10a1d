// In front of a room: one figure and one sentence on one screen, large enough for the back row, turned by a clicker.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { checkGrid, checkRandomCell, readGrids } from './support/maps'
import { Findings } from './support/numbers'
import { ask } from './support/oracle'
import { lesson as lessonProblem, query } from './support/problem'
import { Random, runSeed } from './support/random'

const random = new Random('projector')
console.log(`TEST_SEED=${runSeed}`)
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

/** What the back row could not read, or would have to scroll for. */
const faults = (lesson: Lesson): Promise<string[]> =>
  lesson.page.evaluate(() => {
    const found: string[] = []
    const root = document.scrollingElement!
    if (root.scrollHeight > window.innerHeight) found.push(`${root.scrollHeight} px high in ${window.innerHeight}`)
    if (root.scrollWidth > window.innerWidth) found.push(`${root.scrollWidth} px wide in ${window.innerWidth}`)
    const stage = document.querySelector('figure .stage')!
    if (stage.scrollWidth > stage.clientWidth) found.push('the figure scrolls')
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement!
      const unread = parent.closest('.unseen, .skip, sub, sup, script, style, noscript') !== null || (node.textContent ?? '').trim() === ''
      if (unread || !parent.checkVisibility()) continue
      const size = parseFloat(getComputedStyle(parent).fontSize)
      if (size < 24) found.push(`${size} px: “${node.textContent!.trim().slice(0, 20)}”`)
    }
    for (const canvas of document.querySelectorAll('canvas')) {
      for (const { fontPx } of window.writtenOn(canvas)) if (fontPx < 24) found.push(`${fontPx} px on a canvas`)
    }
    for (const which of ['back', 'next', 'leave-projector']) {
      const { width, height } = document.querySelector(`[data-testid="${which}"]`)!.getBoundingClientRect()
      if (width < 56 || height < 56) found.push(`${which} is ${width} × ${height}`)
    }
    return [...new Set(found)]
  })

const count = (lesson: Lesson, selector: string): Promise<number> => lesson.page.evaluate((which) => document.querySelectorAll(which).length, selector)

const press = async (lesson: Lesson, key: string): Promise<number> => {
  await lesson.page.press(key)
  await lesson.settled()
  return lesson.stop()
}

describe.each([['zh', 1024, 768], ['en', 1024, 768], ['en', 1280, 720], ['zh', 1920, 1080]] as const)('%s at %i × %i', (lang, width, height) => {
  test('fits and can be read at every stop, with the right numbers', async () => {
    const problem = lessonProblem(lang)
    const oracle = await ask(problem)
    const lesson = await stand.open('', { width, height })
    await lesson.visitProblem(problem, { view: 'projector' })
    const findings = new Findings()
    for (let stop = 0; stop <= lastStop; stop += 1) {
      // What lies under a resting pointer changes with the step.
      await lesson.page.point({ x: 2, y: 2 })
      if (stop > 0) expect(await press(lesson, 'PageDown')).toBe(stop)
      expect(await faults(lesson), `stop ${stop}`).toEqual([])
      expect(await count(lesson, id('legend')), `scales at stop ${stop}`).toBe(1)
      for (const which of ['settings', 'inspector', 'lang-zh', 'as-table']) expect(await lesson.exists(id(which)), which).toBe(false)
      for (const grid of await readGrids(lesson.page)) {
        // Weights that are too small to print are left blank.
        const blank = grid.tensor === 'weights' && grid.written.length > 0
        const places = checkGrid(blank ? { ...grid, written: [] } : grid, oracle, `stop ${stop}`, findings)
        if (places === undefined) continue
        await checkRandomCell(lesson.page, grid, places, oracle, random, `stop ${stop}`, findings)
        if (!blank) continue
        const large = Array.from({ length: grid.rows * grid.columns }, (_, i) => oracle.cell('weights', places(Math.floor(i / grid.columns), i % grid.columns)).value)
        const digits = large.filter((value) => value >= 0.05).map((value) => value.toFixed(2).replace(/^0/, ''))
        findings.equal('the weights that are written', grid.written.map(({ text }) => text).sort(), digits.sort())
      }
    }
    findings.conclude('projector')
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test.each([['en', 800, 600], ['zh', 640, 480], ['en', 390, 844]] as const)('on a small screen the figure may scroll, the page not sideways, and every button is there: %s, %i × %i', async (lang, width, height) => {
  const lesson = await stand.open('', { width, height })
  for (const search of ['', '&dModel=512&heads=8']) {
    await lesson.visit(`?lang=${lang}&view=projector&stop=0${search}`)
    for (let stop = 0; stop <= lastStop; stop += 1) {
      if (stop > 0) expect(await press(lesson, 'PageDown')).toBe(stop)
      const outside = await lesson.page.evaluate(() => {
        const boxes = ['back', 'leave-projector', 'next'].map((which) => ({ which, ...document.querySelector(`[data-testid="${which}"]`)!.getBoundingClientRect().toJSON() }))
        const away = boxes.filter(({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight + 0.5).map(({ which }) => which as string)
        const maps = [...document.querySelectorAll('[data-testid="grid"]')].filter((grid) => grid.getBoundingClientRect().width < 4).map(() => 'a map has no width')
        return [...away, ...maps, ...(document.scrollingElement!.scrollWidth > innerWidth ? ['the page is too wide'] : [])]
      })
      expect(outside, `stop ${stop}${search}`).toEqual([])
    }
  }
  await lesson.close()
})

test('a clicker, arrows and the space bar step, wherever the focus is', async () => {
  const lesson = await stand.open('?lang=en&view=projector&stop=3', { width: 1024, height: 768 })
  for (const [key, stop] of [['PageDown', 4], ['PageUp', 3], ['ArrowRight', 4], ['ArrowLeft', 3], [' ', 4], ['PageDown', 5]] as const) {
    expect(await press(lesson, key), key).toBe(stop)
  }
  await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), id('cell'))
  expect(await press(lesson, 'PageDown')).toBe(6)
  await lesson.page.click(id('next'))
  await lesson.settled()
  expect(await lesson.stop()).toBe(7)
  await lesson.close()
})

test('names the pinned pair, lets go of it by Esc, and leaves by the next', async () => {
  const lesson = await stand.open('?lang=zh&view=projector&stop=6', { width: 1024, height: 768 })
  const sentence = await lesson.text(id('line'))
  await lesson.visit('?lang=zh&view=projector&stop=6&pin=weights.0.6.4')
  const weight = await lesson.page.evaluate(() => window.eightMeetings.explanation!.value)
  expect(await lesson.text(id('line'))).toBe(`“她”给“小红”的注意力权重是 ${weight.toFixed(2)}，这一行加起来是 1。`)
  expect(await lesson.exists(id('inspector'))).toBe(true)
  await press(lesson, 'ArrowLeft')
  expect(await lesson.text(id('line'))).toContain('过了掩码的得分是')
  await press(lesson, 'ArrowRight')
  await press(lesson, 'Escape')
  expect(await lesson.text(id('line'))).toBe(sentence)
  expect(await lesson.exists(id('inspector'))).toBe(false)
  await lesson.page.press('Escape')
  await lesson.page.waitUntil('the page is back', (which) => document.querySelector(which) !== null, id('projector'))
  expect(await lesson.stop()).toBe(6)
  await lesson.addressSays('view', null)
  await lesson.close()
})

test('by its button, in the address, kept by Back and by loading anew', async () => {
  const lesson = await stand.open('?lang=en&stop=2')
  await lesson.click('projector')
  await lesson.addressSays('view', 'projector')
  expect(await lesson.page.evaluate(() => document.activeElement?.id)).toBe('page-title')
  await press(lesson, 'PageDown')
  await lesson.page.back()
  await lesson.page.waitUntil('stop 2 is back', () => window.eightMeetings.state.stop === 2)
  await lesson.page.reload()
  await lesson.settled()
  expect(await lesson.exists(id('leave-projector'))).toBe(true)
  await lesson.click('leave-projector')
  expect(await lesson.exists(id('settings'))).toBe(true)
  await lesson.close()
})

test('a row without any key to see does not add up to 1', async () => {
  const problem = lessonProblem('en')
  const lesson = await stand.open(query({ ...problem, padding: problem.tokens.length }, { view: 'projector', stop: 6, pin: 'weights.0.6.4' }), { width: 1024, height: 768 })
  expect(await lesson.text(id('line'))).not.toContain('adds up to 1')
  expect(await lesson.text(id('line'))).toContain('0.00')
  await lesson.close()
})

test.each([['light', 6, ''], ['dark', 0, ''], ['light', 9, ''], ['dark', 6, '&pin=weights.0.6.4&causal=1']] as const)('no violation: %s, stop %i %s', async (theme, stop, more) => {
  const lesson = await stand.open(`?lang=en&view=projector&stop=${stop}${more}`, { width: 1024, height: 768, theme })
  await lesson.page.run(axe)
  const found = await lesson.page.evaluate(async () => {
    const { axe: run } = window as unknown as { axe: { run(what: Document): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }
    return (await run.run(document)).violations.map(({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html.slice(0, 120)}`)
  })
  expect(found).toEqual([])
  await lesson.close()
})

test('in front of a room nobody is asked: two presses are two steps, and a click at W_O pins', async () => {
  const own = await stand.open('?view=projector&stop=1', { width: 1024, height: 768, reducedMotion: false })
  for (const stop of [2, 3]) {
    await own.page.press('ArrowRight')
    await own.atRest()
    expect(await own.stop()).toBe(stop)
  }
  await own.visit('?view=projector&stop=8')
  await own.page.press('ArrowRight')
  await own.atRest()
  await own.clickOne(`${id('grid')}[data-tensor="output"]`)
  const { out, pin } = await own.page.evaluate(() => window.eightMeetings.state)
  expect([out, pin?.tensor]).toEqual([[], 'output'])
  await own.close()
})
