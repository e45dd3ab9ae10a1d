// The drawings for a room: everything inside, digits and labels that the back row can read, the saturated half of the ramp, and
// blank cells that are few enough to be said in one line. And signs beyond colour.
import { describe, expect, test } from 'vitest'
import { roomLayouts } from '../../src/chapters/steps/layout_room'
import type { Setting } from '../../src/chapters/steps/layouts'
import { roomAroundPx, roomStage, roomUnit } from '../../src/chapters/steps/stage'
import { hasChineseSerif } from '../../src/components/faces'
import { fitDigits } from '../../src/components/draw/digits'
import { gridOf, plainBand } from '../../src/components/draw/geometry'
import { lookOf } from '../../src/components/draw/look'
import { projecting, reading } from '../../src/components/draw/manner'
import { isBlank } from '../../src/components/draw/cells'
import { colourOf } from '../../src/components/draw/ramp'
import { markNegative } from '../../src/components/draw/signs'
import { type Part, type Scene, abovePx, gridPx, pitchOf } from '../../src/components/draw/scene'
import { between } from '../../src/components/draw/tween'
import { headPage, headsOn } from '../../src/model/heads'
import { matrixOf } from '../../src/model/matrix'
import { lastStop, stopNames } from '../../src/model/stops'
import { StridedView } from '../../src/core/tensor'
import { steps as en } from '../../src/text/steps.en'
import { lessonSentence } from '../../src/model/sentences'
import { engines, request, withPass } from './core_support'

const screens = [[1024, 768], [1280, 720], [1920, 1080]] as const

async function scenesOf(tokens: readonly string[], d: number, h: number, [width, height]: readonly [number, number]): Promise<{ setting: Setting; scenes: Scene[] }> {
  const shown = headPage(h, 0)
  const unit = roomUnit(width, height)
  return withPass(engines.simd, request({ tokens: [...tokens], dModel: d, heads: h }), async ({ memory, pass }) => {
    const { view, data } = await memory.contributions(headsOn(shown), () => Promise.resolve())
    const setting: Setting = {
      pass, contributions: { pass, first: shown.first, view: new StridedView('contributions', view, data) },
      stage: roomStage(width - 64 * unit, height - roomAroundPx * unit, unit, tokens), sizes: { n: tokens.length, d, h, k: d / h },
      heads: { chosen: 0, shown: headsOn(shown) }, role: 'q', apart: 1, pin: null, text: en,
    }
    return { setting, scenes: stopNames.map((name) => roomLayouts[name](setting)) }
  })
}

const boxOf = (part: Part): { left: number; top: number; right: number; bottom: number } => {
  const { width, height } = gridPx(part)
  return { left: part.x, top: part.y, right: part.x + width, bottom: part.y + height }
}

