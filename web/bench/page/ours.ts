// Ours: the very modules that the lesson ships, through the boundary the lesson uses. Trace detail `core`.
import { shapeRecord } from '../../src/core/generated/tables'
import { layoutOf } from '../../src/core/layout'
import { decodeShape, encodeOptions, encodeParts, encodeShape } from '../../src/core/records'
import type { PassRequest, Shape } from '../../src/core/protocol'
import { type Block, out, Wasm } from '../../src/core/wasm'
import type { Size } from './job'

const layer = 0
const seed = 42
const options = encodeOptions({ scaled: true, causal: false, padding: 0 } as PassRequest)

/** The five matrices of a problem, row-major. */
export interface Given {
  x: Float32Array
  w_q: Float32Array
  w_k: Float32Array
  w_v: Float32Array
  w_o: Float32Array
}

export class Ours {
  #shape: Shape | undefined
  #blocks: Block[] = []
  #arguments: Parameters<Wasm['runLocated']> | undefined

  private constructor(private readonly wasm: Wasm) {}

  static async start(bytes: BufferSource): Promise<Ours> {
    return new Ours(await Wasm.instantiate(bytes))
  }

  /** Seeded weights and the vectors of n made-up words: what the lesson would compute with. */
  begin([n, d, h]: Size): Given {
    const { wasm } = this
    for (const block of this.#blocks) wasm.release(block)
    const record = new Int32Array(shapeRecord.size)
    wasm.run('mha_self_attention', n, d, h, out(record))
    const shape = (this.#shape = decodeShape(record))
    const parts = encodeParts('core')
    const [input, trace, parameters] = (['input', 'trace', 'parameters'] as const).map((slab) => layoutOf(wasm, slab, shape, parts))
    const blocks = (this.#blocks = [input!, trace!, parameters!].map(({ floats }) => wasm.allocate(floats)))
    wasm.run('mha_seed_parameters', record, parts, seed, blocks[2]!)
    wasm.runLocated('mha_load', layer, record, parts, blocks[2]!)
    const words = Array.from({ length: n }, (_, i) => new TextEncoder().encode(`word ${i}`))
    const offsets = new Int32Array(n + 1)
    words.forEach((word, i) => (offsets[i + 1] = offsets[i]! + word.length))
    wasm.run('mha_embed', record, parts, Uint8Array.from(words.flatMap((word) => [...word])), offsets, n, seed, 1, blocks[0]!)
    this.#arguments = ['mha_forward', layer, record, parts, blocks[0]!, options, null, blocks[1]!]
    const weights = wasm.copyOut(blocks[2]!)
    const one = (name: 'w_q' | 'w_k' | 'w_v' | 'w_o'): Float32Array => weights.slice(parameters!.views[name]!.offset).slice(0, d * d)
    const x = wasm.copyOut(blocks[0]!).slice(input!.views.x!.offset).slice(0, n * d)
    return { x, w_q: one('w_q'), w_k: one('w_k'), w_v: one('w_v'), w_o: one('w_o') }
  }

  pass(): void {
    this.wasm.runLocated(...this.#arguments!)
  }

  output(): Float32Array {
    const { tokens, modelDim } = this.#shape!
    const { offset } = layoutOf(this.wasm, 'trace', this.#shape!, encodeParts('core')).views.output!
    return this.wasm.copyOut(this.#blocks[1]!).slice(offset, offset + tokens * modelDim)
  }

  /** Floating-point operations done. */
  peak(rounds: number): number {
    return this.wasm.call('mha_peak', rounds)
  }
}
