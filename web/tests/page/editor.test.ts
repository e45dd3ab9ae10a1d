// The sentence, token by token: by mouse, by keyboard, by an input method, on a phone, and with every kind of character.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { type Problem, lesson as lessonProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('editor')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

const base: Problem = { ...lessonProblem('zh'), seed: random.whole(1, 1e6) }
const field = id('token-text')
const token = (place: number): string => `${id('token')}[data-place="${place}"]`

async function openWith(tokens: readonly string[], on = lesson): Promise<void> {
  await on.visitProblem({ ...base, tokens: [...tokens] }, { stop: 6 })
  await on.click('edit')
}

const computed = (on = lesson): Promise<string[]> => on.page.evaluate(() => [...(window.eightMeetings.pass?.request.tokens ?? [])])
const boxes = (on = lesson): Promise<string[]> =>
  on.page.evaluate((which) => [...document.querySelectorAll(which)].map((box) => box.querySelector('bdi')?.textContent ?? ''), id('token'))
const said = (on = lesson): Promise<string> => on.text(id('token-said'))
const inFocus = (selector: string, on = lesson): Promise<boolean> => on.page.evaluate((which) => document.activeElement?.matches(which) ?? false, selector)
const problem = (on = lesson): Promise<string> => on.text('.sentence .problem')

async function until(tokens: readonly string[], on = lesson): Promise<void> {
  await on.page.waitUntil(`the tokens are ${tokens.join('|')}`, (wanted) => window.eightMeetings.pass?.request.tokens.join('|') === wanted, tokens.join('|'))
  await on.settled()
  expect(await boxes(on)).toEqual(tokens)
}

describe('by mouse', () => {
  beforeEach(() => openWith(base.tokens))

  test('merged, cut, moved, deleted, added, and undone step by step; every number is right', async () => {
    const row = [...base.tokens]
    await lesson.page.click(token(0))
    expect(await inFocus(field)).toBe(true)
    await lesson.page.click(id('token-merge'))
    row.splice(0, 2, '小明把')
    await until(row)
    expect(await said()).toBe('已合并：小明把，现在 10 个词元')
    expect(await inFocus(id('token-merge'))).toBe(true)
    await lesson.addressSays('sentence', row.join('|'))

    await lesson.clickOne(id('token-cut'), 0)
    row.splice(0, 1, '小', '明把')
    await until(row)
    await lesson.page.click(token(1))
    await lesson.page.click(id('token-right'))
    row.splice(1, 2, row[2]!, row[1]!)
    await until(row)
    await lesson.page.click(id('token-remove'))
    row.splice(2, 1)
    await until(row)
    expect(await said()).toContain('明把')
    expect(await inFocus(token(2))).toBe(true)

    await lesson.page.click(id('token-new'))
    await lesson.page.type('昨天')
    await lesson.page.click(id('token-apply'))
    row.push('昨天')
    await until(row)
    await checkStop(lesson, 6, await ask({ ...base, tokens: row }), random, { chosen: 0, samples: 1 })

    for (let steps = 0; steps < 5; steps += 1) await lesson.page.click(id('undo'))
    await until(base.tokens)
    expect(await lesson.exists(`${id('undo')}[aria-disabled="true"]`)).toBe(true)
  })

  test('dragged to another place', async () => {
    const middle = (which: string) =>
      lesson.page.evaluate((selector) => {
        const { left, top, width, height } = document.querySelector(selector)!.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2, width }
      }, which)
    const [from, to] = [await middle(token(0)), await middle(token(4))]
    await lesson.page.drag(from, { x: to.x + to.width / 4, y: to.y })
    await until(['把', '蛋糕', '递给', '小红', '小明', '因为', '她', '不', '饿', '了', '。'])
    // A drag is no click.
    expect(await lesson.exists(id('token-tools'))).toBe(false)
    expect(await inFocus(token(4))).toBe(true)
  })

  test('what is half typed goes along with what is pressed next', async () => {
    await lesson.page.click(token(0))
    await lesson.page.fill(field, '小|红')
    await lesson.page.click(token(2))
    await until(['小', '红', ...base.tokens.slice(1)])
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLInputElement>(which)!.value, field)).toBe('蛋糕')
    await lesson.page.fill(field, '饼')
    await lesson.page.click(id('token-merge'))
    await until(['小', '红', '把', '饼递给', ...base.tokens.slice(4)])
  })

  test('ready-made sentences, and back', async () => {
    const sentences = await lesson.page.evaluate((which) => [...document.querySelectorAll<HTMLOptionElement>(`${which} option`)].map(({ textContent, value }) => [textContent ?? '', value]), id('ready'))
    expect(sentences.length).toBeGreaterThan(10)
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLSelectElement>(which)!.selectedOptions[0]!.textContent, id('ready'))).toBe(`${base.tokens.join('')}`)
    const [text = '', value = ''] = sentences.find(([sentence]) => sentence!.includes('磁力'))!
    await lesson.page.evaluate(
      ({ which, key }) => {
        const select = document.querySelector<HTMLSelectElement>(which)!
        select.value = key
        select.dispatchEvent(new Event('change', { bubbles: true }))
      },
      { which: id('ready'), key: value },
    )
    await until(value.split('|'))
    expect((await boxes()).join('')).toBe(text)
    await lesson.page.click(id('undo'))
    await until(base.tokens)
  })
})

