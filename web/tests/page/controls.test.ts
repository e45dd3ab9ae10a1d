// The controls: what is typed, chosen and switched reaches the core, and what can't be computed is said and changes nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Lesson, Stand, test as id } from './support/lesson'
import { goSomewhere, readGrids } from './support/maps'
import { Findings } from './support/numbers'
import { ask } from './support/oracle'
import { symbolText } from './support/places'
import { type Problem, lesson as lessonProblem, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('controls')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

const base: Problem = { ...lessonProblem('zh'), seed: random.whole(1, 1e6) }
beforeEach(() => lesson.visitProblem(base, { stop: 6 }))

const look = { chosen: 0, samples: 1 }

/** What the core was last asked, from the page's read-only handle. */
const request = () => lesson.page.evaluate(() => JSON.parse(JSON.stringify(window.eightMeetings.pass!.request)) as Record<string, unknown>)

async function until(key: string, value: unknown): Promise<void> {
  await lesson.page.waitUntil(
    `the pass has ${key} = ${JSON.stringify(value)}`,
    ({ name, wanted }) => JSON.stringify(Reflect.get(window.eightMeetings.pass?.request ?? {}, name)) === wanted,
    { name: key, wanted: JSON.stringify(value) },
  )
  await lesson.settled()
}

/** What a field says about its text. */
const problemOf = (field: string): Promise<string> =>
  lesson.page.evaluate((which) => {
    const described = document.querySelector(which)!.getAttribute('aria-describedby')!.split(' ')
    return described.map((name) => document.getElementById(name)).find((element) => element?.getAttribute('role') === 'status')?.textContent ?? ''
  }, field)

const isInvalid = (field: string): Promise<boolean> => lesson.exists(`${field}[aria-invalid="true"]`)

describe('the sentence', () => {
  const field = id('sentence')

  test('is cut at bars and computed', async () => {
    const tokens = ['她', '她', '🎂', 'New York', '。']
    await lesson.page.fill(field, tokens.join('|'))
    await until('tokens', tokens)
    await checkStop(lesson, 6, await ask({ ...base, tokens }), random, look)
    await lesson.addressSays('sentence', tokens.join('|'))
  })

  test('without bars is cut by the lesson’s words first', async () => {
    await lesson.page.fill(field, '小红把蛋糕递给小明。')
    await until('tokens', ['小红', '把', '蛋糕', '递给', '小明', '。'])
  })

  test.each([
    ['33 tokens', Array(33).fill('a').join('|'), '33'],
    ['nothing', '', '32'],
    ['only separators', ' | ｜ | ', '32'],
    ['a token that is too long', 'x'.repeat(25), '24'],
    ['too much text', '长|'.repeat(600), '1000'],
  ])('%s: says so and keeps the last good one', async (_, typed, number) => {
    await lesson.page.fill(field, typed)
    await lesson.page.waitUntil('the field says what is wrong', (which) => document.querySelector(which)?.getAttribute('aria-invalid') === 'true', field)
    expect(await problemOf(field)).toContain(number)
    expect((await request()).tokens).toEqual(base.tokens)
    // 32 are fine, and the message goes.
    const tokens = Array.from({ length: 32 }, (_, i) => `t${i}`)
    await lesson.page.fill(field, tokens.join('|'))
    await until('tokens', tokens)
    expect(await isInvalid(field)).toBe(false)
    expect(await problemOf(field)).toBe('')
  })

  test('what was refused goes when another sentence comes from elsewhere', async () => {
    await lesson.page.fill(field, '|||')
    await lesson.page.waitUntil('the field says what is wrong', (which) => document.querySelector(which)?.getAttribute('aria-invalid') === 'true', field)
    await lesson.changeTo({ ...base, tokens: ['她', '饿'] }, { stop: 6 })
    expect(await isInvalid(field)).toBe(false)
    expect(await problemOf(field)).toBe('')
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLInputElement>(which)!.value, field)).toBe('她|饿')
  })

  test('is not computed in the middle of a composition', async () => {
    const { compose } = lesson.page
    if (compose === undefined) return
    await lesson.page.click(field)
    await lesson.page.press('End')
    const before = await lesson.page.evaluate(() => window.eightMeetings.pass!.id)
    await compose(['x', 'xi', 'xiao', '笑'], null)
    // Nothing is to happen, and nothing can be waited for: longer than the field ever waits.
    await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 600)))
    expect(await lesson.page.evaluate(() => window.eightMeetings.pass!.id)).toBe(before)
    expect(await isInvalid(field)).toBe(false)
    await compose([], '笑')
    await lesson.page.waitUntil('the composed word is a token', () => window.eightMeetings.pass?.request.tokens.some((token) => token.includes('笑')))
  })
})

