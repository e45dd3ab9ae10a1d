// What the core refuses, and how it says so, in both builds.
import { describe, expect, test } from 'vitest'
import { limits, type TensorName } from '../../src/core/generated/tables'
import type { CoreFailure, PassRequest } from '../../src/core/protocol'
import { builds, engines, failure, request, withPass } from './core_support'

describe.each(builds)('%s build', (build) => {
  const engine = engines[build]

  const tooMany = new Array<string>(limits.maxTokens + 1).fill('a')
  const failing = (changes: Partial<PassRequest>) => failure(() => withPass(engine, request(changes), () => {}))

  test.each<[string, Partial<PassRequest>, CoreFailure]>([
    ['no token', { tokens: [] }, { status: 'tokens_out_of_range' }],
    ['too many tokens', { tokens: tooMany }, { status: 'tokens_out_of_range' }],
    ['no width', { dModel: 0 }, { status: 'model_dim_out_of_range' }],
    ['half a width', { dModel: 12.5 }, { status: 'model_dim_out_of_range' }],
    ['a width that wraps', { dModel: 2 ** 32 + 8 }, { status: 'model_dim_out_of_range' }],
    ['NaN heads', { heads: NaN }, { status: 'heads_out_of_range' }],
    ['heads that do not divide', { heads: 3 }, { status: 'head_dim_out_of_range' }],
    ['more heads than dimensions', { heads: 16 }, { status: 'head_dim_out_of_range' }],
    ['an empty token', { tokens: ['a', '', 'b'] }, { status: 'bad_text' }],
    ['half a surrogate pair', { tokens: ['a', '\ud83c'] }, { status: 'bad_text' }],
    ['two halves in two tokens', { tokens: ['\ud83c', '\udf70'] }, { status: 'bad_text' }],
    ['too few gates', { headGate: [1] }, { status: 'bad_gate' }],
    ['a gate that is no number', { headGate: [1, NaN] }, { status: 'bad_gate', index: [1] }],
    ['more padding than tokens', { padding: 6 }, { status: 'bad_padding' }],
    ['negative padding', { padding: -1 }, { status: 'bad_padding' }],
    ['half a padding', { padding: 0.5 }, { status: 'bad_padding' }],
  ])('%s', async (_, changes, expected) => {
    expect(await failing(changes)).toEqual(expected)
  })

  test('cells that are not there', async () => {
    await withPass(engine, request(), async ({ memory }) => {
      const explaining = (name: TensorName, ...index: number[]) =>
        failure(() => memory.explain({ tensor: name, index }, 3))
      expect(await explaining('output', 5, 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('output', 0, -1)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('output', 0, 2 ** 32)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('output', 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('weights', 0, 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('context', 0, 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('b_q', 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('nothing' as TensorName, 0, 0)).toMatchObject({ status: 'no_such_cell' })
      expect(await explaining('toString' as TensorName, 0, 0)).toMatchObject({ status: 'no_such_cell' })
    })
  })

  test('heads that are not there', async () => {
    await withPass(engine, request(), async ({ memory }) => {
      const asking = (...heads: number[]) => failure(() => memory.contributions(heads, async () => {}))
      expect(await asking(2)).toMatchObject({ status: 'no_such_cell' })
      expect(await asking(1, 2)).toMatchObject({ status: 'no_such_cell' })
      expect(await asking(-1)).toMatchObject({ status: 'no_such_cell' })
      expect(await asking(0, 0.5)).toMatchObject({ status: 'no_such_cell' })
    })
  })

  test('what was released', async () => {
    const kept = await withPass(engine, request(), ({ memory }) => memory)
    expect(await failure(() => kept.explain({ tensor: 'output', index: [0, 0] }, 1))).toMatchObject({
      status: 'not_loaded',
    })
  })
})
