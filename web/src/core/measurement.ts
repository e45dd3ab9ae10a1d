// How fast this machine is, now: passes of some sizes and the loop of multiply-adds that is the peak take turns.
import type { MeasureReport, Shape } from './protocol'
import { type Pause, race } from './race'
import { TimedPass } from './timed_pass'
import type { Wasm } from './wasm'

/** About two seconds for four that take turns. */
const pace = { rounds: 20, batchMs: 20, warmMs: 40 }
/** Some milliseconds on any machine. */
const peakRounds = 100_000

export class Measurement {
  readonly #passes: TimedPass[] = []

  constructor(private readonly wasm: Wasm) {}

  /** Another size, in a place for layers that is free. */
  add(place: number, shape: Shape): void {
    this.#passes.push(new TimedPass(this.wasm, place, shape))
  }

  /**
   * Of all rounds the fastest counts: on a busy machine a median says how busy it is, and a pass that was lucky more often than the
   * loop would be faster than the peak. `pause` is called between two batches of some milliseconds.
   */
  async run(pause: Pause): Promise<Omit<MeasureReport, 'build'>> {
    let peakFlops = 0
    const peak = { name: 'peak', run: () => void (peakFlops = this.wasm.call('mha_peak', peakRounds)) }
    const passes = this.#passes.map((pass) => ({ name: 'pass', run: () => pass.run() }))
    const [peakTimes, ...times] = (await race([peak, ...passes], pace, pause)).map((ms) => Math.min(...ms))
    const best = (1000 * peakFlops) / peakTimes!
    return {
      peakFlopsPerSecond: best,
      passes: this.#passes.map(({ shape, cost }, i) => {
        const flopsPerSecond = (1000 * cost.flops) / times[i]!
        return { tokens: shape.tokens, modelDim: shape.modelDim, heads: shape.heads, ms: times[i]!, flopsPerSecond, ofPeak: flopsPerSecond / best }
      }),
    }
  }

  release(): void {
    for (const pass of this.#passes) pass.release()
  }
}