describe('the size', () => {
  const [d, h] = [id('d-model'), id('heads')]
  beforeEach(() => lesson.page.click(id('settings')))

  test('typed is computed', async () => {
    await lesson.page.fill(d, '12')
    await until('dModel', 12)
    await lesson.page.fill(h, '4')
    await until('heads', 4)
    await checkStop(lesson, 6, await ask({ ...base, dModel: 12, heads: 4 }), random, look)
  })

  test('in full-width digits too', async () => {
    await lesson.page.fill(d, '１６')
    await until('dModel', 16)
  })

  test.each([
    ['h', '3', [8, 2], [[8, 2], [8, 4]]],
    ['h', '7', [8, 2], [[8, 4], [8, 8]]],
    ['d', '9', [8, 2], [[8, 2], [10, 2]]],
    ['d', '1023', [8, 2], [[1022, 2], [1024, 2]]],
    // More heads than columns.
    ['h', '16', [8, 2], [[8, 8]]],
    ['d', '6', [64, 8], [[8, 8]]],
    ['d', '1', [8, 2], [[2, 2]]],
  ] as const)('that does not go together offers the nearest: %s = %s at %j', async (field, typed, [dModel, ofHeads], offers) => {
    await lesson.changeTo({ ...base, dModel, heads: ofHeads })
    await lesson.page.fill(field === 'h' ? h : d, typed)
    const said = await lesson.text(id('size-problem'))
    expect(said).toContain(typed)
    expect([await isInvalid(h), await isInvalid(d)]).toEqual([field === 'h', field === 'd'])
    const buttons = await lesson.page.evaluate((which) => [...document.querySelectorAll(which)].map(({ textContent }) => textContent ?? ''), id('offer'))
    expect(buttons).toHaveLength(offers.length)
    offers.forEach(([width, heads], i) => {
      expect(buttons[i]).toContain(String(width))
      expect(buttons[i]).toContain(String(heads))
    })
    expect(await request()).toMatchObject({ dModel, heads: ofHeads })
    const [width, heads] = offers[0]
    await lesson.clickOne(id('offer'), 0)
    await until('dModel', width)
    await until('heads', heads)
    expect(await lesson.exists(id('offer'))).toBe(false)
  })

  test.each(['abc', '-4', '0', '1025', '99999999999', '1e3', '8.5', '', '∞', 'NaN', '８x'])('“%s” for d is refused', async (typed) => {
    await lesson.page.fill(d, typed)
    expect(await isInvalid(d)).toBe(true)
    expect(await lesson.text(id('size-problem'))).toContain('1024')
    expect(await request()).toMatchObject({ dModel: base.dModel, heads: base.heads })
    await lesson.page.fill(d, '8')
    expect(await isInvalid(d)).toBe(false)
  })

  test('by sliders: d over its steps, h over the divisors; an h that no longer divides is said', async () => {
    const focusOn = (which: string): Promise<void> => lesson.page.evaluate((selector) => document.querySelector<HTMLElement>(selector)!.focus(), which)
    const valueText = (which: string): Promise<string> => lesson.page.evaluate((selector) => document.querySelector(selector)!.getAttribute('aria-valuetext') ?? '', which)
    await lesson.changeTo({ ...base, dModel: 768, heads: 12 }, { stop: 6 })
    await focusOn(id('d-slider'))
    await lesson.page.press('ArrowLeft')
    await until('dModel', 512)
    await until('heads', 8)
    expect(await lesson.text(id('size-problem'))).toMatch(/512.*12.*8/)
    await lesson.page.press('Home')
    await until('dModel', 8)
    expect(await lesson.text(id('size-problem'))).toBe('')
    await focusOn(id('h-slider'))
    for (const [key, heads] of [['Home', 1], ['ArrowRight', 2], ['ArrowRight', 4], ['End', 8]] as const) {
      await lesson.page.press(key)
      await until('heads', heads)
      expect(await valueText(id('h-slider'))).toBe(`${heads} 个头，每个 ${8 / heads} 列`)
    }
    expect(await lesson.stop()).toBe(6)
    await checkStop(lesson, 6, await ask({ ...base, heads: 8 }), random, look)
  })

  test('64 heads, by the slider, at the largest size', async () => {
    await lesson.page.fill(d, '1024')
    await until('dModel', 1024)
    await lesson.page.fill(h, '64')
    await until('heads', 64)
    const oracle = await ask({ ...base, dModel: 1024, heads: 64 })
    await checkStop(lesson, 6, oracle, random, look)
  })

  test('by name', async () => {
    const choose = (key: string): Promise<void> =>
      lesson.page.evaluate(
        ({ which, value }) => {
          const select = document.querySelector<HTMLSelectElement>(which)!
          select.value = value
          select.dispatchEvent(new Event('change', { bubbles: true }))
        },
        { which: id('size-presets'), value: key },
      )
    const shown = (): Promise<string> => lesson.page.evaluate((which) => document.querySelector<HTMLSelectElement>(which)!.selectedOptions[0]!.textContent ?? '', id('size-presets'))
    for (const [key, dModel, heads, name] of [['bertBase', 768, 12, 'BERT-base'], ['article', 512, 8, 'Transformer base'], ['readable', 8, 2, '8']] as const) {
      await choose(key)
      await until('dModel', dModel)
      await until('heads', heads)
      expect(await shown()).toContain(name)
    }
    await lesson.page.fill(d, '12')
    await until('dModel', 12)
    expect(await shown()).toContain('12 = 2 × 6')
  })

  test('a slider dragged fast: no event holds the page up, and the last one wins', async () => {
    const slow = await lesson.page.evaluate((which) => {
      const slider = document.querySelector<HTMLInputElement>(which)!
      const times: number[] = []
      for (let event = 0; event < 200; event += 1) {
        const place = event === 199 ? 2 : event % (Number(slider.max) + 1)
        slider.value = String(place)
        const start = performance.now()
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        times.push(performance.now() - start)
      }
      // A few may fall to whatever else this machine is doing.
      return times.sort((a, b) => a - b)[Math.floor(0.95 * times.length)]!
    }, id('d-slider'))
    await until('dModel', 32)
    expect(slow).toBeLessThan(50)
    await lesson.addressSays('dModel', '32')
    await checkStop(lesson, 6, await ask({ ...base, dModel: 32 }), random, look)
  })

  test('at the end of the walk: again at the article’s size, from the start; there it is not offered any more', async () => {
    await lesson.visitProblem(base, { stop: 10, head: 1, out: '1' })
    await lesson.click('again')
    await until('dModel', 512)
    expect([await lesson.stop(), (await request()).heads, (await request()).headGate]).toEqual([0, 8, undefined])
    await checkStop(lesson, 0, await ask({ ...base, dModel: 512, heads: 8 }), random, look)
    for (const [size, offered] of [[{ dModel: 512, heads: 8 }, false], [{ dModel: 768, heads: 12 }, false], [{ dModel: 12, heads: 3 }, true]] as const) {
      await lesson.visitProblem({ ...base, ...size }, { stop: 10 })
      expect(await lesson.exists(id('again'))).toBe(offered)
    }
    await lesson.visitProblem(base, { stop: 10, view: 'projector' })
    expect(await lesson.exists(id('again'))).toBe(false)
  })

  test('by the switch: the article’s size and back, every number right', async () => {
    await lesson.click('preset-article')
    await until('dModel', 512)
    const article: Problem = { ...base, dModel: 512, heads: 8 }
    const oracle = await ask(article)
    await checkStop(lesson, 6, oracle, random, look)
    await lesson.next()
    await checkStop(lesson, 7, oracle, random, look)
    await lesson.click('preset-readable')
    await until('dModel', 8)
    await checkStop(lesson, 7, await ask(base), random, look)
  })
})

