// How maps are drawn: for a reader at a screen, or for a room in front of a beamer, which washes pale colours out.
import { digitDepth } from './ramp'

export interface Manner {
  /** the room a title takes, and the head tabs over bands */
  titlePx: number
  tabsPx: number
  /** a map's name, and whether its shape stands beside it: shapes are for readers */
  symbolPx: number
  shapes: boolean
  /** the smallest and the largest digits */
  digits: readonly [smallestPx: number, largestPx: number]
  /** the part of the ramp in use begins here, and under digits ends there */
  from: number
  underDigits: number
  /** attention weights below this stay blank */
  blankBelow: number
}

export const reading: Manner = { titlePx: 28, tabsPx: 31, symbolPx: 20, shapes: true, digits: [12, 16], from: 0, underDigits: digitDepth, blankBelow: 0 }

/** `unit` is 1 on a screen of 1024 × 768, larger on larger ones. */
export const projecting = (unit: number): Manner => ({
  titlePx: Math.round(42 * unit),
  tabsPx: Math.round(44 * unit),
  symbolPx: Math.round(28 * unit),
  shapes: false,
  digits: [24, Math.round(25 * unit)],
  from: 0.34,
  underDigits: 1,
  blankBelow: 0.05,
})
