// The moments between two sizes of one drawing: every map stands between its two boxes and shows its own numbers all the way.
import { describe, expect, test } from 'vitest'
import { layouts, type Setting } from '../../src/chapters/steps/layouts'
import { stageOf } from '../../src/chapters/steps/stage'
import { type Part, type Scene, gridPx } from '../../src/components/draw/scene'
import { zoomed } from '../../src/components/draw/zoom'
import { headPage, headsOn } from '../../src/model/heads'
import { stopNames } from '../../src/model/stops'
import { steps as en } from '../../src/text/steps.en'
import { StridedView } from '../../src/core/tensor'
import { engines, request, withPass } from './core_support'

const tokens = ['她', '把', '蛋糕', 'because', 'x']

function settingOf(d: number, h: number, width: number): Promise<Setting> {
  const shown = headPage(h, 0)
  return withPass(engines.simd, request({ tokens, dModel: d, heads: h }), async ({ memory, pass }) => {
    const { view, data } = await memory.contributions(headsOn(shown), () => Promise.resolve())
    return {
      pass, contributions: { pass, first: shown.first, view: new StridedView('contributions', view, data) },
      stage: stageOf(width, 900, tokens), sizes: { n: tokens.length, d, h, k: d / h }, heads: { chosen: 0, shown: headsOn(shown) },
      role: 'q', apart: 0, pin: null, text: en,
    }
  })
}

const boxOf = (part: Part): number[] => [part.x, part.y, gridPx(part).width, gridPx(part).height]
const boxesOf = (scene: Scene): Map<string, number[]> => new Map(scene.parts.map((part) => [part.id.replace(' before', ''), boxOf(part)]))
const seen = ({ parts }: Scene): Part[] => parts.filter(({ opacity }) => opacity > 0.01)

describe.each([358, 960, 1328])('%i px', (width) => {
  test.each(stopNames)('stop %s', async (name) => {
    const [small, large] = [layouts[name](await settingOf(8, 2, width)), layouts[name](await settingOf(512, 8, width))]
    for (const [a, b] of [[small, large], [large, small]] as const) {
      expect(zoomed(a, b, 0)).toBe(a)
      expect(zoomed(a, b, 1)).toBe(b)
      const [first, last] = [boxesOf(a), boxesOf(b)]
      const matrices = new Set([...a.parts, ...b.parts].map(({ matrix }) => matrix))
      for (const t of [0.001, 0.2, 0.4, 0.6, 0.8, 0.999]) {
        const moment = zoomed(a, b, t)
        expect(new Set(moment.parts.map(({ key }) => key)).size).toBe(moment.parts.length)
        const keys = moment.parts.map(({ key }) => key)
        for (const { key } of b.parts) expect(keys, 'a map that stays is the same all the way, with the focus in it').toContain(key)
        for (const part of moment.parts) {
          expect(matrices.has(part.matrix)).toBe(true)
          const id = part.id.replace(' before', '')
          const [from, to] = [first.get(id) ?? last.get(id)!, last.get(id) ?? first.get(id)!]
          boxOf(part).forEach((edge, i) => {
            expect(edge, `${part.id} at ${t}`).toBeGreaterThanOrEqual(Math.min(from[i]!, to[i]!) - 1e-6)
            expect(edge, `${part.id} at ${t}`).toBeLessThanOrEqual(Math.max(from[i]!, to[i]!) + 1e-6)
          })
        }
      }
      // Nothing jumps where it begins and where it ends.
      for (const [rest, moment] of [[a, zoomed(a, b, 1e-4)], [b, zoomed(a, b, 1 - 1e-4)]] as const) {
        const known = boxesOf(rest)
        expect(seen(moment).map(({ matrix }) => matrix).sort()).toEqual(rest.parts.map(({ matrix }) => matrix).sort())
        for (const part of seen(moment)) boxOf(part).forEach((edge, i) => expect(edge).toBeCloseTo(known.get(part.id.replace(' before', ''))![i]!, 1))
      }
    }
  })
})