describe.each(screens)('%i × %i', (...screen) => {
  test.each([['zh', 8, 2], ['en', 8, 2], ['zh', 512, 8], ['en', 40, 20]] as const)('%s, %i = %i heads: on the stage, and nothing on anything', async (lang, d, h) => {
    const { setting, scenes } = await scenesOf(lessonSentence[lang], d, h, screen)
    const room = screen[1] - roomAroundPx * roomUnit(...screen)
    scenes.forEach(({ parts, height }, stop) => {
      expect(height, `stop ${stop}`).toBeLessThanOrEqual(room)
      for (const [i, part] of parts.entries()) {
        const box = boxOf(part)
        const where = `stop ${stop}, ${part.id}`
        expect(box.left, where).toBeGreaterThanOrEqual(0)
        expect(box.right, where).toBeLessThanOrEqual(setting.stage.width + 0.5)
        expect(box.top - abovePx(part), where).toBeGreaterThanOrEqual(-0.5)
        expect(part.rowHeight * part.matrix.rows, where).toBeGreaterThan(0)
        for (const other of parts.slice(i + 1)) {
          const [p, q] = [box, boxOf(other)]
          expect(p.right <= q.left + 0.5 || q.right <= p.left + 0.5 || p.bottom <= q.top || q.bottom <= p.top, `${where} and ${other.id}`).toBe(true)
        }
      }
      expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length)
    })
  })

  test.each(['zh', 'en'] as const)('%s: the readable size has digits in what stands large, 24 px or more', async (lang) => {
    const { setting, scenes } = await scenesOf(lessonSentence[lang], 8, 2, screen)
    scenes.forEach(({ parts }, stop) => {
      for (const part of parts) {
        const narrowest = Math.min(...part.bands.map(({ width, count }) => width / count))
        const { digits } = lookOf(setting.pass, part.matrix, narrowest, part.rowHeight, part.manner, setting.contributions?.view)
        if (digits !== undefined) expect(digits.fontPx, `stop ${stop}, ${part.id}`).toBeGreaterThanOrEqual(24)
        if (part === parts.at(-1)) expect(digits, `stop ${stop}, ${part.id}`).toBeDefined()
      }
    })
  })

  test('moments between stops keep every number', async () => {
    const { scenes } = await scenesOf(lessonSentence.zh, 8, 2, screen)
    for (let stop = 0; stop < lastStop; stop += 1) {
      for (const t of [0.2, 0.5, 0.8]) {
        const { parts } = between(scenes[stop]!, scenes[stop + 1]!, t)
        expect(new Set(parts.map(({ key }) => key)).size, `${stop} + ${t}`).toBe(parts.length)
        for (const part of parts) expect([part.x, part.y, pitchOf(part)].every(Number.isFinite)).toBe(true)
      }
    }
  })
})

// A beamer set low, a window shared on a call, a phone that follows the link: what does not fit scrolls, and nothing vanishes.
describe.each([[800, 600], [640, 480], [390, 844], [320, 568]] as const)('%i × %i, narrower than a room', (...screen) => {
  const long = Array.from({ length: 32 }, (_, i) => ['internationalisation', 'the', '蛋糕', 'because'][i % 4]!)
  test.each([
    ['zh', lessonSentence.zh, 8, 2], ['en', lessonSentence.en, 512, 8], ['long words', long, 8, 2], ['many heads', long, 40, 20], ['wide heads', lessonSentence.en, 512, 1],
  ] as const)('%s', async (_, tokens, d, h) => {
    const { setting, scenes } = await scenesOf(tokens, d, h, screen)
    scenes.forEach(({ parts, width }, stop) => {
      for (const [i, part] of parts.entries()) {
        const where = `stop ${stop}, ${part.id}`
        const box = boxOf(part)
        for (const band of part.bands) expect(band.width, where).toBeGreaterThanOrEqual(4)
        expect(box.left, where).toBeGreaterThanOrEqual(setting.stage.gutter - 0.5)
        expect(box.right, where).toBeLessThanOrEqual(width + 0.5)
        for (const other of parts.slice(i + 1)) {
          const [p, q] = [box, boxOf(other)]
          expect(p.right <= q.left + 0.5 || q.right <= p.left + 0.5 || p.bottom <= q.top || q.bottom <= p.top, `${where} and ${other.id}`).toBe(true)
        }
      }
      // What the stop is about is never the narrowest.
      const { right, left } = boxOf(parts.at(-1)!)
      if (stop !== 2) expect(right - left, `stop ${stop}`).toBeGreaterThanOrEqual(Math.min(setting.stage.cell, parts.at(-1)!.matrix.columns * 30) - 0.5)
    })
  })
})

test('many tokens keep rows that can be read, and the page scrolls', () => {
  const stage = roomStage(960, 574, 1, Array.from({ length: 32 }, () => '词元'))
  expect(stage.row).toBeGreaterThanOrEqual(28)
  expect(roomUnit(390, 844)).toBe(1)
  expect(roomUnit(1920, 1080)).toBeCloseTo(1.40625)
})

