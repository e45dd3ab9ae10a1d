// Where the numbers of a pass come from: a seed, or the file of a trained model. Either fills the parameters and embeds the tokens.
import { modelRecord } from './generated/tables'
import { CoreError, type Shape } from './protocol'
import { encodeParts, encodeShape } from './records'
import { isWellFormed } from './text'
import { type Block, out, type Wasm } from './wasm'

export interface Source {
  /** Fills a slab of parameters. */
  fill(wasm: Wasm, shape: Shape, parameters: Block): void
  /** Writes the vectors of the tokens into an input slab. */
  embed(wasm: Wasm, shape: Shape, tokens: string[], positions: boolean, input: Block): void
}

/** Random without meaning, the same in every build. */
export const seeded = (seed: number): Source => ({
  fill(wasm, shape, parameters) {
    wasm.run('mha_seed_parameters', encodeShape(shape), encodeParts(), seed, parameters)
  },
  embed(wasm, shape, tokens, positions, input) {
    const { bytes, offsets } = encodeTokens(tokens)
    wasm.run('mha_embed', encodeShape(shape), encodeParts(), bytes, offsets, tokens.length, seed, Number(positions), input)
  },
})

/** A model's file, whole in the module's memory, until it is released. */
export class TrainedModel implements Source {
  readonly #wasm: Wasm
  readonly #file: Block
  readonly #bytes: number
  readonly modelDim: number
  readonly heads: number

  /** Throws bad_model. */
  constructor(wasm: Wasm, file: ArrayBuffer) {
    this.#wasm = wasm
    this.#bytes = file.byteLength
    this.#file = wasm.keep(new Uint8Array(file))
    const record = new Int32Array(modelRecord.size)
    try {
      wasm.run('mha_model_shape', this.#file, this.#bytes, out(record))
    } catch (error) {
      this.release()
      throw error
    }
    this.modelDim = record[modelRecord.modelDim]!
    this.heads = record[modelRecord.heads]!
  }

  fill(wasm: Wasm, shape: Shape, parameters: Block): void {
    wasm.run('mha_model_parameters', this.#file, this.#bytes, encodeShape(shape), encodeParts(), parameters)
  }

  /** Throws unknown_word with all places of such words as its index. */
  embed(wasm: Wasm, shape: Shape, tokens: string[], positions: boolean, input: Block): void {
    // It has never seen a sentence without them.
    if (!positions) throw new CoreError({ status: 'bad_model' })
    const { bytes, offsets } = encodeTokens(tokens)
    try {
      wasm.runLocated('mha_model_embed', this.#file, this.#bytes, encodeShape(shape), encodeParts(), bytes, offsets, tokens.length, input)
    } catch (error) {
      if (!(error instanceof CoreError && error.failure.status === 'unknown_word')) throw error
      const places = new Int32Array(tokens.length)
      wasm.run('mha_model_words', this.#file, this.#bytes, bytes, offsets, tokens.length, out(places))
      throw new CoreError({ status: 'unknown_word', index: [...places.keys()].filter((i) => places[i]! < 0) })
    }
  }

  release(): void {
    this.#wasm.release(this.#file)
  }
}

/** UTF-8 of all tokens in one piece. Half a surrogate pair is no text: it would silently turn into U+FFFD. */
function encodeTokens(tokens: string[]): { bytes: Uint8Array; offsets: Int32Array } {
  if (tokens.some((token) => !isWellFormed(token))) throw new CoreError({ status: 'bad_text' })
  const encoder = new TextEncoder()
  const offsets = new Int32Array(tokens.length + 1)
  tokens.forEach((token, i) => {
    offsets[i + 1] = offsets[i]! + encoder.encode(token).length
  })
  return { bytes: encoder.encode(tokens.join('')), offsets }
}
