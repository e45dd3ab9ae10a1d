// Dragging a token to another place, with a mouse or a pen. Fingers scroll; they have buttons for this, as keys do.

const startPx = 6

export class TokenDrag {
  /** the gap under the pointer: before the token of this place */
  gap: number | undefined = $state()
  #from: { place: number; x: number; y: number } | undefined
  #justDropped = false

  constructor(private readonly drop: (from: number, to: number) => void) {}

  /** A press that was a drag is no click. */
  get wasDrag(): boolean {
    return this.#justDropped
  }

  down(event: PointerEvent, place: number): void {
    this.#justDropped = false
    if (event.pointerType !== 'touch' && event.button === 0) this.#from = { place, x: event.clientX, y: event.clientY }
  }

  move(event: PointerEvent & { currentTarget: HTMLElement }): void {
    const from = this.#from
    if (from === undefined) return
    const far = Math.hypot(event.clientX - from.x, event.clientY - from.y) > startPx
    if (this.gap === undefined && !far) return
    event.currentTarget.setPointerCapture(event.pointerId)
    this.gap = gapAt(event.currentTarget, event.clientX, event.clientY)
  }

  up(): void {
    const { gap } = this
    const from = this.#from?.place
    this.cancel()
    if (gap === undefined || from === undefined) return
    this.#justDropped = true
    // The click that ends a drag comes before this; a key pressed later is a press of its own.
    setTimeout(() => (this.#justDropped = false))
    const to = gap > from ? gap - 1 : gap
    if (to !== from) this.drop(from, to)
  }

  cancel(): void {
    this.#from = undefined
    this.gap = undefined
  }
}

/** In reading order: the first token that lies behind the pointer. */
function gapAt(list: HTMLElement, x: number, y: number): number {
  const boxes = Array.from(list.querySelectorAll('[data-place]'), (box) => box.getBoundingClientRect())
  const place = boxes.findIndex(({ top, bottom, left, width }) => y < top || (y <= bottom && x < left + width / 2))
  return place < 0 ? boxes.length : place
}