test('digits are as small and as large as they are asked to be', () => {
  const share = { kind: 'sequential', limit: 1 } as const
  const scores = { kind: 'diverging', limit: 15 } as const
  const { digits } = projecting(1)
  expect(fitDigits(share, 78, 46, digits)).toEqual({ fontPx: 25, decimals: 2, bare: true })
  expect(fitDigits(share, 30, 46, digits)).toBeUndefined()
  expect(fitDigits(share, 78, 30, digits)).toBeUndefined()
  // Two decimals don't fit; one is better than none.
  expect(fitDigits(scores, 62, 40, digits)).toMatchObject({ decimals: 1 })
  expect(fitDigits(share, 78, 46, reading.digits)?.fontPx).toBe(16)
})

test('the saturated half of the ramp: nothing but zero is paler than its third', () => {
  const signed = { kind: 'diverging', limit: 4 } as const
  for (const sign of [1, -1]) {
    expect(colourOf(sign * 1e-6, signed, 'light', 1, 0.34)).toEqual(colourOf(sign * 0.34 * 4, signed, 'light'))
    expect(colourOf(sign * 2, signed, 'light', 1, 0.34)).toEqual(colourOf(sign * 0.67 * 4, signed, 'light'))
    expect(colourOf(sign * 4, signed, 'dark', 1, 0.34)).toEqual(colourOf(sign * 4, signed, 'dark'))
  }
  expect(colourOf(0, signed, 'light', 1, 0.34)).toEqual(colourOf(0, signed, 'light'))
  const share = { kind: 'sequential', limit: 1 } as const
  expect(isBlank(0.049, { domain: share, blankBelow: 0.05 })).toBe(true)
  expect(isBlank(0.05, { domain: share, blankBelow: 0.05 })).toBe(false)
  expect(isBlank(0, { domain: share, blankBelow: 0 })).toBe(false)
  expect(isBlank(-1, { domain: signed, blankBelow: 0.05 })).toBe(false)
})

describe('signs beyond colour', () => {
  const values = [1, -1, 0, -Infinity, -0.5, NaN]
  const matrix = matrixOf({ name: 'x', axes: ['n', 'd'], shape: [2, 3], strides: [3, 1], offset: 0, data: Float32Array.from(values), at: () => 0 })
  const drawnOn = (width: number): { ticks: number[][]; cells: number[][] } => {
    const ticks: number[][] = []
    const cells: number[][] = []
    const context = new Proxy({}, {
      get: (_, key) => (...numbers: number[]) => (key === 'fillRect' ? ticks.push(numbers) : key === 'rect' ? cells.push(numbers) : undefined),
      set: () => true,
    }) as CanvasRenderingContext2D
    const look = { domain: { kind: 'diverging', limit: 1 }, ground: 'light', from: 0, depth: 1, blankBelow: 0, signs: true, digits: undefined, family: '', masked: undefined } as const
    markNegative(context, matrix, gridOf(plainBand(3, width), 2, 20), look, 1)
    return { ticks, cells }
  }

  test('a tick, bottom left, in each negative cell and no other', () => {
    expect(drawnOn(90)).toEqual({ ticks: [[33, 14, 9, 2], [33, 34, 9, 2]], cells: [] })
  })

  test('a hatch where cells are small', () => {
    const { ticks, cells } = drawnOn(30)
    expect(ticks).toEqual([])
    expect(cells.sort((a, b) => a[1]! - b[1]!)).toEqual([[10, 0, 10, 20], [10, 20, 10, 20]])
  })
})

test('a Chinese serif is known by its width, whichever letters it is as wide as', () => {
  const system = (own: Record<string, number>) => (font: string): number => {
    const [, named] = /"([^"]+)"/.exec(font) ?? []
    return (named === undefined ? undefined : own[named]) ?? (font.endsWith('monospace') ? 60 : 55)
  }
  expect(hasChineseSerif(system({}))).toBe(false)
  expect(hasChineseSerif(system({ SimSun: 60 }))).toBe(true)
  expect(hasChineseSerif(system({ 'Songti SC': 57 }))).toBe(true)
  expect(hasChineseSerif(system({ 'PingFang SC': 57 }))).toBe(false)
})
