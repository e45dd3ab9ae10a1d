// A model file as src/train/model_file.hpp describes it, of the task of reading relations, with numbers that say nothing.
import { tasks } from '../../src/core/generated/training_tables'

const slots = 2

export function smallModel({ dModel, heads }: { dModel: number; heads: number }): ArrayBuffer {
  const { words, longest } = tasks.relation
  const shapes: [string, number[]][] = [
    ['token_embedding', [words.length, dModel]],
    ['position_embedding', [longest, dModel]],
    ...['w_q', 'w_k', 'w_v', 'w_o'].map((name): [string, number[]] => [`layers.0.${name}`, [dModel, dModel]]),
    ['read_out', [dModel, slots * words.length]],
  ]
  let end = 0
  const tensors = shapes.map(([name, shape]) => {
    const begin = end
    end += 4 * shape.reduce((product, extent) => product * extent)
    return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }] as const
  })
  const about = {
    format: 'eight meetings model 1', vocabulary: words.join('\n'), vocabulary_size: words.length, max_positions: longest, d_model: dModel, heads,
    head_dim: dModel / heads, layers: 1, slots, residual: 0, layer_norm: 0, biases: 0, causal: 0, steps: 7, seed: 1,
  }
  const metadata = Object.fromEntries(Object.entries(about).map(([key, value]) => [key, String(value)]))
  const header = new TextEncoder().encode(JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(tensors) }))
  const padded = Math.ceil(header.length / 8) * 8
  const file = new Uint8Array(8 + padded + end).fill(0x20, 8 + header.length, 8 + padded)
  new DataView(file.buffer).setBigUint64(0, BigInt(padded), true)
  file.set(header, 8)
  new Float32Array(file.buffer, 8 + padded).forEach((_, i, numbers) => (numbers[i] = Math.sin(12.9898 * i)))
  return file.buffer
}
