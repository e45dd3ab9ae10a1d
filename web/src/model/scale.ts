// The colour scale of a tensor: fixed for a pass and for what it becomes with heads off, one for all that may be compared.
// Attention is 0…1, always.
import type { Pass, TensorView } from '../core/protocol'
import type { TensorName } from '../core/generated/tables'
import { allOn, besideHeads } from './gates'

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

/** The same pass with all heads on, and what was known of its contributions. */
interface Whole {
  pass: Pass
  contributions: TensorView | undefined
}

/** By passes with heads off. */
const wholes = new WeakMap<Pass, Whole>()

/** By what they have in common with those, the last seen last: who looks at another size and comes back finds the same colours. */
const seen = new Map<string, Whole>()
const mostSeen = 4

/**
 * One pass takes the place of another, of which these contributions are known. If the same was seen with all heads on, the scale
 * stays that: what changes its colour has changed.
 */
export function keepScale(pass: Pass, before: Pass, contributions?: TensorView): void {
  if (allOn(before)) remember(before, contributions)
  const whole = allOn(pass) ? undefined : seen.get(besideHeads(pass))
  if (whole !== undefined) wholes.set(pass, whole)
}

function remember(pass: Pass, contributions: TensorView | undefined): void {
  const key = besideHeads(pass)
  const whole = { pass, contributions: contributions ?? seen.get(key)?.contributions }
  seen.delete(key)
  seen.set(key, whole)
  const [oldest] = seen.keys()
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest)
}

/** `also` widens the scale of tensors that are not part of the pass (contributions). */
export function domainOf(pass: Pass, tensor: TensorName, also?: TensorView): Domain {
  const family = familyOf[tensor]
  if (family === undefined) return { kind: 'sequential', limit: 1 }
  const whole = wholes.get(pass)
  const reaches = [pass, whole?.pass].map((each) => each && reachOf(ownerOf(each, family), family, families[family].map((name) => each.tensor(name))))
  const parts = family === 'outputs' && also !== undefined ? [also, whole?.contributions] : []
  const beside = parts.map((view) => view && reachOf(view, family, [view]))
  const reach = Math.max(...[...reaches, ...beside].map((each) => each ?? 0))
  return { kind: 'diverging', limit: family === 'scores' ? upToFive(reach) : roundUp(reach) }
}

/** A million numbers that many passes share are read once. */
const ownerOf = (pass: Pass, family: Family): object => (family === 'matrices' ? pass.tensor('w_q')?.data : undefined) ?? pass

const known = new WeakMap<object, Map<Family, number>>()

function reachOf(owner: object, family: Family, views: readonly (TensorView | undefined)[]): number {
  const own = known.get(owner) ?? new Map<Family, number>()
  known.set(owner, own)
  const reach = own.get(family) ?? widest(views)
  own.set(family, reach)
  return reach
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