describe('by keyboard', () => {
  beforeEach(async () => {
    await lesson.visitProblem({ ...base, tokens: ['a', 'b', 'c'] }, { stop: 6, pin: 'weights.0.1.1' })
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), id('edit'))
    await lesson.page.press('Enter')
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), token(0))
  })

  test('arrows go along the row and nowhere else', async () => {
    for (const [key, place] of [['ArrowRight', 1], ['End', 3], ['ArrowRight', 3], ['Home', 0], ['ArrowLeft', 0]] as const) {
      await lesson.page.press(key)
      expect(await inFocus(place === 3 ? id('token-new') : token(place)), key).toBe(true)
    }
    expect(await lesson.stop()).toBe(6)
  })

  test('Enter edits, | cuts, Esc lets be', async () => {
    await lesson.page.press('ArrowRight')
    await lesson.page.press('Enter')
    expect(await inFocus(field)).toBe(true)
    await lesson.page.type('x|y')
    await lesson.page.press('Enter')
    await until(['a', 'x', 'y', 'c'])
    expect(await inFocus(token(2))).toBe(true)
    await lesson.page.press('Enter')
    await lesson.page.type('lost')
    await lesson.page.press('Escape')
    expect(await inFocus(token(2))).toBe(true)
    expect(await boxes()).toEqual(['a', 'x', 'y', 'c'])
  })

  test('Alt and arrows move, never the browser; Delete deletes, never the last one; undone by Ctrl + Z', async () => {
    await lesson.page.press('Alt+ArrowRight')
    await until(['b', 'a', 'c'])
    expect(await said()).toBe('已移动：a，现在是第 2 个')
    expect(await inFocus(token(1))).toBe(true)
    await lesson.page.press('Alt+ArrowLeft')
    await lesson.page.press('Alt+ArrowLeft')
    await until(['a', 'b', 'c'])
    await lesson.page.press('Delete')
    await until(['b', 'c'])
    await lesson.page.press('Backspace')
    await until(['c'])
    await lesson.page.press('Delete')
    expect(await said()).not.toBe('')
    expect(await computed()).toEqual(['c'])
    for (let steps = 0; steps < 3; steps += 1) await lesson.page.press('Control+z')
    await until(['b', 'a', 'c'])
    await lesson.page.press('Control+z')
    await until(['a', 'b', 'c'])
  })

  test('another language: nothing is said in the one before, nothing chosen stays, and what was typed is kept', async () => {
    await lesson.page.press('Alt+ArrowRight')
    await until(['b', 'a', 'c'])
    await lesson.page.press('Enter')
    await lesson.page.type('x')
    for (const [lang, count] of [['en', '3 tokens, 32 at most'], ['zh', '3 个词元，最多 32 个']] as const) {
      await lesson.page.click(id(`lang-${lang}`))
      await until(['b', 'x', 'c'])
      expect([await said(), await lesson.exists(id('token-tools')), await lesson.text(id('token-count'))]).toEqual(['', false, count])
      await lesson.page.click(token(0))
    }
    // The sentence of the lesson changes with the language.
    await lesson.visitProblem(base, { stop: 6 })
    await lesson.click('edit')
    await lesson.page.click(token(10))
    await lesson.page.click(id('lang-en'))
    await lesson.settled()
    expect([await said(), await lesson.exists(id('token-tools')), await boxes()]).toEqual(['', false, lessonProblem('en').tokens])
  })

  test('Esc closes the token, then the panel, and unpins nothing', async () => {
    await lesson.page.press('Enter')
    for (const gone of ['token-tools', 'token-editor']) {
      expect(await lesson.exists(id(gone))).toBe(true)
      await lesson.page.press('Escape')
      expect(await lesson.exists(id(gone))).toBe(false)
    }
    expect(await inFocus(id('edit'))).toBe(true)
    expect(await lesson.exists(`${id('inspector')}[data-cell]`)).toBe(true)
  })

  test('several new tokens in a row', async () => {
    await lesson.page.press('End')
    await lesson.page.press('Enter')
    for (const text of ['x', 'New York', 'y|z']) {
      await lesson.page.type(text)
      await lesson.page.press('Enter')
    }
    await until(['a', 'b', 'c', 'x', 'New York', 'y', 'z'])
    expect(await inFocus(field)).toBe(true)
  })
})

