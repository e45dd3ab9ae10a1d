// A trained model with one mistake in its attention: what is asked, and what the core answers. Runs in the worker.
import { type BreakName, breakNames, brokenRecord, tasks } from './generated/training_tables'
import type { Quality } from './training'
import { languageIds, placesOf, taskNames } from './training_engine'
import { out, type Wasm } from './wasm'

export type Mistake = Exclude<BreakName, 'none'>

export interface BreakRequest {
  /** a trained model of the task of reading relations */
  file: ArrayBuffer
  heads: number
  mistake: Mistake
  /** of the held-out sentences */
  lang: 'zh' | 'en'
  /** the sentence whose maps are wanted */
  tokens: string[]
}

/** Over held-out questions. */
export interface Answered extends Quality {
  /** [relations] −1: nothing was asked */
  relations: Float64Array
}

/** What the mistake does to one sentence. */
export interface BrokenSentence {
  tokens: readonly string[]
  /** [h, n, n] attention weights, right and broken */
  before: Float32Array
  after: Float32Array
  /** the largest |difference| of its output, before the read-out */
  largestChange: number
  /** of the broken rows, in all heads */
  smallestRowSum: number
  largestRowSum: number
}

export interface BreakReport {
  mistake: Mistake
  before: Answered
  after: Answered
  /** words of the sentence that the model has not learned */
  unknown: readonly string[]
  /** undefined: the model cannot read the sentence, which has unknown words or too many */
  sentence: BrokenSentence | undefined
}

/** Throws what cannot be broken. */
export function breakModel(wasm: Wasm, { file, heads, mistake, lang, tokens }: BreakRequest): BreakReport {
  const { relations, longest } = tasks.relation
  const places = placesOf(wasm, taskNames.indexOf('relation'), tokens)
  const unknown = tokens.filter((_, i) => places[i] === -1)
  const n = unknown.length === 0 && tokens.length <= longest ? tokens.length : 0
  const [loss, accuracy] = [new Float64Array(2), new Float64Array(2 * (1 + relations.length))]
  const maps = new Float32Array(2 * heads * n * n)
  const record = new Float64Array(brokenRecord.size)
  wasm.run(
    'mha_break', new Uint8Array(file), file.byteLength, heads, breakNames.indexOf(mistake), languageIds[lang],
    places, n, out(loss), out(accuracy), out(maps), out(record),
  )
  const answered = (place: number): Answered => {
    const first = place * (1 + relations.length)
    return { loss: loss[place]!, accuracy: accuracy[first]!, relations: accuracy.slice(first + 1, first + 1 + relations.length) }
  }
  const half = maps.length / 2
  const sentence: BrokenSentence | undefined = n === 0 ? undefined : {
    tokens, before: maps.slice(0, half), after: maps.slice(half),
    largestChange: record[brokenRecord.largestChange]!,
    smallestRowSum: record[brokenRecord.smallestRowSum]!,
    largestRowSum: record[brokenRecord.largestRowSum]!,
  }
  return { mistake, before: answered(0), after: answered(1), unknown, sentence }
}
