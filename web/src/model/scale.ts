// The colour scale of a tensor: fixed for a pass, one for all that may be compared. Attention is 0…1, always.
import type { Pass, TensorView } from '../core/protocol'
import type { TensorName } from '../core/generated/tables'

export interface Domain {
  kind: 'sequential' | 'diverging'
  limit: number
}

type Family = 'vectors' | 'matrices' | 'projected' | 'scores' | 'heads' | 'outputs'

const families: Readonly<Record<Family, readonly TensorName[]>> = {
  vectors: ['x', 'token_vectors', 'positions'],
  matrices: ['w_q', 'w_k', 'w_v', 'w_o'],
  projected: ['q', 'k', 'v'],
  // Raw scores are the widest of the three; scaled ones look paler because they are smaller.
  scores: ['raw_scores'],
  heads: ['concat'],
  outputs: ['output'],
}

const familyOf: Partial<Record<TensorName, Family>> = {
  x: 'vectors', token_vectors: 'vectors', positions: 'vectors', context: 'vectors',
  w_q: 'matrices', w_k: 'matrices', w_v: 'matrices', w_o: 'matrices',
  q: 'projected', k: 'projected', v: 'projected', q_heads: 'projected', k_heads: 'projected', v_heads: 'projected',
  raw_scores: 'scores', scaled_scores: 'scores', masked_scores: 'scores',
  heads: 'heads', concat: 'heads',
  output: 'outputs', contributions: 'outputs',
}

const limits = new WeakMap<Pass | Float32Array, Map<Family, number>>()

/** `also` widens the scale of tensors that are not part of the pass (contributions). */
export function domainOf(pass: Pass, tensor: TensorName, also?: TensorView): Domain {
  const family = familyOf[tensor]
  if (family === undefined) return { kind: 'sequential', limit: 1 }
  // A million numbers that many passes share are read once.
  const owner = (family === 'matrices' ? pass.tensor(tensor)?.data : undefined) ?? pass
  const known = limits.get(owner) ?? new Map<Family, number>()
  limits.set(owner, known)
  const own = known.get(family) ?? widest(families[family].map((name) => pass.tensor(name)))
  known.set(family, own)
  const reach = family === 'outputs' && also !== undefined ? Math.max(own, widest([also])) : own
  return { kind: 'diverging', limit: family === 'scores' ? upToFive(reach) : roundUp(reach) }
}

const upToFive = (reach: number): number => Math.max(5, Math.ceil(reach / 5) * 5)

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** The next round number that holds everything: nothing is clipped. */
export function roundUp(reach: number): number {
  if (!(reach > 0) || !Number.isFinite(reach)) return 1
  const power = 10 ** Math.floor(Math.log10(reach))
  const step = steps.find((candidate) => candidate * power >= reach * (1 - 1e-9)) ?? 10
  return Number((step * power).toPrecision(3))
}

function widest(views: readonly (TensorView | undefined)[]): number {
  let reach = 0
  for (const view of views) {
    if (view === undefined) continue
    // These tensors are stored without gaps, in the order of their axes.
    const count = view.shape.reduce((product, extent) => product * extent, 1)
    for (let i = view.offset; i < view.offset + count; i += 1) {
      const size = Math.abs(view.data[i] ?? 0)
      if (size > reach && size !== Infinity) reach = size
    }
  }
  return reach
}
