// One pass, over and over, for whoever times it: seeded weights and inputs that lie ready in the module's memory.
import { costRecord } from './generated/tables'
import { layoutOf } from './layout'
import type { Shape } from './protocol'
import { encodeOptions, encodeParts, encodeShape } from './records'
import { seeded } from './source'
import { type Block, out, type Wasm } from './wasm'
import { Weights } from './weights'

const options = encodeOptions({ scaled: true, causal: false, padding: 0 })
const source = seeded(42)

/** As documented in src/lab/cost.hpp. */
export interface Cost {
  flops: number
  exponentials: number
  bytes: number
}

export class TimedPass {
  readonly cost: Cost
  readonly weights: Weights
  readonly input: Block
  readonly trace: Block
  readonly #arguments: Parameters<Wasm['runLocated']>

  /** In a place for layers that is free. Of the trace, if not told otherwise, no more than what the mathematics needs. */
  constructor(
    private readonly wasm: Wasm,
    place: number,
    readonly shape: Shape,
    readonly detail: 'core' | 'full' = 'core',
  ) {
    const parts = encodeParts(detail)
    this.cost = costOf(wasm, shape)
    this.weights = new Weights(wasm, place, shape, source)
    const blocks: Block[] = []
    try {
      const room = (slab: 'input' | 'trace'): Block => {
        const block = wasm.allocate(layoutOf(wasm, slab, shape, parts).floats)
        blocks.push(block)
        return block
      }
      this.input = room('input')
      this.trace = room('trace')
      source.embed(wasm, shape, Array.from({ length: shape.tokens }, (_, i) => `word ${i}`), true, this.input)
    } catch (error) {
      for (const block of blocks) wasm.release(block)
      this.weights.release()
      throw error
    }
    this.#arguments = ['mha_forward', place, encodeShape(shape), parts, this.input, options, null, this.trace]
  }

  run(): void {
    this.wasm.runLocated(...this.#arguments)
  }

  release(): void {
    this.wasm.release(this.input)
    this.wasm.release(this.trace)
    this.weights.release()
  }
}

function costOf(wasm: Wasm, shape: Shape): Cost {
  const record = new Float64Array(costRecord.size)
  wasm.run('mha_cost', encodeShape(shape), out(record))
  return { flops: record[costRecord.flops]!, exponentials: record[costRecord.exponentials]!, bytes: record[costRecord.bytes]! }
}
