// What the page may ask the core, and what comes back. The worker and its client speak exactly this; no DOM, no wasm.
import type { RuleName, StatusName, TensorName } from './generated/tables'

/** Sizes as in src/mha/shape.hpp: n m d h g k. */
export interface Shape {
  tokens: number
  context: number
  modelDim: number
  heads: number
  kvHeads: number
  headDim: number
}

/** Where the numbers of a pass come from: a seed, training, or a run of this page. */
export type WeightsName = 'trained' | 'seeded' | 'run'

/** What a trained model says about itself, as train/model_file.hpp and `./dev train` write it. All of it is text. */
export type ModelAbout = Readonly<Record<string, string>>

/** One pass of one layer, fully determined by these values. */
export interface PassRequest {
  layer: number
  tokens: string[]
  dModel: number
  heads: number
  causal: boolean
  /** true: ÷√head_dim; false: scale off */
  scaled: boolean
  /** true: sinusoidal positions are added to the token vectors */
  positions: boolean
  /** how many tokens at the end are padding and may not be seen as keys */
  padding: number
  /** trained: the shipped model of this dModel and heads, which wants positions and words that it knows; run: that of keepRun, likewise */
  weights: WeightsName
  /** of seeded weights */
  seed: number
  /** of weights `run`: which one, as the client counts them */
  run?: number
  /** ξ per head; absent: all 1 */
  headGate?: number[]
}

/** A named, shaped, strided view into one of the slabs that came back. Offset and strides count floats. */
export interface TensorView {
  readonly name: TensorName
  /** axis letters, for example ['h', 'n', 'k'] */
  readonly axes: readonly string[]
  readonly shape: readonly number[]
  readonly strides: readonly number[]
  readonly offset: number
  readonly data: Float32Array
  at(...index: number[]): number
}

/** Everything about one pass; views share the slabs' bytes (q and q_heads point into the same memory). */
export interface Pass {
  readonly id: number
  readonly request: PassRequest
  /** what it was computed with, which alone may be shown beside it; here: trained in this page */
  readonly weights: { readonly kind: 'seeded'; readonly seed: number } | { readonly kind: 'trained'; readonly about: ModelAbout; readonly here?: true }
  readonly shape: Shape
  /** the factor s that scaled the scores, as C++ used it */
  readonly scale: number
  /** undefined: this pass does not hold that tensor (for example mask) */
  tensor(name: TensorName): TensorView | undefined
  /** true where every key of that row is masked */
  readonly maskedRows: readonly boolean[]
}

export interface CellRef {
  tensor: TensorName
  index: number[]
}

export interface Term {
  a: CellRef & { value: number }
  b?: CellRef & { value: number }
  value: number
  running: number
}

/** As documented in src/mha/explanation.hpp. */
export interface Explanation {
  rule: RuleName
  cell: CellRef
  value: number
  sum: number
  bound: number
  bias: number
  gate: number
  factor: number
  masked: boolean
  rowMax: number
  difference: number
  exponential: number
  rowMasked: boolean
  terms: Term[]
  /** positions in `terms`, largest magnitude first */
  largest: number[]
  rest: number
  /** only for output cells: the contribution of each head */
  byHead?: number[]
}

/** A box of cells: from `first`, so many along each axis. As documented in src/mha/influence.hpp. */
export interface Region {
  tensor: TensorName
  first: number[]
  count: number[]
}

/** What a cell goes into, in the order of the table of tensors. */
export interface Influence {
  /** the cells that have it among their operands */
  direct: Region[]
  /** those, what they go into, and so on to the output */
  reached: Region[]
}

/** How far each head takes a row of the output along that row: the shares and that of the bias add up to the norm. */
export interface RowShares {
  shares: number[]
  bias: number
  /** the length of the row; 0: it is zeros, and all shares are 0 */
  norm: number
}

/** Which of the three projections. */
export type Role = 'q' | 'k' | 'v'

/** Two ways to the same tensor: how many numbers it has, how many differ, by how much at most. */
export interface Comparison {
  numbers: number
  differing: number
  largest: number
}

/** Golden cases (tests/golden) through the build that runs here. Every error and bound was computed by C++. */
export interface CheckReport {
  build: 'simd' | 'relaxed'
  cases: number
  /** no error is beyond its bound */
  ok: boolean
  /** of all cases and numbers of a tensor, the one whose error takes the largest share of its bound */
  tensors: Partial<Record<TensorName, { error: number; bound: number; case: string }>>
}

