// The texts of both languages: the same keys, the rules of the design, and every problem and failure has words.
import { describe, expect, test } from 'vitest'
import { statusNames, tensorNames } from '../../src/core/generated/tables'
import type { Problem } from '../../src/model/problem'
import { stopNames } from '../../src/model/stops'
import { common as commonEn } from '../../src/text/common.en'
import { common as commonZh } from '../../src/text/common.zh'
import { steps as stepsEn } from '../../src/text/steps.en'
import { steps as stepsZh } from '../../src/text/steps.zh'

const sizes = [{ n: 11, d: 8, h: 2, k: 4 }, { n: 1, d: 1, h: 1, k: 1 }, { n: 32, d: 1024, h: 64, k: 16 }]

/** Every text, functions called with plausible values. */
function texts(node: unknown, path = ''): [string, string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') {
    if (/problems|item|line|alt/.test(path)) return []
    const made: unknown = (node as (...given: unknown[]) => unknown)('2', '3', '8')
    return typeof made === 'string' ? [[path, made]] : []
  }
  if (node !== null && typeof node === 'object') return Object.entries(node).flatMap(([key, value]) => texts(value, `${path}.${key}`))
  return []
}

const zh = [...texts(commonZh), ...texts(stepsZh)]
const en = [...texts(commonEn), ...texts(stepsEn)]

test('the same keys in the same places', () => expect(zh.map(([path]) => path)).toEqual(en.map(([path]) => path)))

describe('zh', () => {
  test.each(zh)('%s', (_, text) => {
    // 你, not 您; no exclamation marks; mainland quotes; 词元, not 令牌; full-width punctuation between Chinese characters.
    expect(text).not.toMatch(/[您！「」]|令牌|变压器|赋能|强大|神奇/u)
    expect(text).not.toMatch(/\p{sc=Han}[,;:!?](?!\d)/u)
    // One plain space between Chinese characters and Latin letters or digits, none beside punctuation.
    expect(text).not.toMatch(/\p{sc=Han}[A-Za-z0-9]|[A-Za-z0-9]\p{sc=Han}/u)
    expect(text).not.toMatch(/ [，。；：、（）“”]|[，。；：、（）“”] /u)
  })
})

describe('en', () => {
  test.each(en.filter(([path]) => path !== '.otherName'))('%s', (_, text) => {
    expect(text).not.toMatch(/\b(simply|just|magic)\b|!|["']/iu)
    expect(text).not.toMatch(/\p{sc=Han}/u)
  })
})

describe.each([['zh', commonZh, stepsZh], ['en', commonEn, stepsEn]] as const)('%s', (_, common, steps) => {
  test('eleven stops with all their words at every size', () => {
    expect(Object.keys(steps.stops)).toEqual(stopNames)
    for (const stop of Object.values(steps.stops)) {
      for (const size of sizes) {
        for (const text of [stop.short, stop.title, stop.line(size), stop.alt(size)]) {
          expect(text).not.toBe('')
          expect(text).not.toMatch(/undefined|NaN/)
        }
      }
    }
  })

  test('every problem says what is allowed', () => {
    const problems: readonly Problem[] = [
      { code: 'not_a_choice', allowed: ['a', 'b'] },
      { code: 'not_in_range', min: 1, max: 9 },
      { code: 'does_not_divide', dModel: 8, heads: 3, offers: [] },
      { code: 'no_tokens', max: 32 },
      { code: 'too_many_tokens', count: 33, max: 32 },
      { code: 'token_too_long', token: 'x', max: 24 },
      { code: 'text_too_long', max: 1000 },
      { code: 'broken_text' },
      { code: 'no_such_cell' },
      { code: 'not_a_list', max: 7 },
    ]
    for (const problem of problems) expect(common.problems(problem)).toMatch(/.{8,}/u)
  })

  test('every failure of the core and every tensor has a name', () => {
    for (const status of statusNames.filter((name) => name !== 'ok')) expect(common.failure.known(status)).not.toBe('')
    for (const status of ['no_wasm', 'no_simd', 'load_failed', 'crashed'] as const) expect(common.failure.known(status)).not.toBe('')
    for (const tensor of tensorNames) expect(common.tensors[tensor]).not.toBe('')
  })
})
