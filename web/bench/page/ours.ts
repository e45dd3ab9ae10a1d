// Ours: the very modules that the lesson ships, through the boundary the lesson uses. Trace detail `core`, if not said otherwise.
import { shapeRecord, type TensorName } from '../../src/core/generated/tables'
import { layoutOf } from '../../src/core/layout'
import type { Shape } from '../../src/core/protocol'
import { decodeShape, encodeParts } from '../../src/core/records'
import { type Cost, TimedPass } from '../../src/core/timed_pass'
import { out, Wasm } from '../../src/core/wasm'
import type { Size } from './job'

/** The five matrices of a problem, row-major. */
export interface Given {
  x: Float32Array
  w_q: Float32Array
  w_k: Float32Array
  w_v: Float32Array
  w_o: Float32Array
}

export class Ours {
  #timed: TimedPass | undefined

  private constructor(
    private readonly wasm: Wasm,
    private readonly place: number,
    private readonly detail: 'core' | 'full',
  ) {}

  static async start(bytes: BufferSource): Promise<Ours> {
    return new Ours(await Wasm.instantiate(bytes), 0, 'core')
  }

  /** The same module with a pass of its own. */
  other(detail: 'core' | 'full'): Ours {
    return new Ours(this.wasm, this.place + 1, detail)
  }

  /** Seeded weights and the vectors of n made-up words: what the lesson would compute with. Returns what a pass takes. */
  begin([n, d, h]: Size): Cost {
    const record = new Int32Array(shapeRecord.size)
    this.wasm.run('mha_self_attention', n, d, h, out(record))
    return this.beginShape(decodeShape(record))
  }

  beginShape(shape: Shape): Cost {
    this.end()
    this.#timed = new TimedPass(this.wasm, this.place, shape, this.detail)
    return this.#timed.cost
  }

  end(): void {
    this.#timed?.release()
    this.#timed = undefined
  }

  given(): Given {
    return { x: this.#read('input', 'x'), w_q: this.#read('parameters', 'w_q'), w_k: this.#read('parameters', 'w_k'), w_v: this.#read('parameters', 'w_v'), w_o: this.#read('parameters', 'w_o') }
  }

  pass(): void {
    this.#timed!.run()
  }

  output(): Float32Array {
    return this.#read('trace', 'output')
  }

  /** Floating-point operations done. */
  peak(rounds: number): number {
    return this.wasm.call('mha_peak', rounds)
  }

  /** A whole matrix, which lies in its slab without gaps. */
  #read(slab: 'input' | 'parameters' | 'trace', name: TensorName): Float32Array {
    const { shape, weights, input, trace } = this.#timed!
    const view = layoutOf(this.wasm, slab, shape, encodeParts(this.detail)).views[name]!
    const all = slab === 'parameters' ? weights.copyOut() : this.wasm.copyOut(slab === 'input' ? input : trace)
    return all.slice(view.offset, view.offset + view.shape[0]! * view.shape[1]!)
  }
}
