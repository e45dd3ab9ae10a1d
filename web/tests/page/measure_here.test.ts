// Measured on the reader's machine: told as it goes, stopped at once, and every figure follows from the others.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'
import { Panel } from './support/panel'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const panel = new Panel('measure')
const open = (search: string, options = {}): Promise<Lesson> => panel.open(stand, search, options)
const becomes = (lesson: Lesson, state: string): Promise<void> => panel.becomes(lesson, state)

/** The rows of the table, cell by cell. */
const rows = (lesson: Lesson): Promise<string[][]> =>
  lesson.page.evaluate((which) => [...document.querySelectorAll(`${which} tbody tr`)].map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')), id('measure-report'))

const number = (text: string): number => Number(/[\d.]+/.exec(text)![0])
const milliseconds = (text: string): number => number(text) * { µs: 1e-3, ms: 1, s: 1e3 }[/ (µs|ms|s)$/.exec(text)![1] as 'ms']
const flopsPerSecond = (text: string): number => number(text) * { k: 1e3, M: 1e6, G: 1e9, T: 1e12, '': 1 }[/ ([kMGT]?)FLOP\/s$/.exec(text)![1] as 'G']

test.each(['zh', 'en'] as const)('%s: the pass on the page, two of the article’s size, and the peak', async (lang) => {
  const lesson = await open(`?lang=${lang}&dModel=16&heads=4`)
  const tokens = await lesson.page.evaluate(() => (window as unknown as { eightMeetings: { state: { sentence: string[] } } }).eightMeetings.state.sentence.length)
  await lesson.page.click(id('measure-run'))
  await becomes(lesson, 'running')
  await lesson.page.waitUntil('it says how far it is', (which) => (document.querySelector<HTMLProgressElement>(which)?.position ?? 0) > 0.1, id('measure-progress'))
  await becomes(lesson, 'done')
  const table = await rows(lesson)
  const sizes = [[tokens, 16, 4], [11, 512, 8], [128, 512, 8]] as const
  expect(table).toHaveLength(sizes.length + 1)
  const peak = flopsPerSecond(table.at(-1)![2]!)
  expect(peak).toBeGreaterThan(1e8)
  for (const [i, [n, d, h]] of sizes.entries()) {
    const [what, time, speed, share] = table[i] as [string, string, string, string]
    expect(what.match(/\d+/g)!.map(Number)).toEqual([n, d, h])
    const flops = 8 * n * d * d + 4 * n * n * d
    // As rounded as they are printed.
    expect((flopsPerSecond(speed) * milliseconds(time)) / 1000 / flops).toBeCloseTo(1, 1)
    expect(number(share) / (100 * (flopsPerSecond(speed) / peak))).toBeCloseTo(1, 1)
  }
  // Of the passes only a tiny one is surely far from the peak on a busy machine, too.
  expect(number(table[0]![3]!)).toBeLessThan(50)
  expect(await violations(lesson, `measured, ${lang}`)).toEqual([])
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('stopped at once, the walk goes on, and it can be measured again', async () => {
  const lesson = await open('?lang=en&stop=2')
  await lesson.page.click(id('measure-run'))
  await lesson.page.waitUntil('it is under way', (which) => (document.querySelector<HTMLProgressElement>(which)?.position ?? 0) > 0.1, id('measure-progress'))
  await lesson.page.click(id('measure-run'))
  // Whatever comes too late finds it done.
  await becomes(lesson, 'stopped')
  expect(await lesson.exists(id('measure-report'))).toBe(false)
  await lesson.next()
  expect(await lesson.stop()).toBe(3)
  await lesson.page.click(id('measure-run'))
  await becomes(lesson, 'done')
  expect(await rows(lesson)).toHaveLength(4)
  await lesson.close()
})

test('what the reader asks meanwhile does not wait for the measurement', async () => {
  const lesson = await open('?lang=en')
  await panel.letsReadersGoOn(lesson)
  await lesson.close()
})

test('a phone shows all of it within its width', async () => {
  const lesson = await open('?lang=zh', { width: 320, height: 640 })
  await lesson.page.click(id('measure-run'))
  await becomes(lesson, 'done')
  expect(await lesson.page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth)).toBeLessThanOrEqual(0)
  await lesson.close()
})
