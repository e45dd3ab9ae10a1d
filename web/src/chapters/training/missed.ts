// Which head is missed most and which has the largest I_h, in words made from a study's numbers; where they are not the same, the trap.
import type { HeadStudy } from '../../core/training'
import { printedLoss } from '../../model/format'
import type { TrainingText } from '../../text/training.en'

/** −ln .9: at this mean loss the right answers have a probability of .9, in the geometric mean. */
const certainLoss = 0.105

export function whoIsMissed({ heads, greedy }: HeadStudy, words: TrainingText['off']['words']): string[] {
  const whole = greedy[0]!.loss
  const first = (place: 'rank' | 'importanceRank'): number[] => heads.flatMap((head, i) => (head[place] === 1 ? [i] : []))
  const numbered = (which: readonly number[]): number[] => which.map((head) => head + 1)
  const [missed, largest] = [first('rank'), first('importanceRank')]
  const { without, importanceRank } = heads[missed[0]!]!

  if (heads.length === 1) return [words.only(printedLoss(without.loss), printedLoss(whole))]
  if (without.loss <= whole) return [words.nobody(numbered(largest))]
  const most = words.missed(numbered(missed), printedLoss(without.loss), printedLoss(whole))
  const both = missed.filter((head) => largest.includes(head))
  if (both.length > 0) return [most, words.agree(numbered(both))]
  const trap = [most, words.trap(numbered(largest), missed[0]! + 1, importanceRank, heads.length), words.why]
  return whole <= certainLoss ? [...trap, words.certain] : trap
}
