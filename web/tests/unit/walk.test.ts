// Where the walk is, in time: it follows the state, is pulled by hand, or plays. The clock is the test's.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Clock, Walk, dwellMs, moveMs } from '../../src/components/walk.svelte'
import type { Lesson } from '../../src/model/lesson.svelte'
import { lastStop } from '../../src/model/stops'

class TestClock implements Clock {
  time = 0
  #jobs: { at: number; work: () => void }[] = []
  now = (): number => this.time
  later = (work: () => void, ms: number): (() => void) => {
    const job = { at: this.time + ms, work }
    this.#jobs.push(job)
    return () => (this.#jobs = this.#jobs.filter((other) => other !== job))
  }
  frame = (work: () => void): (() => void) => this.later(work, 16)
  get waiting(): number {
    return this.#jobs.length
  }
  run(ms: number): void {
    const end = this.time + ms
    for (;;) {
      const next = this.#jobs.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      this.#jobs = this.#jobs.filter((job) => job !== next)
      this.time = next.at
      next.work()
    }
    this.time = end
  }
}

let clock: TestClock
let visits: string[]
let still: boolean
let skipped: number[]
let walk: Walk
let state: { stop: number }

beforeEach(() => {
  clock = new TestClock()
  visits = []
  still = false
  skipped = []
  state = { stop: 0 }
  const lesson = {
    state,
    stops: Array.from({ length: lastStop + 1 }, (_, i) => i),
    neighbour: (by: number) => (state.stop + by <= lastStop ? state.stop + by : undefined),
    step: (by: number) => lesson.goTo(state.stop + by),
    goTo(stop: number, visit = 'push') {
      state.stop = stop
      visits.push(`${stop} ${visit}`)
      // As the page does it, by an effect.
      walk.follow(stop)
    },
  } as unknown as Lesson
  walk = new Walk(lesson, () => still, (stop) => skipped.includes(stop), clock)
})

const go = (stop: number): void => {
  state.stop = stop
  walk.follow(stop)
}

describe('following', () => {
  test('one step takes its time and ends exactly there', () => {
    go(1)
    clock.run(moveMs / 2)
    expect(walk.place).toBeGreaterThan(0.3)
    expect(walk.place).toBeLessThan(0.7)
    expect(walk.moving).toBe(true)
    clock.run(moveMs)
    expect(walk.place).toBe(1)
    expect([walk.moving, clock.waiting]).toEqual([false, 0])
  })

  test('back is the same way', () => {
    go(1)
    clock.run(2 * moveMs)
    const there: number[] = []
    go(0)
    for (let i = 0; i < 80; i += 1) {
      clock.run(16)
      there.push(walk.place)
    }
    expect(there.every((place, i) => i === 0 || place <= there[i - 1]!)).toBe(true)
    expect(walk.place).toBe(0)
  })

  test('far away it does not travel; whoever hurries sees the last step only', () => {
    go(7)
    expect(walk.place).toBe(7)
    go(8)
    clock.run(moveMs / 3)
    go(9)
    expect(walk.place).toBeGreaterThanOrEqual(8)
    clock.run(2 * moveMs)
    expect(walk.place).toBe(9)
  })

  test('two hundred changes of mind end where the last one said', () => {
    for (let i = 0; i < 200; i += 1) {
      go((i * 7) % (lastStop + 1))
      clock.run(i % 50)
    }
    clock.run(2 * moveMs)
    expect(walk.place).toBe(state.stop)
    expect(clock.waiting).toBe(0)
  })

  test('no motion is wanted: it is there at once', () => {
    still = true
    go(1)
    expect([walk.place, clock.waiting]).toEqual([1, 0])
  })
})

describe('by hand', () => {
  test('the place is the hand’s, the stop the nearest, and one pull is one step for Back', () => {
    walk.drag(0.3)
    expect([walk.place, state.stop, visits]).toEqual([0.3, 0, []])
    walk.drag(0.8)
    walk.drag(2.4)
    walk.drag(1.2)
    expect([walk.place, state.stop]).toEqual([1.2, 1])
    expect(visits).toEqual(['1 push', '2 replace', '1 replace'])
    walk.release()
    clock.run(moveMs)
    expect([walk.place, state.stop]).toEqual([1, 1])
    walk.drag(1.9)
    expect(visits.at(-1)).toBe('2 push')
  })

  test('it ends at both ends', () => {
    walk.drag(-3)
    expect(walk.place).toBe(0)
    walk.drag(99)
    expect([walk.place, state.stop]).toEqual([lastStop, lastStop])
  })
})

describe('playing', () => {
  test('from stop to stop, past those that change nothing, and stops at the end', () => {
    skipped = [5]
    const seen: number[] = []
    walk.play()
    for (let i = 0; i < 400; i += 1) {
      clock.run(100)
      if (seen.at(-1) !== state.stop) seen.push(state.stop)
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9, 10])
    expect([walk.playing, walk.place, clock.waiting]).toEqual([false, lastStop, 0])
  })

  test('twice as fast takes half the time', () => {
    const duration = (speed: 1 | 2): number => {
      state.stop = 0
      walk.follow(0)
      walk.speed = speed
      const start = clock.time
      walk.play()
      while (walk.playing) clock.run(10)
      return clock.time - start
    }
    expect(duration(1) / duration(2)).toBeCloseTo(2, 1)
  })

  test('a hand stops it, and so does pause; from the end it starts again', () => {
    walk.play()
    clock.run(dwellMs)
    walk.drag(walk.place)
    expect(walk.playing).toBe(false)
    walk.release()
    clock.run(10 * dwellMs)
    const { stop } = state
    clock.run(10 * dwellMs)
    expect(state.stop).toBe(stop)
    go(lastStop)
    walk.play()
    expect([state.stop, walk.playing]).toEqual([0, true])
    walk.pause()
    clock.run(10 * dwellMs)
    expect([state.stop, clock.waiting]).toEqual([0, 0])
  })
})
