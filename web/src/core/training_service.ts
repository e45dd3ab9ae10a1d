// The training worker's side: steps all runs side by side in short slices, and between two slices lets messages in.
import { breakModel } from './broken'
import { CoreError, type CoreFailure } from './protocol'
import { nextTask } from './next_task'
import { SeedStudy } from './seed_study'
import { TrainingRun } from './training_engine'
import type { BreakReply, TrainingMessage, TrainingReply } from './training_messages'
import { Wasm } from './wasm'

/** A slice is so long, at most, if a single step is not longer: a pause is heard that soon. */
const sliceMs = 24
/** Heads are switched off one by one that often while runs go on. */
const thoroughMs = 1000
/** Behind the places of runs side by side: a file is read into the one that no run is in, so that a bad one costs nothing. */
const filePlaces = [6, 7] as const
/** A study tells of itself that often, and looks that often whether the runs have stopped. */
const studyMs = { report: 200, wait: 50 }

export class TrainingService {
  readonly #post: (reply: TrainingReply | BreakReply) => void
  readonly #now: () => number
  #loading: Promise<Wasm> | undefined
  #queue = Promise.resolve()
  #generation = 0
  #runs: TrainingRun[] = []
  #tokens: readonly string[] = []
  #lang: 'zh' | 'en' | undefined
  #pace: { stepsPerSecond: number; snapshotsPerSecond: number } | undefined
  #working = false
  #study: SeedStudy | undefined
  #filePlace: (typeof filePlaces)[number] = filePlaces[0]
  #lastThorough = 0
  /** steps that all runs have made since `since`, for the rate */
  #counted = { steps: 0, since: 0 }
  #rate = 0

  constructor(post: (reply: TrainingReply | BreakReply) => void, now: () => number = () => performance.now()) {
    this.#post = post
    this.#now = now
  }

  /** One message after another, in their order. */
  receive(message: TrainingMessage): void {
    this.#queue = this.#queue.then(() => this.#take(message)).catch((error: unknown) => this.#fail(error))
  }

