// What heads are compared by at each stop: the picture of one head that the stop is about.
import type { TensorName } from '../../core/generated/tables'
import type { StopName } from '../../model/stops'

const pictures: Partial<Record<StopName, TensorName>> = {
  score: 'raw_scores', scale: 'scaled_scores', mask: 'masked_scores', softmax: 'weights', mix: 'heads',
}

export const comparable = (stop: StopName): TensorName | undefined => pictures[stop]
