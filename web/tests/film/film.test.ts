// Film strips to be looked at, not compared: every stop and the moments between, at both sizes, in both languages and themes, at
// every width, as PNG files in the folder FILM (default build/film). Not part of ./dev test; run by `npm run film`.
//   FILM_ONLY="zh light 1440 readable" takes one strip
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop } from '../page/support/lesson'

const folder = resolve(import.meta.dirname, '../../..', process.env.FILM ?? 'build/film')
const only = process.env.FILM_ONLY

let stand: Stand
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  stand = await Stand.raise()
})
afterAll(() => stand.fall())

const sizes = { readable: 'dModel=8&heads=2', article: 'dModel=512&heads=8' }
const pins = ['x.6.2', 'q.6.1', 'q_heads.0.6.1', 'raw_scores.0.6.4', 'scaled_scores.0.6.4', 'masked_scores.0.6.4', 'weights.0.6.4', 'heads.0.6.1', 'concat.6.1', 'output.6.4', 'output.6.4']

const strips = (['zh', 'en'] as const).flatMap((lang) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    [1440, 1024, 390].flatMap((width) => (Object.keys(sizes) as (keyof typeof sizes)[]).map((size) => ({ lang, theme, width, size }))),
  ),
)
const nameOf = ({ lang, theme, width, size }: (typeof strips)[number]): string => `${lang} ${theme} ${width} ${size}`

async function resting(lesson: Lesson, search: string, name: string): Promise<void> {
  for (let stop = 0; stop <= lastStop; stop += 1) {
    await lesson.visit(`${search}&stop=${stop}&pin=${pins[stop]}`)
    await lesson.page.screenshot(`${folder}/${name} ${String(stop).padStart(2, '0')}.png`)
  }
}

async function between(lesson: Lesson, search: string, name: string): Promise<void> {
  await lesson.visit(`${search}&stop=0`)
  await lesson.grab()
  for (let stop = 0; stop < lastStop; stop += 1) {
    for (const t of [0.3, 0.55, 0.8]) {
      await lesson.pull(stop + t)
      await lesson.page.screenshot(`${folder}/${name} ${(stop + t).toFixed(2).padStart(5, '0')}.png`)
    }
  }
  await lesson.page.letGo()
}

test.each(strips.filter((strip) => only === undefined || nameOf(strip) === only))('$lang $theme $width $size', async (strip) => {
  const { lang, theme, width, size } = strip
  const lesson = await stand.open('', { width, height: width === 390 ? 844 : width === 1024 ? 768 : 900, theme, reducedMotion: false })
  const search = `?lang=${lang}&${sizes[size]}`
  await resting(lesson, search, nameOf(strip))
  await between(lesson, search, nameOf(strip))
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})