describe('the options', () => {
  beforeEach(() => lesson.page.click(id('settings')))

  test.each([
    ['causal', { causal: true }],
    ['scaled', { scaled: false }],
    ['positions', { positions: false }],
  ] as const)('%s', async (switched, change) => {
    await lesson.page.click(id(switched))
    await until(switched, Object.values(change)[0])
    await checkStop(lesson, 6, await ask({ ...base, ...change }), random, look)
  })

  test('seed and padding', async () => {
    await lesson.page.fill(id('padding'), '4')
    await until('padding', 4)
    await lesson.page.click(id('provenance'))
    await lesson.page.fill(id('seed'), '4294967295')
    await until('seed', 4294967295)
    await checkStop(lesson, 6, await ask({ ...base, seed: 4294967295, padding: 4 }), random, look)
  })

  test.each([['seed', '-1'], ['seed', '4294967296'], ['seed', 'x'], ['padding', '12'], ['padding', '-1'], ['padding', '']])(
    '%s “%s” is refused',
    async (field, typed) => {
      if (field === 'seed') await lesson.page.click(id('provenance'))
      await lesson.page.fill(id(field), typed)
      expect(await isInvalid(id(field))).toBe(true)
      expect(await problemOf(id(field))).not.toBe('')
      expect(await request()).toMatchObject({ seed: base.seed, padding: 0 })
    },
  )

  test('what was refused is refused no longer once the sentence, or Back, has settled it', async () => {
    const field = id('padding')
    const shown = (): Promise<string> => lesson.page.evaluate((which) => document.querySelector<HTMLInputElement>(which)!.value, field)
    await lesson.page.fill(field, '12')
    expect(await isInvalid(field)).toBe(true)
    const tokens = [...base.tokens, 'and', 'more']
    await lesson.page.fill(id('sentence'), tokens.join('|'))
    await until('tokens', tokens)
    expect([await isInvalid(field), await problemOf(field), await shown()]).toEqual([false, '', '0'])
    expect((await request()).padding).toBe(0)
    await lesson.page.click(id('provenance'))
    await lesson.page.fill(id('seed'), '-1')
    expect(await isInvalid(id('seed'))).toBe(true)
    await lesson.changeTo({ ...base, seed: base.seed + 1 })
    expect(await isInvalid(id('seed'))).toBe(false)
  })

  test('every token padded: rows are flagged, weights are 0, nothing is NaN', async () => {
    await lesson.page.fill(id('padding'), String(base.tokens.length))
    await until('padding', base.tokens.length)
    const dead = { ...base, padding: base.tokens.length }
    const oracle = await ask(dead)
    for (const stop of [5, 6]) {
      await lesson.visitProblem(dead, { stop })
      await checkStop(lesson, stop, oracle, random, look)
      const said = await lesson.text(id('dead-rows'))
      for (const token of base.tokens) expect(said).toContain(token)
    }
    await lesson.visitProblem(dead, { stop: 10, pin: 'output.6.4' })
    await checkStop(lesson, 10, oracle, random, look)
    expect(await lesson.allText()).not.toMatch(/NaN|∅|undefined/)
  })
})

