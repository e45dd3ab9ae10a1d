// Trained numbers in the walk: shown where they can be, equal to the double reference on the same file; and where they can't be, what is
// shown instead says so.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { violations } from './support/axe'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { ask } from './support/oracle'
import { lesson as lessonProblem } from './support/problem'
import { Random, runSeed } from './support/random'
import { checkStop } from './support/walk'

const folder = fileURLToPath(new URL('../../src/core/generated/models/', import.meta.url))
const shipped = readdirSync(folder)
const random = new Random('trained')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterEach(() => stand.site.lose(null))
afterAll(() => stand.fall())

/** What the chip says of the numbers on show. */
async function said(lesson: Lesson): Promise<{ weights?: string; fallback?: string; text: string }> {
  return lesson.page.evaluate((which) => {
    const chip = document.querySelector<HTMLElement>(which)!
    return { weights: chip.dataset.weights, fallback: chip.dataset.fallback, text: chip.textContent!.replace(/\s+/gu, ' ') }
  }, id('provenance'))
}

const saysSo = (lesson: Lesson, weights: string, fallback?: string): Promise<void> =>
  lesson.page.waitUntil(
    `the chip says ${weights}, ${fallback}`,
    ({ which, wanted }) => {
      const { weights: now, fallback: why } = document.querySelector<HTMLElement>(which)?.dataset ?? {}
      return now === wanted.weights && why === wanted.fallback
    },
    { which: id('provenance'), wanted: { weights, fallback } },
  )

test.each(['zh', 'en'] as const)('%s: the first numbers are trained ones, those of the double reference', async (lang) => {
  const lesson = await stand.open('?weights=trained', { lang: lang === 'zh' ? 'zh-CN' : 'en' })
  await lesson.visitAsIs('')
  const oracle = await ask({ ...lessonProblem(lang), model: `${folder}8x2.safetensors` })
  for (const stop of [0, 6, random.whole(1, lastStop)]) {
    await lesson.visitAsIs(`?lang=${lang}&stop=${stop}&predict=0`)
    await checkStop(lesson, stop, oracle, random, { chosen: 0, samples: 3 })
  }
  expect((await said(lesson)).text).toMatch(lang === 'zh' ? /训练所得 · 种子 \d+ · \d+ 步/ : /Trained · seed \d+ · [\d,]+ steps/)
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

// The largest takes its time on a busy machine.
test('of any size that is shipped', { timeout: 180_000 }, async () => {
  const [name, d, h] = /^(\d+)x(\d+)/.exec(random.pick(shipped))!
  const lesson = await stand.open(`?lang=zh&stop=6&predict=0&dModel=${d}&heads=${h}&weights=trained`)
  await saysSo(lesson, 'trained')
  await lesson.settled()
  const problem = { ...lessonProblem('zh'), dModel: Number(d), heads: Number(h), model: `${folder}${name}.safetensors` }
  await checkStop(lesson, 6, await ask(problem), random, { chosen: 0, samples: 3 })
  await lesson.close()
})

describe('seeded instead, said, and back', () => {
  test.each([
    ['words', 'sentence=Tom|passed|the|umbrella|to|Lily', '“umbrella”'],
    ['size', 'dModel=12&heads=3', ''],
    ['positions', 'positions=0', ''],
    ['length', `sentence=${Array(32).fill('Tom').join('|')}`, ''],
  ])('%s', async (reason, search, named) => {
    const lesson = await stand.open(`?lang=en&predict=0&weights=trained&${search}`)
    expect(await said(lesson)).toMatchObject({ weights: 'seeded', fallback: reason })
    expect((await said(lesson)).text).toContain(named)
    await lesson.click('provenance')
    expect(await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.dataset.reason, id('why'))).toBe(reason)
    expect(await violations(lesson, reason)).toEqual([])
    await lesson.page.evaluate(() => window.eightMeetings.set({ lang: 'en', sentence: 'Tom|passed|the|cake|to|Lily', dModel: 8, heads: 2, positions: true }))
    await saysSo(lesson, 'trained')
    expect((await lesson.parameters()).get('weights')).toBe(null)
    await lesson.close()
  })
})

test('the reader chooses: seeded, another seed, trained again', async () => {
  const lesson = await stand.open('?lang=en&predict=0&weights=trained')
  await lesson.click('provenance')
  expect(await violations(lesson, 'trained')).toEqual([])
  await lesson.click('weights-seeded')
  await saysSo(lesson, 'seeded')
  await lesson.addressSays('weights', 'seeded')
  await lesson.click('another-seed')
  await lesson.click('weights-trained')
  await saysSo(lesson, 'trained')
  await lesson.addressSays('weights', 'trained')
  await lesson.close()
})

test.runIf(shipped.includes('512x8.safetensors'))('a large model that does not come: said, and fetched again', async () => {
  const lesson = await stand.open('?lang=en&predict=0&weights=trained')
  stand.site.lose(/512x8.*\.safetensors$/)
  await lesson.click('preset-article')
  await saysSo(lesson, 'seeded', 'load')
  expect(await lesson.text(id('fallback-said'))).toContain('did not arrive')
  stand.site.lose(null)
  await lesson.click('fetch-again')
  await saysSo(lesson, 'trained')
  expect(lesson.page.requests.filter((address) => address.includes('512x8'))).toHaveLength(2)
  await lesson.close()
})

test('no large model is fetched before it is asked for', async () => {
  const lesson = await stand.open('?weights=trained')
  await lesson.haveFolds()
  expect(lesson.page.requests.filter((address) => address.endsWith('.safetensors')).map((address) => /\/(\d+x\d+)[^/]*$/.exec(address)![1])).toEqual(['8x2'])
  await lesson.close()
})
