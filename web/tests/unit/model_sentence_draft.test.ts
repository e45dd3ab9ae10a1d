// The sentence between the reader's hands and the lesson: typed and edited, refused and mended, undone.
import { expect, test } from 'vitest'
import { Lesson } from '../../src/model/lesson.svelte'
import { SentenceDraft } from '../../src/model/sentence_draft.svelte'
import { lessonSentence } from '../../src/model/sentences'
import { readAddress } from '../../src/model/state'
import type { Core } from '../../src/core/protocol'

const never = (): Promise<never> => new Promise(() => {})
const core: Core = { trainedSizes: [], model: never, keepRun: () => ({}), ready: never, pass: never, explain: never, contributions: never, influence: never, rowShares: never, narrow: never, compare: never, check: never, atScale: never, measure: never, dispose() {} }

function begin(search = '?lang=en&sentence=a|b|a') {
  const lesson = new Lesson(core, readAddress(search), () => {})
  return { lesson, draft: new SentenceDraft(lesson) }
}

const many = Array.from({ length: 35 }, (_, i) => `t${i}`)

test('typed text is read when it is asked for, and stands as it was typed until the writing is over', () => {
  const { lesson, draft } = begin()
  draft.write('a b.')
  expect([draft.text, lesson.state.sentence]).toEqual(['a b.', ['a', 'b', 'a']])
  draft.read()
  expect([draft.text, lesson.state.sentence]).toEqual(['a b.', ['a', 'b', '.']])
  draft.finish()
  expect(draft.text).toBe('a|b|.')
})

test('too many tokens: all of them stay in sight, the last good sentence stays computed, and deleting some mends it', () => {
  const { lesson, draft } = begin()
  draft.write(many.join(' '))
  draft.finish()
  expect(draft.problem).toEqual({ code: 'too_many_tokens', count: 35, max: 32 })
  expect(draft.tokens).toEqual(many)
  expect(draft.text).toBe(many.join('|'))
  expect(lesson.state.sentence).toEqual(['a', 'b', 'a'])
  draft.take(many.slice(1))
  expect(draft.problem).toMatchObject({ count: 34 })
  draft.take(many.slice(3))
  expect(draft.problem).toBeUndefined()
  expect(lesson.state.sentence).toEqual(many.slice(3))
})

test('text without tokens is refused and stays to be mended', () => {
  const { lesson, draft } = begin()
  for (const text of ['', ' | ', 'x\u0000']) {
    draft.write(text)
    draft.finish()
    expect([draft.text, draft.tokens, draft.problem !== undefined]).toEqual([text, ['a', 'b', 'a'], true])
  }
  draft.write('c')
  draft.finish()
  expect([draft.problem, lesson.state.sentence]).toEqual([undefined, ['c']])
})

test('every change can be undone, refused ones too', () => {
  const { lesson, draft } = begin()
  expect(draft.canUndo).toBe(false)
  draft.take(['a', 'b'])
  draft.take(many)
  draft.take(['x'])
  draft.take(['x'])
  draft.undo()
  expect(draft.tokens).toEqual(many)
  expect(lesson.state.sentence).toEqual(['x'])
  draft.undo()
  expect([draft.problem, lesson.state.sentence]).toEqual([undefined, ['a', 'b']])
  draft.undo()
  expect([draft.canUndo, lesson.state.sentence]).toEqual([false, ['a', 'b', 'a']])
  draft.undo()
  expect(lesson.state.sentence).toEqual(['a', 'b', 'a'])
})

test('another sentence from elsewhere voids what was typed, refused and to be undone', () => {
  const { lesson, draft } = begin()
  draft.take(['a'])
  draft.write('|||')
  draft.read()
  lesson.arrive(readAddress('?lang=en&sentence=c|d'))
  expect([draft.text, draft.problem, draft.canUndo]).toEqual(['c|d', undefined, false])
  // Also what was fine: leaving the field must not bring it back.
  draft.write('e|f')
  draft.read()
  lesson.arrive(readAddress('?lang=en&sentence=c|d'))
  draft.finish()
  expect(lesson.state.sentence).toEqual(['c', 'd'])
})

test('the lesson’s sentence in another language is another sentence', () => {
  const { lesson, draft } = begin('?lang=en')
  draft.take(['a'])
  draft.take(lessonSentence.en)
  lesson.change({ lang: 'zh' })
  expect([draft.tokens, draft.canUndo]).toEqual([lessonSentence.zh, false])
})
