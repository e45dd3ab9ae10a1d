// A trained model's file, made here: one layer, small numbers that say where they stand.
const words = ['', '小明', '把', 'Tom', '饿']

export function trainedFile({ dModel = 4, heads = 2, changes = {} as Record<string, string> } = {}) {
  const d = dModel
  const tensors: [name: string, shape: number[]][] = [
    ['token_embedding', [words.length, d]], ['position_embedding', [3, d]],
    ...['w_q', 'w_k', 'w_v', 'w_o'].map((name): [string, number[]] => [`layers.0.${name}`, [d, d]]),
    ['read_out', [d, words.length]],
  ]
  const metadata = {
    format: 'eight meetings model 1', vocabulary: words.join('\n'), vocabulary_size: String(words.length), max_positions: '3', d_model: String(d),
    heads: String(heads), head_dim: String(d / heads), layers: '1', slots: '1', residual: '0', layer_norm: '0', biases: '0', causal: '0', steps: '7',
    seed: '3', ...changes,
  }
  const header: Record<string, unknown> = { __metadata__: metadata }
  const numbers: number[] = []
  for (const [name, shape] of tensors) {
    const count = shape.reduce((product, extent) => product * extent, 1)
    header[name] = { dtype: 'F32', shape, data_offsets: [4 * numbers.length, 4 * (numbers.length + count)] }
    for (let i = 0; i < count; i += 1) numbers.push(((numbers.length * 37) % 64) / 32 - 1)
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const padded = Math.ceil(text.length / 8) * 8
  const file = new Uint8Array(8 + padded + 4 * numbers.length).fill(32)
  new DataView(file.buffer).setBigUint64(0, BigInt(padded), true)
  file.set(text, 8)
  file.set(new Uint8Array(Float32Array.from(numbers).buffer), 8 + padded)
  return { file: file.buffer, numbers: (from: number, count: number) => Float32Array.from(numbers.slice(from, from + count)), d }
}
