// What the page reads in the metadata of a trained model, and the words it may cut by then.
import { expect, test } from 'vitest'
import { CoreError } from '../../src/core/protocol'
import { isWordOf, learnWords, parseTokens } from '../../src/model/tokens'
import { refusalOf, relationsOf, rolesOf, sharesOf, wordsOf } from '../../src/model/trained'

const about = {
  vocabulary: '\n小明\nTom\n，', relations: 'giver\nreceiver\nreference', 'heads.chinese.giver': '0.4999 0.9000', 'heads.chinese.receiver': '0.9500 0.1000',
  'heads.chinese.reference': '0.5000 1.0000', 'heads.english.giver': '0.0000 0.0000',
}

test('words, relations and shares; what is not there is empty', () => {
  expect(wordsOf(about)).toEqual(['小明', 'Tom', '，'])
  expect(relationsOf(about)).toEqual(['giver', 'receiver', 'reference'])
  expect(sharesOf(about, 'zh', 'giver')).toEqual([0.4999, 0.9])
  expect([wordsOf({}), relationsOf({}), sharesOf({}, 'en', 'giver')]).toEqual([[], [], []])
})

test('a head’s roles: half of all cases or more, in the reader’s language, the most reliable first', () => {
  expect(rolesOf(about, 'zh', 0)).toEqual([{ relation: 'receiver', share: 0.95 }, { relation: 'reference', share: 0.5 }])
  expect(rolesOf(about, 'zh', 1)).toEqual([{ relation: 'reference', share: 1 }, { relation: 'giver', share: 0.9 }])
  expect([rolesOf(about, 'en', 0), rolesOf(about, 'zh', 9), rolesOf({}, 'zh', 0)]).toEqual([[], [], []])
})

test('only refusals of the model’s are reasons for other numbers', () => {
  expect(refusalOf(new CoreError({ status: 'unknown_word', index: [2] }))).toEqual({ reason: 'words', places: [2] })
  expect(refusalOf(new CoreError({ status: 'crashed' }))).toBeUndefined()
  expect(refusalOf(new Error('x'))).toBeUndefined()
})

test('typed text is cut as the model knows its words, the longest first', () => {
  const cut = (): readonly string[] => {
    const parsed = parseTokens('小刚喝牛奶真的')
    return parsed.ok ? parsed.value : []
  }
  learnWords(['小刚喝', '小刚', '牛奶真的'])
  expect(cut()).toEqual(['小刚喝', '牛奶真的'])
  expect(['小明', 'Tom', '，', '.'].map((word) => [isWordOf(word, 'zh'), isWordOf(word, 'en')])).toEqual([[true, false], [false, true], [false, false], [false, false]])
})
