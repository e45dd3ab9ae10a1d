// A question about the pass on show that changes with what the reader looks at. The answer to an older one is dropped.
import { type Pass, Superseded } from '../core/protocol'

interface Subject {
  pass: Pass
  /** what is asked about it, in one word */
  about: string
}

const same = (a: Subject | undefined, b: Subject | undefined): boolean => a?.pass === b?.pass && a?.about === b?.about

export class Question<Answer> {
  #answered: (Subject & { answer: Answer }) | undefined = $state.raw()
  /** what is on its way, or there */
  #wanted: Subject | undefined
  readonly #about: (pass: Pass) => string | undefined
  readonly #ask: (pass: Pass) => Promise<Answer>

  /** about: what is to be asked as things stand; undefined: nothing. */
  constructor(about: (pass: Pass) => string | undefined, ask: (pass: Pass) => Promise<Answer>) {
    this.#about = about
    this.#ask = ask
  }

  /** The last answer, whatever it is about. */
  get last(): Answer | undefined {
    return this.#answered?.answer
  }

  /** The answer to what is asked now. */
  of(pass: Pass | undefined): Answer | undefined {
    const subject = this.#subject(pass)
    return subject && same(subject, this.#answered) ? this.last : undefined
  }

  /** The answer about a pass that is not on show yet, as what puts it there. */
  async ahead(pass: Pass): Promise<() => void> {
    const subject = this.#subject(pass)
    const answered = subject && (await this.#answer(subject).catch(unlessSuperseded))
    return () => (this.#answered = answered)
  }

  async refresh(pass: Pass | undefined): Promise<void> {
    const wanted = this.#subject(pass)
    if (same(wanted, this.#wanted)) return
    this.#wanted = wanted
    if (wanted === undefined || same(wanted, this.#answered)) return
    try {
      const answered = await this.#answer(wanted)
      if (this.#wanted === wanted) this.#answered = answered
    } catch (error) {
      if (this.#wanted === wanted) this.#wanted = undefined
      throw error
    }
  }

  async #answer(subject: Subject): Promise<Subject & { answer: Answer }> {
    return { ...subject, answer: await this.#ask(subject.pass) }
  }

  #subject(pass: Pass | undefined): Subject | undefined {
    const about = pass && this.#about(pass)
    return pass && about !== undefined ? { pass, about } : undefined
  }
}

function unlessSuperseded(error: unknown): undefined {
  if (!(error instanceof Superseded)) throw error
}
