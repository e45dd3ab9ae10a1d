// How the numbers of a map are painted: its colour scale, its digits if they fit, what may not be looked at.
import type { Pass, TensorView } from '../../core/protocol'
import type { Matrix } from '../../model/matrix'
import { domainOf } from '../../model/scale'
import { fitDigits } from './digits'
import type { Manner } from './manner'
import type { Look } from './paint'

export type PlainLook = Omit<Look, 'ground' | 'family' | 'signs'>

/** `also` widens the scale, as in domainOf. */
export function lookOf(pass: Pass, matrix: Matrix, cellWidthPx: number, cellHeightPx: number, manner: Manner, also?: TensorView): PlainLook {
  const domain = domainOf(pass, matrix.tensor, also)
  const digits = fitDigits(domain, cellWidthPx, cellHeightPx, manner.digits)
  const { from, blankBelow, underDigits } = manner
  return { domain, digits, from, depth: digits === undefined ? 1 : underDigits, blankBelow, masked: maskOf(pass, matrix) }
}

function maskOf(pass: Pass, { tensor, head = 0 }: Matrix): Look['masked'] {
  if (tensor !== 'masked_scores' && tensor !== 'weights') return undefined
  const scores = pass.tensor('masked_scores')
  return scores && ((row, column) => scores.at(head, row, column) === -Infinity)
}
