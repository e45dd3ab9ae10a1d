// The same step as formula, NumPy, PyTorch, C++: what is shown is what stands in the files, and stays as it was chosen.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { lesson as lessonProblem, query } from './support/problem'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const ways = ['formula', 'numpy', 'torch', 'cpp'] as const
const stopNames = ['tokens', 'project', 'split', 'score', 'scale', 'mask', 'softmax', 'mix', 'concat', 'output', 'result']

async function open(lesson: Lesson): Promise<void> {
  await lesson.page.click(`${id('same')} > summary`)
  await lesson.page.waitUntil('it is there', (which) => document.querySelector(which) !== null, id('same-panel'))
}

/** The panel as it stands; `beyond`: by how much the page is wider than the screen. */
interface Shown {
  way: string
  fast: string
  text: string
  math: number
  beyond: number
  excerpts: { file: string; lines: number[]; code: string }[]
}

const shown = (lesson: Lesson): Promise<Shown> =>
  lesson.page.evaluate((which) => {
    const panel = document.querySelector<HTMLElement>(which)!
    return {
      way: panel.dataset.way!,
      fast: panel.dataset.fast!,
      text: panel.textContent ?? '',
      math: [...panel.querySelectorAll('math')].filter((math) => math.getBoundingClientRect().height > 10).length,
      beyond: document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth,
      excerpts: [...panel.querySelectorAll<HTMLElement>('[data-testid="excerpt"]')].map((excerpt) => ({
        file: excerpt.dataset.file!,
        lines: (excerpt.querySelector('.small')!.textContent ?? '').slice(excerpt.dataset.file!.length).match(/\d+/g)!.map(Number),
        code: excerpt.querySelector('pre')!.textContent ?? '',
      })),
    }
  }, id('same-panel'))

