// Heads switched off in the training chapter, with its real numbers: nothing before the fold is opened, then every number is one.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const table = id('heads-off-table')

async function trained(search: string, steps: number, model: number): Promise<Lesson> {
  const lesson = await stand.open('')
  const { page } = lesson
  await page.goto(`${stand.site.address}${search}&chapter=training`)
  await page.waitUntil('the chapter is there', (main) => document.querySelector<HTMLElement>(main)?.dataset.chapter === 'training', id('main'))
  await page.click(id(`model-${model}`))
  for (let step = 1; step <= steps; step += 1) {
    await page.click(id('run-step'))
    await page.waitUntil(`step ${step}`, ([position, wanted]) => document.querySelector(`${position} b`)?.textContent?.includes(wanted!) === true, [id('run-position'), String(step)] as const)
  }
  await page.click(`${id('heads-off')} summary`)
  await page.waitUntil('the heads were studied', (which) => document.querySelector(which) !== null, table)
  return lesson
}

/** The loss of the model with heads as they are switched. */
const lossNow = (lesson: Lesson): Promise<string> => lesson.text(`${id('switched')} tbody td`)

const isSaid = (lesson: Lesson, what: string): Promise<void> =>
  lesson.page.waitUntil(`it says: ${what}`, ([line, wanted]) => document.querySelector(line!)?.textContent?.includes(wanted!) === true, [id('switched-line'), what] as const)

test.each<readonly [lang: 'zh' | 'en', heads: number]>([['zh', 8], ['en', 1], ['en', 4], ['zh', 16]])('a row of numbers for every head; without any head the loss is another one (%s, h = %i)', async (lang, heads) => {
  const lesson = await trained(`?lang=${lang}${heads === 16 ? '&runHeads=2-4-8-16' : ''}`, 2, heads)
  const { page } = lesson
  const rows = await page.evaluate((which) => [...document.querySelectorAll(`${which} tbody tr`)].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')), table)
  expect(rows.length).toBe(heads)
  for (const cell of rows.flat()) expect(cell).toMatch(/\d/)

  await page.click(`${id('head-on')}[data-head="0"]`)
  await isSaid(lesson, lang === 'zh' ? (heads === 1 ? '一个头也没留' : '关掉头 1') : heads === 1 ? 'No head is left' : 'Without head 1')
  await page.click(id('all-on'))
  await isSaid(lesson, lang === 'zh' ? '都开着' : heads === 1 ? 'is on' : 'are on')
  const whole = await lossNow(lesson)
  await page.click(id('all-off'))
  await isSaid(lesson, lang === 'zh' ? '一个头也没留' : 'No head is left')
  expect(Number(await lossNow(lesson))).toBeGreaterThan(0)
  expect(await lossNow(lesson)).not.toBe(whole)

  await page.click(id('wrong-mode'))
  const shown = await page.evaluate((which) => document.querySelector<HTMLElement>(which)?.innerText ?? '', id('heads-off'))
  expect(shown).not.toMatch(/NaN|Infinity|undefined|∞|∅/)
  expect(await violations(lesson, 'heads are off')).toEqual([])
  expect(page.complaints).toEqual([])
  await lesson.close()
})

test('a run that goes on leaves its study behind, says so, and is measured again when it is asked to be', async () => {
  const lesson = await trained('?lang=en', 1, 2)
  const { page } = lesson
  expect(await lesson.text(id('studied-at'))).toBe('Measured at step 1.')
  await page.click(id('run-step'))
  await page.waitUntil('it is outdated', (which) => document.querySelector(which)?.textContent?.includes('step 2') === true, id('studied-at'))
  await page.click(id('study-heads'))
  await page.waitUntil('it is not', (which) => document.querySelector(which)?.textContent?.trim() === 'Measured at step 2.', id('studied-at'))
  await page.click(id('model-1'))
  await page.waitUntil('the other model is studied', (which) => document.querySelectorAll(`${which} tbody tr`).length === 1, table)
  expect(page.complaints).toEqual([])
  await lesson.close()
})
