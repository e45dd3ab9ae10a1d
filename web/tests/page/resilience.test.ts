// What can go wrong around the lesson: files that do not arrive, hosts that promise nothing, readers in a hurry.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { type Problem, describeProblem, lesson as lessonProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { recorder } from './support/recorder'
import { checkStop } from './support/walk'

const random = new Random('resilience')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterEach(() => stand.site.lose(null))
afterAll(() => stand.fall())

describe('files that do not arrive', () => {
  test.each([
    ['zh', '试', /\p{sc=Han}/u],
    ['en', 'again', /connection/],
  ] as const)('the wasm module: said in %s, and trying again helps', async (lang, again, said) => {
    stand.site.lose(/\.wasm$/)
    const page = await stand.browser.open()
    await page.goto(`${stand.site.address}?lang=${lang}&stop=6`)
    await page.waitUntil('the page says that it failed', (which) => document.querySelector(which) !== null, id('failure'))
    const failure = await page.evaluate((which) => {
      const element = document.querySelector<HTMLElement>(which)!
      return { text: element.textContent ?? '', status: element.dataset.status }
    }, id('failure'))
    expect(failure.status).toBe('load_failed')
    expect(failure.text).toMatch(said)
    expect(failure.text).toContain(again)
    if (lang === 'en') expect(failure.text).not.toMatch(/\p{sc=Han}/u)

    // Still not there: still said.
    await page.click(id('retry'))
    await page.waitUntil('it says so again', (which) => document.querySelector(which) !== null, id('failure'))
    stand.site.lose(null)
    await page.click(id('retry'))
    await page.waitUntil('the numbers are there', (which) => document.querySelector(which)?.getAttribute('data-ready') === 'true', id('main'))
    expect(await page.evaluate((which) => document.querySelector(which) === null, id('failure'))).toBe(true)
    await page.close()
  })

  test('the chapter: said, and trying again helps', async () => {
    stand.site.lose(/Steps-[^/]*\.js$/)
    const page = await stand.browser.open()
    await page.goto(`${stand.site.address}?lang=en`)
    await page.waitUntil('the page says that the chapter failed', () => document.querySelector('main [role="alert"]') !== null)
    expect(await page.evaluate(() => document.querySelector('main')!.textContent ?? '')).toContain('connection')
    stand.site.lose(null)
    await page.click('main button')
    await page.waitUntil('the numbers are there', (which) => document.querySelector(which)?.getAttribute('data-ready') === 'true', id('main'))
    await page.close()
  })

  test('fonts: the lesson goes on', async () => {
    stand.site.lose(/\.woff2$/)
    const lesson = await stand.open('?stop=6')
    const problem = lessonProblem('zh')
    await checkStop(lesson, 6, await ask(problem), random, { chosen: 0, samples: 1 })
    await lesson.close()
  })
})

describe('any host', () => {
  test('everything comes from the page’s own folder, under a strict policy', async () => {
    const lesson = await stand.open('?stop=9&pin=output.1.1')
    await lesson.click('as-table')
    const outside = lesson.page.requests.filter((address) => !address.startsWith(stand.site.address))
    expect(outside).toEqual([])
    expect(lesson.page.requests.some((address) => address.endsWith('.wasm'))).toBe(true)
    expect(lesson.page.failedRequests).toEqual([])
    // A broken policy complains on the console.
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })

  test('nothing is asked for twice, and only one build of the core', async () => {
    const before = stand.site.asked.length
    const lesson = await stand.open('?stop=6')
    for (const stop of [7, 8]) {
      await lesson.next()
      expect(await lesson.stop()).toBe(stop)
    }
    const asked = stand.site.asked.slice(before).filter((path) => path !== 'before-the-page.js')
    expect(asked.filter((path, i) => asked.indexOf(path) !== i)).toEqual([])
    expect(asked.filter((path) => path.endsWith('.wasm'))).toHaveLength(1)
    await lesson.close()
  })

  test('goes on when the network is gone after loading', async () => {
    const lesson = await stand.open('?stop=0')
    await lesson.cutNetwork()
    await lesson.click('preset-article')
    await lesson.click('preset-readable')
    for (let stop = 1; stop <= lastStop; stop += 1) await lesson.next()
    await checkStop(lesson, lastStop, await ask(lessonProblem('zh')), random, { chosen: 0, samples: 1 })
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })

  test('has the tabs of a step when the network is gone before they were first opened', async () => {
    const lesson = await stand.open('?stop=6')
    await lesson.cutNetwork()
    await lesson.page.click(`${id('same')} > summary`)
    await lesson.page.waitUntil('they are there', (which) => document.querySelector(which) !== null, id('same-panel'))
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })

  test('fetches no tabs ahead for whoever saves data', async () => {
    stand.site.prepend(`${recorder}\n;Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`)
    const lesson = await stand.open('?stop=6')
    stand.site.prepend(recorder)
    await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 1500)))
    expect(lesson.page.requests.filter((address) => address.includes('SameStepTabs'))).toEqual([])
    await lesson.page.click(`${id('same')} > summary`)
    await lesson.page.waitUntil('they are there', (which) => document.querySelector(which) !== null, id('same-panel'))
    await lesson.close()
  })
})

