// A tensor as the page reads it: a named, shaped, strided view. Where it lies was said by C++.
import type { TensorName } from './generated/tables'
import type { ViewRecord } from './messages'
import type { TensorView } from './protocol'

export class StridedView implements TensorView {
  readonly axes: readonly string[]
  readonly shape: readonly number[]
  readonly strides: readonly number[]
  readonly offset: number

  constructor(readonly name: TensorName, view: ViewRecord, readonly data: Float32Array) {
    this.axes = view.axes
    this.shape = view.shape
    this.strides = view.strides
    this.offset = view.offset
  }

  /** Throws a RangeError for a place outside, or with too few or too many indices. */
  at(...index: number[]): number {
    let place = this.offset
    let inside = index.length === this.shape.length
    for (let axis = 0; inside && axis < index.length; axis++) {
      const i = index[axis]!
      inside = Number.isInteger(i) && i >= 0 && i < this.shape[axis]!
      place += i * this.strides[axis]!
    }
    if (!inside) throw new RangeError(`${this.name}[${index.join(', ')}] is outside [${this.shape.join(', ')}]`)
    return this.data[place]!
  }
}
