// What the chapter `training` reads of a run, and what it may ask of one. Types only: every number in here is computed by the core.

import type { CoreFailure } from './protocol'
import type { TrainingTask } from './training_tasks'
import { type RoleStateName, roleStateNames } from './generated/training_tables'

export { type TrainingTask, trainingTasks } from './training_tasks'

/** In the order of the core's table. */
export type Relation = string

export interface RunSettings {
  task: TrainingTask
  heads: number
  dModel: number
  learningRate: number
  residual: boolean
  seed: number
  /** sentences in a step */
  batch: number
}

/** How a run is written into a file, as documented in src/lab/saved_run.hpp. */
export interface Saving {
  precision: 'float32' | 'float16'
  /** every parameter rounded to so many; undefined: none is */
  decimals?: number | undefined
  /** with what Adam knows, so that the run can go on as if it had never stopped */
  moments: boolean
}

/** A run as a file, and after how many steps it was saved. */
export interface SavedRun {
  step: number
  file: ArrayBuffer
}

/** What one head is to one relation, as documented in src/lab/roles.hpp. A cell holds its place in this list. */
export const cellStates = roleStateNames
export type CellState = RoleStateName

/** One row of attention weights at a word that asks two questions at once, and what the mix costs. */
export interface Dilemma {
  head: number
  /** the place of the asking word in the sentence */
  query: number
  /** the places of the two words it asks for */
  giver: number
  receiver: number
  /** [n] */
  weights: Float32Array
  /** the loss of the two questions at this word */
  loss: number
}

export interface Snapshot {
  step: number
  /** of the step's own sentences */
  loss: number
  heldOutLoss: number
  relations: readonly Relation[]
  /** [relations] the whole model's answers on held-out sentences, 0…1 */
  accuracy: Float32Array
  /** [heads × relations] 0…1 */
  headAccuracy: Float32Array
  /** [heads × relations] places in cellStates */
  cells: Uint8Array
  /** [heads] 1: the head is hardly used; without it the answers stay as they are */
  unused: Uint8Array
  /** the words of the sentence on show, n of them */
  tokens: readonly string[]
  /** words of the sentence asked for that the task does not have: then a held-out sentence is on show instead */
  unknown: readonly string[]
  /** [heads × n × n] attention weights on the chosen sentence */
  maps: Float32Array
  /** undefined: the chosen sentence has no word with two questions */
  dilemma: Dilemma | undefined
  /** numbers became too large to go on with; everything else here is of the last step that went well */
  diverged: boolean
  stepsPerSecond: number
}

/** Over all questions about held-out sentences. */
export interface Quality {
  loss: number
  /** share of right answers */
  accuracy: number
}

/** One head, and the model without it, as documented in src/lab/heads_off.hpp. */
export interface HeadOff {
  without: Quality
  /** accuracy with all heads, less that without it */
  accuracyLost: number
  /** the common bug: a slice of the output zeroed, after W_O */
  sliced: Quality
  /** I_h, in nats, and divided by the norm of its layer's */
  importance: number
  normalised: number
  /** 1: no head is missed more */
  rank: number
  /** 1: no head has a larger I_h */
  importanceRank: number
}

/** The model when so many heads are out; `head`: the one that went last. */
export interface PrunedPoint extends Quality {
  head: number | undefined
}

export interface HeadStudy {
  /** the model that was studied */
  step: number
  heads: readonly HeadOff[]
  /** from all heads to none: the smallest I_h first, and each time the one that is missed least */
  byImportance: readonly PrunedPoint[]
  greedy: readonly PrunedPoint[]
}

/** The model with heads switched off by hand, and beside it with all of them. */
export interface Switched {
  step: number
  off: readonly number[]
  now: Quality & { relations: Float64Array }
  allOn: Quality & { relations: Float64Array }
}

/** Answers of the client. `run`: its place in the list that was given to `reset`. */
export interface TrainingListener {
  snapshot(run: number, snapshot: Snapshot): void
  /** undefined: some number is too large to be told */
  studied(run: number, study: HeadStudy | undefined): void
  switched(run: number, switched: Switched | undefined): void
  failed(failure: CoreFailure): void
}

/** The same settings from many seeds, for several numbers of heads. */
export interface StudySettings extends Omit<RunSettings, 'heads'> {
  /** every h */
  heads: readonly number[]
  /** how many, from `seed` on */
  seeds: number
  /** of every run */
  steps: number
  /** a held-out loss below it counts as reached */
  bound: number
  /** it is measured after so many steps */
  every: number
  /** of the held-out sentences */
  lang: 'zh' | 'en'
}

/** What the runs of one h say together; only their counts cover those that diverged. */
export interface StudySummary {
  heads: number
  runs: number
  reached: number
  diverged: number
  /** steps of those that reached the bound; undefined if none has */
  steps: { median: number; fewest: number; most: number } | undefined
  /** the median held-out loss after the last step; undefined if all diverged */
  loss: number | undefined
  /** [relations] in how many runs some head was right in 90 %, and in how many of these it did nothing else as well */
  owned: Int32Array
  alone: Int32Array
  /** [relations] in how many runs the whole model answered right in 90 % */
  answered: Int32Array
  /** different ones, heads told apart by their numbers */
  assignments: number
  /** different ones, whatever the heads' numbers: relations with the same number share a head, −1 has none; the most frequent first */
  groupings: readonly { groups: Int32Array; runs: number }[]
  /** [runs] when each reached the bound; undefined: it did not */
  reachedAt: readonly (number | undefined)[]
}

export interface StudyReport {
  /** what goes on: a seed (from 0) and an h; undefined: it is done */
  now: { seed: number; heads: number; step: number } | undefined
  /** runs that are through, and with parts of the one that goes on, out of all */
  done: number
  total: number
  relations: readonly Relation[]
  summaries: readonly StudySummary[]
}

export interface StudyListener {
  report(report: StudyReport): void
  failed(failure: CoreFailure): void
}

/** Several runs on the same batches, in a worker, slice by slice. No snapshot comes more often than the client was told. */
export interface TrainingClient {
  /** Fetches what it needs, so that runs begin at once, and without a network. What is missing then is asked for again by reset. */
  prepare(): void
  /** Makes the runs anew and reports each at step 0. */
  reset(runs: readonly RunSettings[], tokens: readonly string[], listener: TrainingListener): void
  /** stepsPerSecond: Infinity, as fast as it goes */
  play(options: { stepsPerSecond: number; snapshotsPerSecond: number }): void
  pause(): void
  step(): void
  /** Loss, answers and roles are measured by held-out sentences of this language from now on: heads often see to one only. */
  listenTo(lang: 'zh' | 'en'): void
  /** Attention maps and dilemma are of this sentence from now on. */
  show(tokens: readonly string[]): void
  /** Pauses, and studies what one run loses without each of its heads. */
  studyHeads(run: number): void
  /** Pauses, and answers without some of its heads. */
  switchHeads(run: number, off: readonly number[]): void
  /** A run as it is now; moments: with all that it needs to go on. Rejects with a CoreError. */
  save(run: number, moments: boolean): Promise<SavedRun>
  /** A run that was saved, alone in place of all others. Rejects with a CoreError: then they go on as if nothing had been asked. */
  resume(settings: RunSettings, file: ArrayBuffer, tokens: readonly string[], listener: TrainingListener): Promise<void>
  /** One study at a time: it replaces the one before. While the runs go it waits. */
  study(settings: StudySettings, listener: StudyListener): void
  stopStudy(): void
}
