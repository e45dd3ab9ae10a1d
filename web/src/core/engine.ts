// The core's functions in the lesson's terms: shapes, weights, a pass, the check of the numbers. Runs in the worker.
import { deviationRecord, limits, shapeRecord, tensorNames } from './generated/tables'
import { LayerAtScale } from './layer_at_scale'
import { Measurement } from './measurement'
import type { Deviations } from './messages'
import { PassMemory } from './pass_memory'
import type { AtScaleRequest, PassRequest, Shape } from './protocol'
import { decodeDeviations, decodeShape, toInt32 } from './records'
import { seeded, TrainedModel } from './source'
import { out, Wasm } from './wasm'
import { Weights } from './weights'

export class Engine {
  readonly arch: string
  readonly relaxed: boolean

  private constructor(private readonly wasm: Wasm) {
    const name = new Uint8Array(64)
    const length = wasm.call('mha_arch', out(name), name.length)
    this.arch = new TextDecoder().decode(name.subarray(0, length))
    this.relaxed = wasm.call('mha_relaxed') !== 0
  }

  static async start(bytes: BufferSource): Promise<Engine> {
    return new Engine(await Wasm.instantiate(bytes))
  }

  /** The shape of self-attention. Throws what is out of range. */
  shape(tokens: number, modelDim: number, heads: number): Shape {
    const record = new Int32Array(shapeRecord.size)
    this.wasm.run('mha_self_attention', toInt32(tokens), toInt32(modelDim), toInt32(heads), out(record))
    return decodeShape(record)
  }

  /** Weights made from the seed and packed into one of the module's places for layers. */
  seededWeights(place: number, shape: Shape, seed: number): Weights {
    return new Weights(this.wasm, place, shape, seeded(seed))
  }

  /** The same of a trained model. Throws bad_model if it is of another shape. */
  trainedWeights(place: number, shape: Shape, model: TrainedModel): Weights {
    return new Weights(this.wasm, place, shape, model)
  }

  /** A trained model from its file. Throws bad_model. */
  model(file: ArrayBuffer): TrainedModel {
    return new TrainedModel(this.wasm, file)
  }

  pass(weights: Weights, shape: Shape, request: PassRequest): PassMemory {
    return new PassMemory(this.wasm, weights, shape, request)
  }

  /** A layer of a real model, not yet begun. Throws what can't be run. */
  atScale(request: AtScaleRequest): LayerAtScale {
    return new LayerAtScale(this.wasm, request)
  }

  /** Nothing to measure yet. */
  measurement(): Measurement {
    return new Measurement(this.wasm)
  }

  /** A golden case through this build. Throws bad_text if the file is none. */
  check(file: ArrayBuffer): Deviations {
    const bytes = new Uint8Array(file)
    const records = new Float64Array(tensorNames.length * deviationRecord.size)
    this.wasm.run('mha_check', bytes, bytes.length, out(records))
    return decodeDeviations(records)
  }

  /**
   * Everything once, on numbers of its own that nobody sees, in a place for layers that is free. Browsers begin with
   * code that is compiled fast and runs slowly, and compile again what has run often; a few rounds of this get the
   * kernels there before the reader does. Leaves nothing behind.
   */
  async prime(place: number): Promise<void> {
    const tokens = Array.from({ length: 64 }, (_, i) => String(i))
    const shape = this.shape(tokens.length, 128, 2)
    const request: PassRequest = {
      layer: 0, tokens, dModel: shape.modelDim, heads: shape.heads, causal: true, scaled: true, positions: true, padding: 1,
      weights: 'seeded', seed: 0,
    }
    const layer = this.atScale({ model: 0, tokens: 11, seed: 0 })
    try {
      await layer.run(async () => {})
    } finally {
      layer.release()
    }
    const weights = this.seededWeights(place, shape, request.seed)
    try {
      const memory = this.pass(weights, shape, request)
      try {
        await memory.contributions([0, 1], async () => {})
        memory.explain({ tensor: 'output', index: [0, 0] }, limits.maxLargest)
      } finally {
        memory.release()
      }
    } finally {
      weights.release()
    }
  }
}
