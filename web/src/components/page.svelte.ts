// What every component may know about the page it stands on. Set once by App.
import { createContext } from 'svelte'
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
