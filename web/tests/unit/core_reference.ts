// Attention in plain double, written from the paper and not from the core.
import type { TensorName } from '../../src/core/generated/tables'
import type { PassRequest, TensorView } from '../../src/core/protocol'

function sum(count: number, term: (i: number) => number): number {
  let total = 0
  for (let i = 0; i < count; i++) total += term(i)
  return total
}

const matrix = (rows: number, columns: number, value: (row: number, column: number) => number): number[][] =>
  Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => value(row, column)))

/** exp(s − max) ÷ Σ; all zeros if everything is hidden. */
function softmax(scores: number[]): number[] {
  const max = Math.max(...scores)
  if (max === -Infinity) return scores.map(() => 0)
  const exponentials = scores.map((score) => Math.exp(score - max))
  const total = sum(scores.length, (j) => exponentials[j]!)
  return exponentials.map((exponential) => exponential / total)
}

/** weights [h, n, n] and output [n, d], flat, from the x and the parameters of a pass. */
export function attention(
  tensor: (name: TensorName) => TensorView,
  { heads, causal, scaled, padding, headGate }: PassRequest,
): { weights: number[]; output: number[] } {
  const [x, wO] = [tensor('x'), tensor('w_o')]
  const [n, d] = x.shape as [number, number]
  const k = d / heads
  const project = (w: TensorView) => matrix(n, d, (i, c) => sum(d, (r) => x.at(i, r) * w.at(r, c)))
  const [q, keys, v] = [project(tensor('w_q')), project(tensor('w_k')), project(tensor('w_v'))]
  const scale = scaled ? 1 / Math.sqrt(k) : 1
  const maps = Array.from({ length: heads }, (_, head) => {
    const first = head * k
    const visible = (i: number, j: number): boolean => j < n - padding && (!causal || j <= i)
    const dot = (i: number, j: number): number => sum(k, (c) => q[i]![first + c]! * keys[j]![first + c]!)
    return matrix(n, n, (i, j) => (visible(i, j) ? scale * dot(i, j) : -Infinity)).map(softmax)
  })
  const concat = matrix(n, d, (i, c) => {
    const head = Math.floor(c / k)
    return (headGate?.[head] ?? 1) * sum(n, (j) => maps[head]![i]![j]! * v[j]![c]!)
  })
  const output = matrix(n, d, (i, c) => sum(d, (r) => concat[i]![r]! * wO.at(r, c)))
  return { weights: maps.flat(2), output: output.flat() }
}

/** The largest difference, relative to the largest expected value. */
export function distance(found: number[], expected: number[]): number {
  if (found.length !== expected.length) return Infinity
  const scale = Math.max(...expected.map(Math.abs), Number.MIN_VALUE)
  return Math.max(...found.map((value, i) => Math.abs(value - expected[i]!))) / scale
}
