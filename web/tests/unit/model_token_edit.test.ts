// What the token editor does to a row of tokens: nothing is lost, nothing is cut in half, and the address takes it all.
import { describe, expect, test } from 'vitest'
import { graphemes } from '../../src/model/graphemes'
import { readySentences } from '../../src/model/sentences'
import { type Tokens, cutsOf, mergeNext, move, remove, repeated, replace } from '../../src/model/token_edit'
import { checkTokens, cutAtBars, formatTokens, parseTokens } from '../../src/model/tokens'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
const pick = <Value>(values: readonly Value[]): Value => values[draw(0, values.length - 1)]!

const family = '👩‍👧‍👦'
const words = [
  '她', '她', '小明', '把', '蛋糕', '𠮷', '𠮷野家', 'New York', 'Tom', 'no', 'longer', 'don’t', '.', '，', '3.5', 'é', 'e\u0301x', 'x\u0323\u0302',
  '🎂', family, '🇨🇳', '🇨', '👍🏽', '1️⃣', '葛\u{e0100}', 'שלום', 'مرحبا', 'ไทย', 'नमस्ते', '한국', '__proto__', 'a b c',
].map((word) => word.normalize('NFC'))

const randomRow = (): Tokens => Array.from({ length: draw(1, 34) }, () => pick(words))

/** What is left of the text when blanks don’t count. */
const inkOf = (tokens: Tokens): string => tokens.join('').replace(/\s/gu, '').normalize('NFC')
const sorted = (tokens: Tokens): string[] => [...tokens].sort()

describe(`random edits (seed ${drawn})`, () => {
  test('merging and cutting keep the text, moving keeps the tokens, and every row comes back from its own text', () => {
    for (let round = 0; round < 200; round += 1) {
      let row = randomRow()
      for (let edit = 0; edit < 12; edit += 1) {
        const [before, at] = [row, draw(0, row.length - 1)]
        const cuts = cutsOf(row[at]!)
        const kind = draw(0, 2)
        if (kind === 0) row = mergeNext(row, at)
        else if (kind === 1 && cuts.length > 0) row = replace(row, at, pick(cuts))
        else row = move(row, at, draw(0, row.length - 1))
        if (kind === 0) expect(row).toHaveLength(Math.max(before.length - 1, at + 1 === before.length ? before.length : 0))
        if (kind < 2 && (kind === 0 || cuts.length > 0)) expect(inkOf(row)).toBe(inkOf(before))
        else expect(sorted(row)).toEqual(sorted(before))
        if (checkTokens(row).ok) expect(parseTokens(formatTokens(row)), formatTokens(row)).toEqual({ ok: true, value: row })
      }
    }
  })

  test('a cut lies between characters, wherever it is', () => {
    for (const word of words) {
      const characters = graphemes(word)
      for (const [left, right] of cutsOf(word)) {
        expect([...graphemes(left), ...graphemes(right)].join('')).toBe(`${left}${right}`)
        expect(characters).toEqual(expect.arrayContaining([...graphemes(left), ...graphemes(right)]))
      }
    }
  })

  test('moving there and back changes nothing', () => {
    for (let round = 0; round < 200; round += 1) {
      const row = randomRow()
      const [from, to] = [draw(0, row.length - 1), draw(0, row.length - 1)]
      const moved = move(row, from, to)
      expect(moved[to]).toBe(row[from])
      expect(move(moved, to, from)).toEqual(row)
    }
  })
})

describe('merging', () => {
  test.each([
    [['小明', '把'], '小明把'],
    [['no', 'longer'], 'no longer'],
    [['hungry', '.'], 'hungry.'],
    [['她', 'said'], '她said'],
    [['said', '她'], 'said她'],
    [['שלום', 'עולם'], 'שלום עולם'],
    [['e', '\u0301'], 'é'],
    [['🇨', '🇳'], '🇨🇳'],
  ])('%j', (row, merged) => expect(mergeNext(row, 0)).toEqual([merged]))

  test('the last one has nothing to merge with', () => expect(mergeNext(['a', 'b'], 1)).toEqual(['a', 'b']))
})

