// The figure in words: as many maps as there are, and of what is drawn only, on every screen.
import { describe, expect, test } from 'vitest'
import { altOf } from '../../src/chapters/steps/alt'
import { askedLayouts } from '../../src/chapters/steps/layout_asked'
import { roomLayouts } from '../../src/chapters/steps/layout_room'
import { type Layout, layouts, type Setting } from '../../src/chapters/steps/layouts'
import { type Stage, roomStage, stageOf } from '../../src/chapters/steps/stage'
import type { TensorName } from '../../src/core/generated/tables'
import { StridedView } from '../../src/core/tensor'
import { type StopName, stopNames } from '../../src/model/stops'
import { lessonSentence } from '../../src/model/sentences'
import { steps as en } from '../../src/text/steps.en'
import { steps as zh } from '../../src/text/steps.zh'
import { engines, request, withPass } from './core_support'

/** Words of an alternative, and a tensor of which there must be a map then. */
const told: readonly (readonly [RegExp, readonly TensorName[]])[] = [
  [/Queries|查询/u, ['q_heads']],
  [/keys above|上面是键/u, ['k_heads']],
  [/W_O/u, ['w_o']],
  [/[Cc]ontribution|贡献/u, ['contributions']],
  [/in one piece|一整块/u, ['q', 'k', 'v']],
  [/[Aa]ttention weights|注意力权重/u, ['weights']],
  [/[Mm]asked scores|过了掩码|hatched|斜线/u, ['masked_scores']],
  [/[Ss]caled scores|after scaling|缩放后/u, ['scaled_scores']],
  [/before and after|缩放前/u, ['raw_scores']],
  [/times values|乘以值/u, ['v_heads']],
]

const screens: [string, (tokens: readonly string[]) => Stage, Readonly<Partial<Record<StopName, Layout>>>][] = [
  ['a phone', (tokens) => stageOf(358, 844, tokens), layouts],
  ['a desk', (tokens) => stageOf(1328, 900, tokens), layouts],
  ['a room', (tokens) => roomStage(960, 560, 1, tokens), roomLayouts],
  ['a question on a phone', (tokens) => stageOf(358, 844, tokens), askedLayouts],
  ['a question on a desk', (tokens) => stageOf(1328, 900, tokens), askedLayouts],
]

describe.each(screens)('%s', (_, stageFor, drawings) => {
  test.each([['zh', 8, 2], ['en', 8, 2], ['zh', 64, 4], ['en', 6, 1], ['en', 40, 20]] as const)('%s, %i = %i heads', async (lang, d, h) => {
    const tokens = [...lessonSentence[lang]]
    const text = lang === 'zh' ? zh : en
    const sizes = { n: tokens.length, d, h, k: d / h }
    const heads = Array.from({ length: Math.min(h, 8) }, (_, head) => head)
    await withPass(engines.simd, request({ tokens, dModel: d, heads: h, causal: true }), async ({ memory, pass }) => {
      const { view, data } = await memory.contributions(heads, () => Promise.resolve())
      const contributions = { pass, first: 0, view: new StridedView('contributions', view, data) }
      const pins = [null, ...(['raw_scores', 'scaled_scores', 'masked_scores', 'weights'] as const).map((tensor) => ({ tensor, index: [0, 1, 1] }))]
      for (const name of stopNames) {
        for (const pin of pins) {
          const setting: Setting = { pass, contributions, stage: stageFor(tokens), sizes, heads: { chosen: 0, shown: heads }, role: 'q', apart: 0, pin, text }
          const scene = drawings[name]?.(setting)
          if (scene === undefined) continue
          const alt = altOf(name, scene, sizes, text)
          const drawn = new Set(scene.parts.map(({ matrix }) => matrix.tensor))
          const where = `${name}, pinned ${pin?.tensor ?? 'nothing'}: ${alt}`
          if (/One map|一张/u.test(alt)) expect(drawn.size, where).toBe(1)
          if (/Two maps|两张/u.test(alt)) expect(drawn.size, where).toBe(2)
          for (const [words, any] of told) if (words.test(alt)) expect(any.some((tensor) => drawn.has(tensor)), where).toBe(true)
        }
      }
    })
  })
})
