// The texts of both languages: the same keys, the rules of the design, and every problem and failure has words.
import { describe, expect, test } from 'vitest'
import { statusNames, tensorNames } from '../../src/core/generated/tables'
import type { Problem } from '../../src/model/problem'
import { stopNames } from '../../src/model/stops'
import { atScale as atScaleEn } from '../../src/text/at_scale.en'
import { atScale as atScaleZh } from '../../src/text/at_scale.zh'
import { breakIt as breakItEn } from '../../src/text/break_it.en'
import { breakIt as breakItZh } from '../../src/text/break_it.zh'
import { common as commonEn } from '../../src/text/common.en'
import { common as commonZh } from '../../src/text/common.zh'
import { measureHere as measureHereEn } from '../../src/text/measure_here.en'
import { measureHere as measureHereZh } from '../../src/text/measure_here.zh'
import { same as sameEn } from '../../src/text/same.en'
import { same as sameZh } from '../../src/text/same.zh'
import { questions as questionsEn } from '../../src/text/questions.en'
import { questions as questionsZh } from '../../src/text/questions.zh'
import { training as trainingEn } from '../../src/text/training.en'
import { training as trainingZh } from '../../src/text/training.zh'
import { steps as stepsEn } from '../../src/text/steps.en'
import { steps as stepsZh } from '../../src/text/steps.zh'

const sizes = [
  { n: 11, d: 8, h: 2, k: 4 }, { n: 11, d: 8, h: 1, k: 8 }, { n: 1, d: 8, h: 2, k: 4 }, { n: 1, d: 1, h: 1, k: 1 },
  { n: 32, d: 1024, h: 64, k: 16 },
]

const problems: readonly Problem[] = [
  { code: 'not_a_choice', allowed: ['a', 'b'] },
  { code: 'not_in_range', min: 1, max: 9 },
  { code: 'does_not_divide', dModel: 8, heads: 3, offers: [] },
  { code: 'does_not_divide', dModel: 1, heads: 2, offers: [] },
  { code: 'no_tokens', max: 32 },
  { code: 'too_many_tokens', count: 33, max: 32 },
  { code: 'token_too_long', token: 'x', max: 24 },
  { code: 'text_too_long', max: 1000 },
  { code: 'broken_text' },
  { code: 'no_such_cell' },
  { code: 'not_a_list', max: 7 },
]

const sources = ([['seeded', true], ['seeded', false], ['trained', true]] as const).map(([weights, positions]) => ({ token: 'she', weights, seed: 42, d: 8, positions }))

const guesses = [
  { right: true, head: 3, k: 4, first: 8, last: 11, column: 9, owner: 3 },
  { right: false, head: 1, k: 1, first: 0, last: 0, column: 2, owner: 3 },
]

const losses = [{ heads: 1, loss: '0.1', diverged: true }, { heads: 8, loss: '0.001', diverged: false }]

