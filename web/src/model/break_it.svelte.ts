// Which mistake the reader looks at, on which trained model, and what came of it. No DOM.
import type { BreakAnswer, BreakClient, BreakQuestion } from '../core/broken_client'
import type { Mistake } from '../core/broken'
import { modelName } from '../core/model_file'
import type { CoreFailure } from '../core/protocol'
import { failureOf } from './failure'
import type { Size } from './problem'
import { type StopName, nameOf } from './stops'

/** Where the walk has no trained model of its size: small, with as many heads as in the article. */
export const substitute: Size = { dModel: 64, heads: 8 }

/** The mistake that is made at a stop. */
const atStops: Partial<Record<StopName, Mistake>> = {
  project: 'split_first', split: 'wrong_reshape', scale: 'no_scale', mask: 'mask_after_softmax', softmax: 'mask_after_softmax',
  output: 'no_output_projection',
}

/** So little of the accuracy may go before a mistake is said to show. */
const noticed = { hardly: 0.01, clearly: 0.1 } as const
export type Effect = 'unnoticed' | 'worse' | 'broken'

/** How much a mistake shows in the answers. */
export function effectOf({ before, after }: Pick<BreakAnswer, 'before' | 'after'>): Effect {
  const lost = before.accuracy - after.accuracy
  return lost < noticed.hardly ? 'unnoticed' : lost < noticed.clearly ? 'worse' : 'broken'
}

export class BreakIt {
  mistake: Mistake = $state('wrong_reshape')
  /** the newest; it stays until the next one is there */
  answer: BreakAnswer | undefined = $state.raw()
  /** the size of the model that it is about */
  size: Size | undefined = $state.raw()
  failure: CoreFailure | undefined = $state.raw()
  busy = $state(false)
  readonly #client: Pick<BreakClient, 'ask' | 'models'>
  #stop: number | undefined
  #ticket = 0

  constructor(client: Pick<BreakClient, 'ask' | 'models'>) {
    this.#client = client
  }

  /** At another stop its own mistake comes first, if it has one. */
  arrive(stop: number): void {
    if (stop === this.#stop) return
    this.#stop = stop
    this.mistake = atStops[nameOf(stop)] ?? this.mistake
  }

  /** The walk's own size, or the one that stands for it; undefined: none is shipped. */
  modelFor(size: Size): Size | undefined {
    return [size, substitute].find(({ dModel, heads }) => this.#client.models.includes(modelName(dModel, heads)))
  }

  /** Only the newest question is answered. */
  async ask(size: Size, question: Omit<BreakQuestion, 'model' | 'heads'>): Promise<void> {
    const ticket = (this.#ticket += 1)
    this.busy = true
    this.failure = undefined
    try {
      const answer = await this.#client.ask({ ...question, model: modelName(size.dModel, size.heads), heads: size.heads })
      if (ticket !== this.#ticket) return
      this.answer = answer
      this.size = size
    } catch (error) {
      if (ticket !== this.#ticket) return
      this.failure = failureOf(error)
    }
    this.busy = false
  }
}
