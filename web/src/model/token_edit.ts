// What can be done to a row of tokens. Text in, text out: nothing is lost but blanks, and no character is cut in half.
import { graphemes } from './graphemes'
import { spaceless } from './tokens'

export type Tokens = readonly string[]

/** The tokens with `pieces` in place of the one at `at`. Behind the last one there is nothing to replace. */
export const replace = (tokens: Tokens, at: number, pieces: Tokens): Tokens => [...tokens.slice(0, at), ...pieces, ...tokens.slice(at + 1)]

export const remove = (tokens: Tokens, at: number): Tokens => replace(tokens, at, [])

/** `to` is the place in the row that comes out. */
export function move(tokens: Tokens, from: number, to: number): Tokens {
  const moved = tokens[from]
  const rest = remove(tokens, from)
  return moved === undefined ? tokens : [...rest.slice(0, to), moved, ...rest.slice(to)]
}

/** One token of the one at `at` and the one behind it. */
export function mergeNext(tokens: Tokens, at: number): Tokens {
  const [first, second] = [tokens[at], tokens[at + 1]]
  if (first === undefined || second === undefined) return tokens
  return [...tokens.slice(0, at), join(first, second), ...tokens.slice(at + 2)]
}

/** The two pieces of a token for every place where it may be cut, from left to right. */
export function cutsOf(token: string): [left: string, right: string][] {
  const characters = graphemes(token)
  return characters.flatMap((character, i): [string, string][] => {
    // Before a blank or behind it is the same cut.
    if (i === 0 || character.trim() === '') return []
    return [[characters.slice(0, i).join('').trim(), characters.slice(i).join('')]]
  })
}

/** Whether the same text stands elsewhere in the row, token by token. */
export function repeated(tokens: Tokens): boolean[] {
  const counts = new Map<string, number>()
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  return tokens.map((token) => (counts.get(token) ?? 0) > 1)
}

const letterLast = /[\p{L}\p{M}\p{N}]$/u
const letterFirst = /^[\p{L}\p{N}]/u

/** "no" and "longer" stay two words in one token; 小 and 明 become 小明, "hungry" and "." become "hungry.". */
function join(first: string, second: string): string {
  const characters = [...first]
  const seam = [characters.at(-1) ?? '', second]
  const words = letterLast.test(first) && letterFirst.test(second) && !seam.some(startsSpaceless)
  return `${first}${words ? ' ' : ''}${second}`.normalize('NFC')
}

function startsSpaceless(text: string): boolean {
  spaceless.lastIndex = 0
  return spaceless.test(text)
}
