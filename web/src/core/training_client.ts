// The page's side of training: a worker of its own, so that the walk never waits for a step. It starts with the first run; if it
// crashes, whoever listens is told, and the next reset starts another one.
import { browser, fetched, type WorkerPort } from './environment'
import relaxedUrl from './generated/training-relaxed.wasm?url'
import simdUrl from './generated/training-simd.wasm?url'
import { CoreError, type CoreFailure, Superseded } from './protocol'
import type { RunSettings, SavedRun, StudyListener, StudySettings, TrainingClient, TrainingListener } from './training'
import type { TrainingMessage, TrainingReply } from './training_messages'

export interface TrainingEnvironment {
  /** the module of the faster build that runs here; rejects with a CoreError */
  bytes(): Promise<ArrayBuffer>
  spawn(): WorkerPort
}

export const trainingInBrowser: TrainingEnvironment = {
  bytes: async () => fetched((await browser.build()) === 'relaxed' ? relaxedUrl : simdUrl),
  spawn: () => new Worker(new URL('./training_worker.ts', import.meta.url), { type: 'module' }),
}

export const createTrainingClient = (environment: TrainingEnvironment = trainingInBrowser): TrainingClient => new Client(environment)

class Client implements TrainingClient {
  readonly #environment: TrainingEnvironment
  #worker: WorkerPort | undefined
  /** kept, so that a restart needs no network */
  #bytes: Promise<ArrayBuffer> | undefined
  /** whose answers are heard; generations count up */
  #generation = 0
  #lastGeneration = 0
  #listener: TrainingListener | undefined
  /** a worker that is started anew is told again */
  #lang: 'zh' | 'en' | undefined
  /** ids of studies count up; without a listener none goes on */
  #study: { id: number; listener: StudyListener | undefined } = { id: 0, listener: undefined }
  /** of files, by their ids, which count up */
  readonly #answers = new Map<number, { resolve: (saved?: SavedRun) => void; reject: (error: Error) => void }>()
  #lastFile = 0
  /** runs that are asked for after a file take its place */
  #lastReset = 0
  /** what was asked for before the module was there */
  #waiting: TrainingMessage[] | undefined

  constructor(environment: TrainingEnvironment) {
    this.#environment = environment
  }

