// What the page is about right now: the reader's state, and what the core answered to it. Components read this and
// change it through its methods; only this file talks to the core. No DOM.
import {
  type CellRef,
  type CheckReport,
  type Core,
  CoreError,
  type CoreFailure,
  type Explanation,
  type Pass,
  type PassRequest,
  Superseded,
  type TensorView,
} from '../core/protocol'
import { headPage, headsOn } from './heads'
import { alias } from './matrix'
import { headOf, sameCell } from './pin'
import { type Refusal, type State, initialState, settle, writeAddress } from './state'
import { lessonSentence, shortSentence } from './sentences'
import { readableSize, shortSize } from './shape'
import { type Tour, carry, isShown, lastStop, stopAt, stopShowing, stopsOf } from './stops'

/** push: a step the browser's Back button undoes. */
export type Visit = 'push' | 'replace'

export interface Explained {
  pass: Pass
  explanation: Explanation
}

/** Contributions of the heads on the screen: [count, n, d], heads first … first + count − 1. */
export interface Contributions {
  pass: Pass
  first: number
  view: TensorView
}

/** How far the check of the numbers is, or what came of it. */
export type Checked =
  | { state: 'running'; done: number; total: number }
  | { state: 'done'; report: CheckReport }
  | { state: 'failed'; failure: CoreFailure }

/** Which of the three projections stop 1 and 2 look at. */
export type Role = 'q' | 'k' | 'v'

const largestTerms = 5

export function requestOf(state: State): PassRequest {
  const { sentence, dModel, heads, causal, scaled, positions, padding, weights, seed, out } = state
  const headGate = Array.from({ length: heads }, (_, head) => (out.includes(head) ? 0 : 1))
  const request: PassRequest = {
    layer: 0, tokens: [...sentence], dModel, heads, causal, scaled, positions, padding, weights, seed,
  }
  return out.length > 0 ? { ...request, headGate } : request
}

export class Lesson {
  state: State = $state.raw(initialState())
  refusals: readonly Refusal[] = $state.raw([])
  pass: Pass | undefined = $state.raw()
  explained: Explained | undefined = $state.raw()
  contributions: Contributions | undefined = $state.raw()
  failure: CoreFailure | undefined = $state.raw()
  build: { build: 'simd' | 'relaxed'; arch: string } | undefined = $state.raw()
  /** The cell under the pointer or the keyboard's cursor. */
  pointed: { cell: CellRef; value: number } | undefined = $state.raw()
  busy = $state(false)
  role: Role = $state('q')
  checked: Checked | undefined = $state.raw()

  readonly #core: Core
  readonly #onVisit: (address: string, visit: Visit) => void
  #asked = ''
  #passTicket = 0
  #pinTicket = 0
  #partsTicket = 0
  readonly #atWork = new Set<Promise<void>>()

  constructor(core: Core, start: { state: State; refusals: Refusal[] }, onVisit: (address: string, visit: Visit) => void) {
    this.#core = core
    this.#onVisit = onVisit
    this.state = start.state
    this.refusals = start.refusals
    this.#followRole(start.state.pin)
  }

  /** The pinned cell's explanation, once it is there. */
  get explanation(): Explanation | undefined {
    const { explained } = this
    const { pin } = this.state
    if (explained === undefined || explained.pass !== this.pass || pin === null) return undefined
    return sameCell(explained.explanation.cell, pin) ? explained.explanation : undefined
  }

  /** Asks for the first numbers. */
  async start(): Promise<void> {
    void this.#core.ready().then((build) => (this.build = build), () => undefined)
    await this.#track(this.#compute())
  }

  /** Until everything that was asked for is on show, or has failed. */
  async settled(): Promise<void> {
    while (this.#atWork.size > 0) await Promise.all(this.#atWork)
  }

  retry(): void {
    this.#asked = ''
    this.failure = undefined
    void this.#track(this.#compute())
  }

  /** Golden cases through the build that runs here. */
  async check(): Promise<CheckReport> {
    this.checked = { state: 'running', done: 0, total: 0 }
    try {
      const report = await this.#core.check((done, total) => (this.checked = { state: 'running', done, total }))
      this.checked = { state: 'done', report }
      return report
    } catch (error) {
      this.checked = { state: 'failed', failure: failureOf(error) }
      throw error
    }
  }

  /** All contributions of these heads, as they stand in the pass on show. */
  contributionsOfHeads(heads: number[]): Promise<TensorView> {
    if (this.pass === undefined) return Promise.reject(new Superseded())
    return this.#core.contributions(this.pass, heads)
  }

  change(patch: Partial<State>, visit: Visit = 'replace'): void {
    this.#become(settle({ ...this.state, ...patch }, this.state))
    this.#onVisit(writeAddress(this.state), visit)
  }

  /** The browser went back or forward. */
  arrive(start: { state: State; refusals: Refusal[] }): void {
    this.refusals = start.refusals
    this.#followRole(start.state.pin)
    this.#become(start.state)
  }

  /** The stops of the tour the reader is on. */
  get stops(): readonly number[] {
    return stopsOf(this.state.tour)
  }

  /** The stop `by` places further in the tour; undefined beyond its ends. */
  neighbour(by: number): number | undefined {
    return this.stops[this.stops.indexOf(this.state.stop) + by]
  }

  step(by: number): void {
    const stop = this.neighbour(by)
    if (stop !== undefined) this.goTo(stop)
  }

  /** To the beginning of a tour, with its own sentence and size. */
  take(tour: Tour): void {
    const { lang } = this.state
    const [sentence, size] = tour === 'one' ? [shortSentence, shortSize] : [lessonSentence, readableSize]
    this.change({ tour, ...size, sentence: sentence[lang], stop: 0, head: 0, pin: null, out: [], padding: 0, causal: false }, 'push')
  }

  goTo(stop: number, visit: Visit = 'push'): void {
    if (stop === this.state.stop || stop < 0 || stop > lastStop) return
    const { pin } = this.state
    const { pass } = this
    const carried = pin && carry(pin, stop, (cell, tensor) => pass && alias(pass, cell, tensor))
    this.change({ stop, pin: carried }, visit)
  }

  /** The same pair of tokens in another head. */
  chooseHead(head: number): void {
    if (head < 0 || head >= this.state.heads) return
    const { pin } = this.state
    const moved = pin && headOf(pin) !== undefined ? { tensor: pin.tensor, index: [head, ...pin.index.slice(1)] } : pin
    this.change({ head, pin: moved })
  }

  /** Pins a cell that is on the screen. */
  pin(cell: CellRef, head = headOf(cell) ?? this.state.head): void {
    this.#followRole(cell)
    this.change({ pin: cell, head })
  }

  unpin(): void {
    if (this.state.pin !== null) this.change({ pin: null })
  }

  /** Pins an operand, and goes to the stop where it can be seen. */
  follow(cell: CellRef): void {
    const { stop } = this.state
    if (isShown(cell.tensor, stop)) return this.pin(cell)
    this.#followRole(cell)
    this.change({ pin: cell, head: headOf(cell) ?? this.state.head, stop: stopShowing(cell.tensor, stop) }, 'push')
  }

  toggleHead(head: number): void {
    const { out } = this.state
    this.change({ out: out.includes(head) ? out.filter((other) => other !== head) : [...out, head].sort((a, b) => a - b) })
  }

  forgetRefusals(): void {
    this.refusals = []
  }

  #followRole(cell: CellRef | null): void {
    const role = /^(?:w_)?([qkv])(?:_heads)?$/.exec(cell?.tensor ?? '')?.[1]
    if (role === 'q' || role === 'k' || role === 'v') this.role = role
  }

