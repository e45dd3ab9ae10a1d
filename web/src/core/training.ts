// What the chapter `training` reads of a run, and what it may ask of one. Types only: every number in here is computed by the core.

export const trainingTasks = ['relations', 'women', 'letters', 'induction', 'pronoun'] as const
export type TrainingTask = (typeof trainingTasks)[number]

/** Of relation reading, in the order of the core's table. Other tasks have relations of their own. */
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

/**
 * What one head is to one relation: the place in this list is the core's code, one per cell [head, relation]. Only held-out sentences
 * count, and "right" means that the head gives the gold word its largest attention weight.
 *   unmeasured  nothing was measured yet
 *   low         right in less than half of the cases
 *   partial     right in at least half of them, and the relation is not shared
 *   shared      at least partial, no head of this column is right in 90 %, and the whole model answers 90 %: several heads do it together
 *   owner       right in at least 90 %, and the best of its column
 *   duplicate   right in at least 90 %, but another head is better: the same job twice
 */
export const cellStates = ['unmeasured', 'low', 'partial', 'shared', 'owner', 'duplicate'] as const
export type CellState = (typeof cellStates)[number]

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
  /** the words of the chosen sentence, n of them */
  tokens: readonly string[]
  /** [heads × n × n] attention weights on the chosen sentence */
  maps: Float32Array
  /** undefined: the chosen sentence has no word with two questions */
  dilemma: Dilemma | undefined
  /** numbers became too large to go on with; everything else here is of the last step that went well */
  diverged: boolean
  stepsPerSecond: number
}

/** A run as one file: settings, parameters, what Adam remembers, the step. */
export interface SavedRun {
  settings: RunSettings
  content: Blob
}

/** Answers of the client. `run`: its place in the list that was given to `reset`. */
export interface TrainingListener {
  snapshot(run: number, snapshot: Snapshot): void
  failed(detail: string): void
}

/** Several runs on the same batches, in a worker, slice by slice. No snapshot comes more often than the client was told. */
export interface TrainingClient {
  /** Makes the runs anew and reports each at step 0. */
  reset(runs: readonly RunSettings[], tokens: readonly string[], listener: TrainingListener): void
  /** stepsPerSecond: Infinity, as fast as it goes */
  play(options: { stepsPerSecond: number; snapshotsPerSecond: number }): void
  pause(): void
  step(): void
  /** Attention maps and dilemma are of this sentence from now on. */
  show(tokens: readonly string[]): void
  save(run: number): Promise<SavedRun>
  /** Goes on with a run that was saved, as the only one. */
  resume(file: Blob, listener: TrainingListener): Promise<RunSettings>
}
