// What happened in a run, said from its numbers: every kind of outcome in both languages.
import { describe, expect, test } from 'vitest'
import { stateOf, whatHappened } from '../../src/chapters/training/words'
import { type CellState, cellStates } from '../../src/core/training'
import { percentOf } from '../../src/model/format'
import { training as en } from '../../src/text/training.en'
import { training as zh } from '../../src/text/training.zh'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
type Cell = readonly [state: CellState, percent: number]

/** Rows are heads; the columns are giver, receiver, reference, cause, object, as many as there are. */
function measured(rows: readonly (readonly Cell[])[], unused: readonly number[] = []) {
  return {
    relations: Object.keys(en.tasks.relation.relations).slice(0, rows[0]!.length),
    headAccuracy: Float32Array.from(rows.flat(), ([, percent]) => percent / 100),
    cells: Uint8Array.from(rows.flat(), ([state]) => cellStates.indexOf(state)),
    unused: Uint8Array.from(rows, (_, head) => (unused.includes(head + 1) ? 1 : 0)),
  }
}

const say = (run: ReturnType<typeof measured>, lang: 'zh' | 'en'): string[] => {
  const text = lang === 'zh' ? zh : en
  return whatHappened(run, Object.values(text.tasks.relation.relations), text.words)
}

const low: Cell = ['low', 12]

test('one took, with most of another; one rests; nobody took the rest', () => {
  const run = measured([[['owner', 97], ['partial', 73], low], [low, low, low]], [2])
  expect(say(run, 'en')).toEqual([
    'Head 1 took giver (97%) and most of receiver (73%).',
    'Head 2 is hardly used.',
    'No head has settled on receiver and reference yet.',
  ])
  expect(say(run, 'zh')).toEqual(['头 1 管起了“谁给的”（97%），还有大半的“给了谁”（73%）。', '头 2 几乎没用上。', '“给了谁”和“指代”还没分工。'])
})

test('two at once, the same job twice, several unused', () => {
  const run = measured([[['owner', 100], ['owner', 95]], [['duplicate', 91], low], [low, low], [low, low]], [3, 4])
  expect(say(run, 'en')).toEqual(['Head 1 took giver (100%) and receiver (95%).', 'Head 2 does giver (91%) once more.', 'Heads 3 and 4 are hardly used.'])
  expect(say(run, 'zh')).toEqual(['头 1 管起了“谁给的”（100%）和“给了谁”（95%）。', '头 2 又做了一遍“谁给的”（91%）。', '头 3、4 几乎没用上。'])
})

test('shared by several, or by one with help', () => {
  const run = measured([[['shared', 55], low], [['shared', 61], ['shared', 84]]])
  expect(say(run, 'en')).toEqual(['Heads 1 and 2 share giver.', 'Head 2 does much of receiver (84%), and the others help.'])
  expect(say(run, 'zh')).toEqual(['头 1、2 合做“谁给的”。', '“给了谁”（84%）大半靠头 2，别的头帮着做。'])
})

test('in part only: by relation, not head by head', () => {
  const run = measured([[['partial', 55]], [['partial', 61]], [low]])
  expect(say(run, 'en')).toEqual(['Heads 1 and 2 do part of giver.', 'No head has settled on giver yet.'])
  expect(say(run, 'zh')).toEqual(['头 1、2 管一部分“谁给的”。', '“谁给的”还没分工。'])
})

test('who looks at the right word without being used is not said to have taken anything', () => {
  const run = measured([[['owner', 95]], [low]], [1])
  expect(say(run, 'en')).toEqual(['Head 1 looks at the right word for giver (95%), but the answers hardly depend on it.', 'Head 1 is hardly used.'])
})

test('who does parts of what others do is named once', () => {
  const run = measured([[['owner', 97], ['owner', 95]], [['partial', 55], ['partial', 71]], [['partial', 61], low]])
  expect(say(run, 'en')).toEqual(['Head 1 took giver (97%) and receiver (95%).', 'Heads 2 and 3 do parts of these as well.'])
  expect(say(run, 'zh').at(-1)).toBe('头 2、3 也各管一部分。')
})

test('one head, and nothing measured', () => {
  expect(say(measured([[['owner', 92], ['partial', 60]]]), 'en')).toEqual(['One head has to see to everything. Its largest attention weight goes to the right word for giver (92%) and receiver (60%).'])
  expect(say(measured([[['unmeasured', 0]], [['unmeasured', 0]]]), 'en')).toEqual([])
})

describe(`drawn runs (seed ${drawn})`, () => {
  test.each(['zh', 'en'] as const)('%s: every head is spoken of only as it is, and none understands anything', (lang) => {
    for (let i = 0; i < 500; i += 1) {
      const heads = draw(1, 16)
      const rows = Array.from({ length: heads }, () => Array.from({ length: 5 }, (): Cell => [cellStates[draw(1, 5)]!, draw(0, 100)]))
      const run = measured(rows, Array.from({ length: heads }, (_, head) => head + 1).filter(() => draw(0, 3) === 0))
      const sentences = say(run, lang)
      const text = sentences.join('\n')
      expect(text).not.toMatch(/undefined|NaN|understand|knows?\b|理解|懂|知道/)
      if (lang === 'en') expect(text).not.toMatch(/Heads \d+ (is|are|do|share)|Head \d+ (are|do|share)\b|Head \d+(,| and) \d/)
      const spoken = new Set([...text.matchAll(/(?:[Hh]eads? |头 )((?:\d+(?:, | and |、)?)+)/g)].flatMap(([, numbers]) => numbers!.match(/\d+/g)!.map(Number)))
      for (const head of spoken) expect(head).toBeLessThanOrEqual(heads)
      if (heads > 1) rows.forEach((row, head) => {
        const speaks = run.unused[head] === 1 || row.some(([state]) => state === 'owner' || state === 'duplicate' || state === 'shared' || state === 'partial')
        expect(spoken.has(head + 1), `${text}\nhead ${head + 1}`).toBe(speaks)
      })
    }
  })
})

test('a code the page does not know counts as not measured', () => {
  expect(stateOf({ relations: ['giver'], cells: Uint8Array.of(99) }, 0, 0)).toBe('unmeasured')
})

test('100 % only if nothing is missing, 0 % only if there is nothing', () => {
  expect([0, 0.001, 0.004, 0.5, 0.996, 0.9999, 1].map(percentOf)).toEqual([0, 1, 1, 50, 99, 99, 100])
})
