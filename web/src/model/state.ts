// Everything a link can say, in ONE table: name, default, how it reads and writes, what it allows. The address and the
// controls use the same `parse`, so a value that may not be typed may not be linked either. No DOM here.
import type { CellRef, WeightsName } from '../core/protocol'
import { type TrainingTask, trainingTasks } from '../core/training_tasks'
import { maxDModel, maxSeed } from './limits'
import { formatPin, headOf, isCell, parsePin } from './pin'
import { type Parsed, type Problem, accepted, refused } from './problem'
import { allDivide, batches, formatSet, headSets, initialSettings, learningRates, runWidths } from './run_settings'
import { type Lang, lessonSentence, shortSentence } from './sentences'
import { divides, nearestSizes, readableSize, shortSize } from './shape'
import { type Tour, lastStop, stopsOf, tourNames } from './stops'
import { clip, formatTokens, parseTokens } from './tokens'

/** The chapters there are, in the order of the header. The first is where a bare address opens. */
export const chapterNames = ['steps', 'training'] as const
export type Chapter = (typeof chapterNames)[number]
export type Theme = 'auto' | 'light' | 'dark'
/** projector: one figure and one sentence, for a room */
export type View = 'page' | 'projector'

export interface State {
  chapter: Chapter
  lang: Lang
  theme: Theme
  view: View
  /** negative numbers are marked, not by colour alone */
  signs: boolean
  sentence: readonly string[]
  dModel: number
  heads: number
  causal: boolean
  /** scores are divided by √d_k */
  scaled: boolean
  positions: boolean
  /** how many tokens at the end are padding */
  padding: number
  seed: number
  /** a wish: where there is no trained model for what is asked, the numbers are seeded, and say so */
  weights: WeightsName
  /** the whole walk, or one head on three words */
  tour: Tour
  stop: number
  head: number
  pin: CellRef | null
  /** heads that are switched off, ascending */
  out: readonly number[]
  /** whoever walks is asked to guess before some stops show their answer */
  predict: boolean
  /** what the runs of the chapter `training` learn, and what they are set to */
  task: TrainingTask
  width: number
  rate: number
  batch: number
  residual: boolean
  runSeed: number
  /** how many heads the runs beside each other have */
  runHeads: readonly number[]
}

export type Key = keyof State

/** `so far` holds the properties above this one in the table. */
interface Property<Value> {
  initial(soFar: State): Value
  parse(text: string, soFar: State): Parsed<Value>
  format(value: Value): string
}

const choice = <Value extends string | number>(allowed: readonly Value[], initial: Value): Property<Value> => ({
  initial: () => initial,
  parse: (text) => {
    const found = allowed.find((value) => String(value) === text)
    return found === undefined ? refused({ code: 'not_a_choice', allowed: allowed.map(String) }) : accepted(found)
  },
  format: String,
})

const flag = (initial: boolean): Property<boolean> => ({
  initial: () => initial,
  parse: (text) =>
    text === '1' || text === '0' ? accepted(text === '1') : refused({ code: 'not_a_choice', allowed: ['0', '1'] }),
  format: (value) => (value ? '1' : '0'),
})

/** Whole numbers as people type them: full-width digits and blanks around are fine. */
function parseWhole(text: string, min: number, max: number): Parsed<number> {
  const plain = text.length <= 64 ? text.normalize('NFKC').trim() : ''
  const value = /^\d{1,10}$/.test(plain) ? Number(plain) : NaN
  return value >= min && value <= max ? accepted(value) : refused({ code: 'not_in_range', min, max })
}

const whole = (initial: (soFar: State) => number, min: number, max: (soFar: State) => number): Property<number> => ({
  initial,
  parse: (text, soFar) => parseWhole(text, min, max(soFar)),
  format: String,
})

function parseHeads(text: string, { dModel }: State): Parsed<number> {
  // More heads than columns is one more way not to divide: there are sizes near that as well.
  const parsed = parseWhole(text, 1, maxDModel)
  if (!parsed.ok || divides(parsed.value, dModel)) return parsed
  const size = { dModel, heads: parsed.value }
  return refused({ code: 'does_not_divide', ...size, offers: nearestSizes(size, 'dModel') })
}

