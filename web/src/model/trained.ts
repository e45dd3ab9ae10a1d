// Which numbers a sentence can have: those of training where a model of its size is shipped and knows its words, else seeded ones, with
// the reason. No DOM.
import { CoreError, type ModelAbout, type PassRequest } from '../core/protocol'
import type { Size } from './problem'
import { sameSize } from './shape'

/** Why other numbers stand where trained ones were wished for. */
export type Fallback =
  /** no model of this d and h */
  | { reason: 'size' }
  /** a run of this page was wished for, and none is in memory; what stands in for it may be trained as well */
  | { reason: 'run' }
  /** a model was never trained without positions */
  | { reason: 'positions' }
  /** these tokens, by their places, are no words of the model */
  | { reason: 'words'; places: readonly number[] }
  /** the model never saw so long a sentence */
  | { reason: 'length' }
  /** the file did not arrive, or is none: trying again may help */
  | { reason: 'load' }
  /** it is on its way, and the reader would rather not wait */
  | { reason: 'meanwhile' }

/** What can be said before the model is asked. */
export function unfit(request: PassRequest, sizes: readonly Size[]): Fallback | undefined {
  if (!sizes.some((size) => sameSize(size, request))) return { reason: 'size' }
  return request.positions ? undefined : { reason: 'positions' }
}

/** A refusal of the model's; undefined: something else went wrong. */
export function refusalOf(error: unknown): Fallback | undefined {
  if (!(error instanceof CoreError)) return undefined
  const { status, index = [] } = error.failure
  switch (status) {
    case 'unknown_word':
      return { reason: 'words', places: index }
    case 'too_many_words':
      return { reason: 'length' }
    case 'load_failed':
    case 'bad_model':
      return { reason: 'load' }
    default:
      return undefined
  }
}

/** Larger files than this size has are not waited for before anything is on show. */
export const isLight = ({ dModel }: PassRequest): boolean => dModel <= 64

/** The words that a model knows, as they are cut. */
export const wordsOf = (about: ModelAbout): string[] => (about.vocabulary ?? '').split('\n').filter((word) => word !== '')

/** One share per head for a relation in a language: over all held-out sentences, how often the head's largest weight is right. */
export const sharesOf = (about: ModelAbout, lang: 'zh' | 'en', relation: string): number[] =>
  (about[`heads.${lang === 'zh' ? 'chinese' : 'english'}.${relation}`] ?? '').split(' ').filter((text) => text !== '').map(Number)

/** The relations of the model's task, in its order. */
export const relationsOf = (about: ModelAbout): string[] => (about.relations ?? '').split('\n').filter((name) => name !== '')

/** What a head was measured to do in a language, most reliable first: right in at least half of all cases. */
export function rolesOf(about: ModelAbout, lang: 'zh' | 'en', head: number): { relation: string; share: number }[] {
  return relationsOf(about)
    .map((relation) => ({ relation, share: sharesOf(about, lang, relation)[head] ?? 0 }))
    .filter(({ share }) => share >= 0.5)
    .sort((a, b) => b.share - a.share)
}
