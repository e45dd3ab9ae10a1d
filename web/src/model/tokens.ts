// A sentence ⇄ its tokens. Tokens are known by their place, never by their text: the same word may stand twice.
import { isWellFormed } from '../core/text'
import { maxTextLength, maxTokenLength, maxTokens } from './limits'
import { type Parsed, accepted, refused } from './problem'
import { vocabulary } from './sentences'

const longestFirst = [...vocabulary].sort((a, b) => b.length - a.length)

/** Writing without spaces between words: here a dictionary has to find them. */
const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/uy
const number = /\p{N}+(?:[.,]\p{N}+)*/uy
const word = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/uy
const space = /[\s\p{Z}]+/uy

/** Controls, line and direction marks, and what is left of broken text: they have no place in a label. */
const unfit = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u

export const lengthOf = (text: string): number => [...text].length

/** Splits at `|` where there is one; else finds the words itself. */
export function parseTokens(text: string): Parsed<readonly string[]> {
  // Before anything else: a pasted book must not reach a regular expression.
  if (text.length > maxTextLength) return refused({ code: 'text_too_long', max: maxTextLength })
  if (!isWellFormed(text)) return refused({ code: 'broken_text' })
  const plain = text.normalize('NFC').replace(/\s+/gu, ' ')
  if (unfit.test(plain)) return refused({ code: 'broken_text' })
  const tokens = /[|｜]/u.test(plain) ? splitAtBars(plain) : findWords(plain)
  const long = tokens.find((token) => lengthOf(token) > maxTokenLength)
  if (tokens.length === 0) return refused({ code: 'no_tokens', max: maxTokens })
  if (tokens.length > maxTokens) return refused({ code: 'too_many_tokens', count: tokens.length, max: maxTokens })
  if (long !== undefined) return refused({ code: 'token_too_long', token: clip(long, 12), max: maxTokenLength })
  return accepted(tokens)
}

/** The inverse of parseTokens: cutting the result gives the same tokens again. */
export function formatTokens(tokens: readonly string[]): string {
  // One token holds no bar by itself; a closing one keeps "New York" in one piece.
  return tokens.length === 1 ? `${tokens[0]}|` : tokens.join('|')
}

/** The first `length` characters, without cutting one in half. */
export function clip(text: string, length: number): string {
  const characters = [...text.slice(0, 4 * length)]
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : text
}

function splitAtBars(text: string): string[] {
  return text.split(/[|｜]/u).map((token) => token.trim()).filter((token) => token !== '')
}

function findWords(text: string): string[] {
  const tokens: string[] = []
  for (let place = 0; place < text.length; ) {
    const take = (pattern: RegExp): string | undefined => {
      pattern.lastIndex = place
      return pattern.exec(text)?.[0]
    }
    const blank = take(space)
    const run = take(spaceless)
    if (blank !== undefined) {
      place += blank.length
    } else if (run !== undefined) {
      tokens.push(...cutRun(run))
      place += run.length
    } else {
      const piece = take(number) ?? wordBefore(take(word)) ?? firstCharacter(text.slice(place, place + 64))
      tokens.push(piece)
      place += piece.length
    }
  }
  return tokens
}

/** A word of letters ends where writing without spaces begins. */
function wordBefore(piece: string | undefined): string | undefined {
  if (piece === undefined) return undefined
  const end = piece.search(new RegExp(spaceless.source, 'u'))
  return end > 0 ? piece.slice(0, end) : piece
}

/** Longest match against the lesson's words; what lies between goes to the segmenter. */
function cutRun(run: string): string[] {
  const tokens: string[] = []
  let unknown = ''
  const flush = (): void => {
    if (unknown !== '') tokens.push(...segment(unknown, 'word'))
    unknown = ''
  }
  for (let place = 0; place < run.length; ) {
    const known = longestFirst.find((entry) => run.startsWith(entry, place))
    if (known === undefined) {
      const character = String.fromCodePoint(run.codePointAt(place) ?? 0)
      unknown += character
      place += character.length
    } else {
      flush()
      tokens.push(known)
      place += known.length
    }
  }
  flush()
  return tokens
}

function segment(text: string, granularity: 'word' | 'grapheme'): string[] {
  if (typeof Intl.Segmenter !== 'function') return [...text]
  return Array.from(new Intl.Segmenter('zh', { granularity }).segment(text), (part) => part.segment)
}

const firstCharacter = (text: string): string => segment(text, 'grapheme')[0] ?? text