describe('cutting', () => {
  test.each([
    ['小明', [['小', '明']]],
    ['她', []],
    ['𠮷野', [['𠮷', '野']]],
    [`a${family}b`, [['a', `${family}b`], [`a${family}`, 'b']]],
    ['🇨🇳🇫🇷', [['🇨🇳', '🇫🇷']]],
    ['ab c', [['a', 'b c'], ['ab', 'c']]],
    ['1️⃣', []],
  ])('%s', (token, cuts) => expect(cutsOf(token)).toEqual(cuts))

  test('by the reader’s bars only', () => {
    expect(cutAtBars('New York')).toEqual({ ok: true, value: ['New York'] })
    expect(cutAtBars(' 小｜明| ')).toEqual({ ok: true, value: ['小', '明'] })
    expect(cutAtBars('')).toEqual({ ok: true, value: [] })
    expect(cutAtBars('a\u0000b')).toMatchObject({ ok: false })
  })
})

test('taking out, putting in, and words that stand twice', () => {
  expect(remove(['a', 'b', 'c'], 1)).toEqual(['a', 'c'])
  expect(replace(['a', 'b'], 2, ['c', 'd'])).toEqual(['a', 'b', 'c', 'd'])
  expect(repeated(['她', '把', '她', '__proto__'])).toEqual([true, false, true, false])
})

test('what may be computed may be linked', () => {
  const long = Array(32).fill('𠮷'.repeat(24)) as string[]
  expect(checkTokens(long)).toMatchObject({ problem: { code: 'text_too_long' } })
  expect(parseTokens(formatTokens(long.slice(0, 20)))).toEqual({ ok: true, value: long.slice(0, 20) })
})

describe('characters of several code points stay whole', () => {
  test.each([
    [`蛋糕${family}！`, ['蛋糕', family, '！']],
    ['press 1️⃣ now', ['press', '1️⃣', 'now']],
    ['🇨🇳🇫🇷', ['🇨🇳', '🇫🇷']],
    ['👍🏽好', ['👍🏽', '好']],
    ['葛\u{e0100}', ['葛\u{e0100}']],
    ['不\u0308饿', ['不\u0308', '饿']],
    ['שלום עולם', ['שלום', 'עולם']],
  ])('%s', (text, tokens) => expect(parseTokens(text)).toEqual({ ok: true, value: tokens }))
})

describe('ready-made sentences', () => {
  test.each(['zh', 'en'] as const)('%s: pairs that can be computed, each in its own words', (lang) => {
    const pairs = readySentences[lang]
    expect(pairs).toHaveLength(readySentences.zh.length)
    for (const [one = '', other = ''] of pairs) {
      const [first, second] = [parseTokens(one), parseTokens(other)]
      expect([first.ok, second.ok]).toEqual([true, true])
      expect(first).not.toEqual(second)
    }
  })

  test('Chinese ones are cut by the lesson’s words', () => {
    const cut = readySentences.zh.flat().map((text) => {
      const parsed = parseTokens(text)
      return parsed.ok ? formatTokens(parsed.value) : ''
    })
    expect(cut).toEqual([
      '小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。', '昨天|小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。',
      '小红|把|蛋糕|递给|小丽|，|因为|她|饿|了|。', '小红|把|蛋糕|递给|小丽|，|因为|她|吃饱|了|。',
      '磁铁|吸起|了|钉子|，|因为|它|磁力|强|。', '磁铁|吸起|了|钉子|，|因为|它|分量|轻|。',
      '教练|换下|前锋|，|因为|他|抽筋|了|。', '教练|换下|前锋|，|因为|他|想|换|打法|。',
      '绳子|勒断|了|树枝|，|因为|它|枯|了|。', '绳子|勒断|了|树枝|，|因为|它|拉得|太|紧|。',
      '小伟|把|笔记|借给|小军|，|因为|他|缺课|了|。', '小伟|把|笔记|借给|小军|，|因为|他|多|抄|了|一份|。',
      '水壶|烫坏|了|桌布|，|因为|它|太|烫|。', '水壶|烫坏|了|桌布|，|因为|它|是|尼龙|的|。',
    ])
  })
})
