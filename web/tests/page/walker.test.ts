// The walk: all eleven stops by the Next button, every number against the double reference, for problems drawn anew in
// each run. A page with two heads swapped, a lost scale or a stale number must not get through here.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { type Problem, describeProblem, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop, headStops } from './support/walk'

const quick = process.env.QUICK === '1'
const random = new Random('walker')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

/** Everything that a fault could hide behind is on: several heads, several columns each, a mask, padding, a head off. */
const telling: Problem = {
  ...randomProblem(random, { tokens: 8 }),
  tokens: ['她', '把', '🎂', '她', 'the', '𠮷', '。'],
  dModel: 12, heads: 3, causal: true, scaled: true, positions: true, padding: 2, out: [1],
}

const problems: Problem[] = quick
  ? [telling]
  : [
      telling,
      randomProblem(random, { lang: 'zh' }),
      randomProblem(random, { lang: 'en' }),
      // More heads than are shown at once.
      { ...randomProblem(random, { lang: random.pick(['zh', 'en']), tokens: 4 }), dModel: 40, heads: 20, out: [] },
    ]

async function walk(lesson: Lesson, problem: Problem, samples: number): Promise<number> {
  const oracle = await ask(problem)
  let checked = 0
  let chosen = 0
  for (let stop = 0; stop <= lastStop; stop += 1) {
    if (stop > 0) await lesson.next()
    checked += await checkStop(lesson, stop, oracle, random, { chosen, samples })
    if (!headStops.includes(stop) || problem.heads === 1) continue
    chosen = random.pick(clickable(problem.heads).filter((head) => head !== chosen))
    await lesson.chooseHead(chosen)
    checked += await checkStop(lesson, stop, oracle, random, { chosen, samples })
  }
  return checked
}

/** Above 16, heads come in pages of 8; the walk stays on the first. */
const clickable = (heads: number): number[] => Array.from({ length: heads <= 16 ? heads : 8 }, (_, i) => i)

describe.each(problems)('problem %#', (problem) => {
  test(`walks from tokens to output: ${describeProblem(problem)}`, async () => {
    const lesson = await stand.open()
    await lesson.visitProblem(problem)
    const checked = await walk(lesson, problem, quick ? 1 : 2)
    expect(checked).toBeGreaterThan(11 * problem.tokens.length * problem.dModel)
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test('every key of every row masked: zeros, not NaN', async () => {
  const dead = { ...telling, padding: telling.tokens.length }
  const oracle = await ask(dead)
  const lesson = await stand.open()
  await lesson.visitProblem(dead, { stop: 6 })
  await checkStop(lesson, 6, oracle, random, { chosen: 0, samples: 1 })
  await lesson.next()
  await checkStop(lesson, 7, oracle, random, { chosen: 0, samples: 1 })
  await lesson.close()
})

test('one problem after another in the same page, with a large one in between', async () => {
  const [first, last] = [telling, { ...telling, seed: (telling.seed + 1) % 2 ** 32, tokens: ['b', 'a', 'b'], padding: 1 }]
  // Large enough that the module's memory has to grow: every view of it from before is then worth nothing.
  const large: Problem = { ...telling, tokens: Array.from({ length: 32 }, (_, i) => `t${i}`), dModel: 1024, heads: 16 }
  const lesson = await stand.open()
  await lesson.visitProblem(first, { stop: 9 })
  await checkStop(lesson, 9, await ask(first), random, { chosen: 0, samples: 1 })
  await lesson.changeTo(large, { stop: 9 })
  const output = await lesson.page.evaluate(() => {
    const { shape, data, offset } = window.eightMeetings.pass!.tensor('output')!
    return { shape, finite: data.subarray(offset, offset + shape[0]! * shape[1]!).every(Number.isFinite) }
  })
  expect(output).toEqual({ shape: [32, 1024], finite: true })
  await lesson.changeTo(last, { stop: 9 })
  await checkStop(lesson, 9, await ask(last), random, { chosen: 0, samples: 1 })
  expect(await lesson.exists(id('failure'))).toBe(false)
  await lesson.close()
})

test('every projection at stops 1 and 2', async () => {
  const problem = quick ? telling : randomProblem(random)
  const oracle = await ask(problem)
  const lesson = await stand.open()
  for (const stop of [1, 2]) {
    await lesson.visitProblem(problem, { stop })
    for (const role of ['k', 'v', 'q'] as const) {
      await lesson.page.evaluate((id) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`)!.click(), `role-${role}`)
      await lesson.settled()
      await checkStop(lesson, stop, oracle, random, { chosen: 0, role, samples: 1 })
    }
  }
  await lesson.close()
})
