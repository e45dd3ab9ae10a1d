// The models that come with the page: each is there, says of itself what the page tells, and knows what it is shipped for.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { modelFile, models } from '../../models/models.mjs'
import { tasks } from '../../src/core/generated/training_tables'
import { TrainingRun } from '../../src/core/training_engine'
import { Wasm } from '../../src/core/wasm'
import { metadataOf } from './model_files'
import { moduleBytes } from './training_support'

const isShare = (text: string | undefined): boolean => /^(0\.\d{4}|1\.0000)$/.test(text ?? '')
const whole = /^\d+$/

describe.each(models)('the model $name', (model) => {
  const address = modelFile(model)
  const file = existsSync(address) ? new Uint8Array(readFileSync(address)) : undefined

  test('is there, and no larger than a reader shall fetch', () => {
    expect(file, `${address.pathname} is missing: ./dev build trains it`).toBeDefined()
    expect(file!.length).toBeLessThanOrEqual(model.mostBytes)
  })

  test.runIf(file !== undefined)('says what it is', () => {
    const said = metadataOf(file!)
    const { words, relations, longest } = tasks.relation
    expect(said).toMatchObject({
      format: 'eight meetings model 1', task: 'relation', relations: relations.join('\n'),
      vocabulary_size: String(words.length), max_positions: String(longest),
      d_model: String(model.dModel), heads: String(model.heads), head_dim: String(model.dModel / model.heads), layers: '1', slots: '2',
      residual: '0', layer_norm: '0', biases: '0', causal: '0',
      steps: String(model.steps), batch: String(model.batch), learning_rate: String(model.learningRate),
      seed_chosen: model.seeds === 1 ? 'first' : `lowest loss of ${model.seeds}`,
      rounding: model.decimals >= 0 ? `${model.decimals} decimals` : model.precision,
    })
    expect(said.vocabulary!.split('\n').map((word, i) => word || words[i])).toEqual([...words])
    expect(said.seed).toMatch(whole)
    expect(Number(said.seed)).toBeLessThanOrEqual(model.seeds)
    const tried = said.seeds_accuracy?.split(' ') ?? []
    expect(tried).toHaveLength(model.seeds > 1 ? model.seeds : 0)
    expect(tried).toEqual([...tried].sort())
    for (const share of tried) expect(share).toSatisfy(isShare)
    expect(Number(said.held_out)).toBeGreaterThanOrEqual(512)
    expect(Number(said.largest_rounding)).toBeGreaterThan(0)
  })

  test.runIf(file !== undefined)('knows what it is shipped for', () => {
    const said = metadataOf(file!)
    expect(Number(said.accuracy)).toBeGreaterThanOrEqual(0.99)
    for (const key of ['loss', 'loss_before_rounding']) expect(said[key]).toMatch(/^\d+\.\d{6}$/)
    if (model.dModel === 512) expect(Number(said.loss)).toBeLessThan(0.005)
    expect(said.accuracy).toSatisfy(isShare)
    for (const relation of tasks.relation.relations) {
      expect(said[`accuracy.${relation}`]).toSatisfy(isShare)
      expect(Number(said[`accuracy.${relation}`])).toBeGreaterThanOrEqual(0.95)
      for (const language of ['chinese', 'english']) {
        const shares = said[`heads.${language}.${relation}`]!.split(' ')
        expect(shares.length).toBe(model.heads)
        for (const share of shares) expect(share).toSatisfy(isShare)
      }
    }
  })

  test.runIf(file !== undefined)('is a model that the core can open, and that knows what it says', { timeout: 120_000 }, async () => {
    const { dModel, heads, learningRate, batch } = model
    const said = metadataOf(file!)
    const settings = { task: 'relation', dModel, heads, learningRate, batch, seed: Number(said.seed), residual: false } as const
    const run = new TrainingRun(await Wasm.instantiate(await moduleBytes('simd')), 0, settings)
    run.restore(file!)
    const again = metadataOf(run.save({ precision: 'float32', moments: false }))
    for (const key of ['loss', 'accuracy', 'steps', 'heads.chinese.reference']) expect(again[key]).toBe(said[key])
  })
})
