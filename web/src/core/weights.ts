// Weights in the module's memory, packed into one of its places for layers.
import { layoutOf } from './layout'
import type { PassAnswer } from './messages'
import type { Shape } from './protocol'
import { encodeParts, encodeShape } from './records'
import type { Source } from './source'
import type { Block, Wasm } from './wasm'

export class Weights {
  readonly views: PassAnswer['views']
  readonly #slab: Block

  constructor(private readonly wasm: Wasm, readonly place: number, shape: Shape, readonly source: Source) {
    const { floats, views } = layoutOf(wasm, 'parameters', shape)
    this.views = views
    this.#slab = wasm.allocate(floats)
    try {
      source.fill(wasm, shape, this.#slab)
      wasm.runLocated('mha_load', place, encodeShape(shape), encodeParts(), this.#slab)
    } catch (error) {
      wasm.release(this.#slab)
      throw error
    }
  }

  copyOut(): Float32Array<ArrayBuffer> {
    return this.wasm.copyOut(this.#slab)
  }

  release(): void {
    this.wasm.run('mha_unload', this.place)
    this.wasm.release(this.#slab)
  }
}
