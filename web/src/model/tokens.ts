// A sentence ⇄ its tokens. Tokens are known by their place, never by their text: the same word may stand twice.
import { isWellFormed } from '../core/text'
import { edges, segment } from './graphemes'
import { maxTextLength, maxTokenLength, maxTokens } from './limits'
import { type Parsed, accepted, refused } from './problem'
import { vocabulary } from './sentences'

/** What a run is cut into, longest first. */
let known = sorted(vocabulary)

function sorted(words: Iterable<string>): string[] {
  return [...new Set(words)].sort((a, b) => b.length - a.length)
}

/** From now on these are not cut further either: the words that a trained model knows. */
export function learnWords(words: readonly string[]): void {
  known = sorted([...known, ...words])
}

/** Writing without spaces between words: here a dictionary has to find them. */
export const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/uy
const number = /\p{N}+(?:[.,]\p{N}+)*/uy
const word = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/uy
const space = /[\s\p{Z}]+/uy
const bar = /[|｜]/u

/** Controls, line and direction marks, and what is left of broken text: they have no place in a label. */
const unfit = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/u

/** A word as this language writes it; a sign is of neither. */
export const isWordOf = (text: string, lang: 'zh' | 'en'): boolean => (lang === 'zh' ? /\p{sc=Han}/u : /\p{sc=Latin}/u).test(text)

export const lengthOf = (text: string): number => [...text].length

/** A text as tokens that can be computed. */
export function parseTokens(text: string): Parsed<readonly string[]> {
  const cut = cutTokens(text)
  return cut.ok ? checkTokens(cut.value) : cut
}

/** All tokens of a text, however many. Splits at `|` where there is one; else finds the words itself. */
export function cutTokens(text: string): Parsed<readonly string[]> {
  const plain = plainText(text)
  if (!plain.ok) return plain
  return accepted(bar.test(plain.value) ? splitAtBars(plain.value) : findWords(plain.value))
}

/** The same where only the reader cuts: "New York" stays one token. */
export function cutAtBars(text: string): Parsed<readonly string[]> {
  const plain = plainText(text)
  return plain.ok ? accepted(splitAtBars(plain.value)) : plain
}

export function checkTokens(tokens: readonly string[]): Parsed<readonly string[]> {
  const long = tokens.find((token) => lengthOf(token) > maxTokenLength)
  if (tokens.length === 0) return refused({ code: 'no_tokens', max: maxTokens })
  if (tokens.length > maxTokens) return refused({ code: 'too_many_tokens', count: tokens.length, max: maxTokens })
  if (long !== undefined) return refused({ code: 'token_too_long', token: clip(long, 12), max: maxTokenLength })
  // What is computed can be linked.
  if (formatTokens(tokens).length > maxTextLength) return refused({ code: 'text_too_long', max: maxTextLength })
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

function plainText(text: string): Parsed<string> {
  // Before anything else: a pasted book must not reach a regular expression.
  if (text.length > maxTextLength) return refused({ code: 'text_too_long', max: maxTextLength })
  if (!isWellFormed(text)) return refused({ code: 'broken_text' })
  const plain = text.normalize('NFC').replace(/\s+/gu, ' ')
  return unfit.test(plain) ? refused({ code: 'broken_text' }) : accepted(plain)
}

function splitAtBars(text: string): string[] {
  return text.split(bar).map((token) => token.trim()).filter((token) => token !== '')
}

function findWords(text: string): string[] {
  const tokens: string[] = []
  const ends = edges(text)
  for (let place = 0; place < text.length; ) {
    const take = (pattern: RegExp): string | undefined => {
      pattern.lastIndex = place
      return pattern.exec(text)?.[0]
    }
    const blank = take(space)
    const run = take(spaceless)
    if (blank !== undefined) {
      place += blank.length
      continue
    }
    const found = run ?? take(number) ?? wordBefore(take(word))
    let end = place + (found?.length ?? 1)
    while (end < text.length && !ends.has(end)) end += 1
    const piece = text.slice(place, end)
    tokens.push(...(run === undefined ? [piece] : cutRun(piece)))
    place = end
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
  const ends = edges(run)
  let unknown = ''
  const flush = (): void => {
    if (unknown !== '') tokens.push(...segment(unknown, 'word'))
    unknown = ''
  }
  for (let place = 0; place < run.length; ) {
    const found = known.find((entry) => run.startsWith(entry, place) && ends.has(place + entry.length))
    if (found === undefined) {
      const character = String.fromCodePoint(run.codePointAt(place) ?? 0)
      unknown += character
      place += character.length
    } else {
      flush()
      tokens.push(found)
      place += found.length
    }
  }
  flush()
  return tokens
}
