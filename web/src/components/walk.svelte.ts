// Where the walk is: a stop of the tour, counted from 0, + t. It follows the state in one movement, is dragged by hand, or plays.
// Holds the time; what is seen at a place is a pure function (layouts.ts, tween.ts).
import type { Lesson } from '../model/lesson.svelte'

/** A movement from stop to stop at speed 1, and how long playing rests at each. */
export const moveMs = 900
export const dwellMs = 2600
export const speeds = [0.5, 1, 2] as const
export type Speed = (typeof speeds)[number]

export interface Clock {
  now: () => number
  /** calls back once before the next frame; returns what calls that off */
  frame: (work: () => void) => () => void
  later: (work: () => void, ms: number) => () => void
}

export const browserClock: Clock = {
  now: () => performance.now(),
  frame: (work) => {
    const id = requestAnimationFrame(work)
    return () => cancelAnimationFrame(id)
  },
  later: (work, ms) => {
    const id = setTimeout(work, ms)
    return () => clearTimeout(id)
  },
}

export class Walk {
  place = $state.raw(0)
  playing = $state(false)
  speed = $state<Speed>(1)

  readonly #lesson: Lesson
  readonly #isStill: () => boolean
  /** stops that playing passes by */
  readonly #isSkipped: (stop: number) => boolean
  readonly #clock: Clock
  #stopFrame = (): void => undefined
  #stopTimer = (): void => undefined
  #dragged = false
  #hasStepped = false

  /** `isStill`: the reader wants no motion. */
  constructor(lesson: Lesson, isStill: () => boolean, isSkipped: (stop: number) => boolean, clock = browserClock) {
    this.#lesson = lesson
    this.#isStill = isStill
    this.#isSkipped = isSkipped
    this.#clock = clock
    this.place = lesson.stops.indexOf(lesson.state.stop)
  }

  get moving(): boolean {
    return !Number.isInteger(this.place)
  }

  /** A hand is pulling it. */
  get held(): boolean {
    return this.#dragged
  }

  /** The state has come to this stop: go there, unless a hand holds the walk. */
  follow(stop: number): void {
    if (this.#dragged) return
    this.#go(this.#lesson.stops.indexOf(stop))
  }

  #go(stop: number): void {
    const far = Math.abs(stop - this.place) >= 2
    if (far || this.#isStill()) return this.#jump(stop)
    // Who walks fast sees the last step, not all that was left out.
    this.#moveTo(stop, Math.min(stop + 1, Math.max(stop - 1, this.place)))
  }

  /** By hand: anywhere between two stops. The stop of the state is always the nearest. */
  drag(place: number): void {
    this.pause()
    this.#stopFrame()
    this.#dragged = true
    const { stops } = this.#lesson
    // Finer than any hand, and the same place is the same number again.
    this.place = Math.min(stops.length - 1, Math.max(0, Math.round(place * 1000) / 1000))
    const nearest = stops[Math.round(this.place)]
    if (nearest === undefined || nearest === this.#lesson.state.stop) return
    // One drag is one step for the browser's Back.
    this.#lesson.goTo(nearest, this.#hasStepped ? 'replace' : 'push')
    this.#hasStepped = true
  }

  release(): void {
    if (!this.#dragged) return
    this.#dragged = false
    this.#hasStepped = false
    this.follow(this.#lesson.state.stop)
  }

  play(): void {
    const [first] = this.#lesson.stops
    if (this.#lesson.neighbour(1) === undefined && first !== undefined) this.#lesson.goTo(first)
    this.playing = true
    this.#wait(dwellMs / 2)
  }

  pause(): void {
    this.playing = false
    this.#stopTimer()
  }

  /** Nothing runs on when the chapter is closed. */
  dispose(): void {
    this.pause()
    this.#stopFrame()
  }

  #wait(ms: number): void {
    this.#stopTimer()
    this.#stopTimer = this.#clock.later(() => this.#step(), ms / this.speed)
  }

  #step(): void {
    if (!this.playing) return
    let by = 1
    const at = (): number | undefined => this.#lesson.neighbour(by)
    for (let stop = at(); stop !== undefined && this.#isSkipped(stop); stop = at()) by += 1
    this.#lesson.step(by)
    if (this.#lesson.neighbour(1) === undefined) return this.pause()
    this.#wait(moveMs + dwellMs)
  }

  #jump(stop: number): void {
    this.#stopFrame()
    this.place = stop
  }

  #moveTo(stop: number, from: number): void {
    this.#stopFrame()
    this.place = from
    if (from === stop) return
    const start = this.#clock.now()
    const ms = (moveMs * Math.abs(stop - from)) / this.speed
    const tick = (): void => {
      const share = Math.min(1, (this.#clock.now() - start) / ms)
      this.place = share === 1 ? stop : from + (stop - from) * share
      if (share < 1) this.#stopFrame = this.#clock.frame(tick)
    }
    this.#stopFrame = this.#clock.frame(tick)
  }
}
