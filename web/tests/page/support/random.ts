// Random choices of a run, reproducible by TEST_SEED.

/** Printed by every file that draws, so that a failure can be repeated: TEST_SEED=… npx vitest … */
export const runSeed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32)) >>> 0

export class Random {
  #state: number

  /** `purpose` keeps the draws of one file apart from those of another. */
  constructor(purpose: string, seed = runSeed) {
    this.#state = seed
    for (const character of purpose) this.#state = Math.imul(this.#state ^ character.codePointAt(0)!, 0x01000193) >>> 0
  }

  /** 0 ≤ x < 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  /** Some of the items, each at most once, in their order. */
  some<Item>(items: readonly Item[], probability: number): Item[] {
    return items.filter(() => this.chance(probability))
  }
}
