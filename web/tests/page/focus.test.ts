// The focus never falls to the body: buttons that remove or exhaust themselves by what they do hand it on.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from './driver/driver'
import { type Lesson, Stand, test as id } from './support/lesson'
import { Random, runSeed } from './support/random'

const random = new Random('focus')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open('', { lang: 'en' })
})
afterAll(() => stand.fall())

const inFocus = (selector: string): Promise<boolean> => lesson.page.evaluate((which) => document.activeElement?.matches(which) ?? false, selector)
const [title, inspector] = ['#page-title', id('inspector')]
const cell = (tensor: string): string => `${id('grid')}[data-tensor="${tensor}"] ${id('cell')}`

async function press(selector: string, key = 'Enter'): Promise<void> {
  await lesson.page.evaluate((which) => {
    const element = document.querySelector<HTMLElement>(which)!
    element.scrollIntoView({ block: 'center' })
    element.focus()
  }, selector)
  expect(await inFocus(selector), `${selector} takes the focus`).toBe(true)
  await lesson.page.press(key)
  await lesson.settled()
}

test.each([
  ['an operand at the same stop', '?stop=6&pin=weights.1.6.4', id('operand'), inspector],
  ['an operand at another stop', '?stop=7&pin=v_heads.0.1.1', id('operand'), title],
  ['a step of the thread', '?stop=10', '.thread li:nth-child(4) button', title],
  ['the button that unpins', '?stop=9&pin=output.1.2', id('unpin'), cell('output')],
  ['closing what was refused', '?stop=99', '.refusals button', title],
])('%s', async (_, search, pressed, heir) => {
  await lesson.visit(`${search}&lang=en`)
  await press(pressed)
  await lesson.page.waitUntil(`${heir} has the focus`, (which) => document.activeElement?.matches(which), heir)
})

test('Esc in an explanation leads back to its cell', async () => {
  await lesson.visit('?stop=6&pin=weights.1.6.4&lang=en')
  await press(id('operand'), 'Escape')
  expect(await inFocus(cell('weights'))).toBe(true)
  expect(await lesson.page.evaluate(() => document.activeElement?.closest('[role="row"]')?.getAttribute('aria-rowindex'))).toBe('7')
})

test('an offered size leads back to the field', async () => {
  for (const [field, typed] of [['heads', '3'], ['d-model', '9']] as const) {
    await lesson.visit('?lang=en')
    await lesson.click('settings')
    await lesson.page.fill(id(field), typed)
    await press(id('offer'))
    expect(await inFocus(id(field))).toBe(true)
  }
})

test('trying again', async () => {
  stand.site.lose(/\.wasm$/)
  const fresh = await stand.browser.open()
  await fresh.goto(`${stand.site.address}?lang=en`)
  await fresh.waitUntil('the page says that it failed', (which) => document.querySelector(which) !== null, id('failure'))
  stand.site.lose(null)
  await fresh.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), id('retry'))
  await fresh.press('Enter')
  await fresh.waitUntil('the title has the focus', (which) => document.activeElement?.matches(which), title)
  await fresh.close()
})

test('whoever writes in a field is left there', async () => {
  await lesson.visit('?stop=9&pin=output.10.2&lang=en')
  await lesson.page.click(id('sentence'))
  // The explained cell goes with its token.
  await lesson.page.fill(id('sentence'), 'a|b')
  await lesson.page.waitUntil('the sentence is computed', () => window.eightMeetings.pass?.request.tokens.length === 2)
  await lesson.settled()
  expect(await inFocus(id('sentence'))).toBe(true)
})

const pressable = 'button, summary, nav.track a'
const pressed = new Set<string>()

/** One of every kind on the page that no test before has pressed, drawn anew in every run. */
async function drawButtons(page: Page): Promise<number[]> {
  const kinds = await page.evaluate(
    (which) =>
      [...document.querySelectorAll<HTMLElement>(which)].map((element) =>
        element.checkVisibility() ? [element.dataset.testid, element.className, element.parentElement?.className, element.ariaDisabled].join(' ') : '',
      ),
    pressable,
  )
  const fresh = [...new Set(kinds)].filter((kind) => kind !== '' && !pressed.has(kind))
  for (const kind of fresh) pressed.add(kind)
  return fresh.map((kind) => random.pick(kinds.flatMap((other, i) => (other === kind ? [i] : []))))
}

test.each([
  ['an explanation by products', 1440, '?stop=9&pin=output.1.2&foo=1&head=9', 'settings'],
  ['the end of the walk', 1440, '?stop=10', ''],
  ['many heads, the last page', 1440, '?dModel=40&heads=20&head=17&stop=9&pin=output.0.1', ''],
  ['many heads, the first page, as a table', 1440, '?dModel=40&heads=20&stop=1&pin=q.0.1', 'as-table'],
  ['softmax on a phone', 390, '?stop=6&pin=weights.1.0.0&causal=1', ''],
])('whatever is pressed: %s', { timeout: 300_000 }, async (_, width, search, opened) => {
  const own = await stand.open('', { width, height: 900 })
  const visit = async (): Promise<void> => {
    await own.visit(`${search}&lang=en`)
    if (opened !== '') await own.click(opened)
  }
  await visit()
  for (const order of await drawButtons(own.page)) {
    await visit()
    const name = await own.page.evaluate(
      ({ which, at }) => {
        const element = document.querySelectorAll<HTMLElement>(which)[at]!
        element.focus()
        return element.outerHTML.slice(0, 160)
      },
      { which: pressable, at: order },
    )
    // Twice: the second press may be the one that leads nowhere.
    for (let presses = 0; presses < 2; presses += 1) {
      await own.page.press('Enter')
      await own.settled()
      await own.page.waitUntil(`something has the focus after ${name}`, () => document.activeElement !== document.body)
    }
  }
  await own.close()
})

test('nothing complained', () => expect(lesson.page.complaints).toEqual([]))
