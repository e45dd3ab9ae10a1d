// Long work that the reader asks for: how far it is, what came of it, and how it is stopped. No DOM.
import { type CoreFailure, type Progress, Superseded } from '../core/protocol'
import { failureOf } from './failure'

export type LongRunState<Request, Report> =
  | { state: 'running'; done: number; total: number }
  | { state: 'done'; request: Request; report: Report }
  | { state: 'stopped' }
  | { state: 'failed'; failure: CoreFailure }

export class LongRun<Request, Report> {
  now: LongRunState<Request, Report> | undefined = $state.raw()
  readonly #ask: (request: Request, progress: Progress, signal: AbortSignal) => Promise<Report>
  #run: AbortController | undefined

  constructor(ask: (request: Request, progress: Progress, signal: AbortSignal) => Promise<Report>) {
    this.#ask = ask
  }

  /** Does nothing while it runs. total: how many parts it has. */
  async begin(request: Request, total: number): Promise<void> {
    if (this.#run !== undefined) return
    const run = new AbortController()
    this.#run = run
    this.now = { state: 'running', done: 0, total }
    const told = (now: LongRunState<Request, Report>): void => {
      if (this.#run === run) this.now = now
    }
    try {
      const report = await this.#ask(request, (done, total) => told({ state: 'running', done, total }), run.signal)
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
