// What the client and the worker say to each other. An answer carries the id of its request; the id of a pass is its
// name from then on.
import type { SlabName, TensorName } from './generated/tables'
import type { AtScaleReport, AtScaleRequest, CellRef, Comparison, CoreFailure, Explanation, Influence, MeasureReport, MeasureRequest, PassRequest, Role, RowShares, Shape } from './protocol'

export type Build = 'simd' | 'relaxed'

/** Where one tensor lies in its slab. Only C++ makes these. Offset and strides count floats. */
export interface ViewRecord {
  axes: string[]
  shape: number[]
  strides: number[]
  offset: number
}

/** By tensor: the largest error beside its bound. */
export type Deviations = Partial<Record<TensorName, { error: number; bound: number }>>

/** The slabs that travel, each as one block of floats. */
export type SlabData = Record<Extract<SlabName, 'input' | 'parameters' | 'trace'>, Float32Array>

interface Requests {
  /** comes first: the module's bytes */
  load: { build: Build; bytes: ArrayBuffer }
  /** a trained model, before the first pass that wants it; again after a restart */
  model: { name: string; file: ArrayBuffer }
  /** known: ids of weights whose parameters the page holds already */
  pass: { request: PassRequest; known: string[] }
  /** pass and request: which one is meant, and how to repeat it should the worker no longer have it */
  explain: { pass: number; request: PassRequest; cell: CellRef; largest: number }
  influence: { pass: number; request: PassRequest; cell: CellRef }
  rowShares: { pass: number; request: PassRequest; row: number }
  narrow: { pass: number; request: PassRequest; role: Role }
  compare: { pass: number; request: PassRequest; tensor: TensorName; headGate: number[] }
  contributions: { pass: number; request: PassRequest; heads: number[] }
  /** a golden case: the bytes of its file */
  check: { file: ArrayBuffer }
  atScale: { request: AtScaleRequest }
  measure: { request: MeasureRequest }
  /** takes back the request of this id: it is answered by failed, or by its result if that was under way */
  cancel: object
}

export interface PassAnswer {
  shape: Shape
  scale: number
  weightsId: string
  views: Partial<Record<TensorName, ViewRecord>>
  input: Float32Array
  trace: Float32Array
  /** absent: the page knows these weights */
  parameters?: Float32Array
}

export interface Answers {
  load: { build: Build; arch: string }
  model: null
  pass: PassAnswer
  explain: Explanation
  influence: Influence
  rowShares: RowShares
  narrow: Comparison
  compare: Comparison
  contributions: { view: ViewRecord; data: Float32Array }
  check: Deviations
  atScale: AtScaleReport
  measure: MeasureReport
}

export type Kind = keyof Answers
export type MessageOf<K extends keyof Requests> = { id: number; kind: K } & Requests[K]
export type Message = { [K in keyof Requests]: MessageOf<K> }[keyof Requests]

export type Reply =
  /** long work runs in slices and says how far it is: done of total */
  | { id: number; kind: 'progress'; done: number; total: number }
  | { id: number; kind: 'result'; value: Answers[Kind] }
  | { id: number; kind: 'failed'; failure: CoreFailure | 'superseded' }
