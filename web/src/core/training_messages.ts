// What the page and the training worker say to each other.
import type { CoreFailure } from './protocol'
import type { RunSettings, Snapshot } from './training'

export type TrainingMessage =
  /** comes first: the module's bytes */
  | { kind: 'load'; bytes: ArrayBuffer }
  /** other runs; answers carry the generation they belong to */
  | { kind: 'reset'; generation: number; runs: RunSettings[]; tokens: string[] }
  | { kind: 'play'; stepsPerSecond: number; snapshotsPerSecond: number }
  | { kind: 'pause' }
  | { kind: 'step' }
  | { kind: 'show'; tokens: string[] }
  | { kind: 'listen'; lang: 'zh' | 'en' }

export type TrainingReply =
  | { kind: 'snapshot'; generation: number; run: number; snapshot: Snapshot }
  | { kind: 'failed'; generation: number; failure: CoreFailure }
