// A moment between two sizes of one drawing: every map grows from where its small self stood to where the large one stands, while
// the numbers of one size give way to those of the other. Each map shows its own numbers only, stretched. A pure function.
import { around, ease, mix, phase } from './tween'
import { type Part, type Scene, gridPx } from './scene'

/** At 0 it is `a` itself, at 1 `b` itself. */
export function zoomed(a: Scene, b: Scene, t: number): Scene {
  if (t <= 0) return a
  if (t >= 1) return b
  const old = new Map(a.parts.map((part) => [part.id, part]))
  const fresh = new Map(b.parts.map((part) => [part.id, part]))
  const goes = 1 - phase(t, 0.3, 0.8)
  const comes = phase(t, 0.1, 0.6)
  const going = a.parts.map((part) => {
    const [id, key] = [`${part.id} before`, `${part.key} before`]
    return { ...stretched(part, part, fresh.get(part.id) ?? part, t), id, key, opacity: part.opacity * goes, headingOpacity: 1 - phase(t, 0, 0.3) }
  })
  const coming = b.parts.map((part) => ({
    ...stretched(part, old.get(part.id) ?? part, part, t), opacity: part.opacity * comes, headingOpacity: phase(t, 0.7, 1),
  }))
  // What comes is there all the way, seen or not: the focus may be in it.
  const parts = [...going.filter(({ opacity }) => opacity > 0), ...coming]
  return around(a, b, parts, t)
}

/** `part` in the box between those of `from` and `to`. */
function stretched(part: Part, from: Part, to: Part, t: number): Part {
  const e = ease(t)
  const [own, one, other] = [gridPx(part), gridPx(from), gridPx(to)]
  const across = mix(one.width, other.width, e) / own.width
  return {
    ...part,
    x: mix(from.x, to.x, e),
    y: mix(from.y, to.y, e),
    rowHeight: mix(one.height, other.height, e) / part.matrix.rows,
    bands: part.bands.map((band) => ({ ...band, left: band.left * across, width: band.width * across })),
    stretchedFrom: part.bands.length === 1 ? part : undefined,
    bars: undefined,
  }
}