/** The lines of a file between its marks, cut here a second time. */
function between(file: string, lines: readonly number[]): { name: string; code: string } {
  const all = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').split('\n')
  const [first, last = first] = lines as [number, number]
  expect(all[last]?.trim(), `${file}:${last}`).toMatch(/^(\/\/|#) --- end excerpt$/)
  const inside = all.slice(first - 1, last)
  const indent = Math.min(...inside.filter((line) => line !== '').map((line) => /^ */.exec(line)![0].length))
  return { name: all[first - 2]!.replace(/^.* --- excerpt: /, ''), code: inside.map((line) => line.slice(indent)).join('\n') }
}

/** The panel as each tab shows it. */
async function inEveryWay(lesson: Lesson): Promise<Shown[]> {
  const all: Shown[] = []
  for (const way of ways) {
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id(`way-${way}`))
    all.push(await shown(lesson))
  }
  return all
}

test.each(['zh', 'en'] as const)('%s: all stops in all ways, as it stands in the files', async (lang) => {
  const lesson = await stand.open(`?lang=${lang}`)
  await open(lesson)
  expect(lesson.page.requests.filter((address) => address.includes('SameStepTabs')), 'fetched ahead or now, but once').toHaveLength(1)
  for (let stop = 0; stop <= lastStop; stop += 1) {
    if (stop > 0) await lesson.next()
    const [formula, ...rest] = await inEveryWay(lesson) as [Shown, ...Shown[]]
    expect(formula.math, `stop ${stop}`).toBeGreaterThan(0)
    expect(formula.text).not.toContain('\\')
    for (const { way, fast, excerpts } of rest) {
      expect(fast).toBe('false')
      expect(excerpts, `${way}, stop ${stop}`).toHaveLength(1)
      const [{ file, lines, code }] = excerpts as [Shown['excerpts'][number]]
      expect(`${way} ${file}`).toMatch(stop === 0 && way === 'cpp' ? /^cpp .*embedding\.cpp$/ : /^(numpy .*steps_numpy\.py|torch .*steps_torch\.py|cpp .*attention_reference\.cpp)$/)
      expect({ name: stopNames[stop], code }).toEqual(between(file, lines))
    }
  }
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('the fast C++ on demand, at every stop that has one, and back', async () => {
  const lesson = await stand.open('?stop=1')
  await open(lesson)
  await lesson.page.click(id('way-cpp'))
  await lesson.page.click(id('same-fast'))
  for (let stop = 1; stop <= lastStop; stop += 1) {
    if (stop > 1) await lesson.next()
    const { fast, excerpts } = await shown(lesson)
    expect(fast).toBe('true')
    expect(excerpts.length).toBeGreaterThan(0)
    for (const { file, lines, code } of excerpts) {
      expect(file).not.toContain('reference')
      expect(code).toBe(between(file, lines).code)
    }
  }
  await lesson.page.click(id('same-fast'))
  expect((await shown(lesson)).excerpts[0]!.file).toContain('reference')
  await lesson.visit('?stop=0')
  await open(lesson)
  await lesson.page.click(id('way-cpp'))
  expect(await lesson.exists(id('same-fast')), 'nothing is offered that is not there').toBe(false)
  await lesson.close()
})

test('by the keyboard: tabs, a choice that stays, steps that are not taken by accident', async () => {
  const lesson = await stand.open('?stop=3')
  const focused = (): Promise<string> => lesson.page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid ?? document.activeElement?.tagName ?? '')
  await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), `${id('same')} > summary`)
  await lesson.page.press('Enter')
  await lesson.page.waitUntil('it is there', (which) => document.querySelector(which) !== null, id('same-panel'))
  await lesson.page.press('Tab')
  expect(await focused()).toBe('way-formula')
  for (const [key, at] of [['ArrowRight', 'numpy'], ['End', 'cpp'], ['ArrowRight', 'formula'], ['ArrowLeft', 'cpp'], ['Home', 'formula'], ['ArrowRight', 'numpy'], ['ArrowRight', 'torch']] as const) {
    await lesson.page.press(key)
    expect(await focused(), key).toBe(`way-${at}`)
  }
  expect((await shown(lesson)).way, 'arrows do not choose').toBe('formula')
  await lesson.page.press('Enter')
  expect((await shown(lesson)).way).toBe('torch')
  const roles = await lesson.page.evaluate((which) =>
    [...document.querySelectorAll(which)].map((tab) => [tab.getAttribute('aria-selected'), document.getElementById(tab.getAttribute('aria-controls')!)?.getAttribute('role')]), '[role=tab]')
  expect(roles).toEqual(ways.map((way) => [String(way === 'torch'), 'tabpanel']))
  expect(await lesson.stop()).toBe(3)
  // Next stop, next tab of the page: the code, which scrolls and keeps the arrows.
  await lesson.page.press('Tab')
  await lesson.page.press('Tab')
  await lesson.page.press('ArrowRight')
  expect(await lesson.stop()).toBe(3)
  await lesson.next()
  expect(await lesson.stop()).toBe(4)
  expect((await shown(lesson)).way).toBe('torch')
  await lesson.page.click(`${id('same')} > summary`)
  await lesson.next()
  expect(await lesson.page.evaluate((which) => document.querySelector<HTMLDetailsElement>(which)!.open, id('same'))).toBe(false)
  await open(lesson)
  expect((await shown(lesson)).way).toBe('torch')
  await lesson.close()
})

test('the letters have their sizes, and the pinned cell its place, as each way writes it', async () => {
  const problem = { ...lessonProblem('en'), dModel: 12, heads: 3 }
  const lesson = await stand.open(query(problem, { stop: 3, pin: 'raw_scores.1.6.4' }))
  await open(lesson)
  expect(await lesson.text(id('same-sizes'))).toMatch(/n ?= ?13 d ?= ?12 h ?= ?3 dk ?= ?4/)
  const value = await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.dataset.value, id('explained-value'))
  const cell = async (): Promise<[string, string | undefined]> => [
    (await lesson.text(id('same-cell'))).replace(/ = .*/, ''),
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.dataset.value, `${id('same-cell')} b`),
  ]
  expect(await cell()).toEqual(['S2[6, 4]', value])
  await lesson.page.click(id('way-numpy'))
  expect(await cell()).toEqual(['S[1, 6, 4]', value])
  await lesson.next()
  expect((await cell())[0]).toBe('S_scaled[1, 6, 4]')
  await lesson.page.press('Escape')
  expect(await lesson.exists(id('same-cell'))).toBe(false)
  await lesson.close()
})

