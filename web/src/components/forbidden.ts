// Where a map's cells may not be looked at: its scores are −∞ there.
import type { Pass } from '../core/protocol'
import type { Matrix } from '../model/matrix'

export function forbiddenIn(pass: Pass, { tensor, head }: Matrix): ((row: number, column: number) => boolean) | undefined {
  if (tensor !== 'masked_scores' && tensor !== 'weights') return undefined
  const scores = pass.tensor('masked_scores')
  return scores && ((row, column) => scores.at(head ?? 0, row, column) === -Infinity)
}
