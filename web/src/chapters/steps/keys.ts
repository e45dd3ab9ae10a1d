// The chapter's keys, wherever the focus is; what a field or a map needs for itself stays with it.
import type { Page } from '../../components/page.svelte'
import { unpin } from '../../components/unpin'
import type { Walk } from '../../components/walk.svelte'

const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'

const elementOf = ({ target }: Event): Element | undefined => (target instanceof Element ? target : undefined)

/** `next`: what the Next button does. */
export function onKey(event: KeyboardEvent, page: Page, walk: Walk, next: () => void): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  const target = elementOf(event)
  if (target?.closest(typing)) return
  const { lesson } = page
  const { head, pin } = lesson.state
  // Radio buttons and scrolling tables keep these for themselves.
  const free = !target?.closest('[type=radio], .frame')
  // A button takes the space bar for itself. In front of a room it goes on, as everywhere where something is shown.
  const space = (): void => (page.projected ? lesson.step(event.shiftKey ? -1 : 1) : walk.playing ? walk.pause() : walk.play())
  const keys: Record<string, (() => void) | undefined> = {
    ArrowLeft: free ? () => lesson.step(-1) : undefined,
    ArrowRight: free ? next : undefined,
    Home: free ? () => lesson.goTo(lesson.stops[0] ?? 0) : undefined,
    End: free ? () => lesson.goTo(lesson.stops.at(-1) ?? 0) : undefined,
    ' ': target?.closest('button, a, summary, input') ? undefined : space,
    '[': () => lesson.chooseHead(head - 1),
    ']': () => lesson.chooseHead(head + 1),
    Escape: () => (page.projected && pin === null ? lesson.change({ view: 'page' }, 'push') : unpin(lesson)),
  }
  const act = /^[1-8]$/.test(event.key) ? () => lesson.chooseHead(Number(event.key) - 1) : keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}

/** A clicker sends PageUp and PageDown, wherever the focus may be. */
export function onClicker(event: KeyboardEvent, { projected, lesson }: Page): void {
  const by = { PageUp: -1, PageDown: 1 }[event.key]
  if (!projected || by === undefined || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  event.stopPropagation()
  lesson.step(by)
}

/** Playing stops at whatever the reader does: the hand goes first. Its own controls, and the space bar, see to themselves. */
export function interrupt(event: Event, walk: Walk): void {
  const own = elementOf(event)?.closest('[data-plays]') != null
  const ignored = event instanceof KeyboardEvent ? event.key === ' ' || (own && event.key === 'Enter') : own
  if (walk.playing && !ignored) walk.pause()
}
