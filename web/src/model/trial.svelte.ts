// A head switched off to show what that does: on again when the trial ends, unless the reader has taken over.
import type { State } from './state'

interface Switches {
  readonly state: State
  toggleHead(head: number): void
}

export class Trial {
  readonly #switches: Switches
  #tried: { head: number; out: State['out'] } | undefined = $state.raw()

  constructor(switches: Switches) {
    this.#switches = switches
  }

  /** The head that is off for the trial; undefined as soon as the reader switches any head: then all of them are theirs. */
  get head(): number | undefined {
    return this.#tried?.out === this.#switches.state.out ? this.#tried.head : undefined
  }

  begin(head: number): void {
    if (this.#switches.state.out.includes(head)) return
    this.#switches.toggleHead(head)
    this.#tried = { head, out: this.#switches.state.out }
  }

  end(): void {
    const { head } = this
    this.#tried = undefined
    if (head !== undefined) this.#switches.toggleHead(head)
  }
}
