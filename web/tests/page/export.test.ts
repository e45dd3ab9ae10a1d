// Files that the page hands over: the figure as a picture, its numbers as CSV. Made on the page, so they come offline too.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colourOf, digitDepth } from '../../src/components/draw/ramp'
import { type Lesson, Stand, test as id } from './support/lesson'

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

interface Picture {
  width: number
  height: number
  /** how many different colours a coarse look finds */
  colours: number
  /** the background's, and those asked for */
  corner: number[]
  at: number[][]
}

const look = (base64: string, places: readonly { x: number; y: number }[]): Promise<Picture> =>
  lesson.page.evaluate(async ({ data, points }) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d', { willReadFrequently: true })!
    context.drawImage(image, 0, 0)
    const pixel = (x: number, y: number): number[] => [...context.getImageData(x, y, 1, 1).data].slice(0, 3)
    const seen = new Set<string>()
    for (let x = 0; x < image.width; x += 9) for (let y = 0; y < image.height; y += 9) seen.add(pixel(x, y).join())
    return { width: image.width, height: image.height, colours: seen.size, corner: pixel(1, 1), at: points.map(({ x, y }) => pixel(x, y)) }
  }, { data: base64, points: places })

/** Where the drawing stands in the picture: below its title and its sentence, which takes one line here. */
const origin = { x: 32, y: 32 + 40 + 28 + 12 }

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  test('a figure as a picture, offline: its size, its ground, the colours of its cells', async () => {
    await lesson.visit(`?lang=en&stop=6&theme=${theme}`)
    await lesson.cutNetwork()
    const { name, base64 } = await lesson.page.download(id('png'))
    await lesson.page.setOffline(false)
    expect(name).toBe('eight-meetings-stop-6-softmax-8x2.png')
    const { stage, part, values } = await lesson.page.evaluate(() => {
      const box = document.querySelector<HTMLElement>('[data-testid="stage"]')!
      const map = document.querySelector<HTMLElement>('[data-part="weights/0"]')!
      const grid = map.querySelector<HTMLElement>('[data-testid="grid"]')!
      const weights = window.eightMeetings.pass!.tensor('weights')!
      const n = weights.shape[1]!
      return {
        stage: { width: box.offsetWidth, height: box.offsetHeight },
        part: { x: map.offsetLeft, y: map.offsetTop, cellWidth: grid.offsetWidth / n, cellHeight: grid.offsetHeight / n },
        values: Array.from({ length: n }, (_, i) => weights.at(0, i, (i * 5) % n)),
      }
    })
    const n = values.length
    // A corner of the cell, where no digit is.
    const places = values.map((_, i) => ({
      x: Math.round((origin.x + part.x + ((i * 5) % n) * part.cellWidth) * 2) + 4, y: Math.round((origin.y + part.y + i * part.cellHeight) * 2) + 4,
    }))
    const picture = await look(base64, places)
    expect(picture.width).toBeGreaterThanOrEqual(2 * (stage.width + 64))
    expect(picture.height).toBeGreaterThan(2 * (stage.height + 64))
    expect(picture.colours).toBeGreaterThan(20)
    expect(picture.corner).toEqual(theme === 'light' ? [0xfb, 0xfb, 0xf9] : [0x10, 0x18, 0x16])
    expect(picture.at).toEqual(values.map((value) => [...colourOf(value, { kind: 'sequential', limit: 1 }, theme, digitDepth)]))
    expect(lesson.page.complaints).toEqual([])
  })
})

test.each([[0, '8x2', 'dModel=8&heads=2'], [2, '512x8', 'dModel=512&heads=8'], [9, '8x2', 'signs=1&pin=output.1.2'], [9, '512x8', 'dModel=512&heads=8']])(
  'a picture of stop %i at %s',
  async (stop, size, search) => {
    await lesson.visit(`?lang=zh&stop=${stop}&${search}`)
    const { name, base64 } = await lesson.page.download(id('png'))
    expect(name).toMatch(new RegExp(`^eight-meetings-stop-${stop}-[a-z]+-${size}\\.png$`))
    expect((await look(base64, [])).colours).toBeGreaterThan(20)
    expect(lesson.page.complaints).toEqual([])
  },
)

test('the numbers of every map, from the picture', async () => {
  await lesson.visit('?lang=en&stop=3')
  await lesson.page.click(id('csv-menu'))
  const tensors = await lesson.page.evaluate((which) => [...document.querySelectorAll<HTMLElement>(which)].map(({ dataset }) => dataset.tensor), id('csv-of'))
  expect(tensors.sort()).toEqual(['k_heads', 'q_heads', 'raw_scores'])
  const { name, base64 } = await lesson.page.download(`${id('csv-of')}[data-tensor="raw_scores"]`)
  expect(name).toBe('raw_scores-head-1.csv')
  const lines = Buffer.from(base64, 'base64').toString('utf8').trim().split('\r\n')
  const values = await lesson.page.evaluate(() => {
    const scores = window.eightMeetings.pass!.tensor('raw_scores')!
    return Array.from({ length: scores.shape[2]! }, (_, key) => scores.at(0, 1, key))
  })
  expect(lines[0]).toContain('"Lily 5"')
  expect(lines[2]!.split(',').slice(1).map(Number)).toEqual(values)
  // The menu closes by what was chosen, and by Esc.
  expect(await lesson.page.evaluate(() => document.querySelector('details[open] [data-testid="csv-of"]'))).toBeNull()
  await lesson.visit('?lang=en&stop=10')
  expect((await lesson.page.download(id('csv-only'))).name).toBe('output.csv')
  expect(lesson.page.complaints).toEqual([])
})
