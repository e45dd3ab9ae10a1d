// Eigen compiled to WebAssembly, as one would write the layer with it; and the oracle in double that judges all outputs.
import type { Size } from './job'
import type { Given } from './ours'

interface Exports {
  memory: WebAssembly.Memory
  _initialize(): void
  begin(n: number, d: number, h: number): void
  matrix(which: number): number
  other(): number
  forward(): void
  deviation(): number
  exponentials(rows: number): number
  begin_bytes(bytes: number): void
  read_bytes(): void
}

const [xAt, outputAt] = [0, 5]

export class Eigen {
  #size: Size = [0, 0, 0]

  private constructor(private readonly module: Exports) {}

  static async start(bytes: BufferSource): Promise<Eigen> {
    const module = await WebAssembly.compile(bytes)
    const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {}
    for (const { module: space, name } of WebAssembly.Module.imports(module)) (imports[space] ??= {})[name] = () => 0
    const { exports } = await WebAssembly.instantiate(module, imports)
    const eigen = new Eigen(exports as unknown as Exports)
    eigen.module._initialize()
    return eigen
  }

  begin(size: Size, { x, w_q, w_k, w_v, w_o }: Given): void {
    this.#size = size
    this.module.begin(...size)
    ;[x, w_q, w_k, w_v, w_o].forEach((matrix, i) => this.#floats(this.module.matrix(xAt + i), matrix.length).set(matrix))
  }

  pass(): void {
    this.module.forward()
  }

  output(): Float32Array {
    const [n, d] = this.#size
    return this.#floats(this.module.matrix(outputAt), n * d).slice()
  }

  /** The largest error of an output over its bound. */
  deviation(output: Float32Array): number {
    this.#floats(this.module.other(), output.length).set(output)
    return this.module.deviation()
  }

  /** Exponentials done. */
  exponentials(rows: number): number {
    return this.module.exponentials(rows)
  }

  beginBytes(bytes: number): void {
    this.module.begin_bytes(bytes)
  }

  readBytes(): void {
    this.module.read_bytes()
  }

  #floats(address: number, count: number): Float32Array {
    return new Float32Array(this.module.memory.buffer, address, count)
  }
}
