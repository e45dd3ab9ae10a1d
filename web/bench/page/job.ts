// What the runner asks of the page, and what it gets.

/** n tokens, d wide, h heads */
export type Size = readonly [n: number, d: number, h: number]

export interface Job {
  sizes: readonly Size[]
  /** of every contender, interleaved */
  rounds: number
  /** how long one batch of passes takes at least: timers of a millisecond must not matter */
  batchMs: number
  warmMs: number
}

export type ContenderName = 'ours-relaxed' | 'ours-simd' | 'onnxruntime-web' | 'eigen-wasm'

/** Times of one pass in ms, one for each round. */
export interface Row {
  n: number
  d: number
  h: number
  contender: ContenderName
  flops: number
  times: number[]
  /** the largest error of its output over the bound that any float computation keeps; at most 1 is right */
  deviation: number
}

/** GFLOP/s of multiply-adds on registers alone, one for each round. */
export type Peaks = Partial<Record<'simd' | 'relaxed', number[]>>

export interface Report {
  rows: Row[]
  peaks: Peaks
}

export type State = { at: 'idle' } | { at: 'running'; doing: string } | { at: 'done'; report: Report } | { at: 'failed'; error: string }
