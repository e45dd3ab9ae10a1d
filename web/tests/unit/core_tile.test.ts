// What the compilers made of the product's loop, in the modules that are shipped: a loop that spills is right, and slow.
import { describe, expect, test } from 'vitest'
import { builds, moduleBytes } from './core_support'
import { type Code, codeOf, type Loop } from './wasm_code'

/** src/mha/gemm.cpp: rows and vectors of the register tile. */
const tile = { simd: { rows: 2, vectors: 4 }, relaxed: { rows: 6, vectors: 2 } }
/** Sums of the loop for a single row, which runs over several panels. */
const singleRow = 8

describe.each(builds)('the product in the %s module', (build) => {
  const { rows, vectors } = tile[build]
  const sums = (loop: Loop): number => loop.count(build === 'relaxed' ? 'f32x4.relaxed_madd' : 'f32x4.mul')
  /** `height` broadcasts times `width` loads a step; compilers write short loops down twice. */
  const isProduct = (loop: Loop, height: number, width: number): boolean => {
    const steps = loop.count('v128.load32_splat') / height
    return steps > 0 && loop.count('v128.load') === steps * width && sums(loop) === steps * height * width
  }
  const functions = moduleBytes(build).then((bytes) => codeOf(new Uint8Array(bytes)))
  const having = async (wanted: (loop: Loop) => boolean): Promise<Code[]> => (await functions).filter(({ innermost }) => innermost.some(wanted))
  const kinds = [
    ...Array.from({ length: rows }, (_, i): [string, (loop: Loop) => boolean] => [`a tile of ${i + 1} rows`, (loop) => isProduct(loop, i + 1, vectors)]),
    ['a single row', (loop) => isProduct(loop, 1, singleRow)] as [string, (loop: Loop) => boolean],
  ]

  test.each(kinds)('%s multiplies and adds what it loaded, and stores nothing in its loop', async (_, wanted) => {
    const found = await having(wanted)
    expect(found).toHaveLength(1)
    for (const loop of found[0]!.innermost.filter(wanted)) {
      expect(loop.count('v128.store')).toBe(0)
      expect(loop.count('f32x4.add')).toBe(build === 'relaxed' ? 0 : sums(loop))
    }
  })

  // Firefox and WebKit keep what is alive over a call on the stack, in the loop before the call, too.
  test.each(kinds)('%s calls nothing', async (_, wanted) => {
    for (const { count } of await having(wanted)) expect(count('call')).toBe(0)
  })

  test('relaxed instructions are in the relaxed module alone', async () => {
    const relaxed = (await functions).reduce((sum, { count }) => sum + count('f32x4.relaxed_madd') + count('relaxed'), 0)
    expect(relaxed > 0).toBe(build === 'relaxed')
  })
})
