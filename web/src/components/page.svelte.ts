// What every component may know about the page it stands on. Set once by App.
import { createContext } from 'svelte'
import { MediaQuery } from 'svelte/reactivity'
import type { Lesson } from '../model/lesson.svelte'
import { common as en, type CommonText } from '../text/common.en'
import { common as zh } from '../text/common.zh'
import type { Ground } from './draw/ramp'

export class Page {
  readonly lesson: Lesson
  /** What the system prefers; the reader's own choice goes first. */
  systemDark = $state(false)
  /** The font stack of digits on canvases, as the style sheet has it. */
  readonly sans = getComputedStyle(document.documentElement).getPropertyValue('--sans')
  /** Digits on canvases are painted again when the fonts are there. */
  fontsReady = $state(false)
  readonly #moreContrast = new MediaQuery('prefers-contrast: more')
  readonly #print = new MediaQuery('print')
  /** Negative cells are marked beyond their colour. */
  readonly signs: boolean = $derived.by(() => this.lesson.state.signs || this.#moreContrast.current || this.#print.current)
  readonly projected: boolean = $derived.by(() => this.lesson.state.view === 'projector')
  readonly text: CommonText = $derived.by(() => (this.lesson.state.lang === 'zh' ? zh : en))
  readonly ground: Ground = $derived.by(() => {
    const { theme } = this.lesson.state
    return theme === 'dark' || (theme === 'auto' && this.systemDark) ? 'dark' : 'light'
  })

  constructor(lesson: Lesson) {
    this.lesson = lesson
  }
}

export const [getPage, setPage] = createContext<Page>()
