// The page's side of broken models: a training worker of its own, so that neither the walk nor runs wait. It starts with the first
// question; if it crashes, whoever waits is told, and the next question starts another one.
import type { BreakReport, BreakRequest } from './broken'
import { fetched, modelUrls, type WorkerPort } from './environment'
import { readMetadata } from './model_file'
import { CoreError, type CoreFailure } from './protocol'
import { type TrainingEnvironment, trainingInBrowser } from './training_client'
import type { BreakReply, TrainingMessage } from './training_messages'

export interface BreakEnvironment extends TrainingEnvironment {
  /** names of shipped models */
  models: readonly string[]
  /** one of them; rejects with a CoreError */
  model(name: string): Promise<ArrayBuffer>
}

/** `model`: the name of a shipped one. */
export type BreakQuestion = Omit<BreakRequest, 'file'> & { model: string }

export interface BreakAnswer extends BreakReport {
  /** what the model says of itself */
  about: Readonly<Record<string, string>>
}

const inBrowser: BreakEnvironment = { ...trainingInBrowser, models: Object.keys(modelUrls), model: (name) => fetched(modelUrls[name]!) }

interface Waiting {
  resolve(report: BreakReport): void
  reject(error: Error): void
}

export class BreakClient {
  readonly #environment: BreakEnvironment
  /** one promise per file, kept: each is fetched once */
  readonly #files = new Map<string, Promise<ArrayBuffer>>()
  readonly #waiting = new Map<number, Waiting>()
  #worker: Promise<WorkerPort> | undefined
  #last = 0

  constructor(environment: BreakEnvironment = inBrowser) {
    this.#environment = environment
  }

  get models(): readonly string[] {
    return this.#environment.models
  }

  /** Rejects with a CoreError. What did not arrive is asked for again the next time. */
  async ask({ model, ...question }: BreakQuestion): Promise<BreakAnswer> {
    const [file, worker] = await Promise.all([this.#file(model), this.#open()])
    const about = readMetadata(file)
    const id = (this.#last += 1)
    const report = await new Promise<BreakReport>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      // Proxies of the page's state cannot travel.
      worker.postMessage({ kind: 'break', id, request: { ...question, tokens: [...question.tokens], file } } satisfies TrainingMessage)
    })
    return { ...report, about }
  }

  #file(name: string): Promise<ArrayBuffer> {
    const file = this.#files.get(name) ?? this.#environment.model(name)
    this.#files.set(name, file)
    file.catch(() => this.#files.delete(name))
    return file
  }

  #open(): Promise<WorkerPort> {
    const opening = (this.#worker ??= this.#spawn())
    opening.catch(() => (this.#worker = undefined))
    return opening
  }

  async #spawn(): Promise<WorkerPort> {
    const bytes = await this.#environment.bytes()
    const worker = this.#environment.spawn()
    const crash = (detail?: string): void => this.#crash(worker, { status: 'crashed', ...(detail !== undefined && { detail }) })
    worker.onmessage = ({ data }: MessageEvent<BreakReply>) => this.#receive(data, worker)
    worker.onmessageerror = () => crash('a message could not be read')
    worker.onerror = (event) => {
      event.preventDefault()
      crash(event.message)
    }
    worker.postMessage({ kind: 'load', bytes } satisfies TrainingMessage)
    return worker
  }

  #receive(reply: BreakReply, worker: WorkerPort): void {
    if (reply.kind === 'breakFailed' && isOver(reply.failure)) return this.#crash(worker, reply.failure)
    const waiting = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    if (reply.kind === 'broken') waiting?.resolve(reply.report)
    else waiting?.reject(new CoreError(reply.failure))
  }

  #crash(worker: WorkerPort, failure: CoreFailure): void {
    worker.terminate()
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(new CoreError(failure))
    this.#waiting.clear()
  }
}

/** The worker is of no more use. */
const isOver = ({ status }: CoreFailure): boolean => status === 'crashed' || status === 'load_failed'
