// What the page is about right now: the reader's state, and what the core answered to it. Components read this and
// change it through its methods; only this file and questions.ts talk to the core. No DOM.
import {
  type CellRef,
  type CheckReport,
  type Comparison,
  type Core,
  type CoreFailure,
  type Explanation,
  type Influence,
  type ModelAbout,
  type Pass,
  type PassRequest,
  type Role,
  type RowShares,
  Superseded,
  type TensorView,
} from '../core/protocol'
import { AtScale } from './at_scale.svelte'
import { failureOf } from './failure'
import { alias } from './matrix'
import { MeasureHere } from './measure_here.svelte'
import { headOf } from './pin'
import type { Question } from './question.svelte'
import { type Contributions, Questions, contributing } from './questions'
import { keepScale } from './scale'
import type { Size } from './problem'
import { type Refusal, type State, initialState, settle, writeAddress } from './state'
import { lessonSentence, shortSentence } from './sentences'
import { readableSize, sameSize, shortSize } from './shape'
import { type Tour, carry, isShown, lastStop, stopShowing, stopsOf } from './stops'
import { type Fallback, isLight, refusalOf, unfit, wordsOf } from './trained'
import { learnWords } from './tokens'
import { Trial } from './trial.svelte'

/** Which of the three projections stop 1 and 2 look at. */
export type { Role } from '../core/protocol'

/** push: a step the browser's Back button undoes. */
export type Visit = 'push' | 'replace'

/** How far the check of the numbers is, or what came of it. */
export type Checked =
  | { state: 'running'; done: number; total: number }
  | { state: 'done'; report: CheckReport }
  | { state: 'failed'; failure: CoreFailure }

export function requestOf(state: State): PassRequest {
  const { sentence, dModel, heads, causal, scaled, positions, padding, weights, seed, out } = state
  const headGate = Array.from({ length: heads }, (_, head) => (out.includes(head) ? 0 : 1))
  const request: PassRequest = {
    layer: 0, tokens: [...sentence], dModel, heads, causal, scaled, positions, padding, weights, seed,
  }
  return out.length > 0 ? { ...request, headGate } : request
}

const seeded = (request: PassRequest): PassRequest => ({ ...request, weights: 'seeded' })

export class Lesson {
  state: State = $state.raw(initialState())
  refusals: readonly Refusal[] = $state.raw([])
  pass: Pass | undefined = $state.raw()
  failure: CoreFailure | undefined = $state.raw()
  build: { build: 'simd' | 'relaxed'; arch: string } | undefined = $state.raw()
  /** The cell under the pointer or the keyboard's cursor. */
  pointed: { cell: CellRef; value: number } | undefined = $state.raw()
  busy = $state(false)
  /** The pass on show has other numbers than the reader wishes for: why. */
  fallback: Fallback | undefined = $state.raw()
  /** A large trained model on its way: bytes so far, of so many; 0 if nobody says. */
  loading: (Size & { done: number; total: number }) | undefined = $state.raw()
  checked: Checked | undefined = $state.raw()
  /** What the trained model that was here last says of itself. */
  learned: ModelAbout | undefined = $state.raw()
  /** A run of the chapter `training` that the walk can show, and its size. */
  run: (Size & { about: ModelAbout }) | undefined = $state.raw()
  readonly trial = new Trial(this)
  readonly atScale: AtScale
  readonly measureHere: MeasureHere

  readonly #core: Core
  readonly #onVisit: (address: string, visit: Visit) => void
  readonly #questions: Questions
  #role: Role = $state('q')
  #asked = ''
  #passTicket = 0
  #fetching: AbortController | undefined
  readonly #atWork = new Set<Promise<void>>()

  constructor(core: Core, start: { state: State; refusals: Refusal[] }, onVisit: (address: string, visit: Visit) => void) {
    this.#core = core
    this.#onVisit = onVisit
    this.#questions = new Questions(core, this)
    this.atScale = new AtScale(core)
    this.measureHere = new MeasureHere(core)
    this.state = start.state
    this.refusals = start.refusals
    this.#followRole(start.state.pin)
  }

  get trainedSizes(): readonly Size[] {
    return this.#core.trainedSizes
  }

  /** Of the trained models, or of the run, that the reader wishes for. */
  get sizes(): readonly Size[] {
    return this.state.weights === 'run' && this.run !== undefined ? [this.run] : this.trainedSizes
  }

  get contributions(): Contributions | undefined {
    return this.#questions.contributions.last
  }

  /** The pinned cell's explanation, once it is there. */
  get explanation(): Explanation | undefined {
    return this.#questions.explained.of(this.pass)?.explanation
  }

  /** Where the pinned cell goes: appears together with its explanation. */
  get influence(): Influence | undefined {
    return this.#questions.explained.of(this.pass)?.influence
  }

  /** At the output stop: what each head made of the pinned row. */
  get rowShares(): RowShares | undefined {
    return this.#questions.rowShares.of(this.pass)
  }

  /** At the project stop: the chosen projection against narrow ones. */
  get narrow(): Comparison | undefined {
    return this.#questions.narrow.of(this.pass)
  }

  /** While a head is tried: the output against that with the head on. */
  get tried(): Comparison | undefined {
    return this.#questions.tried.of(this.pass)
  }