  async #take(message: TrainingMessage): Promise<void> {
    switch (message.kind) {
      case 'load':
        this.#loading = Wasm.instantiate(message.bytes)
        await this.#loading
        return
      case 'reset':
        return this.#reset(message)
      case 'play':
        this.#pace = { stepsPerSecond: message.stepsPerSecond, snapshotsPerSecond: message.snapshotsPerSecond }
        this.#count()
        if (!this.#working) void this.#work().catch((error: unknown) => this.#fail(error))
        return
      case 'pause':
        return this.#rest()
      case 'step':
        this.#pace = undefined
        this.#advance(1)
        return this.#report(true)
      case 'listen':
        this.#lang = message.lang
        this.#generation = message.generation
        return this.#report(true)
      case 'show':
        this.#tokens = message.tokens
        return this.#report(false)
      case 'studyHeads':
        return this.#answer(message.run, (run) => ({ kind: 'headsStudied', generation: this.#generation, run: message.run, study: run.studyHeads() }))
      case 'switchHeads':
        return this.#answer(message.run, (run) => ({ kind: 'headsSwitched', generation: this.#generation, run: message.run, switched: run.switchHeads(message.off) }))
      case 'save':
        return this.#file(message.id, () => {
          const run = this.#runs[message.run]
          if (run === undefined) throw new CoreError({ status: 'not_loaded' })
          const said = { settings: JSON.stringify(run.settings) }
          return { kind: 'saved', id: message.id, saved: { step: run.steps, file: run.save({ precision: 'float32', moments: message.moments }, said).buffer } }
        })
      case 'resume': {
        const wasm = await this.#loading!
        return this.#file(message.id, () => this.#resume(wasm, message))
      }
      case 'study':
        return this.#begin(message)
      case 'stopStudy':
        this.#study?.close()
        this.#study = undefined
        return
      case 'break':
        return this.#break(message)
    }
  }

  async #break({ id, request }: Extract<TrainingMessage, { kind: 'break' }>): Promise<void> {
    try {
      this.#post({ kind: 'broken', id, report: breakModel(await this.#loading!, request) })
    } catch (error) {
      this.#post({ kind: 'breakFailed', id, failure: failureOf(error) })
    }
  }

  /** What is wrong with a file is no failure of the runs. */
  #file(id: number, answer: () => TrainingReply): void {
    let reply: TrainingReply
    try {
      reply = answer()
    } catch (error) {
      if (!(error instanceof CoreError)) throw error
      reply = { kind: 'fileFailed', id, failure: error.failure }
    }
    this.#post(reply)
    if (reply.kind === 'resumed') this.#report(true)
  }

  #resume(wasm: Wasm, { id, generation, settings, file, tokens }: Extract<TrainingMessage, { kind: 'resume' }>): TrainingReply {
    const place = filePlaces.find((one) => one !== this.#filePlace)!
    const run = new TrainingRun(wasm, place, settings)
    run.restore(new Uint8Array(file))
    this.#filePlace = place
    this.#pace = undefined
    this.#generation = generation
    this.#tokens = tokens
    this.#runs = [run]
    return { kind: 'resumed', id }
  }

  async #begin({ id, settings }: Extract<TrainingMessage, { kind: 'study' }>): Promise<void> {
    this.#study = undefined
    try {
      const study = (this.#study = new SeedStudy(await this.#loading!, settings))
      void this.#follow(id, study)
    } catch (error) {
      this.#post({ kind: 'studyFailed', id, failure: failureOf(error) })
    }
  }

  /** In slices like the runs, and whenever they go it waits. */
  async #follow(id: number, study: SeedStudy): Promise<void> {
    let reported = -Infinity
    while (this.#study === study) {
      const start = this.#now()
      const waits = this.#pace !== undefined
      try {
        while (!waits && !study.done && this.#now() - start < sliceMs) study.advance(1)
        if (study.done || start - reported >= studyMs.report) {
          reported = start
          this.#post({ kind: 'studied', id, report: study.report() })
        }
        if (study.done) return
      } catch (error) {
        this.#study = undefined
        return this.#post({ kind: 'studyFailed', id, failure: failureOf(error) })
      }
      await (waits ? new Promise((resolve) => setTimeout(resolve, studyMs.wait)) : nextTask())
    }
  }

  /** Of a run that rests. Runs that could not be made answer nothing: their failure was told. */
  #answer(place: number, reply: (run: TrainingRun) => TrainingReply): void {
    this.#rest()
    const run = this.#runs[place]
    if (run !== undefined) this.#post(reply(run))
  }

  #rest(): void {
    if (this.#pace === undefined) return
    this.#pace = undefined
    this.#report(true)
  }

  async #reset({ generation, runs, tokens }: Extract<TrainingMessage, { kind: 'reset' }>): Promise<void> {
    this.#pace = undefined
    this.#generation = generation
    this.#tokens = tokens
    this.#runs = []
    const wasm = await this.#loading!
    this.#runs = runs.map((settings, place) => new TrainingRun(wasm, place, settings))
    this.#rate = 0
    this.#report(true)
  }

  async #work(): Promise<void> {
    this.#working = true
    let steps = 1
    let reported = this.#now()
    while (this.#pace !== undefined && this.#runs.some(({ diverged }) => !diverged)) {
      const { stepsPerSecond, snapshotsPerSecond } = this.#pace
      const start = this.#now()
      const due = stepsPerSecond === Infinity ? steps : Math.min(steps, Math.floor(((start - this.#counted.since) / 1000) * stepsPerSecond) - this.#counted.steps)
      try {
        if (due > 0) this.#advance(due)
        const now = this.#now()
        if (due > 0) steps = Math.max(1, Math.min(2 * steps, Math.floor((steps * sliceMs) / Math.max(1, ((now - start) * steps) / due))))
        if (now - reported >= 1000 / snapshotsPerSecond) {
          reported = now
          this.#report(now - this.#lastThorough >= thoroughMs)
        }
      } catch (error) {
        this.#fail(error)
      }
      await (due > 0 ? nextTask() : new Promise((resolve) => setTimeout(resolve, 4)))
    }
    this.#working = false
    if (this.#pace !== undefined) {
      this.#pace = undefined
      this.#report(true)
    }
  }

  #advance(steps: number): void {
    for (const run of this.#runs) if (!run.diverged) run.advance(steps)
    this.#counted.steps += steps
  }

  #report(thorough: boolean): void {
    const now = this.#now()
    if (thorough) this.#lastThorough = now
    const seconds = (now - this.#counted.since) / 1000
    if (this.#pace !== undefined && seconds > 0) this.#rate = this.#counted.steps / seconds
    if (this.#pace?.stepsPerSecond === Infinity && seconds > 2) this.#count()
    this.#runs.forEach((run, place) => {
      if (this.#lang !== undefined) run.listenTo(this.#lang)
      this.#post({ kind: 'snapshot', generation: this.#generation, run: place, snapshot: run.snapshot(this.#tokens, thorough, this.#rate) })
    })
  }

  #count(): void {
    this.#counted = { steps: 0, since: this.#now() }
  }

  #fail(error: unknown): void {
    this.#pace = undefined
    this.#post({ kind: 'failed', generation: this.#generation, failure: failureOf(error) })
  }
}

const failureOf = (error: unknown): CoreFailure => (error instanceof CoreError ? error.failure : { status: 'crashed', detail: String(error) })
