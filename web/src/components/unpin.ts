// Letting go of the pinned cell, by Esc or by its button.
import type { Lesson } from '../model/lesson.svelte'

/** Who stood in the explanation, which is gone then, stands on its cell again, if that is on the screen. */
export function unpin(lesson: Lesson): void {
  const from = document.activeElement
  const map = `[data-testid="grid"][data-tensor="${lesson.state.pin?.tensor ?? ''}"]:has(.pinned)`
  const cell = from?.closest('.inspector') ? document.querySelector<HTMLElement>(`${map} [role="gridcell"]`) : null
  // A finger on a phone is not to lose its place.
  cell?.focus({ preventScroll: from?.matches(':focus-visible') !== true })
  lesson.unpin()
}