describe('where the numbers come from', () => {
  beforeEach(() => lesson.page.click(id('provenance')))
  const inFocus = (which: string): Promise<boolean> => lesson.page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, which)

  test('another seed is drawn, named and computed', async () => {
    await lesson.page.click(id('another-seed'))
    const seed = await lesson.page.evaluate(() => window.eightMeetings.state.seed)
    expect(seed).not.toBe(base.seed)
    await until('seed', seed)
    for (const where of ['source-said', 'provenance', 'source']) expect(await lesson.text(id(where))).toContain(String(seed))
    await checkStop(lesson, 6, await ask({ ...base, seed }), random, look)
  })

  test('the copied link says everything; where nothing may be copied, it can be read', async () => {
    await lesson.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: (text: string) => void (document.title = text) } }))
    await lesson.page.fill(id('seed'), '7')
    await lesson.page.click(id('copy-link'))
    const [copied, address] = await lesson.page.evaluate(() => [document.title, location.origin + location.pathname])
    expect(copied!.startsWith(`${address}?`)).toBe(true)
    const said = new URL(copied!).searchParams
    expect([said.get('seed'), said.get('stop')]).toEqual(['7', '6'])
    await lesson.page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }))
    await lesson.page.click(id('copy-link'))
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLInputElement>(which)!.value, id('link'))).toBe(copied)
  })

  test('Esc closes it and leads back; one panel is open at a time', async () => {
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.focus(), id('seed'))
    await lesson.page.press('Escape')
    expect(await lesson.exists(id('source'))).toBe(false)
    expect(await inFocus(id('provenance'))).toBe(true)
    await lesson.page.press('Enter')
    await lesson.page.click(id('settings'))
    const open = await lesson.page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.bar [aria-expanded="true"]')].map(({ dataset }) => dataset.testid))
    expect(open).toEqual(['settings'])
    await lesson.page.press('Escape')
    expect(await inFocus(id('settings'))).toBe(true)
  })
})