  #become(next: State): void {
    const before = this.state
    this.state = next
    if (JSON.stringify(requestOf(next)) !== this.#asked) return void this.#track(this.#compute())
    if (next.pin !== before.pin) void this.#track(this.#explain())
    void this.#track(this.#contribute())
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#atWork.add(work)
    try {
      await work
    } finally {
      this.#atWork.delete(work)
    }
  }

  async #compute(): Promise<void> {
    const request = requestOf(this.state)
    this.#asked = JSON.stringify(request)
    const ticket = (this.#passTicket += 1)
    this.busy = true
    try {
      const pass = await this.#core.pass(request)
      // Everything that belongs together appears together: no old explanation beside new numbers.
      const [explained, contributions] = await Promise.all([
        this.#explanationOf(pass).catch(unlessSuperseded),
        this.#contributionsOf(pass).catch(unlessSuperseded),
      ])
      if (ticket !== this.#passTicket) return
      this.pass = pass
      this.explained = explained
      this.contributions = contributions
      this.failure = undefined
      this.busy = false
      // The reader may have pinned or walked on while the core was at work.
      void this.#track(this.#explain())
      void this.#track(this.#contribute())
    } catch (error) {
      if (ticket !== this.#passTicket || error instanceof Superseded) return
      this.failure = failureOf(error)
      this.busy = false
    }
  }

  async #explain(): Promise<void> {
    const { pass } = this
    // Also if nothing is left to ask: what is on its way is for another cell then.
    const ticket = (this.#pinTicket += 1)
    if (pass === undefined || this.state.pin === null || this.explanation !== undefined) return
    try {
      const explained = await this.#explanationOf(pass)
      if (ticket === this.#pinTicket && pass === this.pass) this.explained = explained
    } catch (error) {
      this.#fail(error, pass)
    }
  }

  async #contribute(): Promise<void> {
    const { pass, contributions } = this
    const ticket = (this.#partsTicket += 1)
    if (pass === undefined || !stopAt(this.state.stop).contributions) return
    const { first } = headPage(pass.shape.heads, this.state.head)
    if (contributions?.pass === pass && contributions.first === first) return
    try {
      const answer = await this.#contributionsOf(pass)
      if (ticket === this.#partsTicket && pass === this.pass && answer !== undefined) this.contributions = answer
    } catch (error) {
      this.#fail(error, pass)
    }
  }

  async #explanationOf(pass: Pass): Promise<Explained | undefined> {
    const { pin } = this.state
    if (pin === null || !exists(pass, pin)) return undefined
    return { pass, explanation: await this.#core.explain(pass, pin, largestTerms) }
  }

  async #contributionsOf(pass: Pass): Promise<Contributions | undefined> {
    if (!stopAt(this.state.stop).contributions) return undefined
    const page = headPage(pass.shape.heads, this.state.head)
    return { pass, first: page.first, view: await this.#core.contributions(pass, headsOn(page)) }
  }

  #fail(error: unknown, pass: Pass): void {
    if (!(error instanceof Superseded) && pass === this.pass) this.failure = failureOf(error)
  }
}

function exists(pass: Pass, { tensor, index }: CellRef): boolean {
  const shape = pass.tensor(tensor)?.shape
  return shape === undefined ? tensor === 'contributions' : index.every((i, axis) => i < (shape[axis] ?? 0))
}

function unlessSuperseded(error: unknown): undefined {
  if (!(error instanceof Superseded)) throw error
}

function failureOf(error: unknown): CoreFailure {
  if (error instanceof CoreError) return error.failure
  return { status: 'crashed', detail: error instanceof Error ? error.message : String(error) }
}
