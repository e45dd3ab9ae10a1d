// A problem for the page: sentence, sizes, options. What an address says and what the oracle is asked come from it.
import { Random } from './random'

export interface Problem {
  /** the file of a trained model; absent: seeded */
  model?: string
  lang: 'zh' | 'en'
  tokens: string[]
  dModel: number
  heads: number
  seed: number
  causal: boolean
  scaled: boolean
  positions: boolean
  padding: number
  /** heads that are switched off, from 0 */
  out: number[]
}

const words: Record<Problem['lang'], readonly string[]> = {
  zh: ['小明', '把', '蛋糕', '递给', '小红', '因为', '她', '不', '饿', '了', '。', '，', '“', '词元'],
  en: ['Tom', 'passed', 'the', 'cake', 'to', 'Lily', 'because', 'she', 'was', 'no', 'longer', 'hungry', '.', 'New York', "isn't"],
}

/** Outside the basic plane, several code points in one sign, right to left, what HTML and addresses give a meaning. */
const strange = [
  '𠮷', '龘', '㐂', '🎂', '👩‍👧‍👦', '🇨🇳', '👍🏽', 'café', 'שלום', 'مرحبا', 'ไทย', 'नमस्ते', 'ß', '&amp;', '<b>', 'a=b', '100%', '+', '?#&',
  '"', "'", '\\', '__proto__', 'constructor', 'NaN', '0', '-1', 'null', '１２', '∞',
]

export interface Wishes {
  lang?: Problem['lang']
  /** the most tokens, the widest model, the most heads */
  tokens?: number
  dModel?: number
  heads?: number
}

export function randomProblem(random: Random, { lang, tokens = 12, dModel = 48, heads = 12 }: Wishes = {}): Problem {
  const language = lang ?? random.pick(['zh', 'en'] as const)
  const wide = Math.min(dModel, random.pick([random.whole(1, 12), random.whole(8, dModel), dModel]))
  const divisors = Array.from({ length: Math.min(wide, heads) }, (_, i) => i + 1).filter((h) => wide % h === 0)
  // Several heads are the subject; one head is the exception.
  const h = random.chance(0.85) ? random.pick(divisors.slice(divisors.length > 1 ? 1 : 0)) : 1
  const sentence = randomTokens(random, language, tokens)
  return {
    lang: language,
    tokens: sentence,
    dModel: wide,
    heads: h,
    seed: random.pick([random.whole(0, 99), random.whole(0, 2 ** 32 - 1)]),
    causal: random.chance(0.5),
    scaled: random.chance(0.8),
    positions: random.chance(0.7),
    padding: random.chance(0.4) ? random.whole(1, sentence.length) : 0,
    out: random.chance(0.25) ? random.some(Array.from({ length: h }, (_, i) => i), 0.4) : [],
  }
}

function randomTokens(random: Random, lang: Problem['lang'], most: number): string[] {
  const count = random.chance(0.1) ? 1 : random.whole(2, most)
  const tokens: string[] = []
  while (tokens.length < count) {
    const again = tokens.length > 0 && random.chance(0.25)
    tokens.push(again ? random.pick(tokens) : random.pick(random.chance(0.3) ? strange : words[lang]))
  }
  return tokens
}

const defaults = { dModel: 8, heads: 2, seed: 42 }

/** The query of an address that says this problem in full. */
export function query(problem: Problem, more: Record<string, string | number> = {}): string {
  const { lang, tokens, dModel, heads, seed, causal, scaled, positions, padding, out } = problem
  const search = new URLSearchParams({
    lang, sentence: `${tokens.join('|')}${tokens.length === 1 ? '|' : ''}`, dModel: String(dModel), heads: String(heads),
    causal: causal ? '1' : '0', scaled: scaled ? '1' : '0', positions: positions ? '1' : '0', padding: String(padding),
    weights: problem.model === undefined ? 'seeded' : 'trained', seed: String(seed),
  })
  if (out.length > 0) search.set('out', out.join(','))
  for (const [key, value] of Object.entries(more)) search.set(key, String(value))
  return `?${search.toString()}`
}

/** The lesson's own sentence at its readable size. */
export const lesson = (lang: Problem['lang']): Problem => ({
  lang,
  tokens:
    lang === 'zh'
      ? ['小明', '把', '蛋糕', '递给', '小红', '因为', '她', '不', '饿', '了', '。']
      : ['Tom', 'passed', 'the', 'cake', 'to', 'Lily', 'because', 'she', 'was', 'no', 'longer', 'hungry', '.'],
  ...defaults,
  causal: false,
  scaled: true,
  positions: true,
  padding: 0,
  out: [],
})

export const describeProblem = (problem: Problem): string =>
  `${problem.tokens.length} tokens, ${problem.dModel} = ${problem.heads} × ${problem.dModel / problem.heads}, ${JSON.stringify(problem)}`
