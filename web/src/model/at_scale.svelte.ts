// A layer of a real model, run because the reader asked for it: which one, how far it is, what came of it. No DOM.
import { models } from '../core/generated/tables'
import { type AtScaleReport, type AtScaleRequest, type Core, type CoreFailure, Superseded } from '../core/protocol'
import { failureOf } from './failure'

export type AtScaleState =
  | { state: 'running'; done: number; total: number }
  | { state: 'done'; request: AtScaleRequest; report: AtScaleReport }
  | { state: 'stopped' }
  | { state: 'failed'; failure: CoreFailure }

/** Latent attention is shown with its sizes only; of some models nobody knows even these. */
export const canRun = (model: number): boolean => models[model]?.kind === 'heads'

export class AtScale {
  /** its place in the table of models */
  model = $state(models.findIndex(({ name }) => name === 'GPT-3'))
  now: AtScaleState | undefined = $state.raw()
  readonly #core: Pick<Core, 'atScale'>
  #run: AbortController | undefined

  constructor(core: Pick<Core, 'atScale'>) {
    this.#core = core
  }

  /** Does nothing while a layer runs, or if this one can't. */
  async run(tokens: number, seed: number): Promise<void> {
    if (this.#run !== undefined || !canRun(this.model)) return
    const request: AtScaleRequest = { model: this.model, tokens, seed }
    const run = new AbortController()
    this.#run = run
    this.now = { state: 'running', done: 0, total: models[request.model]!.heads }
    const told = (now: AtScaleState): void => {
      if (this.#run === run) this.now = now
    }
    try {
      const report = await this.#core.atScale(request, (done, total) => told({ state: 'running', done, total }), run.signal)
      told({ state: 'done', request, report })
    } catch (error) {
      told(error instanceof Superseded ? { state: 'stopped' } : { state: 'failed', failure: failureOf(error) })
    } finally {
      if (this.#run === run) this.#run = undefined
    }
  }

  stop(): void {
    if (this.#run === undefined) return
    this.#run.abort()
    this.#run = undefined
    this.now = { state: 'stopped' }
  }
}
