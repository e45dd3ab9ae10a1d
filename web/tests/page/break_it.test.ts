// Famous mistakes on a trained model: the right one at its stop, what is told agrees with the numbers, and failures are said.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'
import { Panel } from './support/panel'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterEach(() => stand.site.lose(null))
afterAll(() => stand.fall())

const panel = new Panel('break-it')

const part = (name: string): string => id(`break-it-${name}`)
const ids = {
  panel: part('panel'), table: part('table'), effect: part('effect'), weights: part('weights'),
  instead: part('instead'), unknown: part('unknown'), change: part('change'), maps: part('maps'),
}

/** What the panel says of the mistake that is chosen. */
const read = (lesson: Lesson) =>
  lesson.page.evaluate((of) => {
    const texts = (selector: string): string[] => [...document.querySelectorAll(selector)].map((element) => element.textContent?.trim() ?? '')
    return {
      chosen: document.querySelector<HTMLInputElement>(`${of.panel} input:checked`)?.value,
      rows: [...document.querySelectorAll(`${of.table} tbody tr`)].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
      exact: [...document.querySelectorAll<HTMLElement>(`${of.table} [data-value]`)].map((cell) => Number(cell.dataset.value)),
      effect: document.querySelector<HTMLElement>(of.effect)?.dataset.effect,
      told: texts(of.effect)[0] ?? '',
      weights: texts(of.weights)[0] ?? '',
      instead: texts(of.instead)[0],
      unknown: texts(of.unknown)[0],
      change: texts(of.change)[0],
      maps: document.querySelectorAll(`${of.maps} canvas`).length,
    }
  }, ids)

const choose = async (lesson: Lesson, mistake: string): Promise<void> => {
  await lesson.page.click(`${id('break-it-panel')} input[value="${mistake}"]`)
  await lesson.page.waitUntil('it is asked and answered', ([panel, table]) => document.querySelector<HTMLElement>(panel)?.dataset.state === 'done' && document.querySelector(table) !== null, [id('break-it-panel'), id('break-it-table')] as const)
}

const open = async (search: string, options = {}): Promise<Lesson> => {
  const lesson = await panel.open(stand, search, options)
  await panel.becomes(lesson, 'done')
  return lesson
}

test.each(['zh', 'en'] as const)('%s: six mistakes, each changes something, and before is the same for all', async (lang) => {
  const lesson = await open(`?lang=${lang}&stop=2&dModel=64&heads=8`)
  const first = await read(lesson)
  expect(first.chosen).toBe('wrong_reshape')
  expect(first.weights).toContain('d = 64')
  expect(first.instead).toBeUndefined()
  const before = (answer: typeof first): string[] => answer.rows.map(([cell]) => cell!)
  for (const mistake of ['wrong_reshape', 'no_scale', 'mask_after_softmax', 'split_first', 'no_output_projection', 'shared_projection']) {
    await choose(lesson, mistake)
    const found = await read(lesson)
    expect([found.chosen, found.rows.length, found.maps]).toEqual([mistake, 7, 2])
    expect(before(found), mistake).toEqual(before(first))
    const [loss, , accuracy, left] = [found.exact[0]!, found.exact[1]!, found.exact[2]!, found.exact[3]!]
    expect(found.exact[1], mistake).not.toBe(loss)
    expect(accuracy, 'the model was trained').toBeGreaterThan(0.95)
    const lost = accuracy - left
    expect(found.effect, mistake).toBe(lost < 0.01 ? 'unnoticed' : lost < 0.1 ? 'worse' : 'broken')
    for (const cell of found.rows[1]!) expect(found.told).toContain(cell)
    expect(Number(/\d+(\.\d+)?/.exec(found.change!)![0]), mistake).toBeGreaterThan(0)
  }
  expect(await violations(lesson, `broken, ${lang}`)).toEqual([])
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('rows that no longer add up to 1 say to what they do', async () => {
  const lesson = await open('?lang=en&stop=6&dModel=64&heads=8')
  const { chosen, change } = await read(lesson)
  expect(chosen).toBe('mask_after_softmax')
  const [least, most] = [...change!.matchAll(/(?<=add up to |to )\d?\.\d+/g)].map(([text]) => Number(text)) as [number, number]
  expect(least).toBeLessThan(0.99)
  expect(most).toBeGreaterThanOrEqual(least)
  await lesson.close()
})

test('a size without a trained model says which one stands for it; a word it has not learned is named', async () => {
  const lesson = await open('?lang=en&dModel=16&heads=4&sentence=Tom%7Cpassed%7Cthe%7Czeppelin')
  const { instead, unknown, maps, rows, weights } = await read(lesson)
  expect(weights).toContain('d = 64, h = 8')
  expect(instead).toContain('d = 16, h = 4')
  expect(unknown).toContain('zeppelin')
  expect(unknown).not.toContain('Tom')
  expect([maps, rows.length]).toEqual([0, 7])
  await lesson.close()
})

test('a stop brings its own mistake while the panel is open', async () => {
  const lesson = await open('?lang=zh&stop=3&dModel=64&heads=8')
  await lesson.next()
  await lesson.page.waitUntil('the mistake of scaling is chosen', (which) => document.querySelector<HTMLInputElement>(`${which} input:checked`)?.value === 'no_scale', id('break-it-panel'))
  await lesson.close()
})

test('a model that does not arrive is said to, and trying again helps', async () => {
  stand.site.lose(/64x8[^/]*\.safetensors$/)
  const lesson = await panel.open(stand, '?lang=en&dModel=64&heads=8')
  await panel.becomes(lesson, 'failed')
  expect(await lesson.page.evaluate((which) => document.querySelector(which)?.textContent, id('break-it-failed'))).toMatch(/connection/)
  stand.site.lose(null)
  await lesson.page.click(`${id('break-it-failed')} button`)
  await panel.becomes(lesson, 'done')
  expect((await read(lesson)).rows).toHaveLength(7)
  await lesson.close()
})

test('a phone shows all of it within its width', async () => {
  const lesson = await open('?lang=zh&stop=5&dModel=64&heads=8', { width: 320, height: 640 })
  expect(await lesson.page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth)).toBeLessThanOrEqual(0)
  await lesson.close()
})
