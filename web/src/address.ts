// The browser's address bar and its history. The only file that touches them.
import type { Visit } from './model/lesson.svelte'

/** Safari refuses more than 100 changes in 30 seconds. */
const pauseMs = 350

export class Address {
  #wanted: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #lastMs = -pauseMs

  get search(): string {
    return window.location.search
  }

  /** `address` is a query string, or '' for none. */
  readonly visit = (address: string, visit: Visit): void => {
    if (visit === 'push') {
      this.#flush()
      this.#write('pushState', address)
      return
    }
    this.#wanted = address
    clearTimeout(this.#timer)
    const waitMs = this.#lastMs + pauseMs - performance.now()
    if (waitMs <= 0) this.#flush()
    else this.#timer = setTimeout(() => this.#flush(), waitMs)
  }

  onReturn(listener: (search: string) => void): void {
    window.addEventListener('popstate', () => {
      this.#wanted = undefined
      listener(this.search)
    })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    if (this.#wanted !== undefined) this.#write('replaceState', this.#wanted)
    this.#wanted = undefined
  }

  #write(method: 'pushState' | 'replaceState', address: string): void {
    this.#lastMs = performance.now()
    try {
      window.history[method](null, '', `${window.location.pathname}${address}`)
    } catch {
      // A page in a sandbox or opened from a file may keep its address; the lesson goes on.
    }
  }
}