/** What a function of a text may be given: several of everything that has a shape, else numbers, one and many. */
const given: readonly (readonly [RegExp, readonly (readonly unknown[])[]])[] = [
  [/\.trained\.(words|short\.words|why\.(words|size))$/, [[['w']], [['w', 'v']]]],
  [/\.trained\.run$/, [['3', '', 1500, 64], ['3', '', 1, 1]]],
  [/\.trained\.sentence$/, [[2, 'she', 'Lily', '.98']]],
  [/\.trained\.held$/, [['0.1', '98%', ['r 98%', 's 99%']]]],
  [/^\.(weights|instead)$/, [['64', '8', '1', '600']]],
  [/\.off\.switched$/, [[[], 8, false], [[], 1, false], [[1, 2], 8, false], [[8], 8, true], [[1], 1, true], [[1, 2], 2, false]]],
  [/\.off\.words\.missed$/, [[[1], '1.2', '0.01'], [[1, 2], '1.2', '0.01']]],
  [/\.off\.words\.(agree|nobody)$/, [[[1]], [[1, 2]]]],
  [/\.off\.words\.trap$/, [[[1], 2, 3, 8], [[1, 3], 2, 8, 8]]],
  [/\.off\.words\.only$/, [['1.2', '0.01']]],
  [/\.pruning\.alt$/, [[8, ['100%', '8%'], ['100%', '8%']], [1, ['100%', '8%'], ['100%', '8%']]]],
  [/\.loss\.subtitle$/, [['“r”']]],
  [/\.loss\.alt$/, [[600, losses], [0, losses.slice(0, 1)]]],
  [/\.loss\.ended$|\.words\.(unused|also)$/, [[[1, 2]], [[8]]]],
  [/\.seeds\.found$/, [['0.02', 400, [{ heads: 1, reached: 0, runs: 1, median: '' }, { heads: 8, reached: 20, runs: 20, median: '185' }]]]],
  [/\.seeds\.line$/, [[20, 1, [1, 2, 4, 8]]]],
  [/\.file\.(saved|resumed)$/, [['run-relation-64x8-seed1-600.safetensors']]],
  [/\.file\.problem$/, [['“w”']]],
  [/\.headsOff$/, [[8, [16]], [8, [16, 32]]]],
  [/\.headSet$/, [[[2, 4, 8, 16]]]],
  [/\.seeds\.groupings\.line$/, [[['r', 's'], []], [[], ['r', 's']]]],
  [/\.words\.(share|part)$/, [[[1, 2], '“r”'], [[8], '“r”']]],
  [/\.words\.took$/, [[1, ['“r”'], []], [8, ['“r”', '“s”'], ['“t”', '“u”', '“v”']]]],
  [/\.words\.(idle|again)$/, [[1, ['“r”', '“s”']]]],
  [/\.matrix\.(inPart|jobs)$|\.words\.(nobody|one)$/, [[['“r”', '“s”']], [['“r”']]]],
  [/\.words\.alone$/, [[3, '“r”']]],
  [/\.ownHead$/, [['“r”']]],
  [/\.unknown$/, [[['w']], [['w', 'v']]]],
  [/\.maps\.reading$/, [[3, 'a', 'b', '0.12']]],
  [/\.maps\.alt$/, [[8, 11], [1, 1]]],
  [/\.dilemma\.line$/, [['w']]],
  [/\.(line|alt)$|\.often\.|\.roomLines\.|\.drawn\./, sizes.map((size) => [size])],
  [/\.problems$/, problems.map((problem) => [problem])],
  [/\.item$/, problems.map((problem) => ['heads', '3', problem])],
  [/\.given$/, tensorNames.flatMap((tensor) => sources.map((source) => [tensor, source]))],
  [/\.known$/, statusNames.filter((status) => status !== 'ok').map((status) => [status])],
  [/\.bytes$/, [['0'], ['4\u2009096']]],
  [/\.(split|concat)\.answer$/, guesses.map((guess) => [guess])],
  [/\.output\.answer$/, guesses.map(({ right, head }) => [{ right, head, name: 'C_1' }])],
  [/\.changed$/, [[2, '88', '88'], [2, '0', '88'], [1, '1', '8'], [1, '1', '1']]],
  [/\.latent$/, [[512, 1536, 128, 64, 128]]],
  [/./, [[2, 3, 8], [1, 1, 1]]],
]

/** Every text, functions called with everything plausible. */
function texts(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') {
    const [, calls] = given.find(([pattern]) => pattern.test(path))!
    return calls.map((call, i) => [`${path} ${i}`, String((node as (...given: readonly unknown[]) => unknown)(...call))])
  }
  if (node !== null && typeof node === 'object') return Object.entries(node).flatMap(([key, value]) => texts(value, `${path}.${key}`))
  return []
}

