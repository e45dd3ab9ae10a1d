// What every stop gets: the pass on show and the room it has.
import type { Pass } from '../../core/protocol'
import type { Matrix } from '../../model/matrix'
import type { StepsText } from '../../text/steps.en'
import type { Heads, Sizes, Stage } from './stage'

export interface StopProps {
  pass: Pass
  stage: Stage
  sizes: Sizes
  heads: Heads
  text: StepsText
  title: string
  alt: string
}

/** One head at stop 9. */
export interface Lane {
  head: number
  z: Matrix
  w: Matrix
  c: Matrix | undefined
}
