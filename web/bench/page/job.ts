// What the runner asks of the page, and what it gets.
import type { Shape } from '../../src/core/protocol'
import type { Cost } from '../../src/core/timed_pass'

/** n tokens, d wide, h heads */
export type Size = readonly [n: number, d: number, h: number]

/** A place on a curve: one of the sizes changes along it, the others stay. */
export interface Point {
  along: 'n' | 'd' | 'h' | 'd_k'
  shape: Shape
}

export interface Job {
  sizes: readonly Size[]
  scaling: readonly Point[]
  /** of every contender, interleaved */
  rounds: number
  /** how long one batch of passes takes at least: timers of a millisecond must not matter */
  batchMs: number
  warmMs: number
}

/** ours-full-trace: our best build, writing down the raw, scaled and masked scores for reading along, too */
export type ContenderName = 'ours-relaxed' | 'ours-simd' | 'ours-full-trace' | 'onnxruntime-web' | 'eigen-wasm' | 'ours-native' | 'eigen-native'

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

/** What a pass took, in the best build there is, and what its parts take alone: ms, one for each round. */
export interface ScalingRow extends Point {
  cost: Cost
  times: number[]
  alone: { flops: number[]; exponentials: number[]; bytes: number[] }
}

/** GFLOP/s of multiply-adds on registers alone, one for each round. */
export type Peaks = Partial<Record<'simd' | 'relaxed', number[]>>

export interface Report {
  rows: Row[]
  peaks: Peaks
  scaling: ScalingRow[]
}

export type State = { at: 'idle' } | { at: 'running'; doing: string } | { at: 'done'; report: Report } | { at: 'failed'; error: string }
