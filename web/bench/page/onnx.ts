// onnxruntime-web on one thread: the same graph, with its weights as constants, all of its optimisations on.
import { onnx } from 'onnx-proto'
import * as ort from 'onnxruntime-web/wasm'
import wasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import type { Size } from './job'
import type { Given } from './ours'

ort.env.wasm.numThreads = 1
ort.env.wasm.wasmPaths = { wasm }

const float = onnx.TensorProto.DataType.FLOAT
const int64 = onnx.TensorProto.DataType.INT64
/** ONNX operators as of this version; the file format that goes with it. */
const [opset, irVersion] = [17, 8]

const bytesOf = (numbers: Float32Array | BigInt64Array): Uint8Array => new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
const matrix = (name: string, dims: number[], values: Float32Array) => ({ name, dims, dataType: float, rawData: bytesOf(values) })
const ints = (name: string, values: number[]) => ({ name, dims: [values.length], dataType: int64, rawData: bytesOf(BigInt64Array.from(values.map(BigInt))) })
const node = (opType: string, input: string[], output: string, attribute: onnx.IAttributeProto[] = []) => ({ opType, input, output: [output], name: output, attribute })
const order = (ints: number[]): onnx.IAttributeProto[] => [{ name: 'perm', type: onnx.AttributeProto.AttributeType.INTS, ints }]
const typed = (name: string, dims: number[]) => ({ name, type: { tensorType: { elemType: float, shape: { dim: dims.map((dimValue) => ({ dimValue })) } } } })

function graphOf([n, d, h]: Size, { w_q, w_k, w_v, w_o }: Given): Uint8Array {
  const width = d / h
  const model = {
    irVersion,
    opsetImport: [{ domain: '', version: opset }],
    graph: {
      name: 'multi-head attention',
      input: [typed('x', [n, d])],
      output: [typed('y', [n, d])],
      initializer: [
        matrix('w_q', [d, d], w_q), matrix('w_k', [d, d], w_k), matrix('w_v', [d, d], w_v), matrix('w_o', [d, d], w_o),
        matrix('scale', [1], Float32Array.of(1 / Math.sqrt(width))), ints('split', [n, h, width]), ints('whole', [n, d]),
      ],
      node: [
        ...['q', 'k', 'v'].flatMap((role) => [
          node('MatMul', ['x', `w_${role}`], role),
          node('Reshape', [role, 'split'], `${role}_split`),
          // Keys come out turned: [h, width, n].
          node('Transpose', [`${role}_split`], `${role}_heads`, order(role === 'k' ? [1, 2, 0] : [1, 0, 2])),
        ]),
        node('MatMul', ['q_heads', 'k_heads'], 'raw'),
        node('Mul', ['raw', 'scale'], 'scaled'),
        node('Softmax', ['scaled'], 'weights', [{ name: 'axis', type: onnx.AttributeProto.AttributeType.INT, i: -1 }]),
        node('MatMul', ['weights', 'v_heads'], 'heads'),
        node('Transpose', ['heads'], 'rows', order([1, 0, 2])),
        node('Reshape', ['rows', 'whole'], 'concat'),
        node('MatMul', ['concat', 'w_o'], 'y'),
      ],
    },
  }
  return onnx.ModelProto.encode(onnx.ModelProto.fromObject(model)).finish()
}

export class Onnx {
  #session: ort.InferenceSession | undefined
  #x: ort.Tensor | undefined
  #y: ort.Tensor | undefined

  async begin(size: Size, given: Given): Promise<void> {
    await this.#session?.release()
    this.#session = await ort.InferenceSession.create(graphOf(size, given), { graphOptimizationLevel: 'all', executionProviders: ['wasm'] })
    this.#x = new ort.Tensor('float32', given.x, [size[0], size[1]])
  }

  async pass(): Promise<void> {
    this.#y = (await this.#session!.run({ x: this.#x! })).y
  }

  output(): Float32Array {
    return this.#y!.data as Float32Array
  }
}
