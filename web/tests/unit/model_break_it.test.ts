// Which mistake is looked at, on which model, and that only the newest question counts.
import { expect, test } from 'vitest'
import type { BreakAnswer, BreakQuestion } from '../../src/core/broken_client'
import { CoreError } from '../../src/core/protocol'
import { BreakIt, effectOf } from '../../src/model/break_it.svelte'
import { stopNames } from '../../src/model/stops'

interface Asked {
  question: BreakQuestion
  resolve(answer: BreakAnswer): void
  reject(error: Error): void
}

function made(models = ['64x8', '8x2']): { breakIt: BreakIt; asked: Asked[] } {
  const asked: Asked[] = []
  const ask = (question: BreakQuestion): Promise<BreakAnswer> => new Promise((resolve, reject) => asked.push({ question, resolve, reject }))
  return { breakIt: new BreakIt({ models, ask }), asked }
}

const answer = (before: number, after: number): BreakAnswer => ({
  mistake: 'no_scale', unknown: [], sentence: undefined, about: {},
  before: { loss: 1, accuracy: before, relations: new Float64Array() }, after: { loss: 2, accuracy: after, relations: new Float64Array() },
})

const size = { dModel: 8, heads: 2 }
const question = { mistake: 'no_scale', lang: 'zh', tokens: [] } as const

test('a stop has its own mistake first, and the reader’s choice stays until the next stop that has one', () => {
  const { breakIt } = made()
  const at = (name: (typeof stopNames)[number]): string => {
    breakIt.arrive(stopNames.indexOf(name))
    return breakIt.mistake
  }
  expect(at('tokens')).toBe('wrong_reshape')
  expect([at('project'), at('split'), at('scale'), at('mask'), at('softmax'), at('output')]).toEqual([
    'split_first', 'wrong_reshape', 'no_scale', 'mask_after_softmax', 'mask_after_softmax', 'no_output_projection',
  ])
  breakIt.mistake = 'shared_projection'
  expect([at('output'), at('result'), at('scale')]).toEqual(['shared_projection', 'shared_projection', 'no_scale'])
})

test('the walk’s own size, else the one that stands for it, else none', () => {
  expect(made().breakIt.modelFor(size)).toEqual(size)
  expect(made().breakIt.modelFor({ dModel: 16, heads: 2 })).toEqual({ dModel: 64, heads: 8 })
  expect(made(['8x2']).breakIt.modelFor({ dModel: 16, heads: 2 })).toBeUndefined()
})

test('only the newest question is answered', async () => {
  const { breakIt, asked } = made()
  const [first, second] = [breakIt.ask(size, { ...question, tokens: [] }), breakIt.ask({ dModel: 64, heads: 8 }, { ...question, tokens: [] })]
  expect(asked.map(({ question: { model, heads } }) => [model, heads])).toEqual([['8x2', 2], ['64x8', 8]])
  asked[1]!.resolve(answer(1, 0.5))
  await second
  asked[0]!.resolve(answer(1, 0.9))
  await first
  expect([breakIt.answer?.after.accuracy, breakIt.size, breakIt.busy]).toEqual([0.5, { dModel: 64, heads: 8 }, false])
})

test('a failure is told with its reason, and the next question takes it back', async () => {
  const { breakIt, asked } = made()
  const first = breakIt.ask(size, { ...question, tokens: [] })
  asked[0]!.reject(new CoreError({ status: 'load_failed' }))
  await first
  expect([breakIt.failure?.status, breakIt.busy]).toEqual(['load_failed', false])
  void breakIt.ask(size, { ...question, tokens: [] })
  expect([breakIt.failure, breakIt.busy]).toEqual([undefined, true])
})

test('how much it hurts is said by how many answers are lost', () => {
  expect([answer(1, 1), answer(0.9, 0.95), answer(1, 0.991), answer(1, 0.985), answer(1, 0.91), answer(1, 0.89), answer(1, 0)].map(effectOf)).toEqual([
    'unnoticed', 'unnoticed', 'unnoticed', 'worse', 'worse', 'broken', 'broken',
  ])
})
