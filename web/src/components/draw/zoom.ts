// A moment between two sizes of one drawing: every map grows from where its small self stood to where the large one stands, while
// the numbers of one size give way to those of the other. Each map shows its own numbers only, stretched. A pure function.
import type { Part, Scene } from './scene'
import { around, boxOfPart, ease, phase, stretched } from './tween'

/** At 0 it is `a` itself, at 1 `b` itself. */
export function zoomed(a: Scene, b: Scene, t: number): Scene {
  if (t <= 0) return a
  if (t >= 1) return b
  const old = new Map(a.parts.map((part) => [part.id, part]))
  const fresh = new Map(b.parts.map((part) => [part.id, part]))
  const goes = 1 - phase(t, 0.3, 0.8)
  const comes = phase(t, 0.1, 0.6)
  const between = (part: Part, from: Part, to: Part): Part => stretched(part, boxOfPart(from), boxOfPart(to), ease(t))
  const going = a.parts.map((part) => {
    const [id, key] = [`${part.id} before`, `${part.key} before`]
    return { ...between(part, part, fresh.get(part.id) ?? part), id, key, opacity: part.opacity * goes, headingOpacity: 1 - phase(t, 0, 0.3) }
  })
  const coming = b.parts.map((part) => ({
    ...between(part, old.get(part.id) ?? part, part), opacity: part.opacity * comes, headingOpacity: phase(t, 0.7, 1),
  }))
  // What comes is there all the way, seen or not: the focus may be in it.
  const parts = [...going.filter(({ opacity }) => opacity > 0), ...coming]
  return around(a, b, parts, t)
}
