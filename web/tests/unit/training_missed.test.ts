// Which head is missed most and what I_h says, in words; and the pruning chart's places.
import { describe, expect, test } from 'vitest'
import { whoIsMissed } from '../../src/chapters/training/missed'
import { pruningChart } from '../../src/components/draw/pruning_chart'
import type { HeadStudy } from '../../src/core/training'
import { training as en } from '../../src/text/training.en'
import { training as zh } from '../../src/text/training.zh'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)

/** Heads with a loss without them and an I_h; the model with all of them has the loss `whole`. */
function study(heads: readonly (readonly [without: number, normalised: number])[], { whole = 0.01, accuracy = 1 } = {}): HeadStudy {
  const place = (column: 0 | 1, value: number): number => 1 + heads.filter((head) => head[column] > value).length
  const curve = [{ loss: whole, accuracy, head: undefined }]
  return {
    step: 5,
    heads: heads.map(([loss, normalised]) => ({
      without: { loss, accuracy: 0.5 }, accuracyLost: 0.5, sliced: { loss: 1, accuracy: 0.5 }, importance: normalised / 100, normalised,
      rank: place(0, loss), importanceRank: place(1, normalised),
    })),
    byImportance: curve,
    greedy: curve,
  }
}

const say = (heads: Parameters<typeof study>[0], lang: 'zh' | 'en'): string => whoIsMissed(study(heads), (lang === 'zh' ? zh : en).off.words).join('\n')

test('the same head on both counts: they agree', () => {
  const heads = [[1.25, 0.9], [0.02, 0.3]] as const
  expect(say(heads, 'en')).toBe('Head 1 is missed most: without it the loss is 1.25 in place of 0.01.\nHead 1 has the largest $I_h$, too: here the two agree on the first place. More steps, another seed or another number of heads may tell otherwise.')
  expect(say(heads, 'zh')).toBe('最少不了的是头 1：关掉它，损失从 0.01 变成 1.25。\n$I_h$ 最大的也是头 1：这一回，两种排法的第一名相同。再训练一阵，换个种子，或者换个头数，就不一定了。')
})

test('another head has the largest I_h: the trap, with the place that it gives to the one that is missed', () => {
  const heads = [[0.02, 0.9], [1.25, 0.1], [0.03, 0.5]] as const
  expect(say(heads, 'en')).toContain('But head 1 has the largest $I_h$; head 2 comes last among 3.\n*That is the trap.*')
  expect(say(heads, 'zh')).toContain('可 $I_h$ 最大的是头 1；按 $I_h$ 排，头 2 在 3 个头里垫底。\n*这就是陷阱。*')
  expect(say([[0.02, 0.9], [1.25, 0.4], [0.03, 0.1]], 'en')).toContain('head 2 comes at place 2 among 3')
})

test('a vanished slope is the reason only where answers are certain', () => {
  const heads = [[0.02, 0.9], [1.25, 0.1]] as const
  for (const { off: { words } } of [en, zh]) {
    expect(whoIsMissed(study(heads), words).at(-1)).toBe(words.certain)
    // Right, but with probabilities far below 1.
    expect(whoIsMissed(study(heads.map(([without, normalised]) => [without + 1, normalised] as const), { whole: 0.6 }), words).at(-1)).toBe(words.why)
  }
})

test('nobody is missed, one head alone, and several in the same place', () => {
  expect(say([[0.01, 0.9], [0.005, 0.1]], 'en')).toContain('No head is missed')
  expect(say([[3.5, 1]], 'en')).toBe('There is one head. Without it the loss is 3.5 in place of 0.01.')
  expect(say([[3.5, 0.5], [3.5, 0.7], [0.1, 0.2]], 'en')).toContain('Heads 1 and 2 are missed most: without any one of them')
})

describe(`drawn studies (seed ${drawn})`, () => {
  test.each(['zh', 'en'] as const)('%s: trap or agreement, never both, and no head that is not there', (lang) => {
    for (let i = 0; i < 300; i += 1) {
      const heads = Array.from({ length: draw(2, 8) }, () => [draw(0, 9) / 10, draw(0, 9) / 10] as const)
      const text = say(heads, lang)
      expect(text).not.toMatch(/undefined|NaN/)
      const { heads: ranked } = study(heads)
      const missed = Math.max(...heads.map(([loss]) => loss)) > 0.01
      const agree = ranked.some(({ rank, importanceRank }) => rank === 1 && importanceRank === 1)
      expect(/trap|陷阱/.test(text)).toBe(missed && !agree)
      expect(/agree|相同/.test(text)).toBe(missed && agree)
      for (const [, numbers] of text.matchAll(/(?:[Hh]eads? |头 )((?:\d+(?:, | and |、)?)+)/g)) {
        for (const head of numbers!.match(/\d+/g)!) expect(Number(head)).toBeLessThanOrEqual(heads.length)
      }
    }
  })
})

test('the pruning chart: a place for every number of heads that are out, all within the plot', () => {
  const plot = { left: 50, top: 10, width: 200, height: 100 }
  for (let heads = 1; heads <= 8; heads += 1) {
    const lines = [0, 1].map(() => Array.from({ length: heads + 1 }, () => draw(0, 100) / 100))
    const chart = pruningChart(lines, plot)
    expect(chart.x.map(({ gone }) => gone)).toEqual(Array.from({ length: heads + 1 }, (_, gone) => gone))
    expect([chart.x[0]!.at, chart.x.at(-1)!.at]).toEqual([50, 250])
    for (const { points } of chart.lines) {
      expect(points.length).toBe(heads + 1)
      for (const { x, y } of points) expect(x >= 50 && x <= 250 && y >= 10 && y <= 110).toBe(true)
    }
  }
  expect(pruningChart([[1, 0.25]], plot).lines[0]!.points).toEqual([{ x: 50, y: 10 }, { x: 250, y: 85 }])
})
