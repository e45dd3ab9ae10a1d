// Numbers as a page shows them, against numbers as they must be.
import type { Expected } from './oracle'

/** A number as printed for readers, and half a unit of its last digit. */
export interface Printed {
  value: number
  halfUnit: number
}

/** −1.25, .58, 1.2e−7, −∞. Throws for anything that is no number: ∅, NaN, undefined. */
export function parsePrinted(text: string): Printed {
  const plain = text.replaceAll('\u2212', '-').replaceAll('\u2009', '').trim()
  if (plain === '∞' || plain === '-∞') return { value: plain === '∞' ? Infinity : -Infinity, halfUnit: 0 }
  const match = /^-?\d*(?:\.(\d+))?(?:e(-?\d+))?$/.exec(plain)
  if (match === null || !/\d/.test(plain)) throw new Error(`“${text}” is no number`)
  const [, decimals = '', exponent = '0'] = match
  return { value: Number(plain), halfUnit: 0.5 * 10 ** (Number(exponent) - decimals.length) }
}

/** '' if `shown` is `expected` within its tolerance (plus `halfUnit`, if it was rounded), else what is wrong. */
export function disagreement(shown: number, { value, tolerance }: Expected, halfUnit = 0): string {
  if (shown === value) return ''
  // The page rounds the float, we compare with the double: a hair more than half a unit.
  const allowed = tolerance + halfUnit * (1 + 1e-9) + (halfUnit > 0 ? 1e-12 * Math.abs(value) : 0)
  if (Math.abs(shown - value) <= allowed) return ''
  return `shows ${shown}, must be ${value} ± ${allowed}`
}

/** Collects what is wrong, so that a test says more than the first fault. */
export class Findings {
  readonly #faults: string[] = []
  #checked = 0

  /** Counts a check; `fault` is '' if it went well. */
  note(where: string, fault: string): void {
    this.#checked += 1
    if (fault !== '') this.#faults.push(`${where}: ${fault}`)
  }

  /** A number in full precision, as text (an attribute), or rounded for readers. */
  number(where: string, text: string | null | undefined, expected: Expected, how: 'full' | 'printed' = 'full'): void {
    if (text === null || text === undefined || text.trim() === '') return this.note(where, 'is missing')
    try {
      const { value, halfUnit } = how === 'full' ? { value: parseFull(text), halfUnit: 0 } : parsePrinted(text)
      this.note(where, disagreement(value, expected, halfUnit))
    } catch (error) {
      this.note(where, error instanceof Error ? error.message : String(error))
    }
  }

  equal(where: string, shown: unknown, wanted: unknown): void {
    const [a, b] = [JSON.stringify(shown), JSON.stringify(wanted)]
    this.note(where, a === b ? '' : `is ${a}, must be ${b}`)
  }

  get checked(): number {
    return this.#checked
  }

  /** Throws if anything was wrong, and if nothing was looked at. */
  conclude(what: string): void {
    if (this.#faults.length > 0) {
      const shown = this.#faults.slice(0, 12).join('\n  ')
      throw new Error(`${what}: ${this.#faults.length} of ${this.#checked} checks failed\n  ${shown}`)
    }
    if (this.#checked === 0) throw new Error(`${what}: nothing was checked`)
  }
}

function parseFull(text: string): number {
  const value = Number(text)
  if (Number.isNaN(value)) throw new Error(`“${text}” is no number`)
  return value
}
