// Along what the times are measured: each size alone, from the article's layer with a page of text on.
import type { Shape } from '../src/core/protocol'
import type { Point } from './page/job'

function shape(n: number, d: number, h: number, k: number): Shape {
  return { tokens: n, context: n, modelDim: d, heads: h, kvHeads: h, headDim: k }
}

export const curves: readonly Point[] = [
  ...[8, 16, 32, 64, 128, 256, 512].map((n): Point => ({ along: 'n', shape: shape(n, 512, 8, 64) })),
  ...[64, 128, 256, 512, 1024].map((d): Point => ({ along: 'd', shape: shape(128, d, 8, 64) })),
  // As heads are usually cut: the more there are, the narrower each.
  ...[1, 2, 4, 8, 16, 32, 64].map((h): Point => ({ along: 'h', shape: shape(128, 512, h, 512 / h) })),
  ...[8, 16, 32, 64, 128].map((k): Point => ({ along: 'd_k', shape: shape(128, 512, 8, k) })),
]
