// A sentence and its tokens.
import { describe, expect, test } from 'vitest'
import { maxTextLength, maxTokens } from '../../src/model/limits'
import { lessonSentence, vocabulary } from '../../src/model/sentences'
import { clip, formatTokens, parseTokens } from '../../src/model/tokens'

const cut = (text: string): readonly string[] => {
  const parsed = parseTokens(text)
  if (!parsed.ok) throw new Error(parsed.problem.code)
  return parsed.value
}

describe('cut by the reader', () => {
  test.each([
    ['她|把|她', ['她', '把', '她']],
    [' Tom | passed ', ['Tom', 'passed']],
    ['a｜b', ['a', 'b']],
    ['a||b|', ['a', 'b']],
    ['New  York|is\nbig', ['New York', 'is big']],
    ['。', ['。']],
  ])('%j', (text, tokens) => expect(cut(text)).toEqual(tokens))
})

describe('cut by us', () => {
  test('the lesson’s sentences come out as in the lesson', () => {
    expect(cut(lessonSentence.zh.join(''))).toEqual(lessonSentence.zh)
    expect(cut('Tom passed the cake to Lily because she was no longer hungry.')).toEqual(lessonSentence.en)
  })

  test.each([
    ['小红把蛋糕递给小丽，因为她饿了。', ['小红', '把', '蛋糕', '递给', '小丽', '，', '因为', '她', '饿', '了', '。']],
    ['I don’t know 3.5 well-known café…', ['I', 'don’t', 'know', '3.5', 'well-known', 'café', '…']],
    ['她said蛋糕', ['她', 'said', '蛋糕']],
    ['蛋糕🍰👩‍👧‍👦!', ['蛋糕', '🍰', '👩‍👧‍👦', '!']],
    ['e\u0301t\u0301', ['ét\u0301']],
  ])('%j', (text, tokens) => expect(cut(text)).toEqual(tokens))

  test('nothing is lost but blanks', () => {
    const text = '昨天小伟把笔记借给小军，他抄了一份；价格 1,234.50 元。'
    expect(cut(text).join('')).toBe(text.replaceAll(' ', ''))
  })

  test('longest word first', () => {
    expect(cut('递给')).toEqual(['递给'])
    expect(vocabulary).toContain('给')
    expect(cut('小明给她')).toEqual(['小明', '给', '她'])
  })
})

test('tokens come back from their own text', () => {
  for (const tokens of [['New York'], ['她', '她'], ['a b', 'c'], ['小明把蛋糕'], ['x']]) expect(cut(formatTokens(tokens))).toEqual(tokens)
})

test('limits', () => {
  expect(cut(Array(maxTokens).fill('a').join('|'))).toHaveLength(maxTokens)
  expect(parseTokens(Array(maxTokens + 1).fill('a').join('|'))).toEqual({ ok: false, problem: { code: 'too_many_tokens', count: 33, max: 32 } })
  expect(parseTokens('x'.repeat(maxTextLength + 1))).toMatchObject({ problem: { code: 'text_too_long' } })
  expect(cut('𠮷'.repeat(24) + '|')).toHaveLength(1)
  expect(parseTokens('𠮷'.repeat(25) + '|')).toMatchObject({ problem: { code: 'token_too_long', max: 24 } })
})

test('clip does not cut a character in half', () => {
  expect(clip('𠮷𠮷𠮷', 2)).toBe('𠮷𠮷…')
  expect(clip('ab', 2)).toBe('ab')
  expect(clip('x'.repeat(1e6), 3)).toBe('xxx…')
})
