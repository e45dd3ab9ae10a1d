// Accessibility rules that a machine can check, in both languages, both colour schemes, three sizes.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { violations } from './support/axe'
import { Stand, lastStop, test as id } from './support/lesson'

const quick = process.env.QUICK === '1'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const sizes = [[1440, 900], [1024, 768], [390, 844]] as const
const all = (['zh', 'en'] as const).flatMap((lang) => (['light', 'dark'] as const).flatMap((theme) => sizes.map(([width, height]) => ({ lang, theme, width, height }))))
const combinations = quick ? all.slice(0, 1) : all

/** A pinned cell for each stop, so that the explanation of every kind is looked at. */
const pins = [
  'x.1.2', 'q.1.2', 'k_heads.1.2.3', 'raw_scores.1.2.3', 'scaled_scores.0.2.1', 'masked_scores.0.1.2', 'weights.1.3.2', 'heads.0.1.2',
  'concat.1.2', 'output.2.3', 'output.1.1',
]

describe.each(combinations)('$lang, $theme, $width × $height', (combination) => {
  test('has no violation', async () => {
    const { lang, theme, width, height } = combination
    const place = all.indexOf(combination)
    const lesson = await stand.open('', { width, height, theme, lang: lang === 'zh' ? 'zh-CN' : 'en' })
    const found: string[] = []
    // Each combination takes two stops; together they see every stop, and each size and scheme sees several.
    for (const stop of [place % (lastStop + 1), (place + 6) % (lastStop + 1)]) {
      await lesson.visit(`?lang=${lang}&stop=${stop}&causal=1&padding=1&pin=${pins[stop]}`)
      found.push(...(await violations(lesson, `stop ${stop}`)))
    }
    if (width !== 1024) {
      await lesson.click('settings')
      await lesson.click('as-table')
      found.push(...(await violations(lesson, 'settings and table')))
    }
    expect(found).toEqual([])
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })
})

test.runIf(!quick)('has none where something is wrong', async () => {
  const lesson = await stand.open()
  await lesson.visit('?dModel=7&heads=3&sentence=%00&padding=99')
  await lesson.click('settings')
  await lesson.page.fill(id('heads'), '3')
  await lesson.page.fill(id('d-model'), 'x')
  await lesson.page.fill(id('padding'), 'x')
  await lesson.page.fill(id('sentence'), '')
  await lesson.page.waitUntil('the sentence is refused', (which) => document.querySelector(which)?.getAttribute('aria-invalid') === 'true', id('sentence'))
  expect(await violations(lesson, 'refused values')).toEqual([])
  await lesson.visit('?sentence=a|b|c&padding=3&stop=6&pin=weights.0.1.1&out=0,1')
  expect(await violations(lesson, 'every key masked')).toEqual([])
  await lesson.visit('?dModel=512&heads=8&stop=9&pin=output.1.1')
  expect(await violations(lesson, 'the article’s size')).toEqual([])
  await lesson.close()
})
