// One finished pass as the page sees it.
import { type TensorName, tensorInfos } from './generated/tables'
import type { PassAnswer, SlabData } from './messages'
import type { Pass, PassRequest, Shape, TensorView } from './protocol'
import { StridedView } from './tensor'

export class ReceivedPass implements Pass {
  readonly shape: Shape
  readonly scale: number
  readonly maskedRows: readonly boolean[]
  readonly #views: Map<TensorName, TensorView>

  constructor(
    readonly id: number, readonly request: PassRequest, readonly weights: Pass['weights'], answer: PassAnswer, parameters: Float32Array,
  ) {
    this.shape = answer.shape
    this.scale = answer.scale
    this.#views = viewsOf(answer.views, { input: answer.input, trace: answer.trace, parameters })
    const rows = this.tensor('masked_rows')!
    this.maskedRows = Array.from({ length: rows.shape[0]! }, (_, i) => rows.at(i) !== 0)
  }

  tensor(name: TensorName): TensorView | undefined {
    return this.#views.get(name)
  }
}

function viewsOf(records: PassAnswer['views'], slabs: SlabData): Map<TensorName, TensorView> {
  const views = new Map<TensorName, TensorView>()
  for (const [key, record] of Object.entries(records)) {
    const name = key as TensorName
    const slab = tensorInfos[name].slab
    if (slab !== 'contributions') views.set(name, new StridedView(name, record, slabs[slab]))
  }
  return views
}
