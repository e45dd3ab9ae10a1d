// The chapter's keys, wherever the focus is; what a field or a button needs for itself stays with it.
import type { Page } from '../../components/page.svelte'
import type { Training } from '../../model/training.svelte'

const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'

/** `turn`: the other figure, in front of a room. */
export function onKey(event: KeyboardEvent, page: Page, training: Training, turn: () => void): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  const target = event.target instanceof Element ? event.target : undefined
  const isClicker = page.projected && (event.key === 'PageUp' || event.key === 'PageDown')
  if (!isClicker && target?.closest(typing)) return
  const { projected, lesson } = page
  const keys: Record<string, (() => void) | undefined> = {
    ' ': target?.closest('button, a, summary, input') ? undefined : () => (training.state === 'running' ? training.pause() : training.play()),
    // Radio buttons and scrolling tables keep the arrows for themselves.
    ArrowRight: target?.closest('[type=radio], .frame') ? undefined : () => training.step(),
    Escape: projected ? () => lesson.change({ view: 'page' }, 'push') : undefined,
    PageUp: projected ? turn : undefined,
    PageDown: projected ? turn : undefined,
  }
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
}
