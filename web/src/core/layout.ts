// Where a slab's tensors lie in it, and how large it is, as the core says.
import { type SlabName, slabIds, tensorNames, viewRecord } from './generated/tables'
import type { PassAnswer } from './messages'
import type { Shape } from './protocol'
import { decodeViews, encodeParts, encodeShape } from './records'
import { out, type Wasm } from './wasm'

interface SlabLayout {
  floats: number
  views: PassAnswer['views']
}

export function layoutOf(wasm: Wasm, slab: SlabName, shape: Shape, parts = encodeParts()): SlabLayout {
  const records = new Int32Array(tensorNames.length * viewRecord.size)
  const floats = new Float64Array(1)
  wasm.run('mha_layout', slabIds[slab], encodeShape(shape), parts, out(records), out(floats))
  return { floats: floats[0]!, views: decodeViews(records) }
}