/** One attention layer at the size of a real model, with seeded weights that are made while it runs. */
export interface AtScaleRequest {
  /** its place in the table `models` */
  model: number
  /** 1 to limits.maxTokensAtScale */
  tokens: number
  seed: number
}

/** As documented in src/lab/layer_at_scale.hpp. */
export interface AtScaleReport {
  /** so many were made, and would take weightBytes if they were stored */
  weights: number
  weightBytes: number
  /** what was taken instead */
  roomBytes: number
  /** spent computing, by the worker's clock */
  seconds: number
  /** of the matrix products, over all of that time */
  flopsPerSecond: number
  /** root mean square of the output */
  rms: number
}

/** Passes of these sizes, timed against the multiply-add peak. */
export interface MeasureRequest {
  sizes: { tokens: number; modelDim: number; heads: number }[]
}

export interface MeasureReport {
  build: 'simd' | 'relaxed'
  /** of multiply-adds on registers alone: one core of this machine, as this browser uses it */
  peakFlopsPerSecond: number
  /** in the order asked; ms: one pass in the fastest round; flops: of its matrix products */
  passes: { tokens: number; modelDim: number; heads: number; ms: number; flopsPerSecond: number; ofPeak: number }[]
}

/** A failure that has a message in the reader's language: web/src/text keys it by status and names the place. */
export interface CoreFailure {
  status: StatusName | 'no_wasm' | 'no_simd' | 'load_failed' | 'crashed'
  tensor?: TensorName
  index?: number[]
  detail?: string
}

export class CoreError extends Error {
  constructor(readonly failure: CoreFailure) {
    super(`${failure.status}${failure.tensor ? ` in ${failure.tensor}[${failure.index?.join(', ') ?? ''}]` : ''}`)
  }
}

/** A newer request of the same kind replaced this one before it was answered: drop it silently. */
export class Superseded extends Error {}

/** Told by long work between two of its slices. */
export type Progress = (done: number, total: number) => void

/** The only way from the page to the core. */
export interface Core {
  /** which wasm build runs; resolves when the module is ready */
  ready(): Promise<{ build: 'simd' | 'relaxed'; arch: string }>
  /** the sizes of which a trained model is shipped, the smallest first */
  readonly trainedSizes: readonly { dModel: number; heads: number }[]
  /**
   * Fetches that model, unless it is here, and says what it is. progress counts bytes, as far as they are known. Taken back by the
   * signal it rejects with Superseded, and nothing more is fetched once nobody waits; else with load_failed or bad_model.
   */
  model(dModel: number, heads: number, progress?: Progress, signal?: AbortSignal): Promise<ModelAbout>
  /**
   * A run's file as the model of weights `run`, in place of the one before, and what it says of itself. It lives in memory only.
   * Throws bad_model if it says nothing; whether its numbers are good, a pass shows. Without one such a pass rejects with not_loaded.
   */
  keepRun(file: ArrayBuffer): ModelAbout
  /** contributing: heads whose contributions will be asked for next; they are computed right behind the pass */
  pass(request: PassRequest, contributing?: number[]): Promise<Pass>
  /** explains a cell of a pass that is still current; rejects with Superseded otherwise */
  explain(pass: Pass, cell: CellRef, largest: number): Promise<Explanation>
  /** where a cell goes; like the next three, and as explain, of a pass that is still current */
  influence(pass: Pass, cell: CellRef): Promise<Influence>
  rowShares(pass: Pass, row: number): Promise<RowShares>
  /** one wide projection against a narrow one per head */
  narrow(pass: Pass, role: Role): Promise<Comparison>
  /** a tensor of the trace against that of the same pass with these gates (as headGate of a request) */
  compare(pass: Pass, tensor: TensorName, headGate: number[]): Promise<Comparison>
  /** per-head parts of the output, [heads asked for, n, d], in the order of `heads` */
  contributions(pass: Pass, heads: number[], progress?: Progress): Promise<TensorView>
  /** runs the golden cases; rejects with load_failed if they can't be had */
  check(progress?: Progress): Promise<CheckReport>
  /** a layer of a real model; the signal takes it back between two heads, and it rejects with Superseded then */
  atScale(request: AtScaleRequest, progress?: Progress, signal?: AbortSignal): Promise<AtScaleReport>
  /** times passes for about two seconds; taken back as atScale, within a few milliseconds */
  measure(request: MeasureRequest, progress?: Progress, signal?: AbortSignal): Promise<MeasureReport>
  dispose(): void
}
