// Objects ⇄ the records of the wasm boundary, whose places come from src/wasm/boundary.hpp.
import {
  axisNames,
  cellRecord,
  comparisonRecord,
  costAtScaleRecord,
  detailIds,
  deviationRecord,
  explanationRecord,
  optionsRecord,
  partsRecord,
  regionRecord,
  rowSharesRecord,
  ruleNames,
  scaleIds,
  shapeRecord,
  tensorIds,
  tensorInfos,
  tensorNames,
  type TensorName,
  termRecord,
  viewRecord,
} from './generated/tables'
import type { Deviations, ViewRecord } from './messages'
import {
  type CellRef,
  type Comparison,
  CoreError,
  type Explanation,
  type PassRequest,
  type Region,
  type RowShares,
  type Shape,
  type Term,
} from './protocol'

/** What is no int32 becomes −1, a size or index that C++ refuses by name. */
export const toInt32 = (value: number): number => ((value | 0) === value ? value : -1)

export function encodeShape(shape: Shape): Int32Array {
  const record = new Int32Array(shapeRecord.size)
  record[shapeRecord.tokens] = shape.tokens
  record[shapeRecord.context] = shape.context
  record[shapeRecord.modelDim] = shape.modelDim
  record[shapeRecord.heads] = shape.heads
  record[shapeRecord.kvHeads] = shape.kvHeads
  record[shapeRecord.headDim] = shape.headDim
  return record
}

export function decodeShape(record: Int32Array): Shape {
  const at = (place: number): number => record[place]!
  return {
    tokens: at(shapeRecord.tokens),
    context: at(shapeRecord.context),
    modelDim: at(shapeRecord.modelDim),
    heads: at(shapeRecord.heads),
    kvHeads: at(shapeRecord.kvHeads),
    headDim: at(shapeRecord.headDim),
  }
}

/** Self-attention without mask and biases, all of its trace or the core of it. */
export function encodeParts(detail: keyof typeof detailIds = 'full'): Int32Array {
  const record = new Int32Array(partsRecord.size)
  record[partsRecord.detail] = detailIds[detail]
  return record
}

export function encodeOptions(request: Pick<PassRequest, 'scaled' | 'causal' | 'padding'>): Float64Array {
  const record = new Float64Array(optionsRecord.size)
  record[optionsRecord.scale] = request.scaled ? scaleIds.inverse_sqrt : scaleIds.off
  record[optionsRecord.scaleValue] = 1
  record[optionsRecord.causal] = Number(request.causal)
  record[optionsRecord.padding] = request.padding
  return record
}

/** Throws no_such_cell for a name that is none or an index with too few or too many places. */
export function encodeCell(cell: CellRef): Int32Array {
  if (!Object.hasOwn(tensorIds, cell.tensor) || cell.index.length !== tensorInfos[cell.tensor].rank) {
    throw new CoreError({ status: 'no_such_cell', detail: `${cell.tensor}[${cell.index.join(', ')}]` })
  }
  const record = new Int32Array(cellRecord.size)
  record[cellRecord.tensor] = tensorIds[cell.tensor]
  record.set(cell.index.map(toInt32), cellRecord.index)
  return record
}

/** The views of one slab, in the order of the table; those that are not there are left out. */
export function decodeViews(records: Int32Array): Partial<Record<TensorName, ViewRecord>> {
  const views: Partial<Record<TensorName, ViewRecord>> = {}
  tensorNames.forEach((name, i) => {
    const record = records.subarray(i * viewRecord.size, (i + 1) * viewRecord.size)
    if (record[viewRecord.present] === 0) return
    const rank = record[viewRecord.rank]!
    const list = (place: number): number[] => Array.from(record.subarray(place, place + rank))
    views[name] = {
      axes: list(viewRecord.axes).map((axis) => axisNames[axis]!),
      shape: list(viewRecord.shape),
      strides: list(viewRecord.strides),
      offset: record[viewRecord.offset]!,
    }
  })
  return views
}

/** No cell: the term has no second factor. */
function decodeCell(record: Float64Array, tensor: number, index: number): CellRef | undefined {
  const name = tensorNames[record[tensor]!]
  return name && { tensor: name, index: Array.from(record.subarray(index, index + tensorInfos[name].rank)) }
}

function decodeTerm(record: Float64Array): Term {
  const a = decodeCell(record, termRecord.aTensor, termRecord.aIndex)!
  const b = decodeCell(record, termRecord.bTensor, termRecord.bIndex)
  return {
    a: { ...a, value: record[termRecord.aValue]! },
    ...(b && { b: { ...b, value: record[termRecord.bValue]! } }),
    value: record[termRecord.value]!,
    running: record[termRecord.running]!,
  }
}

export function decodeExplanation(record: Float64Array, terms: Float64Array): Explanation {
  const at = (place: number): number => record[place]!
  const largest = explanationRecord.largest
  return {
    rule: ruleNames[at(explanationRecord.rule)]!,
    cell: decodeCell(record, explanationRecord.tensor, explanationRecord.index)!,
    value: at(explanationRecord.value),
    sum: at(explanationRecord.sum),
    bound: at(explanationRecord.bound),
    bias: at(explanationRecord.bias),
    gate: at(explanationRecord.gate),
    factor: at(explanationRecord.factor),
    masked: at(explanationRecord.masked) !== 0,
    rowMax: at(explanationRecord.rowMax),
    difference: at(explanationRecord.difference),
    exponential: at(explanationRecord.exponential),
    rowMasked: at(explanationRecord.rowMasked) !== 0,
    terms: Array.from({ length: at(explanationRecord.termCount) }, (_, i) =>
      decodeTerm(terms.subarray(i * termRecord.size, (i + 1) * termRecord.size)),
    ),
    largest: Array.from(record.subarray(largest, largest + at(explanationRecord.largestCount))),
    rest: at(explanationRecord.rest),
  }
}

export function decodeRegions(records: Int32Array, size: number): Region[] {
  return Array.from({ length: size }, (_, i) => {
    const record = records.subarray(i * regionRecord.size, (i + 1) * regionRecord.size)
    const tensor = tensorNames[record[regionRecord.tensor]!]!
    const list = (place: number): number[] => Array.from(record.subarray(place, place + tensorInfos[tensor].rank))
    return { tensor, first: list(regionRecord.first), count: list(regionRecord.count) }
  })
}

export const decodeRowShares = (record: Float64Array, shares: Float64Array): RowShares => ({
  shares: Array.from(shares),
  bias: record[rowSharesRecord.bias]!,
  norm: record[rowSharesRecord.norm]!,
})

export const decodeComparison = (record: Float64Array): Comparison => ({
  numbers: record[comparisonRecord.numbers]!,
  differing: record[comparisonRecord.differing]!,
  largest: record[comparisonRecord.largest]!,
})

export function decodeCostAtScale(record: Float64Array) {
  const at = (place: number): number => record[place]!
  return {
    weights: at(costAtScaleRecord.weights),
    weightBytes: at(costAtScaleRecord.weightBytes),
    roomBytes: at(costAtScaleRecord.roomBytes),
    flops: at(costAtScaleRecord.flops),
  }
}

export function decodeDeviations(records: Float64Array): Deviations {
  const found: Deviations = {}
  tensorNames.forEach((name, i) => {
    const at = (place: number): number => records[i * deviationRecord.size + place]!
    if (at(deviationRecord.answered) === 0) return
    found[name] = { error: at(deviationRecord.error), bound: at(deviationRecord.bound) }
  })
  return found
}
