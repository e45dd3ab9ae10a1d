// One run in the training module, in the lesson's terms. Runs in the worker.
import {
  dilemmaRecord, headOffRecord, precisionIds, qualityRecord, runProgressRecord, runSettingsRecord, savingRecord, type TaskInfo, type TaskName, tasks,
} from './generated/training_tables'
import { CoreError } from './protocol'
import type { Dilemma, HeadOff, HeadStudy, PrunedPoint, Quality, RunSettings, Saving, Snapshot, Switched } from './training'
import { out, type Wasm } from './wasm'

/** In the order of the core's numbers. */
export const languageIds = { zh: 0, en: 1 } as const
type Lang = keyof typeof languageIds

export const taskNames = Object.keys(tasks) as TaskName[]

/** Where each word stands in a task's vocabulary; −1: nowhere. */
export function placesOf(wasm: Wasm, taskId: number, tokens: readonly string[]): Int32Array {
  const { text, offsets } = packed(tokens)
  const places = new Int32Array(tokens.length)
  if (tokens.length > 0) wasm.run('mha_task_words', taskId, text, offsets, tokens.length, out(places))
  return places
}

/** Room for a saved run of every size in the chapter. A larger file is asked for twice, and measured twice. */
const usualBytes = 2 ** 20

/** What a run makes of one sentence. */
type Shown = Pick<Snapshot, 'tokens' | 'unknown' | 'maps' | 'dilemma'>

/** As the core reads them: layers and mask are the task's. */
export function settingsRecord({ task, heads, dModel, learningRate, residual, seed, batch }: RunSettings): Float64Array {
  const { layers, causal } = tasks[task]
  const record = new Float64Array(runSettingsRecord.size)
  const settings = { task: taskNames.indexOf(task), heads, modelDim: dModel, layers, residual, causal, batch, learningRate, seed }
  for (const [name, value] of Object.entries(settings)) record[runSettingsRecord[name as keyof typeof settings]] = Number(value)
  return record
}

export class TrainingRun {
  readonly #task: TaskInfo
  readonly #taskId: number
  readonly #heads: number
  readonly #record: Float64Array
  #last: Snapshot | undefined
  #lang: Lang | undefined
  #progress = { steps: 0, loss: 0, diverged: false }

