// A real model's layer in the module's memory: head by head, in a room that holds none of its weights.
import { costAtScaleRecord, models } from './generated/tables'
import type { AtScaleReport, AtScaleRequest } from './protocol'
import { decodeCostAtScale, toInt32 } from './records'
import { type Block, out, type Wasm } from './wasm'

export class LayerAtScale {
  readonly #cost: ReturnType<typeof decodeCostAtScale>
  readonly #room: Block

  constructor(
    private readonly wasm: Wasm,
    private readonly request: AtScaleRequest,
  ) {
    const cost = new Float64Array(costAtScaleRecord.size)
    wasm.run('mha_at_scale_cost', ...this.#layer(), out(cost))
    this.#cost = decodeCostAtScale(cost)
    this.#room = wasm.allocate(this.#cost.roomBytes / Float32Array.BYTES_PER_ELEMENT)
  }

  /** All heads. `pause` is called between two of them; what happens there is not in the report's time. */
  async run(pause: (done: number, total: number) => Promise<void>): Promise<AtScaleReport> {
    const { heads } = models[this.request.model]!
    let ms = 0
    for (let head = 0; head < heads; head++) {
      if (head > 0) await pause(head, heads)
      const start = performance.now()
      this.wasm.run('mha_at_scale_head', ...this.#layer(), this.request.seed, head, this.#room)
      ms += performance.now() - start
    }
    const rms = new Float64Array(1)
    this.wasm.run('mha_at_scale_rms', ...this.#layer(), this.#room, out(rms))
    const { flops, ...sizes } = this.#cost
    const seconds = ms / 1000
    return { ...sizes, seconds, flopsPerSecond: flops / seconds, rms: rms[0]! }
  }

  release(): void {
    this.wasm.release(this.#room)
  }

  #layer() {
    return [toInt32(this.request.model), toInt32(this.request.tokens)] as const
  }
}
