// The state in the address: what is written there brings the same page back, and nothing written there can break it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { readGrids } from './support/maps'
import { ask } from './support/oracle'
import { describeProblem, lesson as lessonProblem, query, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const random = new Random('state')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

/** The state as the page holds it, and what it computed, in a form that can be compared. */
const snapshot = (): Promise<{ state: unknown; output: number[] }> =>
  lesson.page.evaluate(() => {
    const { state, pass } = window.eightMeetings
    return { state: JSON.parse(JSON.stringify(state)) as unknown, output: [...pass!.tensor('output')!.data] }
  })

describe('round trips', () => {
  test.each(Array.from({ length: 6 }, () => randomProblem(random)))('problem %#', async (problem) => {
    const stop = random.whole(0, lastStop)
    const head = random.whole(0, problem.heads - 1)
    const pin = ['output', random.whole(0, problem.tokens.length - 1), random.whole(0, problem.dModel - 1)].join('.')
    await lesson.visitProblem(problem, { stop, head, pin, theme: random.pick(['auto', 'light', 'dark']) })
    const before = await snapshot()
    expect(before.state, describeProblem(problem)).toMatchObject({
      lang: problem.lang, sentence: problem.tokens, dModel: problem.dModel, heads: problem.heads, causal: problem.causal,
      scaled: problem.scaled, positions: problem.positions, padding: problem.padding, seed: problem.seed, stop, head, out: problem.out,
    })
    expect(await lesson.exists(id('refusals'))).toBe(false)

    // The page has written its own form of the address, without what is default anyway.
    const own = await lesson.parameters()
    for (const [key, value] of own) {
      const defaults: Record<string, string> = {
        theme: 'auto', dModel: '8', heads: problem.dModel % 2 === 0 ? '2' : '1', causal: '0', scaled: '1', positions: '1',
        padding: '0', weights: 'seeded', seed: '42', stop: '0', head: '0', out: '', chapter: 'steps',
      }
      expect(value, `${key} is default and stands in the address`).not.toBe(defaults[key])
    }
    await lesson.page.reload()
    await lesson.settled()
    expect(await snapshot()).toEqual(before)
    expect((await lesson.parameters()).toString()).toBe(own.toString())
    expect(lesson.page.complaints).toEqual([])
  })

  test('the lesson as it opens only says its language', async () => {
    await lesson.visit(query(lessonProblem('zh'), { weights: 'trained' }))
    expect((await lesson.parameters()).toString()).toBe('lang=zh')
    await lesson.visit(query(lessonProblem('en'), { weights: 'trained' }))
    expect((await lesson.parameters()).toString()).toBe('lang=en')
  })

  test.each([['en', 'en', 'zh'], ['zh-CN', 'zh', 'en']] as const)('a %s browser: the language chosen stays, whatever way back', async (locale, own, other) => {
    const fresh = await stand.open('', { lang: locale })
    const lang = () => fresh.page.evaluate(() => window.eightMeetings.state.lang)
    await fresh.visit('')
    expect(await lang()).toBe(own)
    await fresh.click(`lang-${other}`)
    expect(await lang()).toBe(other)
    await fresh.next()
    await fresh.page.back()
    await fresh.page.waitUntil('the first stop is back', () => window.eightMeetings.state.stop === 0)
    expect(await lang()).toBe(other)
    await fresh.addressSays('lang', other)
    await fresh.page.reload()
    await fresh.settled()
    expect(await lang()).toBe(other)
    await fresh.close()
  })
})

test('back and forward of the browser walk through the stops', async () => {
  const problem = { ...randomProblem(random), out: [] }
  const oracle = await ask(problem)
  await lesson.visitProblem(problem)
  for (let stop = 1; stop <= 4; stop += 1) await lesson.next()
  for (const [move, stop] of [['back', 3], ['back', 2], ['forward', 3], ['back', 2], ['back', 1], ['back', 0], ['forward', 1]] as const) {
    await lesson.page[move]()
    await lesson.page.waitUntil(`stop ${stop} is open`, (wanted) => document.querySelector<HTMLElement>('[data-testid="main"]')?.dataset.stop === String(wanted), stop)
    await lesson.settled()
    await lesson.addressSays('stop', stop === 0 ? null : String(stop))
  }
  await checkStop(lesson, 1, oracle, random, { chosen: 0, samples: 1 })
})

test('another problem reached by Back shows its own numbers', async () => {
  const [first, second] = [{ ...randomProblem(random), out: [] }, { ...randomProblem(random), out: [] }]
  await lesson.visitProblem(first, { stop: 6 })
  await lesson.changeTo(second, { stop: 6 })
  await checkStop(lesson, 6, await ask(second), random, { chosen: 0, samples: 1 })
  await lesson.page.back()
  await lesson.page.waitUntil('the first problem is back', (seed) => window.eightMeetings.pass?.request.seed === seed, first.seed)
  await lesson.settled()
  await checkStop(lesson, 6, await ask(first), random, { chosen: 0, samples: 1 })
})

/** Each with the parameter that must be refused; '' where the page may take it as it is. */
const hostile: readonly [what: string, search: string, refused: string][] = [
  ['a huge d', 'dModel=1e9', 'dModel'],
  ['a huge plain d', 'dModel=1000000000', 'dModel'],
  ['d = 0', 'dModel=0', 'dModel'],
  ['a negative d', 'dModel=-8', 'dModel'],
  ['d is no number', 'dModel=NaN', 'dModel'],
  ['d is infinite', 'dModel=Infinity', 'dModel'],
  ['d in hexadecimal', 'dModel=0x10', 'dModel'],
  ['d is empty', 'dModel=', 'dModel'],
  ['half a d', 'dModel=8.5', 'dModel'],
  ['h does not divide d', 'dModel=8&heads=3', 'heads'],
  ['more heads than numbers', 'dModel=8&heads=16', 'heads'],
  ['no heads', 'heads=0', 'heads'],
  ['a negative seed', 'seed=-1', 'seed'],
  ['a seed beyond 32 bits', 'seed=4294967296', 'seed'],
  ['padding beyond the sentence', 'sentence=a|b&padding=3', 'padding'],
  ['a stop that is not there', 'stop=11', 'stop'],
  ['a head that is not there', 'head=2', 'head'],
  ['a flag that is none', 'causal=yes', 'causal'],
  ['an unknown language', 'lang=fr', 'lang'],
  ['an unknown theme', 'theme=hotdog', 'theme'],
  ['an unknown chapter', 'chapter=__proto__', 'chapter'],
  ['weights that are not there', 'weights=constructor', 'weights'],
  ['a pin outside', 'pin=weights.0.11.0', 'pin'],
  ['a pin of a tensor that is not there', 'pin=__proto__.0.0', 'pin'],
  ['a pin with too few places', 'pin=weights.0', 'pin'],
  ['a pin with huge places', 'pin=output.99999.99999', 'pin'],
  ['a pin that is a script', 'pin=<script>document.title=1</script>', 'pin'],
  ['heads out that are not there', 'out=0,7', 'out'],
  ['heads out that are no list', 'out=a,b', 'out'],
  ['a script for a sentence', `sentence=${encodeURIComponent('<script>hit=1</script>|<img src onerror=hit=1>')}`, ''],
  ['prototype names for tokens', 'sentence=__proto__|constructor|toString|hasOwnProperty', ''],
  ['half a surrogate pair', 'sentence=a|%ED%A0%80|b', 'sentence'],
  ['a byte that is no text', 'sentence=a|%FF|b', 'sentence'],
  ['a zero byte', 'sentence=a|%00|b', 'sentence'],
  ['a direction override', 'sentence=a|%E2%80%AEevil|b', 'sentence'],
  ['an empty sentence', 'sentence=', 'sentence'],
  ['only separators', 'sentence=||||', 'sentence'],
  ['2000 tokens', `sentence=${'a|'.repeat(2000)}`, 'sentence'],
  ['100 kB of text', `sentence=${'长'.repeat(11_000)}`, 'sentence'],
  ['one very long token', `sentence=${'x'.repeat(200)}|b`, 'sentence'],
  ['keys nobody knows', 'constructor=1&__proto__=2&toString=3&foo=%00', ''],
  ['a key twice', 'dModel=16&dModel=24&seed=1&seed=x', ''],
  ['a lone percent sign', 'sentence=100%|%|%zz', ''],
  ['everything wrong at once', 'lang=x&dModel=-1&heads=99&seed=x&stop=99&head=-3&pin=y&out=z&sentence=%00', 'seed'],
]

describe('hostile addresses', () => {
  test.each(hostile)('%s', async (_, search, refused) => {
    await lesson.visit(`?${search}`)
    const notice = await lesson.exists(id('refusals'))
    expect(notice, 'a notice says what was refused').toBe(refused !== '')
    if (refused !== '') expect(await lesson.text(id('refusals'))).toContain(refused)
    expect((await readGrids(lesson.page)).length).toBeGreaterThan(0)
    const text = await lesson.allText()
    for (const word of ['NaN', 'undefined', 'Infinity', '[object', '∅']) {
      if (!search.includes(word)) expect(text).not.toContain(word)
    }
    expect(await lesson.page.evaluate(() => 'hit' in window)).toBe(false)
    expect(await lesson.page.evaluate(() => window.eightMeetings.pass!.tensor('output')!.data.every(Number.isFinite))).toBe(true)
    // What was refused leaves the address.
    const given = new URLSearchParams(search).get(refused)
    if (refused !== '') expect((await lesson.parameters()).get(refused)).not.toBe(given)
    expect(lesson.page.complaints).toEqual([])
  })

  test('a token named like a prototype is drawn like any other', async () => {
    const problem = { ...lessonProblem('en'), tokens: ['__proto__', 'constructor', '__proto__'] }
    await lesson.visitProblem(problem, { stop: 6 })
    await checkStop(lesson, 6, await ask(problem), random, { chosen: 0, samples: 2 })
  })
})
