// A pass in the module's memory: made from the request, asked for more, released.
import {
  comparisonRecord,
  explanationRecord,
  limits,
  regionRecord,
  rowSharesRecord,
  type TensorName,
  tensorIds,
  termRecord,
} from './generated/tables'
import { layoutOf } from './layout'
import type { Answers, PassAnswer } from './messages'
import {
  type CellRef,
  type Comparison,
  CoreError,
  type Explanation,
  type Influence,
  type PassRequest,
  type Role,
  type RowShares,
  type Shape,
} from './protocol'
import {
  decodeComparison,
  decodeExplanation,
  decodeRegions,
  decodeRowShares,
  encodeCell,
  encodeOptions,
  encodeParts,
  encodeShape,
  toInt32,
} from './records'
import { type Block, out, type Wasm } from './wasm'
import type { Weights } from './weights'

/** A finished pass that still lies in the module's memory, where it can be asked for more. */
export class PassMemory {
  readonly scale: number
  readonly views: PassAnswer['views']
  readonly #shape: Int32Array
  readonly #options: Float64Array
  readonly #gates: Float32Array | null
  readonly #input: Block
  readonly #trace: Block

  constructor(
    private readonly wasm: Wasm,
    private readonly weights: Weights,
    readonly shape: Shape,
    private readonly request: PassRequest,
  ) {
    this.#shape = encodeShape(shape)
    this.#options = encodeOptions(request)
    this.#gates = encodeGates(request, shape)
    const factor = new Float64Array(1)
    wasm.run('mha_scale', this.#shape, this.#options, out(factor))
    this.scale = factor[0]!

    const input = layoutOf(wasm, 'input', shape)
    const trace = layoutOf(wasm, 'trace', shape)
    this.views = { ...input.views, ...weights.views, ...trace.views }
    const blocks: Block[] = []
    try {
      blocks.push((this.#input = wasm.allocate(input.floats)), (this.#trace = wasm.allocate(trace.floats)))
      weights.source.embed(wasm, shape, request.tokens, request.positions, this.#input)
      wasm.runLocated(
        'mha_forward',
        weights.place,
        this.#shape,
        encodeParts(),
        this.#input,
        this.#options,
        this.#gates,
        this.#trace,
      )
    } catch (error) {
      for (const block of blocks) wasm.release(block)
      throw error
    }
  }

  copyOut(): { input: Float32Array<ArrayBuffer>; trace: Float32Array<ArrayBuffer> } {
    return { input: this.wasm.copyOut(this.#input), trace: this.wasm.copyOut(this.#trace) }
  }

  explain(cell: CellRef, largest: number): Explanation {
    const header = new Float64Array(explanationRecord.size)
    const terms = new Float64Array(this.wasm.call('mha_max_terms', this.#shape) * termRecord.size)
    const asked = encodeCell(cell)
    const most = Math.min(Math.max(Math.trunc(largest), 0), limits.maxLargest)
    this.wasm.runLocated('mha_explain', ...this.#evidence(), asked, most, out(header), out(terms))
    const explanation = decodeExplanation(header, terms)
    return cell.tensor === 'output' ? { ...explanation, byHead: this.#byHead(cell.index) } : explanation
  }

  #byHead([row, column]: number[]): number[] {
    const parts = new Float64Array(this.shape.heads)
    this.wasm.runLocated('mha_explain_by_head', ...this.#evidence(), row!, column!, out(parts))
    return Array.from(parts)
  }

  influence(cell: CellRef): Influence {
    const room = (): Int32Array => new Int32Array(limits.maxRegions * regionRecord.size)
    const [direct, reached, sizes] = [room(), room(), new Int32Array(2)]
    this.wasm.runLocated('mha_influence', ...this.#evidence(), encodeCell(cell), out(direct), out(reached), out(sizes))
    return { direct: decodeRegions(direct, sizes[0]!), reached: decodeRegions(reached, sizes[1]!) }
  }

  rowShares(row: number): RowShares {
    const [shares, whole] = [new Float64Array(this.shape.heads), new Float64Array(rowSharesRecord.size)]
    this.wasm.runLocated('mha_row_shares', ...this.#evidence(), toInt32(row), out(shares), out(whole))
    return decodeRowShares(whole, shares)
  }

  narrow(role: Role): Comparison {
    const found = new Float64Array(comparisonRecord.size)
    this.wasm.runLocated('mha_narrow', ...this.#evidence(), tensorIds[role], out(found))
    return decodeComparison(found)
  }

  /** A tensor of the trace against that of the same pass with other gates, which is made for this and thrown away. */
  compare(tensor: TensorName, headGate: number[]): Comparison {
    const found = new Float64Array(comparisonRecord.size)
    const other = new PassMemory(this.wasm, this.weights, this.shape, { ...this.request, headGate })
    try {
      this.wasm.runLocated('mha_compare', this.#shape, encodeParts(), this.#trace, other.#trace, tensorIds[tensor], out(found))
    } finally {
      other.release()
    }
    return decodeComparison(found)
  }

  /**
   * The contributions of these heads, [heads asked for, n, d] in the order asked. `pause` is called between two heads
   * or runs of heads.
   */
  async contributions(
    heads: number[],
    pause: (done: number, total: number) => Promise<void>,
  ): Promise<Answers['contributions']> {
    const views = layoutOf(this.wasm, 'contributions', this.shape).views
    const { axes, shape, strides } = views.contributions!
    const perHead = strides[0]!
    const data = new Float32Array(heads.length * perHead)
    for (let done = 0; done < heads.length; ) {
      if (done > 0) await pause(done, heads.length)
      const count = runLength(heads, done)
      const part = this.wasm.allocate(count * perHead)
      try {
        this.wasm.runLocated(
          'mha_contributions',
          this.weights.place,
          this.#shape,
          encodeParts(),
          this.#trace,
          toInt32(heads[done]!),
          count,
          part,
        )
        data.set(this.wasm.copyOut(part), done * perHead)
      } finally {
        this.wasm.release(part)
      }
      done += count
    }
    return { view: { axes, shape: [heads.length, ...shape.slice(1)], strides, offset: 0 }, data }
  }

  release(): void {
    this.wasm.release(this.#input)
    this.wasm.release(this.#trace)
  }

  /** What an explanation reads, as the functions want it. */
  #evidence() {
    return [
      this.weights.place,
      this.#shape,
      encodeParts(),
      this.#input,
      this.#options,
      this.#gates,
      this.#trace,
    ] as const
  }
}

function encodeGates({ headGate }: PassRequest, shape: Shape): Float32Array | null {
  if (!headGate) return null
  if (headGate.length !== shape.heads) throw new CoreError({ status: 'bad_gate' })
  return Float32Array.from(headGate)
}

/** Heads that follow each other from `first` on are one call, but not more than a slice's worth. */
function runLength(heads: number[], first: number): number {
  const most = 8
  let count = 1
  while (count < most && heads[first + count] === heads[first]! + count) count++
  return count
}
