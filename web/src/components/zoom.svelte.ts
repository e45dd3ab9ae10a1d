// The movement from one size of the drawing to another: 8 = 2 × 4 ⇄ 512 = 8 × 64. It begins when numbers of another size are there;
// what is seen on the way is a pure function (draw/zoom.ts).
import { Tween } from 'svelte/motion'
import { linear } from 'svelte/easing'
import type { Scene } from './draw/scene'
import { zoomed } from './draw/zoom'

const zoomMs = 700
/** Less than four times as wide, or as narrow, is a step, not a zoom: whoever drags d wants to see where it stands now. */
const leastZoom = 4

export class Zoom {
  readonly #isStill: () => boolean
  readonly #share = new Tween(1, { easing: linear })
  #from: Scene | undefined = $state.raw()
  /** what was drawn last, at rest, and how wide the model was */
  #last: { scene: Scene; modelDim: number } | undefined

  /** `isStill`: the reader wants no motion. */
  constructor(isStill: () => boolean) {
    this.#isStill = isStill
  }

  get moving(): boolean {
    return this.#share.current < 1
  }

  /** Tells of every drawing, before it is on the screen. */
  see(scene: Scene, modelDim: number): void {
    const last = this.#last
    this.#last = { scene, modelDim }
    if (last === undefined || last.modelDim === modelDim) return
    if (this.#isStill()) return void this.#share.set(1, { duration: 0 })
    const times = Math.max(modelDim / last.modelDim, last.modelDim / modelDim)
    if (times < leastZoom) return
    // Whoever changes their mind on the way turns round there.
    this.#from = this.at(last.scene)
    void this.#share.set(0, { duration: 0 })
    void this.#share.set(1, { duration: zoomMs })
  }

  /** The drawing on its way to `scene`. */
  at(scene: Scene): Scene {
    return this.#from === undefined || !this.moving ? scene : zoomed(this.#from, scene, this.#share.current)
  }
}
