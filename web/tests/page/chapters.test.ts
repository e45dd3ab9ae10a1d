// From chapter to chapter: by the header, by the address, by Back and Forward; each with its own title, keys and code.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const trainingIsThere = (lesson: Lesson): Promise<void> =>
  lesson.page.waitUntil('the chapter is there', (main) => document.querySelector<HTMLElement>(main)?.dataset.chapter === 'training' && document.fonts.status === 'loaded', id('main'))

async function openTraining(search = '?lang=en', options = {}): Promise<Lesson> {
  const lesson = await stand.open('', options)
  await lesson.page.goto(`${stand.site.address}${search}&chapter=training`)
  await trainingIsThere(lesson)
  return lesson
}

const titleHasFocus = (lesson: Lesson): Promise<void> => lesson.page.waitUntil('the title has the focus', () => document.activeElement?.id === 'page-title')
const link = (chapter: string): string => `nav a[href*="chapter=${chapter}"]`

test('by the header and back: title, focus, address, and the walk as it was', async () => {
  const lesson = await stand.open('?lang=en&stop=3')
  await lesson.haveFolds()
  expect(lesson.page.requests.some((address) => /Training/.test(address)), 'its code comes when it is opened').toBe(false)
  await lesson.page.click(link('training'))
  await trainingIsThere(lesson)
  await titleHasFocus(lesson)
  await lesson.addressSays('chapter', 'training')
  await lesson.addressSays('stop', '3')
  expect(await lesson.text('title')).toMatch(/^Heads that learn/)
  expect(await lesson.text('nav [aria-current="page"]')).toBe('Training')

  await lesson.page.evaluate(() => history.back())
  await lesson.settled()
  await titleHasFocus(lesson)
  expect(await lesson.stop()).toBe(3)
  expect((await lesson.parameters()).get('chapter')).toBe(null)

  await lesson.page.evaluate(() => history.forward())
  await trainingIsThere(lesson)
  await titleHasFocus(lesson)
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('the walk’s keys do nothing here', async () => {
  const lesson = await openTraining('?lang=en&stop=3&heads=2')
  const before = await lesson.page.address()
  for (const key of ['ArrowLeft', 'ArrowRight', 'Home', 'End', '2', ']', '[', 'Escape', ' ', 'PageDown']) await lesson.page.press(key)
  await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 500)))
  expect(await lesson.page.address()).toBe(before)
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('in front of a room: the same link with the room’s view, one figure at a time, and Escape leaves', async () => {
  const lesson = await openTraining('?lang=en&view=projector', { width: 1024, height: 768 })
  expect(await lesson.exists('header.top')).toBe(false)
  expect(await lesson.exists(id('loss-chart'))).toBe(true)
  expect(await lesson.exists(id('training-provenance')), 'where the numbers come from').toBe(true)
  expect(await lesson.page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 'the chart fits the room').toBeLessThanOrEqual(0)
  expect(await lesson.exists(id('role-matrix'))).toBe(false)
  await lesson.page.press('PageDown')
  await lesson.page.waitUntil('the matrix is there', (which) => document.querySelector(which) !== null, id('role-matrix'))
  expect(await violations(lesson, 'in front of a room')).toEqual([])
  await lesson.page.press('Escape')
  await lesson.page.waitUntil('the page is back', () => document.querySelector('header.top') !== null)
  await lesson.addressSays('chapter', 'training')
  await lesson.addressSays('view', null)
  await lesson.close()
})

test('a chapter that does not arrive says so, and comes when it is asked for again', async () => {
  const lesson = await stand.open('?lang=en')
  stand.site.lose(/TrainingChapter/)
  await lesson.page.click(link('training'))
  await lesson.page.waitUntil('it says so', () => document.querySelector('main [role="alert"]') !== null)
  expect(await lesson.text('nav [aria-current="page"]'), 'the others can still be reached').toBe('Training')
  stand.site.lose(null)
  await lesson.page.click('main button')
  await trainingIsThere(lesson)
  await lesson.close()
})

describe.each([[1440, 900], [1024, 768], [390, 844]] as const)('%i × %i', (width, height) => {
  test.each([['zh', 'light'], ['en', 'dark']] as const)('%s, %s: no violation, nothing beyond the width', async (lang, theme) => {
    const lesson = await openTraining(`?lang=${lang}`, { width, height, theme })
    await lesson.page.evaluate(() => document.querySelectorAll('details').forEach((fold) => (fold.open = true)))
    expect(await violations(lesson, `training, ${lang}, ${theme}, ${width}`)).toEqual([])
    expect(await lesson.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0)
    expect(await lesson.page.evaluate(() => [...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => tagName)[0])).toBe('H1')
    expect(await lesson.allText()).not.toMatch(/NaN|∅|undefined/)
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})