test('what the page does otherwise than the snippets is said, where it is so', async () => {
  const lesson = await stand.open('?lang=en')
  const notes = async (search: string): Promise<number> => {
    await lesson.visit(search)
    await open(lesson)
    return lesson.page.evaluate((which) => document.querySelectorAll(which).length, id('same-note'))
  }
  expect(await notes('?stop=4')).toBe(0)
  expect(await notes('?stop=4&scaled=0')).toBe(1)
  expect(await notes('?stop=7&out=0')).toBe(1)
  expect(await notes('?stop=6&sentence=a|b&padding=2')).toBe(1)
  expect(await notes('?stop=10&sentence=a|b&padding=2&scaled=0&out=0')).toBe(3)
  await lesson.close()
})

test('copies, and says so', async () => {
  const lesson = await stand.open('?lang=en&stop=3')
  await open(lesson)
  await lesson.page.click(id('way-numpy'))
  await lesson.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text: string) => ((window as { copied?: string }).copied = text, Promise.resolve()) } }))
  await lesson.page.click(id('copy'))
  await lesson.page.waitUntil('it says so', (which) => document.querySelector(which)?.textContent === 'Copied', id('copied'))
  const { excerpts } = await shown(lesson)
  expect(await lesson.page.evaluate(() => (window as { copied?: string }).copied)).toBe(`${excerpts[0]!.code}\n`)
  await lesson.page.evaluate(() => Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject(new Error('no')) }))
  await lesson.page.click(id('copy'))
  await lesson.page.waitUntil('it says that not', (which) => /selected/.test(document.querySelector(which)?.textContent ?? ''), id('copied'))
  expect(await lesson.page.evaluate(() => getSelection()?.toString())).toBe(excerpts[0]!.code)
  await lesson.next()
  expect(await lesson.text(id('copied'))).toBe('')
  await lesson.close()
})

test.each([['zh', 'light', 1440], ['en', 'dark', 390], ['zh', 'dark', 320], ['en', 'light', 1024]] as const)('%s, %s, %i wide: fits, and axe finds nothing', async (lang, theme, width) => {
  const lesson = await stand.open(`?lang=${lang}&pin=x.6.4`, { width, height: 844, theme })
  await open(lesson)
  for (let stop = 0; stop <= lastStop; stop += 1) {
    if (stop > 0) await lesson.next()
    for (const { way, beyond } of await inEveryWay(lesson)) expect(beyond, `${way}, stop ${stop}`).toBeLessThanOrEqual(0)
  }
  await lesson.page.run(axe)
  for (const way of ways) {
    await lesson.page.click(id(`way-${way}`))
    const violations = await lesson.page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: { run(context: Element): Promise<{ violations: { id: string; nodes: { target: unknown }[] }[] }> } }
      const result = await checker.run(document.querySelector('[data-testid="same"]')!)
      return result.violations.map(({ id: rule, nodes }) => `${rule}: ${String(nodes[0]?.target)}`)
    })
    expect(violations, way).toEqual([])
  }
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('if it does not arrive, ahead of time or then, it says so, and arrives with its looks when asked again', async () => {
  stand.site.lose(/SameStepTabs/)
  const lesson = await stand.open('?lang=en')
  await lesson.page.waitUntil('it was asked for', () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/SameStepTabs-')))
  await lesson.page.click(`${id('same')} > summary`)
  await lesson.page.waitUntil('it says so', (which) => document.querySelector(`${which} [role=alert]`) !== null, id('same'))
  stand.site.lose(null)
  await lesson.page.click(`${id('same')} button`)
  await lesson.page.waitUntil('it is there', (which) => document.querySelector(which) !== null, id('same-panel'))
  expect(await lesson.page.evaluate((which) => getComputedStyle(document.querySelector(which)!).display, id('same-panel'))).toBe('grid')
  await lesson.close()
})
