// How the page says where the numbers on show come from: by what they were computed with, never by what was wished for.
import type { Pass } from '../core/protocol'
import type { CommonText } from '../text/common.en'

export const stepsOf = (about: Readonly<Record<string, string>>): number => Number(about.steps ?? 0)

/** In one line, for a room and for pictures that leave the page. */
export function captionOf({ weights }: Pass, { trained, projector }: CommonText): string {
  return weights.kind === 'trained' ? trained.caption(weights.here ? trained.here : trained.name, weights.about.seed ?? '', stepsOf(weights.about)) : projector.provenance(weights.seed)
}
