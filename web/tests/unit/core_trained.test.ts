// A trained model in both modules: its numbers go through the pass as they stand in its file, and what it can't read is said in full.
import { describe, expect, test } from 'vitest'
import { builds, engines, failure, request, values } from './core_support'
import { ReceivedPass } from '../../src/core/pass'
import type { PassRequest } from '../../src/core/protocol'
import { trainedFile } from './model_file_support'

describe.each(builds)('%s build', (build) => {
  const engine = engines[build]
  const given = trainedFile()

  function passOf(changes: Partial<PassRequest> = {}) {
    const asked = request({ weights: 'trained', dModel: 4, heads: 2, tokens: ['Tom', '饿', 'Tom'], ...changes })
    const model = engine.model(given.file)
    try {
      const shape = engine.shape(asked.tokens.length, asked.dModel, asked.heads)
      const weights = engine.trainedWeights(0, shape, model)
      try {
        const memory = engine.pass(weights, shape, asked)
        const answer = { shape, scale: memory.scale, views: memory.views, weightsId: '', ...memory.copyOut() }
        memory.release()
        return new ReceivedPass(1, asked, { kind: 'trained', about: {} }, answer, weights.copyOut())
      } finally {
        weights.release()
      }
    } finally {
      model.release()
    }
  }

  test('rows of its embeddings, their sum, and its matrices', () => {
    const pass = passOf()
    const row = (first: number): number[] => [...given.numbers(4 * first, 4)]
    const [tom, hungry] = [row(3), row(4)]
    expect(values(pass.tensor('token_vectors')!)).toEqual([...tom, ...hungry, ...tom])
    const positions = [...given.numbers(4 * 5, 12)]
    expect(values(pass.tensor('positions')!)).toEqual(positions)
    expect(values(pass.tensor('x')!)).toEqual([...tom, ...hungry, ...tom].map((value, i) => Math.fround(value + positions[i]!)))
    expect(values(pass.tensor('w_q')!)).toEqual([...given.numbers(4 * 8, 16)])
    expect(values(pass.tensor('w_o')!)).toEqual([...given.numbers(4 * 8 + 48, 16)])
  })

  test.each<[string, Partial<PassRequest>, object]>([
    ['every unknown word is named', { tokens: ['tom', '饿', '蛋糕'] }, { status: 'unknown_word', index: [0, 2] }],
    ['too many words', { tokens: ['Tom', 'Tom', 'Tom', 'Tom'] }, { status: 'too_many_words' }],
    ['no positions', { positions: false }, { status: 'bad_model' }],
    ['another number of heads', { heads: 4 }, { status: 'bad_model' }],
    ['another width', { dModel: 8 }, { status: 'bad_model' }],
    ['half a surrogate pair', { tokens: ['Tom', '\ud83c'] }, { status: 'bad_text' }],
  ])('%s', async (_, changes, expected) => {
    expect(await failure(() => passOf(changes))).toEqual(expected)
  })

  test.each([
    ['no file', new ArrayBuffer(0)],
    ['another format', trainedFile({ changes: { format: 'x' } }).file],
    ['cut off', trainedFile().file.slice(0, -4)],
  ])('%s is no model', async (_, file) => {
    expect(await failure(() => engine.model(file))).toEqual({ status: 'bad_model' })
  })
})