  get role(): Role {
    return this.#role
  }

  set role(role: Role) {
    this.#role = role
    void this.#track(this.#refresh(this.#questions.narrow))
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

  /** Seeded numbers until the trained model is here. */
  meanwhile(): void {
    if (this.loading === undefined) return
    void this.#track(this.#showMeanwhile(this.#passTicket, requestOf(this.state)))
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

  /** To the walk, with a run as it is in this file, and seen as training sees it. It replaces the one before. Throws bad_model. */
  walkRun(file: ArrayBuffer): void {
    const about = this.#core.keepRun(file)
    const size = { dModel: Number(about.d_model), heads: Number(about.heads) }
    this.run = { ...size, about }
    this.#asked = ''
    this.change({ chapter: 'steps', weights: 'run', ...size, head: 0, pin: null, out: [], padding: 0, causal: false, scaled: true, positions: true }, 'push')
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
    this.state = next
    if (JSON.stringify(requestOf(next)) !== this.#asked) return void this.#track(this.#compute())
    this.#refreshAll()
  }

  #refreshAll(): void {
    for (const question of this.#questions.all) void this.#track(this.#refresh(question))
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
    if (this.loading && !(request.weights === 'trained' && sameSize(this.loading, request))) this.loading = undefined
    const fetchedBefore = this.#fetching
    this.#fetching = undefined
    try {
      await this.#showWished(ticket, request, fetchedBefore)
    } catch (error) {
      if (ticket !== this.#passTicket || error instanceof Superseded) return
      this.failure = failureOf(error)
      this.busy = false
    } finally {
      // Only now: if this asks for the same file, it goes on as it was.
      fetchedBefore?.abort()
      if (ticket === this.#passTicket) this.loading = undefined
    }
  }

  /** `lost`: why it is not the run that was wished for. */
  async #showWished(ticket: number, request: PassRequest, fetchedBefore: AbortController | undefined, lost?: Fallback): Promise<void> {
    if (request.weights === 'seeded') return this.#show(ticket, request, lost)
    if (request.weights === 'run' && this.run === undefined) return this.#showWished(ticket, { ...request, weights: 'trained' }, fetchedBefore, { reason: 'run' })
    const fallback = unfit(request, this.sizes)
    if (fallback) return this.#show(ticket, seeded(request), lost ?? fallback)
    if (request.weights === 'trained') return this.#showTrained(ticket, request, fetchedBefore, lost)
    try {
      learnWords(wordsOf((this.learned = this.run!.about)))
      await this.#show(ticket, request, undefined)
    } catch (error) {
      const refused = refusalOf(error)
      if (refused === undefined || ticket !== this.#passTicket) throw error
      await this.#show(ticket, seeded(request), refused.reason === 'load' ? { reason: 'run' } : refused)
    }
  }

  async #showTrained(ticket: number, request: PassRequest, fetchedBefore: AbortController | undefined, lost: Fallback | undefined): Promise<void> {
    const fetching = new AbortController()
    const { dModel, heads } = request
    this.#fetching = fetching
    const told = (done: number, total: number): void => {
      if (ticket === this.#passTicket && !isLight(request)) this.loading = { dModel, heads, done, total }
    }
    try {
      const fetched = this.#core.model(dModel, heads, told, fetching.signal)
      fetchedBefore?.abort()
      // It may fail while something else is waited for.
      fetched.catch(() => undefined)
      const isImpatient = this.fallback?.reason === 'meanwhile' && this.pass?.request.dModel === dModel
      if (isImpatient || (this.pass === undefined && !isLight(request))) {
        told(0, 0)
        await this.#showMeanwhile(ticket, request)
      }
      const about = await fetched
      this.learned = about
      learnWords(wordsOf(about))
      await this.#show(ticket, request, lost)
    } catch (error) {
      const fallback = refusalOf(error)
      if (fallback === undefined || ticket !== this.#passTicket) throw error
      await this.#show(ticket, seeded(request), lost ?? fallback)
    }
  }

  async #showMeanwhile(ticket: number, request: PassRequest): Promise<void> {
    try {
      await this.#show(ticket, seeded(request), { reason: 'meanwhile' })
    } catch {
      // The model is still on its way, and with it the next answer.
    }
  }

  async #show(ticket: number, request: PassRequest, fallback: Fallback | undefined): Promise<void> {
    const pass = await this.#core.pass(request, contributing(this.state))
    // Everything that belongs together appears together: no old explanation beside new numbers.
    const answers = await Promise.all(this.#questions.all.map((question) => question.ahead(pass)))
    if (ticket !== this.#passTicket) return
    this.#keepScale(pass)
    this.pass = pass
    this.fallback = fallback
    for (const show of answers) show()
    this.failure = undefined
    this.busy = false
    // The reader may have pinned or walked on while the core was at work.
    this.#refreshAll()
  }

  #keepScale(pass: Pass): void {
    const { pass: before, contributions } = this
    if (before !== undefined) keepScale(pass, before, contributions?.pass === before ? contributions.view : undefined)
  }

  async #refresh(question: Question<unknown>): Promise<void> {
    const { pass } = this
    try {
      await question.refresh(pass)
    } catch (error) {
      if (!(error instanceof Superseded) && pass === this.pass) this.failure = failureOf(error)
    }
  }
}