  prepare(): void {
    if (this.#worker === undefined && this.#waiting === undefined) void this.#open()
  }

  reset(runs: readonly RunSettings[], tokens: readonly string[], listener: TrainingListener): void {
    this.#generation = this.#lastReset = this.#lastGeneration += 1
    this.#listener = listener
    this.prepare()
    // Proxies of the page's state cannot travel.
    this.#send({ kind: 'reset', generation: this.#generation, runs: runs.map((run) => ({ ...run })), tokens: [...tokens] })
  }

  play(pace: { stepsPerSecond: number; snapshotsPerSecond: number }): void {
    this.#send({ kind: 'play', ...pace })
  }

  pause(): void {
    this.#send({ kind: 'pause' })
  }

  step(): void {
    this.#send({ kind: 'step' })
  }

  listenTo(lang: 'zh' | 'en'): void {
    this.#lang = lang
    this.#generation = this.#lastGeneration += 1
    this.#send({ kind: 'listen', generation: this.#generation, lang })
  }

  show(tokens: readonly string[]): void {
    this.#send({ kind: 'show', tokens: [...tokens] })
  }

  studyHeads(run: number): void {
    this.#send({ kind: 'studyHeads', run })
  }

  switchHeads(run: number, off: readonly number[]): void {
    this.#send({ kind: 'switchHeads', run, off: [...off] })
  }

  async save(run: number, moments: boolean): Promise<SavedRun> {
    return (await this.#askFile((id) => ({ kind: 'save', id, run, moments })))!
  }

  async resume(settings: RunSettings, file: ArrayBuffer, tokens: readonly string[], listener: TrainingListener): Promise<void> {
    const generation = (this.#lastGeneration += 1)
    this.prepare()
    await this.#askFile((id) => ({ kind: 'resume', id, generation, settings: { ...settings }, file, tokens: [...tokens] }))
    if (this.#lastReset > generation) throw new Superseded()
    // Until now the runs before it were heard. The reader may have changed the language meanwhile.
    this.#generation = Math.max(this.#generation, generation)
    this.#listener = listener
  }

  #askFile(message: (id: number) => TrainingMessage): Promise<SavedRun | undefined> {
    const id = (this.#lastFile += 1)
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject })
      if (this.#worker === undefined && this.#waiting === undefined) this.#fail({ status: 'not_loaded' })
      else this.#send(message(id))
    })
  }

  study(settings: StudySettings, listener: StudyListener): void {
    this.#study = { id: this.#study.id + 1, listener }
    this.prepare()
    this.#send({ kind: 'study', id: this.#study.id, settings: { ...settings, heads: [...settings.heads] } })
  }

  stopStudy(): void {
    this.#study.listener = undefined
    this.#send({ kind: 'stopStudy' })
  }

  #send(message: TrainingMessage): void {
    if (this.#waiting !== undefined) this.#waiting.push(message)
    else this.#worker?.postMessage(message)
  }

  async #open(): Promise<void> {
    const waiting: TrainingMessage[] = (this.#waiting = [])
    try {
      this.#bytes ??= this.#environment.bytes()
      const bytes = await this.#bytes
      const worker = (this.#worker = this.#environment.spawn())
      worker.onmessage = ({ data }: MessageEvent<TrainingReply>) => this.#receive(data)
      worker.onmessageerror = () => this.#crash('a message could not be read')
      worker.onerror = (event) => {
        event.preventDefault()
        this.#crash(event.message)
      }
      worker.postMessage({ kind: 'load', bytes } satisfies TrainingMessage)
      if (this.#lang !== undefined) worker.postMessage({ kind: 'listen', generation: this.#generation, lang: this.#lang } satisfies TrainingMessage)
      for (const message of waiting) worker.postMessage(message)
      this.#waiting = undefined
    } catch (error) {
      // The next reset asks the network again.
      this.#bytes = undefined
      this.#waiting = undefined
      this.#fail(error instanceof CoreError ? error.failure : { status: 'crashed', detail: String(error) })
    }
  }

  #receive(reply: TrainingReply): void {
    if (reply.kind === 'studied' || reply.kind === 'studyFailed') return this.#receiveStudy(reply)
    if (reply.kind === 'saved' || reply.kind === 'resumed' || reply.kind === 'fileFailed') return this.#receiveFile(reply)
    if (reply.generation !== this.#generation) return
    if (reply.kind === 'snapshot') this.#listener?.snapshot(reply.run, reply.snapshot)
    else if (reply.kind === 'headsStudied') this.#listener?.studied(reply.run, reply.study)
    else if (reply.kind === 'headsSwitched') this.#listener?.switched(reply.run, reply.switched)
    else if (isOver(reply.failure)) this.#drop(reply.failure)
    else this.#listener?.failed(reply.failure)
  }

  #receiveStudy(reply: Extract<TrainingReply, { kind: 'studied' | 'studyFailed' }>): void {
    if (reply.id !== this.#study.id) return
    if (reply.kind === 'studied') this.#study.listener?.report(reply.report)
    else if (isOver(reply.failure)) this.#drop(reply.failure)
    else this.#study.listener?.failed(reply.failure)
  }

  #receiveFile(reply: Extract<TrainingReply, { kind: 'saved' | 'resumed' | 'fileFailed' }>): void {
    const answer = this.#answers.get(reply.id)
    this.#answers.delete(reply.id)
    if (reply.kind === 'fileFailed') answer?.reject(new CoreError(reply.failure))
    else answer?.resolve(reply.kind === 'saved' ? reply.saved : undefined)
  }

  #crash(detail?: string): void {
    this.#drop({ status: 'crashed', ...(detail !== undefined && { detail }) })
  }

  #drop(failure: CoreFailure): void {
    this.#worker?.terminate()
    this.#worker = undefined
    // A module that could not be loaded is fetched anew.
    if (failure.status === 'load_failed') this.#bytes = undefined
    this.#fail(failure)
  }

  /** Of everything that was waited for. */
  #fail(failure: CoreFailure): void {
    this.#listener?.failed(failure)
    this.#study.listener?.failed(failure)
    this.#study.listener = undefined
    for (const { reject } of this.#answers.values()) reject(new CoreError(failure))
    this.#answers.clear()
  }
}

/** The worker is of no more use. */
const isOver = ({ status }: CoreFailure): boolean => status === 'crashed' || status === 'load_failed'
