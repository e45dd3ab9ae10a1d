// Many maps at rest are shown in one picture: it must be what each of them painted, where each of them stands.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lesson, Stand, test as id } from './support/lesson'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

interface Seen {
  /** the picture is on the screen, and not the maps' own canvases; or the other way round */
  shown: 'picture' | 'maps' | 'both' | 'none'
  maps: number
  /** maps that look different in the picture, or stand between two of its pixels */
  wrong: string[]
}

const look = (lesson: Lesson): Promise<Seen> =>
  lesson.page.evaluate((stageId) => {
    const stage = document.querySelector(stageId)!
    const picture = stage.querySelector<HTMLCanvasElement>(':scope > .sheet > canvas')!
    const maps = [...stage.querySelectorAll<HTMLElement>('.map')]
    const canvasOf = (map: HTMLElement): HTMLCanvasElement => map.querySelector('canvas')!
    const seen = (canvas: HTMLCanvasElement): boolean => canvas.checkVisibility({ visibilityProperty: true })
    const [inPicture, own] = [seen(picture), maps.some((map) => seen(canvasOf(map)))]
    const origin = picture.getBoundingClientRect()
    const pixels = (canvas: HTMLCanvasElement, x: number, y: number, width: number, height: number): Uint32Array =>
      new Uint32Array(canvas.getContext('2d')!.getImageData(x, y, width, height).data.buffer)
    const wrong = !inPicture ? [] : maps.filter((map) => {
      const canvas = canvasOf(map)
      const at = canvas.getBoundingClientRect()
      const [x, y] = [(at.left - origin.left) * devicePixelRatio, (at.top - origin.top) * devicePixelRatio]
      if (Math.abs(x - Math.round(x)) > 0.02 || Math.abs(y - Math.round(y)) > 0.02) return true
      const { width, height } = canvas
      const mine = pixels(canvas, 0, 0, width, height)
      return pixels(picture, Math.round(x), Math.round(y), width, height).some((pixel, i) => pixel !== mine[i])
    })
    return {
      shown: inPicture ? (own ? 'both' : 'picture') : own ? 'maps' : 'none',
      maps: maps.length,
      wrong: wrong.map((map) => map.dataset.part ?? ''),
    } as const
  }, id('stage'))

test.each([[1440, 1], [1440, 1.25], [1024, 2], [390, 3]])('%i wide at %d: the picture is what the maps painted', async (width, pixelRatio) => {
  const lesson = await stand.open('?dModel=512&heads=8&stop=9', { width, pixelRatio })
  expect(await look(lesson)).toEqual({ shown: 'picture', maps: 25, wrong: [] })
  await lesson.clickOne(id('head'), 2)
  expect(await look(lesson), 'another head').toEqual({ shown: 'picture', maps: 25, wrong: [] })
  await lesson.visit('?dModel=512&heads=16&stop=9&theme=dark&seed=7')
  expect(await look(lesson), 'dark').toEqual({ shown: 'picture', maps: 25, wrong: [] })
  await lesson.visit('?stop=3')
  expect((await look(lesson)).shown, 'few maps').toBe('maps')
  await lesson.close()
})

test('while shapes move every map shows itself', async () => {
  const lesson = await stand.open('?dModel=512&heads=8&stop=9', { reducedMotion: false })
  await lesson.grab()
  for (const [place, shown] of [[9.4, 'maps'], [9, 'picture'], [8.6, 'maps'], [9, 'picture']] as const) {
    await lesson.pull(place)
    await lesson.settled()
    const seen = await look(lesson)
    expect(seen.wrong, `at ${place}`).toEqual([])
    if (place !== 9) expect(seen.shown, `at ${place}`).toBe(shown)
  }
  await lesson.page.letGo()
  await lesson.atRest()
  expect(await look(lesson)).toEqual({ shown: 'picture', maps: 25, wrong: [] })
  await lesson.close()
})
