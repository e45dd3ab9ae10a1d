// The files of trained models: each fetched once, however many wait for it, and kept, so that a restart of the worker needs no network.
import { readMetadata } from './model_file'
import { type ModelAbout, type Progress, Superseded } from './protocol'

export interface StoredModel {
  name: string
  file: ArrayBuffer
  about: ModelAbout
}

/** Rejects with load_failed; stops when the signal says so. */
export type FetchModel = (name: string, progress: Progress, signal: AbortSignal) => Promise<ArrayBuffer>

interface Fetching {
  answer: Promise<StoredModel>
  waiting: Set<Progress>
  stop: AbortController
}

export class ModelStore {
  readonly #fetch: FetchModel
  readonly #kept = new Map<string, StoredModel>()
  readonly #fetching = new Map<string, Fetching>()

  constructor(fetch: FetchModel) {
    this.#fetch = fetch
  }

  /** Rejects with load_failed or bad_model, after which the next one who asks tries again; with Superseded if the signal says so. */
  get(name: string, progress: Progress = () => {}, signal?: AbortSignal): Promise<StoredModel> {
    const kept = this.#kept.get(name)
    if (kept) return Promise.resolve(kept)
    if (signal?.aborted) return Promise.reject(new Superseded())
    const fetching = this.#fetching.get(name) ?? this.#begin(name)
    // Whoever asks twice with one function waits twice.
    const told: Progress = (done, total) => progress(done, total)
    fetching.waiting.add(told)
    return new Promise((resolve, reject) => {
      fetching.answer.then(resolve, reject)
      signal?.addEventListener('abort', () => {
        fetching.waiting.delete(told)
        if (fetching.waiting.size === 0) fetching.stop.abort()
        reject(new Superseded())
      })
    })
  }

  /** A model that nobody ships: here, it lives in memory only. Throws bad_model. */
  put(name: string, file: ArrayBuffer): ModelAbout {
    const about = readMetadata(file)
    this.#kept.set(name, { name, file, about })
    return about
  }

  #begin(name: string): Fetching {
    const waiting = new Set<Progress>()
    const stop = new AbortController()
    const forget = (): void => {
      if (this.#fetching.get(name) === fetching) this.#fetching.delete(name)
    }
    // Who comes after it was given up must not wait for it.
    stop.signal.addEventListener('abort', forget)
    const tell: Progress = (done, total) => {
      for (const each of waiting) each(done, total)
    }
    const fetching = { waiting, stop, answer: this.#read(name, tell, stop.signal).finally(forget) }
    fetching.answer.catch(() => {})
    this.#fetching.set(name, fetching)
    return fetching
  }

  async #read(name: string, tell: Progress, signal: AbortSignal): Promise<StoredModel> {
    const file = await this.#fetch(name, tell, signal)
    const stored = { name, file, about: readMetadata(file) }
    this.#kept.set(name, stored)
    return stored
  }

  /** The core did not take it: the next one who asks fetches it anew. */
  forget(name: string): void {
    this.#kept.delete(name)
  }
}