/** One thing a hurried reader does, done by the page itself as fast as it can be done. */
async function hurry(lesson: Lesson, actions: readonly [kind: string, argument: string][]): Promise<void> {
  await lesson.page.evaluate((list) => {
    const press = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click()
    const fill = (testId: string, text: string): void => {
      const field = document.querySelector<HTMLInputElement>(`[data-testid="${testId}"]`)
      if (field === null) return
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
    const clickMap = (share: number): void => {
      const grids = document.querySelectorAll<HTMLElement>('[data-testid="grid"]')
      const grid = grids[Math.floor(share * grids.length)]
      if (grid === undefined) return
      const { left, top, width, height } = grid.getBoundingClientRect()
      const at = { clientX: left + width * ((share * 7) % 1), clientY: top + height * ((share * 13) % 1), bubbles: true }
      grid.dispatchEvent(new PointerEvent('pointermove', at))
      grid.dispatchEvent(new MouseEvent('click', at))
    }
    for (const [kind, argument] of list) {
      if (kind === 'press') press(argument)
      else if (kind === 'key') document.body.dispatchEvent(new KeyboardEvent('keydown', { key: argument, bubbles: true, cancelable: true }))
      else if (kind === 'map') clickMap(Number(argument))
      else fill(kind, argument)
    }
  }, actions)
}

function randomAction(): [string, string] {
  const button = (name: string): [string, string] => ['press', id(name)]
  return random.pick<() => [string, string]>([
    () => button('next'), () => button('next'), () => button('back'), () => ['key', random.pick(['ArrowRight', 'ArrowLeft', 'Home', 'End', 'Escape', '1', '2', '3', ']', '['])],
    () => ['map', String(random.next())], () => ['map', String(random.next())], () => ['map', String(random.next())],
    () => button(random.pick(['causal', 'scaled', 'positions'])), () => ['seed', String(random.whole(0, 99))],
    () => ['padding', String(random.whole(0, 12))], () => ['d-model', String(random.pick([8, 12, 13, 24, 'x', 512]))],
    () => ['heads', String(random.pick([1, 2, 3, 4, 5, 8]))], () => button(random.pick(['preset-readable', 'preset-article'])),
    () => ['sentence', random.pick(['a|b|a', '她|她|饿', '小明把蛋糕递给小红', '', '|||', Array(40).fill('x').join('|')])],
    () => button(random.pick(['lang-zh', 'lang-en', 'theme', 'as-table', 'as-table'])), () => button(random.pick(['gate', 'operand', 'mask-toggle', 'unpin', 'role-k', 'role-v'])),
    () => ['press', `${id('head')}[data-head="${random.whole(0, 7)}"]`],
  ])()
}

describe('a reader in a hurry', () => {
  const pins = ['0&pin=x.1.1', '1&pin=q.1.1', '2&pin=q_heads.1.1.1', '3&pin=raw_scores.1.1.1', '4&pin=scaled_scores.1.1.1', '5&pin=masked_scores.1.1.1', '6&pin=weights.1.1.1', '7&pin=heads.1.1.1', '8&pin=concat.1.1', '9&pin=output.1.1', '10&pin=output.1.1']
  test.each(pins)('presses what is about to vanish: stop %s', async (address) => {
    const lesson = await stand.open(`?stop=${address}`)
    const pressed = await lesson.page.evaluate(([unpin, within]) => {
      const buttons = Array.from(document.querySelectorAll<HTMLElement>(`${within} button`))
      for (const button of buttons) {
        // Before the page has drawn that nothing is pinned any more.
        document.querySelector<HTMLElement>(unpin!)?.click()
        button.click()
      }
      return buttons.length
    }, [id('unpin'), id('inspector')])
    expect(pressed).toBeGreaterThan(1)
    await lesson.settled()
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })

  test.each([1, 2])('200 random actions, then everything shown is right (%i)', async () => {
    const lesson = await stand.open()
    await lesson.click('settings')
    const actions = Array.from({ length: 200 }, randomAction)
    for (let done = 0; done < actions.length; ) {
      const burst = random.whole(1, 12)
      await hurry(lesson, actions.slice(done, done + burst))
      done += burst
    }
    // A size that is quick to check; the sentence field takes a moment before it acts.
    await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id('preset-readable'))
    await lesson.page.fill(id('sentence'), '她|把|她|饿')
    await lesson.page.waitUntil('the last sentence is computed', () => window.eightMeetings.pass?.request.tokens.join('') === '她把她饿' && window.eightMeetings.pass.request.dModel === 8)
    await lesson.settled()

    const state = await lesson.page.evaluate(() => JSON.parse(JSON.stringify(window.eightMeetings.state)) as Problem & { sentence: string[]; stop: number; head: number })
    const problem: Problem = { ...state, tokens: state.sentence }
    const oracle = await ask(problem)
    const role = (await lesson.page.evaluate(() => document.querySelector<HTMLInputElement>('[data-testid^="role-"]:checked')?.value ?? 'q')) as 'q' | 'k' | 'v'
    // The figure may be in its table view.
    if (await lesson.exists(id('table'))) await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id('as-table'))
    await checkStop(lesson, state.stop, oracle, random, { chosen: state.head, role, samples: 2 })
    await lesson.visitProblem(problem, { stop: 9 })
    await checkStop(lesson, 9, oracle, random, { chosen: 0, samples: 1 })
    expect(lesson.page.complaints, describeProblem(problem)).toEqual([])
    expect(await lesson.allText()).not.toMatch(/NaN|∅|undefined/)
    await lesson.close()
  })
})