test('an input method is left alone', async () => {
  const { compose } = lesson.page
  if (compose === undefined) return
  await openWith(base.tokens)
  await lesson.page.click(token(2))
  const before = await lesson.page.evaluate(() => window.eightMeetings.pass!.id)
  await lesson.page.evaluate((which) => Object.assign(document.querySelector(which)!, { marked: true }), field)
  await compose(['d', 'dan', 'dang'], null)
  // The Enter that ends a composition ends nothing else.
  await lesson.page.evaluate((which) => document.querySelector(which)!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })), field)
  await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 500)))
  expect(await lesson.page.evaluate(() => window.eightMeetings.pass!.id)).toBe(before)
  expect(await lesson.page.evaluate((which) => Reflect.get(document.querySelector(which)!, 'marked') as boolean, field), 'the same field all along').toBe(true)
  expect(await boxes()).toEqual(base.tokens)
  await compose([], '糖')
  expect(await boxes()).toEqual(base.tokens)
  await lesson.page.press('Enter')
  await until(base.tokens.with(2, '糖'))
})

describe('characters', () => {
  test.each([
    ['👩‍👧‍👦', 0], ['🇨🇳', 0], ['👍🏽', 0], ['𠮷', 0], ['e\u0301', 0], ['🇨🇳🇫🇷', 1], ['a👩‍👧‍👦b', 2], ['𠮷野家', 2], ['שלום', 3],
  ])('%s is cut only between characters', async (text, cuts) => {
    await openWith([text, 'b'])
    await lesson.page.click(token(0))
    expect(await lesson.page.evaluate((which) => document.querySelectorAll(which).length, id('token-cut'))).toBe(cuts)
    if (cuts === 0) return
    await lesson.clickOne(id('token-cut'), 0)
    await lesson.page.waitUntil('it is cut', () => window.eightMeetings.pass?.request.tokens.length === 3)
    expect((await computed()).join('')).toBe(`${text}b`)
  })

  test('words that stand twice carry their place, and are changed one by one', async () => {
    await openWith(['她', '把', '她', '她'])
    const places = await lesson.page.evaluate((which) => [...document.querySelectorAll<HTMLElement>(which)].map((box) => box.dataset.repeated ?? ''), id('token'))
    expect(places).toEqual(['1', '', '3', '4'])
    await lesson.page.click(token(2))
    await lesson.page.fill(field, '他')
    await lesson.page.press('Enter')
    await until(['她', '把', '他', '她'])
  })
})