function parseHeadSet(text: string, { width }: State): Parsed<readonly number[]> {
  const found = headSets.find((set) => formatSet(set) === text)
  if (found === undefined) return refused({ code: 'not_a_choice', allowed: headSets.map(formatSet) })
  if (allDivide(found, width)) return accepted(found)
  return refused({ code: 'does_not_divide', dModel: width, heads: Math.max(...found), offers: [] })
}

function parseList(text: string, max: number): Parsed<readonly number[]> {
  const problem: Problem = { code: 'not_a_list', max }
  if (!/^\d{1,4}(,\d{1,4})*$/.test(text) || text.length > 5 * (max + 1)) return refused(problem)
  const values = [...new Set(text.split(',').map(Number))].sort((a, b) => a - b)
  return values.every((value) => value <= max) ? accepted(values) : refused(problem)
}

const usualSeed = 42
export const weightsNames = ['trained', 'seeded', 'run'] as const satisfies readonly WeightsName[]

/** In the order in which they depend on each other. */
export const properties: { readonly [K in Key]: Property<State[K]> } = {
  chapter: choice<Chapter>(chapterNames, 'steps'),
  lang: choice<Lang>(['zh', 'en'], 'zh'),
  theme: choice<Theme>(['auto', 'light', 'dark'], 'auto'),
  view: choice<View>(['page', 'projector'], 'page'),
  signs: flag(false),
  sentence: { initial: ({ lang }) => lessonSentence[lang], parse: parseTokens, format: formatTokens },
  dModel: whole(() => readableSize.dModel, 1, () => maxDModel),
  heads: {
    initial: ({ dModel }) => (divides(readableSize.heads, dModel) ? readableSize.heads : 1),
    parse: parseHeads,
    format: String,
  },
  causal: flag(false),
  scaled: flag(true),
  positions: flag(true),
  padding: whole(() => 0, 0, ({ sentence }) => sentence.length),
  seed: whole(() => usualSeed, 0, () => maxSeed),
  // Whoever names a seed means seeded numbers, as links did before there were trained ones.
  weights: { ...choice<WeightsName>(weightsNames, 'trained'), initial: ({ seed }) => (seed === usualSeed ? 'trained' : 'seeded') },
  tour: choice<Tour>(tourNames, 'all'),
  stop: whole(() => 0, 0, () => lastStop),
  head: whole(() => 0, 0, ({ heads }) => heads - 1),
  pin: {
    initial: () => null,
    parse: (text, soFar) => parsePin(text, soFar.sentence.length, soFar),
    format: (cell) => (cell === null ? '' : formatPin(cell)),
  },
  out: {
    initial: () => [],
    parse: (text, { heads }) => parseList(text, heads - 1),
    format: (heads) => heads.join(','),
  },
  predict: flag(true),
  task: choice<TrainingTask>(trainingTasks, initialSettings.task),
  width: choice<number>(runWidths, initialSettings.dModel),
  rate: choice<number>(learningRates, initialSettings.learningRate),
  batch: choice<number>(batches, initialSettings.batch),
  residual: flag(initialSettings.residual),
  runSeed: whole(() => initialSettings.seed, 0, () => maxSeed),
  runHeads: { initial: () => headSets[0]!, parse: parseHeadSet, format: formatSet },
}

export const keys = Object.keys(properties) as Key[]

/** A value from the address that was not accepted; the default stands instead. */
export interface Refusal {
  key: Key
  /** what was given, cut to a length that can be shown */
  given: string
  problem: Problem
}

/** Reads one property into `state`, or its default if the text is absent or refused. */
function read<K extends Key>(key: K, text: string | null, state: State, refusals: Refusal[]): void {
  const property: Property<State[K]> = properties[key]
  state[key] = property.initial(state)
  if (text === null) return
  const parsed = property.parse(text, state)
  if (parsed.ok) state[key] = parsed.value
  else refusals.push({ key, given: clip(text, 40), problem: parsed.problem })
}

const aboutNoLanguage: readonly Key[] = ['view', 'theme', 'weights']

