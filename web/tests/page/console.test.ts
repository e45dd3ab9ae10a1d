// What `eightMeetings` promises in the browser's console, and the check of the numbers on the page.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { type Problem, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'

const random = new Random('console')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

const problem: Problem = { ...randomProblem(random), dModel: 12, heads: 3, out: [] }

describe('the console', () => {
  test('set, settled and tensor: the numbers of the state that was set', async () => {
    await lesson.visit('')
    const { lang, tokens, dModel, heads, seed, causal, scaled, positions, padding } = problem
    const got = await lesson.page.evaluate(async (values) => {
      const { eightMeetings } = window
      eightMeetings.set(values)
      await eightMeetings.settled()
      const plain = async (name: string, head?: number) => {
        const { shape, data } = await eightMeetings.tensor(name, head === undefined ? {} : { head })
        return { shape, data: [...data] }
      }
      const { state, pass } = eightMeetings
      return {
        heads: state.heads, seed: pass!.request.seed,
        output: await plain('output'), weights: await plain('weights', 2), w_o: await plain('w_o', 1), contributions: await plain('contributions', 1),
      }
    }, { lang, sentence: tokens, dModel, heads, seed, causal, scaled, positions, padding })
    expect(got).toMatchObject({ heads, seed })
    const oracle = await ask(problem)
    const n = tokens.length
    expect(got.weights.shape).toEqual([n, n])
    expect(got.w_o.shape).toEqual([4, 12])
    expect(got.contributions.shape).toEqual([n, 12])
    const row = random.whole(0, n - 1)
    for (let column = 0; column < 12; column += 1) {
      const { value, tolerance } = oracle.cell('output', [row, column])
      expect(Math.abs(got.output.data[12 * row + column]! - value)).toBeLessThanOrEqual(tolerance)
      const part = oracle.cell('contributions', [1, row, column])
      expect(Math.abs(got.contributions.data[12 * row + column]! - part.value)).toBeLessThanOrEqual(part.tolerance)
      expect(got.w_o.data[12 + column]).toBe(oracle.cell('w_o', [5, column]).value)
    }
    for (let column = 0; column < n; column += 1) {
      const { value, tolerance } = oracle.cell('weights', [2, row, column])
      expect(Math.abs(got.weights.data[n * row + column]! - value)).toBeLessThanOrEqual(tolerance)
    }
  })

  test('what may not be typed throws in the reader’s language and changes nothing', async () => {
    for (const [lang, words] of [['zh', '平分'], ['en', 'divide']] as const) {
      await lesson.visit(`?lang=${lang}`)
      const said = await lesson.page.evaluate(() => {
        const before = JSON.stringify(window.eightMeetings.state)
        const messages = [{ seed: 7, heads: 3 }, { head: 9 }, { colour: 1 }].map((values) => {
          try {
            window.eightMeetings.set(values)
            return 'accepted'
          } catch (error) {
            return String(error)
          }
        })
        return { messages, same: JSON.stringify(window.eightMeetings.state) === before }
      })
      expect(said.same).toBe(true)
      expect(said.messages[0]).toContain(words)
      expect(said.messages[1]).toMatch(/^RangeError/)
      expect(said.messages[2]).toMatch(/colour.*sentence/s)
    }
  })

  test('a tensor or head that is not there says what is', async () => {
    await lesson.visit('')
    const said = await lesson.page.evaluate(() =>
      Promise.all([['nothing', undefined], ['weights', 2], ['x', 0], ['mask', undefined], ['contributions', -1]].map(([name, head]) =>
        window.eightMeetings.tensor(name as string, { head: head as number }).then(() => 'accepted', String))),
    )
    for (const message of said) expect(message).toMatch(/^RangeError/)
    expect(said[0]).toContain('raw_scores')
  })
})

describe('checking the numbers', () => {
  test('from the console: every tensor within its bound, by this build', async () => {
    await lesson.visit('')
    const report = await lesson.page.evaluate(() => window.eightMeetings.check())
    expect(report.ok).toBe(true)
    expect(report.cases).toBeGreaterThanOrEqual(35)
    expect(Object.keys(report.tensors)).toHaveLength(12)
    expect(report.build).toBe(await lesson.page.evaluate(() => window.eightMeetings.core!.build))
    for (const { error, bound } of Object.values(report.tensors)) expect(error).toBeLessThanOrEqual(bound)
  })

  test('on the page: which build runs, and the result in a table', async () => {
    await lesson.visit('?lang=en')
    await lesson.page.click(id('settings'))
    expect(await lesson.text(id('build'))).toMatch(/SIMD/)
    await lesson.page.click(id('check'))
    await lesson.page.waitUntil('the check is done', () => document.querySelector('[data-testid="checked"]') !== null)
    expect(await lesson.page.evaluate(() => document.querySelector<HTMLElement>('[data-testid="checked"]')!.dataset.ok)).toBe('true')
    expect(await lesson.page.evaluate(() => document.querySelectorAll('.check tbody tr').length)).toBe(12)
  })

  test('without a network: said, and the next try may succeed', async () => {
    const fresh = await stand.open()
    await fresh.visit('?lang=en')
    await fresh.click('settings')
    await fresh.cutNetwork()
    const said = await fresh.page.evaluate(() => window.eightMeetings.check().then(() => 'done', String))
    expect(said).toContain('load_failed')
    expect(await fresh.page.evaluate(() => document.querySelector('[data-testid="check-failed"]')?.textContent)).toContain('did not arrive')
    await fresh.page.setOffline(false)
    expect(await fresh.page.evaluate(() => window.eightMeetings.check().then(({ ok }) => ok, String))).toBe(true)
    await fresh.close()
  })
})
