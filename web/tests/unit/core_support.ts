// What the core's tests share: both modules, problems drawn anew in each run, and passes in a module's memory.
import { readdirSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { relaxedSimd } from 'wasm-feature-detect'
import { Engine } from '../../src/core/engine'
import type { GoldenCase } from '../../src/core/environment'
import type { Build } from '../../src/core/messages'
import { ReceivedPass } from '../../src/core/pass'
import type { PassMemory } from '../../src/core/pass_memory'
import { CoreError, type CoreFailure, type Pass, type PassRequest, type TensorView } from '../../src/core/protocol'
import type { Weights } from '../../src/core/weights'

export { drawFrom } from './drawing'

export const builds: Build[] = ['simd', 'relaxed']

/** The module as it was built. Node 20 wants to be asked for relaxed SIMD. */
export async function moduleBytes(build: Build): Promise<ArrayBuffer> {
  if (build === 'relaxed' && !(await relaxedSimd())) setFlagsFromString('--experimental-wasm-relaxed-simd')
  const file = readFileSync(new URL(`../../src/core/generated/mha-${build}.wasm`, import.meta.url))
  return new Uint8Array(file).buffer
}

const goldenFolder = new URL('../../../tests/golden/', import.meta.url)

export const goldenCases = (): GoldenCase[] =>
  readdirSync(goldenFolder)
    .filter((file) => file.endsWith('.safetensors'))
    .map((file) => ({ name: file.replace('.safetensors', ''), file: new Uint8Array(readFileSync(new URL(file, goldenFolder))).buffer }))

/** New in each run, and printed in the names of the tests; MHA_TEST_SEED repeats one. */
export const drawn = Number(process.env.MHA_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))

const words = ['小明', '把', '蛋糕', '递给', '小红', '因为', '她', '饿', '了', '。', 'the', 'cake', '🍰', 'é']

export const request = (changes: Partial<PassRequest> = {}): PassRequest => ({
  layer: 0,
  tokens: ['小明', '把', '蛋糕', '递给', '小红'],
  dModel: 8,
  heads: 2,
  causal: false,
  scaled: true,
  positions: true,
  padding: 0,
  weights: 'seeded',
  seed: 7,
  ...changes,
})

/** A pass with everything drawn: shape, sentence, seed, options. */
export function drawnRequest(draw: (first: number, last: number) => number): PassRequest {
  const heads = draw(1, 6)
  const tokens = Array.from({ length: draw(1, 17) }, () => words[draw(0, words.length - 1)]!)
  return request({
    tokens,
    heads,
    dModel: heads * draw(1, 9),
    causal: draw(0, 1) === 1,
    scaled: draw(0, 1) === 1,
    positions: draw(0, 1) === 1,
    padding: draw(0, 2) === 0 ? draw(0, tokens.length) : 0,
    seed: draw(0, 2 ** 32 - 1),
    ...(draw(0, 1) === 1 && { headGate: Array.from({ length: heads }, () => draw(0, 4) / 4) }),
  })
}

/** All values of a tensor in row-major order, whatever its strides. */
export function values(view: TensorView): number[] {
  const found: number[] = []
  const walk = (index: number[]): void => {
    if (index.length === view.shape.length) found.push(view.at(...index))
    else for (let i = 0; i < view.shape[index.length]!; i++) walk([...index, i])
  }
  walk([])
  return found
}

export const engines = Object.fromEntries(
  await Promise.all(builds.map(async (build) => [build, await Engine.start(await moduleBytes(build))] as const)),
) as Record<(typeof builds)[number], Engine>

export interface Run {
  memory: PassMemory
  weights: Weights
  pass: Pass
}

/** One pass, still in the module's memory while `use` looks at it. */
export async function withPass<Result>(
  engine: Engine,
  asked: PassRequest,
  use: (run: Run) => Result,
): Promise<Awaited<Result>> {
  const shape = engine.shape(asked.tokens.length, asked.dModel, asked.heads)
  const weights = engine.seededWeights(0, shape, asked.seed)
  try {
    const memory = engine.pass(weights, shape, asked)
    const { scale, views } = memory
    const answer = { shape, scale, views, weightsId: '', ...memory.copyOut() }
    const pass = new ReceivedPass(1, asked, { kind: 'seeded', seed: asked.seed }, answer, weights.copyOut())
    try {
      return await use({ memory, weights, pass })
    } finally {
      memory.release()
    }
  } finally {
    weights.release()
  }
}

export async function failure(work: () => unknown): Promise<CoreFailure> {
  try {
    await work()
  } catch (error) {
    if (error instanceof CoreError) return error.failure
    throw error
  }
  throw new Error('no failure')
}
