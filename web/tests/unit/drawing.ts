// Random numbers that are the same for the same seed. Needs nothing of Node, so that pages of the tests may use it.

/** Whole numbers first … last, from mulberry32. */
export function drawFrom(seed: number): (first: number, last: number) => number {
  let state = seed
  return (first, last) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return first + (((t ^ (t >>> 14)) >>> 0) % (last - first + 1))
  }
}