describe('heads switched off', () => {
  const problem: Problem = { ...randomProblem(random, { tokens: 6 }), dModel: 12, heads: 4, out: [] }

  test('before W_O: every number follows, and comes back', async () => {
    await lesson.visitProblem(problem, { stop: 9, pin: 'output.0.2' })
    const off: number[] = []
    for (const head of [2, 0]) {
      await lesson.clickOne(`${id('gate')}[data-head="${head}"]`)
      off.push(head)
      off.sort()
      await until('headGate', [0, 1, 2, 3].map((one) => (off.includes(one) ? 0 : 1)))
      await checkStop(lesson, 9, await ask({ ...problem, out: [...off] }), random, look)
      await lesson.addressSays('out', off.join(','))
    }
    for (const head of [0, 2]) await lesson.clickOne(`${id('gate')}[data-head="${head}"]`)
    await lesson.addressSays('out', null)
    await checkStop(lesson, 9, await ask(problem), random, look)
  })

  test('all of them: the output is 0', async () => {
    const all = { ...problem, out: [0, 1, 2, 3] }
    await lesson.visitProblem(all, { stop: 9 })
    await checkStop(lesson, 9, await ask(all), random, look)
    expect(await lesson.page.evaluate(() => {
      const { data, offset, shape } = window.eightMeetings.pass!.tensor('output')!
      return data.subarray(offset, offset + shape[0]! * shape[1]!).every((value) => value === 0)
    })).toBe(true)
  })
})

describe('the cell that is looked at', () => {
  const pointed = (problem: Problem) => async (tensor: string, index: readonly number[]): Promise<void> => {
    const oracle = await ask(problem)
    const findings = new Findings()
    const said = await lesson.page.evaluate(() => {
      const foot = document.querySelector('[data-testid="pointed"]')
      return [foot?.querySelector('.formula')?.textContent, foot?.querySelector<HTMLElement>('[data-value]')?.dataset.value] as const
    })
    findings.equal('its name', said[0], symbolText(tensor, index))
    findings.number('its number', said[1], oracle.cell(tensor, index))
    findings.conclude(`what stands under the figure: ${said.join(' = ')}`)
  }

  test('follows another head, another seed and another stop', async () => {
    const [grid] = (await readGrids(lesson.page)).filter(({ tensor }) => tensor === 'weights')
    const { row, column } = await goSomewhere(lesson.page, grid!, random)
    await pointed(base)('weights', [0, row, column])
    await lesson.page.press('2')
    await lesson.settled()
    await pointed(base)('weights', [1, row, column])
    const seed = base.seed + 1
    await lesson.page.evaluate((next) => window.eightMeetings.set({ seed: next }), seed)
    await until('seed', seed)
    await pointed({ ...base, seed })('weights', [1, row, column])
    await lesson.page.evaluate(() => window.eightMeetings.set({ causal: true, sentence: ['a', 'b'] }))
    await until('causal', true)
    const foot = await lesson.text(id('pointed'))
    if (row > 1 || column > 1) expect(foot.trim()).toBe('')
    await lesson.visitProblem(base, { stop: 5 })
    expect((await lesson.text(id('pointed'))).trim()).toBe('')
  })
})

describe('language and colours', () => {
  test('the language changes the words, not the numbers of one’s own sentence', async () => {
    const tokens = ['她', 'and', '她']
    const own = { ...base, tokens }
    await lesson.visitProblem(own, { stop: 6 })
    const title = await lesson.text(id('title'))
    await lesson.click('lang-en')
    expect(await lesson.page.evaluate(() => document.documentElement.lang)).toBe('en')
    expect((await request()).tokens).toEqual(tokens)
    expect(await lesson.text('footer')).not.toMatch(/\p{sc=Han}/u)
    await checkStop(lesson, 6, await ask({ ...own, lang: 'en' }), random, look)
    await lesson.click('lang-zh')
    expect(await lesson.text(id('title'))).toBe(title)
  })

  test('the lesson’s sentence speaks the reader’s language', async () => {
    await lesson.visit('')
    await lesson.click('lang-en')
    await until('tokens', lessonProblem('en').tokens)
    await lesson.click('lang-zh')
    await until('tokens', lessonProblem('zh').tokens)
  })

  test('a bare address opens in the language the browser asks for', async () => {
    for (const [lang, tag] of [['zh-CN', 'zh-CN'], ['en', 'en']] as const) {
      const other = await stand.open('', { lang })
      expect(await other.page.evaluate(() => document.documentElement.lang)).toBe(tag)
      await other.close()
    }
  })

  test('colours: as the system has them, or as chosen', async () => {
    const paper = (): Promise<string> => lesson.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await paper()
    const seen = new Set([light])
    for (let i = 0; i < 2; i += 1) {
      await lesson.click('theme')
      seen.add(await paper())
    }
    expect(seen.size).toBe(2)
    const dark = await stand.open('', { theme: 'dark' })
    expect(await dark.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).not.toBe(light)
    await dark.close()
  })
})

test('nothing complained', () => expect(lesson.page.complaints).toEqual([]))
