// What the page and the training worker say to each other.
import type { BreakReport, BreakRequest } from './broken'
import type { CoreFailure } from './protocol'
import type { HeadStudy, RunSettings, SavedRun, Snapshot, StudyReport, StudySettings, Switched } from './training'

export type TrainingMessage =
  /** comes first: the module's bytes */
  | { kind: 'load'; bytes: ArrayBuffer }
  /** other runs; answers carry the generation they belong to */
  | { kind: 'reset'; generation: number; runs: RunSettings[]; tokens: string[] }
  | { kind: 'play'; stepsPerSecond: number; snapshotsPerSecond: number }
  | { kind: 'pause' }
  | { kind: 'step' }
  | { kind: 'show'; tokens: string[] }
  | { kind: 'studyHeads'; run: number }
  | { kind: 'switchHeads'; run: number; off: number[] }
  /** one run as a file; the answer carries the id */
  | { kind: 'save'; id: number; run: number; moments: boolean }
  /** the run of a file takes the place of all others, if it can be read; they go on until then, and if it can't */
  | { kind: 'resume'; id: number; generation: number; settings: RunSettings; file: ArrayBuffer; tokens: string[] }
  /** what is under way was measured by the other language: later answers are of another generation */
  | { kind: 'listen'; generation: number; lang: 'zh' | 'en' }
  /** a study of many seeds, whose answers carry its id */
  | { kind: 'study'; id: number; settings: StudySettings }
  | { kind: 'stopStudy' }
  /** a trained model with a mistake, whose answer carries its id; runs and studies do not hear of it */
  | { kind: 'break'; id: number; request: BreakRequest }

export type TrainingReply =
  | { kind: 'snapshot'; generation: number; run: number; snapshot: Snapshot }
  | { kind: 'headsStudied'; generation: number; run: number; study: HeadStudy | undefined }
  | { kind: 'headsSwitched'; generation: number; run: number; switched: Switched | undefined }
  | { kind: 'saved'; id: number; saved: SavedRun }
  | { kind: 'resumed'; id: number }
  | { kind: 'fileFailed'; id: number; failure: CoreFailure }
  | { kind: 'failed'; generation: number; failure: CoreFailure }
  | { kind: 'studied'; id: number; report: StudyReport }
  | { kind: 'studyFailed'; id: number; failure: CoreFailure }

export type BreakReply = { kind: 'broken'; id: number; report: BreakReport } | { kind: 'breakFailed'; id: number; failure: CoreFailure }
