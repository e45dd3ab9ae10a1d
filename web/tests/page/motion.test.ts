// The walk in motion: pulled by hand forwards and back, played, interrupted, and hurried; and what then stands there is right.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { type Problem, lesson as lessonProblem, query, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('motion')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const moving = { reducedMotion: false } as const

/** Everything that is seen of the drawing: where each map is, how strong, and every pixel of it. */
const frame = (lesson: Lesson): Promise<string[]> =>
  lesson.page.evaluate(() => {
    const stage = document.querySelector('[data-testid="stage"]')!
    /** A picture in few letters (djb2): what differs can be read in a message. */
    const sum = (text: string): number => [...text].reduce((hash, letter) => (hash * 33 + letter.charCodeAt(0)) | 0, 5381)
    const maps = [...stage.querySelectorAll<HTMLElement>('.map')].map((map) => {
      const canvas = map.querySelector('canvas')!
      return `${map.dataset.part} ${map.getAttribute('style')} ${map.querySelector<HTMLElement>(':scope > .body')?.style.clipPath} ${canvas.width}×${canvas.height} ${sum(canvas.toDataURL())}`
    })
    const others = [...stage.querySelectorAll<HTMLElement>('[data-of], .sign, .caption')].map((one) => `${one.getAttribute('style')} ${one.textContent}`)
    return [...maps.sort(), ...others.sort()]
  })

/** What every map says it shows, by its live cell, and the digits it has written. */
const numbers = (lesson: Lesson): Promise<string[]> =>
  lesson.page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.map')].map((map) => {
      const cell = map.querySelector<HTMLElement>('[data-testid="cell"]')!
      const written = window.writtenOn(map.querySelector('canvas')!).map(({ text }) => text)
      return `${map.dataset.part} ${cell.dataset.value} ${written.length > 0 ? written.join(' ') : ''}`
    }),
  )

