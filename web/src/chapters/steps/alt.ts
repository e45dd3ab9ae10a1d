// The figure in words, for whoever does not see it: what is drawn here, which on a phone, in front of a room or behind a
// question is less than the stop is about.
import type { Scene } from '../../components/draw/scene'
import type { StopName } from '../../model/stops'
import type { Sizes, StepsText } from '../../text/steps.en'

export function altOf(name: StopName, { parts }: Pick<Scene, 'parts'>, sizes: Sizes, { stops, drawn }: StepsText): string {
  const tensors = [...new Set(parts.map(({ matrix }) => matrix.tensor))]
  const [only] = tensors
  if (name === 'output' && !tensors.includes('w_o')) return drawn.sum(sizes)
  const alone = tensors.length === 1 && only !== undefined ? drawn.alone[only] : undefined
  return (alone ?? stops[name].alt)(sizes)
}
