// What a reader takes for one character: a family of emoji, a flag, a letter with its marks. Never cut in half.

type Granularity = 'word' | 'grapheme'

// Making a segmenter takes longer than using it.
const segmenters = new Map<Granularity, Intl.Segmenter>()

export function segment(text: string, granularity: Granularity): string[] {
  if (typeof Intl.Segmenter !== 'function') return [...text]
  const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter('zh', { granularity })
  segmenters.set(granularity, segmenter)
  return Array.from(segmenter.segment(text), (part) => part.segment)
}

export const graphemes = (text: string): string[] => segment(text, 'grapheme')

/** Where in the text characters end. */
export function edges(text: string): Set<number> {
  let place = 0
  return new Set(graphemes(text).map((character) => (place += character.length)))
}
