// The small markup of our texts: *bold*, $formula$. In a formula _ lowers, ^ raises (one letter, or more in braces),
// and letters lean. Text in, parts out; Prose.svelte draws them.

export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'bold'; text: string }
  | { kind: 'formula'; pieces: readonly Piece[] }

export interface Piece {
  kind: 'letter' | 'upright' | 'lowered' | 'raised'
  text: string
}

export function parseProse(text: string): Part[] {
  return text
    .split(/(\*[^*]+\*|\$[^$]+\$)/u)
    .filter((part) => part !== '')
    .map((part): Part => {
      if (part.length > 2 && part.startsWith('*') && part.endsWith('*')) return { kind: 'bold', text: part.slice(1, -1) }
      if (part.length > 2 && part.startsWith('$') && part.endsWith('$')) {
        return { kind: 'formula', pieces: parseFormula(part.slice(1, -1)) }
      }
      return { kind: 'text', text: part }
    })
}

export function parseFormula(formula: string): Piece[] {
  const pieces: Piece[] = []
  for (const [, lowered, raised, letter, other] of formula.matchAll(
    /_(\{[^}]*\}|.)|\^(\{[^}]*\}|.)|(\p{L}+[′″]*)|([^\p{L}_^]+)/gu,
  )) {
    if (lowered !== undefined) pieces.push({ kind: 'lowered', text: lowered.replace(/[{}]/g, '') })
    else if (raised !== undefined) pieces.push({ kind: 'raised', text: raised.replace(/[{}]/g, '') })
    else if (letter !== undefined) pieces.push({ kind: 'letter', text: letter })
    else if (other !== undefined) pieces.push({ kind: 'upright', text: other })
  }
  return pieces
}

/** The same text for places that take no markup: titles, labels. */
export const plain = (text: string): string => text.replace(/\*([^*]+)\*/gu, '$1').replace(/[$_^{}]/g, '')
