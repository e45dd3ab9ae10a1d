// The browser's address bar and its history. The only file that touches them.
import type { Visit } from './model/lesson.svelte'

/** Safari refuses more than 100 changes in 30 seconds. */
const pauseMs = 350

/** After a refusal. A page in a sandbox, or opened from a file, is refused always: so only a few times. */
const retryMs = 10_000
const maxRetries = 3

export class Address {
  #wanted: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastMs = -pauseMs
  #retries = 0

  get search(): string {
    return window.location.search
  }

  /** `address` is a query string, or '' for none. */
  readonly visit = (address: string, visit: Visit): void => {
    this.#retries = 0
    if (visit === 'push') {
      this.#flush()
      this.#write('pushState', address)
      return
    }
    this.#wanted = address
    this.#flushIn(this.#lastMs + pauseMs - performance.now())
  }

  onReturn(listener: (search: string) => void): void {
    window.addEventListener('popstate', () => {
      this.#wanted = undefined
      listener(this.search)
    })
  }

  #flushIn(waitMs: number): void {
    clearTimeout(this.#timer)
    if (waitMs <= 0) this.#flush()
    else this.#timer = setTimeout(() => this.#flush(), waitMs)
  }

  #flush(): void {
    if (this.#wanted !== undefined) this.#write('replaceState', this.#wanted)
  }

  #write(method: 'pushState' | 'replaceState', address: string): void {
    clearTimeout(this.#timer)
    this.#lastMs = performance.now()
    try {
      window.history[method](null, '', `${window.location.pathname}${address}`)
      this.#wanted = undefined
    } catch {
      // The lesson goes on; the address follows if it can.
      this.#wanted = address
      this.#retries += 1
      if (this.#retries <= maxRetries) this.#flushIn(retryMs)
    }
  }
}