const zh = [...texts(commonZh), ...texts(stepsZh), ...texts(sameZh), ...texts(questionsZh), ...texts(atScaleZh), ...texts(measureHereZh), ...texts(breakItZh), ...texts(trainingZh)]
const en = [...texts(commonEn), ...texts(stepsEn), ...texts(sameEn), ...texts(questionsEn), ...texts(atScaleEn), ...texts(measureHereEn), ...texts(breakItEn), ...texts(trainingEn)]

test('every text says something', () => {
  for (const [path, text] of [...zh, ...en]) {
    expect(text, path).not.toBe('')
    expect(text, path).not.toMatch(/undefined|NaN|\[object/)
  }
})

test('no legend names the ink: blue-black on paper is chalk on the dark page', () => {
  for (const [path, text] of [...zh, ...en]) expect(text, path).not.toMatch(/蓝黑|blue-black/iu)
})

test('the same keys in the same places', () => expect(zh.map(([path]) => path)).toEqual(en.map(([path]) => path)))

describe('zh', () => {
  test.each(zh)('%s', (_, text) => {
    // 你, not 您; no exclamation marks; mainland quotes; 词元, not 令牌; full-width punctuation between Chinese characters.
    expect(text).not.toMatch(/[您！「」]|令牌|变压器|赋能|强大|神奇/u)
    expect(text).not.toMatch(/\p{sc=Han}[,;:!?](?!\d)/u)
    // One plain space between Chinese characters and Latin letters or digits, none beside punctuation.
    expect(text).not.toMatch(/\p{sc=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{sc=Han}/u)
    expect(text).not.toMatch(/ [，。；：、（）“”]|[，。；：、（）“”] /u)
    // 权重 alone could be either: 注意力权重 is what a softmax gives, 参数 or 权重矩阵 what is learned.
    expect(text).not.toMatch(/(?<!注意力)权重(?!矩阵)/u)
    // One of something is neither each nor all, and nothing to add up or to put side by side.
    expect(text).not.toMatch(/全部 1 |(?<!\d)1 个词元，每个|(?<!\d)1 [个份块][^，。]*(相加|加起来|挨着|各回)/u)
  })
})

describe('en', () => {
  test.each(en.filter(([path]) => path !== '.otherName'))('%s', (_, text) => {
    expect(text).not.toMatch(/\b(simply|just|magic)\b|!|["']/iu)
    expect(text).not.toMatch(/\p{sc=Han}/u)
    expect(text).not.toMatch(/\b1 (tokens|heads|head outputs|rows|columns|blocks|numbers|products|decimals|bytes)\b|\ball 1\b/u)
  })
})

describe.each([['zh', commonZh, stepsZh], ['en', commonEn, stepsEn]] as const)('%s', (_, common, steps) => {
  test('eleven stops in their order', () => {
    expect(Object.keys(steps.stops)).toEqual(stopNames)
    for (const stop of Object.values(steps.stops)) {
      for (const text of [stop.short, stop.title]) expect(text).not.toBe('')
    }
  })

  test('a position names all it is made of, and is no wave when positions are off', () => {
    const [on, off, trained] = sources.map((source) => common.explain.given('positions', source))
    expect(on).toContain('d = 8')
    expect(off).toContain('0')
    expect(off).not.toMatch(/正弦|sinusoidal/)
    expect(trained).not.toMatch(/正弦|sinusoidal|d = 8/)
  })

  test('what was trained names no seed it was drawn from', () => {
    for (const tensor of tensorNames) expect(common.explain.given(tensor, sources[2]!)).not.toMatch(/42/)
  })

  test('every problem says what is allowed', () => {
    for (const problem of problems) expect(common.problems(problem)).toMatch(/.{8,}/u)
  })

  test('every failure of the core and every tensor has a name', () => {
    for (const status of statusNames.filter((name) => name !== 'ok')) expect(common.failure.known(status)).not.toBe('')
    for (const status of ['no_wasm', 'no_simd', 'load_failed', 'crashed'] as const) expect(common.failure.known(status)).not.toBe('')
    for (const tensor of tensorNames) expect(common.tensors[tensor]).not.toBe('')
  })
})
