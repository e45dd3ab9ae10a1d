// The sentence while it is being changed, typed or token by token: what can't be computed yet stays in sight to be
// mended, the last good sentence stays computed, and every change can be undone. No DOM.
import type { Lesson } from './lesson.svelte'
import type { Problem } from './problem'
import type { Tokens } from './token_edit'
import { checkTokens, cutTokens, formatTokens } from './tokens'

const deepest = 100

interface Draft {
  /** The sentence of the lesson that this is a draft of. Once another one has come from elsewhere, the draft is void. */
  of: string
  /** the text as it was typed, if it was */
  typed?: string
  /** tokens that are too many or too long */
  tokens?: Tokens
  problem?: Problem
  past: readonly Tokens[]
}

export class SentenceDraft {
  readonly #lesson: Lesson
  #draft: Draft | undefined = $state.raw()

  constructor(lesson: Lesson) {
    this.#lesson = lesson
  }

  readonly canonical: string = $derived.by(() => formatTokens(this.#lesson.state.sentence))
  readonly #valid: Draft | undefined = $derived.by(() => (this.#draft?.of === this.canonical ? this.#draft : undefined))
  readonly tokens: Tokens = $derived.by(() => this.#valid?.tokens ?? this.#lesson.state.sentence)
  /** One line: what was typed, or the tokens with bars between them. */
  readonly text: string = $derived.by(() => this.#valid?.typed ?? formatTokens(this.tokens))
  readonly problem: Problem | undefined = $derived.by(() => this.#valid?.problem)
  readonly #past: readonly Tokens[] = $derived.by(() => this.#valid?.past ?? [])
  readonly canUndo: boolean = $derived.by(() => this.#past.length > 0)

  /** Text on its way: shown, not read yet. */
  write(typed: string): void {
    this.#draft = { past: [], ...this.#valid, of: this.canonical, typed }
  }

  /** Reads what was written. */
  read(): void {
    const typed = this.#valid?.typed
    if (typed === undefined) return
    const cut = cutTokens(typed)
    const read = cut.ok && cut.value.length === 0 ? checkTokens(cut.value) : cut
    if (read.ok) this.#become(read.value, this.#pastWith(read.value), typed)
    else this.#draft = { of: this.canonical, typed, problem: read.problem, past: this.#past }
  }

  /** The writing is over: what was understood stands there from now on, what was not stays to be mended. */
  finish(): void {
    this.read()
    const draft = this.#valid
    if (draft === undefined || (draft.problem !== undefined && draft.tokens === undefined)) return
    const { typed: _, ...rest } = draft
    this.#draft = rest
  }

  /** At least one token, as every change of the editor leaves it. */
  take(tokens: Tokens): void {
    this.#become(tokens, this.#pastWith(tokens))
  }

  undo(): void {
    const before = this.#past.at(-1)
    if (before !== undefined) this.#become(before, this.#past.slice(0, -1))
  }

  #pastWith(next: Tokens): readonly Tokens[] {
    return formatTokens(next) === formatTokens(this.tokens) ? this.#past : [...this.#past, this.tokens].slice(-deepest)
  }

  #become(tokens: Tokens, past: readonly Tokens[], typed?: string): void {
    const checked = checkTokens(tokens)
    const written = typed === undefined ? {} : { typed }
    if (!checked.ok) {
      this.#draft = { of: this.canonical, past, tokens, problem: checked.problem, ...written }
      return
    }
    if (formatTokens(tokens) !== this.canonical) this.#lesson.change({ sentence: tokens })
    this.#draft = { of: this.canonical, past, ...written }
  }
}