describe('the limits', () => {
  const row = (count: number): string[] => Array.from({ length: count }, (_, i) => `t${i}`)

  test('32 are computed, a 33rd is said and stays in sight, and deleting mends it', async () => {
    await openWith(row(32))
    await lesson.page.click(id('token-new'))
    await lesson.page.type('more')
    await lesson.page.press('Enter')
    expect(await boxes()).toEqual([...row(32), 'more'])
    expect(await problem()).toBe('现在是 33 个词元，最多 32 个，删几个再算。')
    expect(await computed()).toEqual(row(32))
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), token(0))
    await lesson.page.press('Delete')
    await until([...row(32).slice(1), 'more'])
    expect(await problem()).toBe('')
  })

  test('35 pasted into the line are boxes to delete from', async () => {
    await openWith(['a', 'b'])
    await lesson.page.fill(id('sentence'), row(35).join(' '))
    await lesson.page.waitUntil('it is refused', (which) => document.querySelector(which)?.getAttribute('aria-invalid') === 'true', id('sentence'))
    expect(await problem()).toContain('35')
    expect(await boxes()).toEqual(row(35))
    expect(await computed()).toEqual(['a', 'b'])
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), token(30))
    for (let i = 0; i < 3; i += 1) await lesson.page.press('Delete')
    await until([...row(30), 't33', 't34'])
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLInputElement>(which)!.value, id('sentence'))).toBe([...row(30), 't33', 't34'].join('|'))
  })

  test('a token that is too long, or nothing, is refused where it is typed', async () => {
    await openWith(['a'])
    await lesson.page.click(token(0))
    for (const [text, number] of [['x'.repeat(25), '24'], ['', '32'], ['|', '32']] as const) {
      await lesson.page.fill(field, text)
      await lesson.page.press('Enter')
      expect(await lesson.exists(`${field}[aria-invalid="true"]`)).toBe(true)
      expect(await lesson.text('.tools .problem')).toContain(number)
      expect(await computed()).toEqual(['a'])
    }
  })
})

test('on a phone it is one of the settings, with targets for fingers', async () => {
  const phone = await stand.open('?lang=zh&stop=6', { width: 390, height: 844 })
  expect(await phone.exists(id('edit'))).toBe(false)
  await phone.click('settings')
  await phone.page.click(token(0))
  await phone.page.click(id('token-merge'))
  await until(['小明把', ...base.tokens.slice(2)], phone)
  await phone.page.fill(id('sentence'), '她|饿')
  await until(['她', '饿'], phone)
  expect(await phone.page.evaluate(() => document.scrollingElement!.scrollWidth - document.scrollingElement!.clientWidth)).toBeLessThanOrEqual(0)
  expect(phone.page.complaints).toEqual([])
  await phone.close()
})

describe.each(['zh', 'en'] as const)('has no violation: %s', (lang) => {
  test.each([['light', 1440], ['dark', 1440], ['light', 390], ['dark', 390]] as const)('%s, %i wide', async (theme, width) => {
    const own = await stand.open('', { width, height: 844, theme })
    const tokens = ['她', 'she', '她', '🇨🇳🇫🇷', 'שלום', ...Array.from({ length: 30 }, (_, i) => `t${i}`)]
    await own.visit(`?lang=${lang}&sentence=${encodeURIComponent(tokens.slice(0, 30).join('|'))}`)
    await own.click(width < 640 ? 'settings' : 'edit')
    await own.page.click(token(3))
    expect(await violations(own, 'a token chosen')).toEqual([])
    await own.page.fill(field, 'x'.repeat(25))
    await own.page.press('Enter')
    await own.page.fill(id('sentence'), tokens.join('|'))
    await own.page.waitUntil('it is refused', (which) => document.querySelector(which)?.getAttribute('aria-invalid') === 'true', id('sentence'))
    expect(await violations(own, 'too many')).toEqual([])
    await own.click('provenance')
    await own.page.click(id('another-seed'))
    expect(await violations(own, 'the seed')).toEqual([])
    await own.close()
  })
})

test('nothing complained', () => expect(lesson.page.complaints).toEqual([]))
