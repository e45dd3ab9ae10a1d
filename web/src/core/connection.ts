// One worker, from its start to its end: requests out, answers back by their ids.
import type { WorkerPort } from './environment'
import type { Answers, Kind, Message, MessageOf, Reply } from './messages'
import { CoreError, type Progress, Superseded } from './protocol'

interface Unanswered {
  progress: Progress | undefined
  resolve(value: Answers[Kind]): void
  reject(error: Error): void
}

export class Connection {
  readonly #worker: WorkerPort
  readonly #onCrash: () => void
  readonly #unanswered = new Map<number, Unanswered>()
  #closedBy: Error | undefined

  /** onCrash: the worker is of no more use, and everything unanswered has failed. */
  constructor(worker: WorkerPort, onCrash: () => void) {
    this.#worker = worker
    this.#onCrash = onCrash
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#receive(data)
    worker.onmessageerror = () => this.#crash('a message could not be read')
    worker.onerror = (event) => {
      event.preventDefault()
      this.#crash(event.message)
    }
  }

  /** Rejects with a CoreError; or, if the signal takes the request back before it is answered, with Superseded. */
  ask<K extends Kind>(message: MessageOf<K>, signal?: AbortSignal, progress?: Progress): Promise<Answers[K]> {
    const { id } = message
    return new Promise<Answers[Kind]>((resolve, reject) => {
      if (this.#closedBy) return reject(this.#closedBy)
      this.#worker.postMessage(message)
      this.#unanswered.set(id, { progress, resolve, reject })
      signal?.addEventListener('abort', () => {
        if (!this.#unanswered.delete(id)) return
        this.#worker.postMessage({ id, kind: 'cancel' } satisfies Message)
        reject(new Superseded())
      })
    }) as Promise<Answers[K]>
  }

  close(error: Error): void {
    if (this.#closedBy) return
    this.#closedBy = error
    this.#worker.terminate()
    for (const { reject } of this.#unanswered.values()) reject(error)
    this.#unanswered.clear()
  }

  #receive(reply: Reply): void {
    const unanswered = this.#unanswered.get(reply.id)
    if (!unanswered) return
    if (reply.kind === 'progress') return unanswered.progress?.(reply.done, reply.total)
    if (reply.kind === 'failed' && reply.failure !== 'superseded' && reply.failure.status === 'crashed') {
      return this.#crash(reply.failure.detail)
    }
    this.#unanswered.delete(reply.id)
    if (reply.kind === 'result') unanswered.resolve(reply.value)
    else unanswered.reject(reply.failure === 'superseded' ? new Superseded() : new CoreError(reply.failure))
  }

  #crash(detail?: string): void {
    if (this.#closedBy) return
    this.close(new CoreError({ status: 'crashed', ...(detail !== undefined && { detail }) }))
    this.#onCrash()
  }
}