  /** Throws what cannot be trained. `place`: one of the module's runs, which is begun anew. */
  constructor(private readonly wasm: Wasm, private readonly place: number, readonly settings: RunSettings) {
    this.#task = tasks[settings.task]
    this.#taskId = taskNames.indexOf(settings.task)
    this.#heads = this.#task.layers * settings.heads
    this.#record = settingsRecord(settings)
    wasm.run('mha_run_open', place, this.#record)
  }

  /** Measured by sentences of this language from now on. */
  listenTo(lang: Lang): void {
    if (lang === this.#lang) return
    this.#lang = lang
    this.wasm.run('mha_run_listen', this.place, languageIds[lang])
  }

  get steps(): number {
    return this.#progress.steps
  }

  get diverged(): boolean {
    return this.#progress.diverged
  }

  /** A run that diverges stays at its last finite state and says so. */
  advance(steps: number): void {
    const record = new Float64Array(runProgressRecord.size)
    try {
      this.wasm.run('mha_run_advance', this.place, steps, out(record))
    } catch (error) {
      if (!(error instanceof CoreError && error.failure.status === 'diverged')) throw error
    }
    this.#progress = {
      steps: record[runProgressRecord.steps]!,
      loss: record[runProgressRecord.loss]!,
      diverged: record[runProgressRecord.diverged] === 1,
    }
  }

  /**
   * The last finite state may still be too wild to answer with finite numbers: then the run is over as well, and its last snapshot stays.
   * thorough: also with every head switched off once; otherwise `unused` is what was last found.
   */
  snapshot(tokens: readonly string[], thorough: boolean, stepsPerSecond: number): Snapshot {
    try {
      return (this.#last = this.#measure(tokens, thorough, stepsPerSecond))
    } catch (error) {
      if (this.#last === undefined || !(error instanceof CoreError && error.failure.status === 'overflow')) throw error
      this.#progress.diverged = true
      return (this.#last = { ...this.#last, diverged: true })
    }
  }

  /** undefined: some model without some heads answers with numbers that are not finite. */
  studyHeads(): HeadStudy | undefined {
    const heads = new Float64Array(this.#heads * headOffRecord.size)
    const orders = new Int32Array(2 * this.#heads)
    const curves = new Float64Array(2 * (this.#heads + 1) * qualityRecord.size)
    return finite(() => {
      this.wasm.run('mha_run_study_heads', this.place, out(heads), out(orders), out(curves))
      const half = curves.length / 2
      return {
        step: this.#progress.steps,
        heads: Array.from({ length: this.#heads }, (_, head) => headOffOf(heads.subarray(head * headOffRecord.size))),
        byImportance: curveOf(orders.subarray(0, this.#heads), curves.subarray(0, half)),
        greedy: curveOf(orders.subarray(this.#heads), curves.subarray(half)),
      }
    })
  }

  switchHeads(off: readonly number[]): Switched | undefined {
    const gates = Float32Array.from({ length: this.#heads }, (_, head) => (off.includes(head) ? 0 : 1))
    const loss = new Float64Array(2)
    const row = 1 + this.#task.relations.length
    const accuracy = new Float64Array(2 * row)
    return finite(() => {
      this.wasm.run('mha_run_switch_heads', this.place, gates, out(loss), out(accuracy))
      const [now, allOn] = [0, 1].map((i) => ({ loss: loss[i]!, accuracy: accuracy[i * row]!, relations: accuracy.slice(i * row + 1, (i + 1) * row) }))
      return { step: this.#progress.steps, off, now: now!, allOn: allOn! }
    })
  }

  /** The run as a model file that tells what it knows of held-out sentences. `said`: what else is to be told; no text may be empty. */
  save({ precision, decimals = -1, moments }: Saving, said: Readonly<Record<string, string>> = {}): Uint8Array<ArrayBuffer> {
    const how = new Float64Array(savingRecord.size)
    how[savingRecord.precision] = precisionIds[precision]
    how[savingRecord.decimals] = decimals
    how[savingRecord.moments] = Number(moments)
    const { text, offsets } = packed(Object.entries(said).flat())
    const size = new Float64Array(1)
    const fill = (file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
      this.wasm.run('mha_run_save', this.place, how, text, offsets, offsets.length - 1, out(file), file.length, out(size))
      return file.slice(0, size[0])
    }
    try {
      return fill(new Uint8Array(usualBytes))
    } catch (error) {
      if (!(error instanceof CoreError && error.failure.status === 'too_large')) throw error
      return fill(new Uint8Array(size[0]!))
    }
  }

  /** Goes on from a file that save() gave, of this run's task and shape. Throws bad_model for any other; then the run stays as it was. */
  restore(file: Uint8Array): void {
    this.wasm.run('mha_run_restore', this.place, this.#record, file, file.length)
    this.#last = undefined
    if (this.#lang !== undefined) this.wasm.run('mha_run_listen', this.place, languageIds[this.#lang])
    this.advance(0)
  }

  #measure(tokens: readonly string[], thorough: boolean, stepsPerSecond: number): Snapshot {
    const { relations } = this.#task
    const loss = new Float64Array(1)
    const accuracy = new Float32Array(relations.length)
    const headAccuracy = new Float32Array(this.#heads * relations.length)
    const states = new Int32Array(headAccuracy.length)
    const idle = new Int32Array(this.#heads)
    this.wasm.run('mha_run_measure', this.place, Number(thorough), out(loss), out(accuracy), out(headAccuracy), out(states), out(idle))
    const { steps, loss: stepLoss, diverged } = this.#progress
    return {
      step: steps, loss: stepLoss, heldOutLoss: loss[0]!, relations, accuracy, headAccuracy,
      cells: Uint8Array.from(states), unused: Uint8Array.from(idle), ...this.#show(tokens), diverged, stepsPerSecond,
    }
  }

  #show(asked: readonly string[]): Shown {
    const places = placesOf(this.wasm, this.#taskId, asked)
    const unknown = asked.filter((_, i) => places[i] === -1)
    const fits = unknown.length === 0 && asked.length > 0 && asked.length <= this.#task.longest
    const words = fits ? places : this.#heldOut()
    const n = words.length
    const maps = new Float32Array(this.#heads * n * n)
    const record = new Float64Array(dilemmaRecord.size)
    this.wasm.run('mha_run_show', this.place, words, n, out(maps), out(record))
    return { tokens: Array.from(words, (place) => this.#task.words[place]!), unknown, maps, dilemma: dilemmaOf(record, maps, n) }
  }

  #heldOut(): Int32Array {
    const words = new Int32Array(this.#task.longest)
    const length = new Int32Array(1)
    this.wasm.run('mha_task_sentence', this.#taskId, this.#lang === undefined ? -1 : languageIds[this.#lang], out(words), words.length, out(length))
    return words.slice(0, length[0])
  }
}

/** Texts one behind another, as UTF-8, and where each begins and ends. */
function packed(texts: readonly string[]): { text: Uint8Array; offsets: Int32Array } {
  const parts = texts.map((part) => new TextEncoder().encode(part))
  const offsets = new Int32Array(parts.length + 1)
  parts.forEach((part, i) => (offsets[i + 1] = offsets[i]! + part.length))
  const text = new Uint8Array(offsets[parts.length]!)
  parts.forEach((part, i) => text.set(part, offsets[i]))
  return { text, offsets }
}

function dilemmaOf(record: Float64Array, maps: Float32Array, n: number): Dilemma | undefined {
  const [head, query] = [record[dilemmaRecord.head]!, record[dilemmaRecord.query]!]
  if (head < 0) return undefined
  const row = (head * n + query) * n
  return { head, query, giver: record[dilemmaRecord.first]!, receiver: record[dilemmaRecord.second]!, weights: maps.slice(row, row + n), loss: record[dilemmaRecord.loss]! }
}

/** What is asked, or undefined if a number of it is not finite. */
function finite<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask()
  } catch (error) {
    if (error instanceof CoreError && error.failure.status === 'overflow') return undefined
    throw error
  }
}

const qualityOf = (record: Float64Array): Quality => ({ loss: record[qualityRecord.loss]!, accuracy: record[qualityRecord.accuracy]! })

function headOffOf(record: Float64Array): HeadOff {
  const field = (name: Exclude<keyof typeof headOffRecord, 'size'>): number => record[headOffRecord[name]]!
  return {
    without: { loss: field('loss'), accuracy: field('accuracy') },
    accuracyLost: field('accuracyLost'),
    sliced: { loss: field('slicedLoss'), accuracy: field('slicedAccuracy') },
    importance: field('importance'), normalised: field('normalised'), rank: field('rank'), importanceRank: field('importanceRank'),
  }
}

const curveOf = (order: Int32Array, curve: Float64Array): PrunedPoint[] =>
  Array.from({ length: order.length + 1 }, (_, gone) => ({ ...qualityOf(curve.subarray(gone * qualityRecord.size)), head: gone === 0 ? undefined : order[gone - 1]! }))