/** A bare address opens in the reader's own language; one that says anything means what it says. */
export function readAddress(search: string, preferred: Lang = 'zh'): { state: State; refusals: Refusal[] } {
  const query = new URLSearchParams(search)
  const state = {} as State
  const refusals: Refusal[] = []
  const bare = !keys.some((key) => !aboutNoLanguage.includes(key) && query.has(key))
  for (const key of keys) read(key, bare && key === 'lang' ? preferred : query.get(key), state, refusals)
  return { state: consistent(state), refusals }
}

export const initialState = (): State => readAddress('').state

/** The query string of a state, defaults left out. The language always stands there: a bare address has the reader's own. */
export function writeAddress(state: State): string {
  const query = new URLSearchParams()
  for (const key of keys) {
    const text = formatOf(key, state)
    if (key === 'lang' || text !== formatInitial(key, state)) query.set(key, text)
  }
  // Commas and bars are legal in a query; the cuts of a sentence stay readable.
  return `?${query.toString().replaceAll('%2C', ',').replaceAll('%7C', '|')}`
}

function formatOf<K extends Key>(key: K, state: State): string {
  return properties[key].format(state[key])
}

function formatInitial<K extends Key>(key: K, state: State): string {
  const property: Property<State[K]> = properties[key]
  return property.format(property.initial(state))
}

/** After a change: what depends on it follows, and what no longer exists is let go. */
export function settle(next: State, before: State): State {
  const state = { ...next }
  const own = state.lang === before.lang ? undefined : [lessonSentence, shortSentence].find((each) => formatTokens(state.sentence) === formatTokens(each[before.lang]))
  if (own !== undefined) {
    state.sentence = own[state.lang]
    state.pin = null
  }
  if (state.seed !== before.seed && state.weights === before.weights) state.weights = 'seeded'
  if (!divides(state.heads, state.dModel)) state.heads = properties.heads.initial(state)
  if (!allDivide(state.runHeads, state.width)) state.runHeads = properties.runHeads.initial(state)
  state.padding = Math.min(state.padding, state.sentence.length)
  state.head = Math.min(state.head, state.heads - 1)
  // The same list until a head is switched: that is how a trial knows whether the reader has taken over.
  if (state.out.some((head) => head >= state.heads)) state.out = state.out.filter((head) => head < state.heads)
  if (state.pin !== null && !isCell(state.pin, state.sentence.length, state)) state.pin = null
  return consistent(state)
}

/** A pinned cell of a head is looked at in that head; who leaves the short walk's stops or size is on the whole one. */
function consistent(state: State): State {
  const isShort = state.tour === 'one' && (state.heads !== shortSize.heads || state.dModel !== shortSize.dModel)
  const tour = stopsOf(state.tour).includes(state.stop) && !isShort ? state.tour : 'all'
  return { ...state, tour, head: (state.pin && headOf(state.pin)) ?? state.head }
}

/** Values that a program gives, as text or as they stand in the state, checked as the address would be. */
export function readValues(values: Partial<Record<Key, unknown>>, before: State): { patch: Partial<State>; refusals: Refusal[] } {
  const state = { ...before }
  const patch: Partial<State> = {}
  const refusals: Refusal[] = []
  for (const key of keys) if (key in values) take(key, values[key], state, patch, refusals)
  return { patch, refusals }
}

function take<K extends Key>(key: K, value: unknown, state: State, patch: Partial<State>, refusals: Refusal[]): void {
  const property: Property<State[K]> = properties[key]
  const text = textOf(property, value)
  // The default need not be a text that can be read: nothing pinned, no head out.
  const parsed = text === formatInitial(key, state) ? accepted(property.initial(state)) : property.parse(text, state)
  if (parsed.ok) state[key] = patch[key] = parsed.value
  else refusals.push({ key, given: clip(text, 40), problem: parsed.problem })
}

function textOf<Value>({ format }: Property<Value>, value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return String(format(value as Value))
  } catch {
    // Something that no value of this kind looks like: its parse will say so.
    return String(value)
  }
}

/** Checks typed text as the address would be checked. */
export function parseTyped<K extends Key>(key: K, text: string, state: State): Parsed<State[K]> {
  const property: Property<State[K]> = properties[key]
  return property.parse(text, state)
}