describe.each([['readable', ''], ['the article’s', 'dModel=512&heads=8']])('%s size', (_, size) => {
  test('the same place gives the same picture, forwards and back', async () => {
    const lesson = await stand.open(`?${size}&stop=0&pin=x.2.1`, moving)
    await lesson.grab()
    const places = Array.from({ length: 2 * lastStop }, (_, i) => i / 2 + 0.25)
    const forwards: string[][] = []
    for (const place of places) {
      await lesson.pull(place)
      await lesson.settled()
      forwards.push(await frame(lesson))
    }
    for (const [i, place] of [...places.entries()].reverse()) {
      await lesson.pull(place)
      await lesson.settled()
      expect(await frame(lesson), `at ${place}`).toEqual(forwards[i])
    }
    await lesson.page.letGo()
    await lesson.atRest()
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test('no number changes while shapes move', async () => {
  const lesson = await stand.open('?stop=0', moving)
  await lesson.grab()
  const known = new Map<string, string>()
  for (let place = 0; place <= lastStop; place += 0.2) {
    await lesson.pull(place)
    for (const line of await numbers(lesson)) {
      const [part = '', value = '', ...written] = line.split(' ')
      expect(known.get(part) ?? value, `${part} at ${place}`).toBe(value)
      known.set(part, value)
      // One decimal or two, as the cell allows; never another number.
      const digits = `${part} in ${written.length} digits of ${written[0]?.length}`
      expect(known.get(digits) ?? written.join(' '), `${part} at ${place}`).toBe(written.join(' '))
      known.set(digits, written.join(' '))
    }
  }
  await lesson.page.letGo()
  await lesson.close()
})

test('let go between two stops, it goes to the nearer one, and the numbers there are right', async () => {
  const problem = randomProblem(random, { tokens: 7, dModel: 16, heads: 4 })
  const oracle = await ask(problem)
  const lesson = await stand.open(query(problem), moving)
  for (const place of [0.6, 3.4, 7.7, 9.2, 4.45]) {
    await lesson.grab()
    await lesson.pull(place)
    await lesson.page.letGo()
    await lesson.atRest()
    expect(await lesson.place()).toBe(Math.round(place))
    await checkStop(lesson, Math.round(place), oracle, random, { chosen: 0, samples: 1 })
  }
  await lesson.close()
})

test('it plays from stop to stop to the end, and any key or click stops it', async () => {
  const lesson = await stand.open('?stop=0', moving)
  await lesson.click('speed')
  await lesson.page.click(id('play'))
  await lesson.page.waitUntil('it has gone on', () => Number(document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.stop) >= 2)
  await lesson.page.press('Shift')
  await lesson.atRest()
  const stop = await lesson.stop()
  await new Promise((done) => setTimeout(done, 2500))
  expect(await lesson.stop()).toBe(stop)
  await lesson.page.click(id('play'))
  const label = (): Promise<string | null> => lesson.page.evaluate(() => document.querySelector('[data-testid="play"]')!.getAttribute('aria-label'))
  expect(await label()).toBe('暂停')
  await lesson.page.click(id('title'))
  expect(await label()).toBe('自动播放')
  await lesson.atRest()
  const there = await lesson.stop()
  await new Promise((done) => setTimeout(done, 2500))
  expect(await lesson.stop()).toBe(there)
  await lesson.close()
})

describe('every control, changed while it plays', () => {
  const base: Problem = { ...lessonProblem('zh'), dModel: 8, heads: 2 }
  const changes: [string, Partial<Problem>][] = [
    ['the size', { dModel: 48, heads: 3 }],
    ['the sentence', { tokens: ['a', 'b', 'a', 'c'] }],
    ['the seed', { seed: 7 }],
    ['the causal mask', { causal: true }],
    ['padding', { padding: 2 }],
    ['scaling', { scaled: false }],
    ['positions', { positions: false }],
    ['heads that are out', { out: [1] }],
  ]
  test.each(changes)('%s', async (_, change) => {
    const lesson = await stand.open(query(base, { stop: random.whole(0, 8) }), moving)
    await lesson.page.click(id('play'))
    await lesson.page.waitUntil('it moves', () => !Number.isInteger(Number(document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.place)))
    const problem = { ...base, ...change }
    await lesson.page.evaluate(({ tokens, dModel, heads, seed, causal, padding, scaled, positions, out }) => {
      window.eightMeetings.set({ sentence: tokens, dModel, heads, seed, causal, padding, scaled, positions, out })
    }, problem)
    await lesson.page.press('Shift')
    await lesson.atRest()
    await checkStop(lesson, await lesson.stop(), await ask(problem), random, { chosen: 0, samples: 1 })
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test.each([0, 3, 7])('stop %i: from one size to the other the drawing moves, and arrives, however often one changes one’s mind', async (stop) => {
  const lesson = await stand.open(`?stop=${stop}&predict=0`, moving)
  const size = (which: string): Promise<void> => lesson.page.click(id(`preset-${which}`))
  await size('article')
  await lesson.page.waitUntil('it moves', () => document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.moving === 'true')
  await lesson.atRest()
  const article = { ...lessonProblem('zh'), dModel: 512, heads: 8 }
  await checkStop(lesson, stop, await ask(article), random, { chosen: 0, samples: 12 })
  for (const which of ['readable', 'article', 'readable', 'article', 'readable']) {
    await size(which)
    if (random.chance(0.5)) await lesson.settled()
  }
  await lesson.atRest()
  await checkStop(lesson, stop, await ask({ ...article, dModel: 8, heads: 2 }), random, { chosen: 0, samples: 1 })
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('the keyboard stays in its map while the drawing goes from one size to the other', async () => {
  const lesson = await stand.open('?stop=2&predict=0', moving)
  for (const size of [{ dModel: 512, heads: 8 }, { dModel: 8, heads: 2 }, { dModel: 512, heads: 8 }]) {
    const lost = await lesson.page.evaluate(async (wanted) => {
      document.querySelector<HTMLElement>('[data-testid="cell"]')!.focus()
      let away = ''
      const frame = (): Promise<unknown> => new Promise((done) => requestAnimationFrame(done))
      window.eightMeetings.set(wanted)
      await window.eightMeetings.settled()
      for (let still = 0; still < 5; still = document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.moving === 'true' ? 0 : still + 1) {
        await frame()
        const { activeElement } = document
        if (activeElement?.getAttribute('data-testid') !== 'cell') away = activeElement?.tagName ?? 'nowhere'
      }
      return away
    }, size)
    expect(lost).toBe('')
  }
  await lesson.close()
})

test('two hundred fast actions, whatever they are: then everything on show is right', { timeout: 240_000 }, async () => {
  const lesson = await stand.open('?stop=0', moving)
  const actions: (() => Promise<unknown>)[] = [
    () => lesson.page.press('ArrowRight'),
    () => lesson.page.press('ArrowRight'),
    () => lesson.page.press('ArrowLeft'),
    () => lesson.page.press(random.pick(['Home', 'End'])),
    () => lesson.page.press(random.pick(['1', '2', '3', '[', ']', 'Escape'])),
    () => lesson.page.press(' '),
    () => lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id('next')),
    () => lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id(random.pick(['preset-readable', 'preset-article']))),
    () => lesson.page.evaluate((seed) => window.eightMeetings.set({ seed }), random.whole(0, 99)),
    () => lesson.page.evaluate((causal) => window.eightMeetings.set({ causal }), random.chance(0.5)),
    () => lesson.page.evaluate((out) => window.eightMeetings.set({ out }), random.chance(0.5) ? [0] : []),
    () =>
      lesson.page.evaluate((share) => {
        const grids = document.querySelectorAll<HTMLElement>('[data-testid="grid"]')
        const grid = grids[Math.floor(share * grids.length)]
        const { left, top, width, height } = grid!.getBoundingClientRect()
        grid!.dispatchEvent(new MouseEvent('click', { clientX: left + width * share, clientY: top + height * (1 - share), bubbles: true }))
      }, random.whole(0, 99) / 100),
    () => lesson.page.evaluate(() => document.querySelector<HTMLElement>('[data-testid="compare"]')?.click()),
  ]
  for (let i = 0; i < 200; i += 1) await random.pick(actions)()
  await lesson.page.press('Shift')
  await lesson.atRest()
  const state = await lesson.page.evaluate(() => {
    const { sentence, lang, dModel, heads, seed, causal, scaled, positions, padding, out, head, stop, weights } = window.eightMeetings.state
    return { sentence, lang, dModel, heads, seed, causal, scaled, positions, padding, out, head, stop, weights }
  })
  const { sentence, head, stop, ...rest } = state
  const problem: Problem = { ...lessonProblem('zh'), ...rest, tokens: [...sentence], out: [...state.out] }
  await checkStop(lesson, stop, await ask(problem), random, { chosen: head, samples: 2, role: await lesson.page.evaluate(() => (document.querySelector<HTMLInputElement>('[data-testid^="role-"]:checked')?.dataset.testid?.slice(-1) ?? 'q') as 'q') })
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})
