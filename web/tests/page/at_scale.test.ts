// A layer of a real model: run at its real size, told as it goes, stopped, and never asked what can't be.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'
import { Panel } from './support/panel'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const panel = new Panel('at-scale')
const open = (search: string, options = {}): Promise<Lesson> => panel.open(stand, search, options)
const becomes = (lesson: Lesson, state: string): Promise<void> => panel.becomes(lesson, state)

/** Chooses a model by its name, as a reader does. */
const choose = (lesson: Lesson, model: string): Promise<void> =>
  lesson.page.evaluate(([which, name]) => {
    const select = document.querySelector<HTMLSelectElement>(which)!
    select.selectedIndex = [...select.options].findIndex(({ text }) => text === name)
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }, [id('at-scale-model'), model] as const)

const read = (lesson: Lesson, what: string): Promise<string[]> =>
  lesson.page.evaluate((which) => [...document.querySelectorAll(`${which} dd`)].map((each) => each.textContent ?? ''), id(what))

/** Keeps every text of the progress from now on. */
const watch = (lesson: Lesson): Promise<void> =>
  lesson.page.evaluate((which) => {
    const seen: string[] = ((window as unknown as { seen: string[] }).seen = [])
    new MutationObserver(() => {
      const text = document.querySelector(which)?.textContent
      if (text && text !== seen.at(-1)) seen.push(text)
    }).observe(document.body, { childList: true, subtree: true, characterData: true })
  }, id('at-scale-progress'))

const seen = (lesson: Lesson): Promise<string[]> => lesson.page.evaluate(() => (window as unknown as { seen: string[] }).seen)

test.each(['zh', 'en'] as const)('%s: GPT-3, whole, told head by head', async (lang) => {
  const lesson = await open(`?lang=${lang}&seed=7`)
  expect(await read(lesson, 'at-scale-sizes')).toEqual(['96', '12288', '96', '96', '128'])
  await watch(lesson)
  await lesson.page.click(id('at-scale-run'))
  await becomes(lesson, 'done')
  const told = (await seen(lesson)).map((text) => Number(/\d+/.exec(text)![0]))
  expect(told.length, 'more than a few of 96 heads').toBeGreaterThan(10)
  expect(told).toEqual([...told].sort((a, b) => a - b))
  const [seconds, speed, weights, stored, room, rms] = await read(lesson, 'at-scale-report') as [string, string, string, string, string, string]
  expect(seconds).toMatch(/^\d+\.\d\d s$/)
  expect(speed).toMatch(/^[\d.]+ [GM]FLOP\/s$/)
  expect(weights).toBe('603\u2009979\u2009776')
  expect(stored).toBe('2.42 GB')
  expect(room).toMatch(/^1\.\d\d MB$/)
  expect(Number(rms)).toBeGreaterThan(0.2)
  expect(Number(rms)).toBeLessThan(1)
  // Neither the seed nor the sentence of what was run changes with the page.
  await choose(lesson, 'BERT-base')
  expect(await read(lesson, 'at-scale-report')).toHaveLength(6)
  expect(await lesson.page.evaluate((which) => document.querySelector(which)!.textContent, id('at-scale-panel'))).toContain(lang === 'zh' ? '没有含义' : 'no meaning')
  expect(await violations(lesson, `at scale, ${lang}`)).toEqual([])
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('the same seed gives the same output, another one another, and grouped heads need less', async () => {
  const lesson = await open('?lang=en&seed=7')
  await choose(lesson, 'Mistral-7B')
  expect(await read(lesson, 'at-scale-sizes')).toEqual(['32', '4096', '32', '8', '128'])
  const run = async (): Promise<string[]> => {
    await lesson.page.click(id('at-scale-run'))
    await lesson.page.waitUntil('it is over', (which) => document.querySelector(which) !== null, id('at-scale-report'))
    await becomes(lesson, 'done')
    return read(lesson, 'at-scale-report')
  }
  const first = await run()
  expect(first[2]).toBe('41\u2009943\u2009040')
  expect((await run())[5]).toBe(first[5])
  await lesson.page.evaluate(() => (window as unknown as { eightMeetings: { set(patch: object): void } }).eightMeetings.set({ seed: 8 }))
  await lesson.settled()
  expect((await run())[5]).not.toBe(first[5])
  await lesson.close()
})

test('stopped half way: at once, nothing is left, the walk goes on, and the next run is whole', async () => {
  const lesson = await open('?lang=en&stop=2')
  await watch(lesson)
  await lesson.page.click(id('at-scale-run'))
  await lesson.page.waitUntil('a few heads are done', () => (window as unknown as { seen: string[] }).seen.length > 3)
  // The benchmark says in how many milliseconds; here, that hardly a head more is begun.
  const more = await lesson.page.evaluate((which) => {
    const { seen } = window as unknown as { seen: string[] }
    const before = seen.length
    document.querySelector<HTMLElement>(which)!.click()
    return new Promise<number>((done) => {
      const look = (): void => {
        if (document.querySelector('[data-testid="at-scale-stopped"]')) done(seen.length - before)
        else setTimeout(look)
      }
      look()
    })
  }, id('at-scale-run'))
  expect(more).toBeLessThan(20)
  expect(await lesson.exists(id('at-scale-report'))).toBe(false)
  await lesson.next()
  expect(await lesson.stop()).toBe(3)
  await lesson.page.click(id('at-scale-run'))
  await becomes(lesson, 'done')
  expect((await read(lesson, 'at-scale-report'))[2]).toBe('603\u2009979\u2009776')
  await lesson.close()
})

test('what the reader asks meanwhile does not wait for the layer', async () => {
  const lesson = await open('?lang=en')
  await panel.letsReadersGoOn(lesson)
  await lesson.close()
})

test('what can’t be run shows what is known of it and has no button', async () => {
  const lesson = await open('?lang=en')
  await choose(lesson, 'DeepSeek-V3')
  expect(await read(lesson, 'at-scale-sizes')).toEqual(['61', '7168', '128'])
  expect(await lesson.exists(id('at-scale-run'))).toBe(false)
  await choose(lesson, 'GPT-4')
  expect(await lesson.exists(id('at-scale-sizes'))).toBe(false)
  expect(await lesson.exists(id('at-scale-run'))).toBe(false)
  await choose(lesson, 'Transformer base')
  expect((await read(lesson, 'at-scale-sizes'))[0]).toBe('6 + 6')
  expect(await lesson.exists(id('at-scale-run'))).toBe(true)
  await lesson.close()
})

test('a phone shows all of it within its width', async () => {
  const lesson = await open('?lang=zh', { width: 320, height: 640 })
  await choose(lesson, 'Transformer base')
  await lesson.page.click(id('at-scale-run'))
  await becomes(lesson, 'done')
  expect(await lesson.page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth)).toBeLessThanOrEqual(0)
  await lesson.close()
})
