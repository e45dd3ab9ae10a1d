// A moment between two drawings: the same maps move, others leave, come, or fill. Only places, sizes and opacity change;
// every map keeps its matrix, so no number changes while shapes move. A pure function: forwards and back are the same.
import type { Band, Box } from './geometry'
import { type Caption, type Entry, type Labels, type Part, type Scene, type Sign, gridPx } from './scene'

const clamp = (t: number): number => Math.min(1, Math.max(0, t))

/** How far a phase of the change, from `start` to `end`, has come at t. */
export const phase = (t: number, start: number, end: number): number => clamp((t - start) / (end - start))

/** Slow, fast, slow; symmetric, so that going back looks like going forward. */
export const ease = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2)

const mix = (a: number, b: number, t: number): number => a + (b - a) * t

/** `b` is one stop further than `a`. At 0 it is `a` itself, at 1 `b` itself. */
export function between(a: Scene, b: Scene, t: number): Scene {
  if (t <= 0) return a
  if (t >= 1) return b
  const [before, after] = [inPieces(a, b), inPieces(b, a)]
  const old = new Map(before.map((part) => [part.id, part]))
  const fresh = new Map(after.map((part) => [part.id, part]))
  const leaving = before.filter(({ id }) => !fresh.has(id)).map((part) => leavingPart(part, fresh, t))
  let newcomers = 0
  const moving = after.map((part) => {
    const own = old.get(part.id)
    if (own !== undefined) return moved(own, part, t)
    return part.entry === undefined ? faded(part, comeAfter(newcomers++, t)) : entering(part, part.entry, old, t)
  })
  // What cannot be seen is not there: many maps are made one after another, not all in one frame.
  const parts = [...leaving, ...moving].filter(({ opacity, reveal }) => opacity > 0 && (reveal?.share ?? 1) > 0)
  return around({ ...a, parts: before }, { ...b, parts: after }, parts, t)
}

/** Maps on their way from one drawing to the other, with the labels, signs and captions that go with them. */
export const around = (a: Scene, b: Scene, parts: readonly Part[], t: number): Scene => ({
  width: mix(a.width, b.width, ease(t)),
  height: mix(a.height, b.height, ease(t)),
  parts,
  labels: labelsBetween(a, b, parts, t),
  signs: crossed(a.signs, b.signs, t),
  captions: crossed(a.captions, b.captions, t),
})

const leave = (t: number): number => 1 - phase(t, 0, 0.35)
const come = (t: number): number => phase(t, 0.6, 0.95)
/** Many come in their order, the last a quarter of the movement later. */
function comeAfter(others: number, t: number): number {
  const start = 0.55 + 0.25 * Math.min(1, others / 16)
  return phase(t, start, start + 0.2)
}
const travel = (t: number): number => ease(phase(t, 0.1, 0.8))

const faded = <Thing extends { opacity: number }>(thing: Thing, share: number): Thing => ({ ...thing, opacity: thing.opacity * share })

/** A map of all heads falls into one per head where the other drawing has them one by one. */
function inPieces(scene: Scene, other: Scene): Part[] {
  const wanted = new Set(other.parts.map(({ id }) => id))
  return scene.parts.flatMap((part) => {
    const pieces = part.pieces?.() ?? []
    if (!pieces.some(({ id }) => wanted.has(id))) return [part]
    return pieces.map((piece) => ({ ...piece, x: part.x + piece.x, y: part.y }))
  })
}

function moved(a: Part, b: Part, t: number): Part {
  const e = travel(t)
  const same = JSON.stringify(a.heading) === JSON.stringify(b.heading)
  const late = t >= 0.5
  return {
    ...(late ? b : a),
    x: mix(a.x, b.x, e),
    y: mix(a.y, b.y, e),
    rowHeight: mix(a.rowHeight, b.rowHeight, e),
    bands: bandsBetween(a.bands, b.bands, e),
    headingOpacity: same ? 1 : Math.abs(1 - 2 * t),
    opacity: mix(a.opacity, b.opacity, e),
    stretchedFrom: smaller(a, b),
    reveal: undefined,
    bars: undefined,
  }
}

/** Cells in one band grow and shrink together: the smaller of the two pictures, stretched, is every picture between them. */
function smaller(a: Part, b: Part): Part['stretchedFrom'] {
  const [[one], [other]] = [a.bands, b.bands]
  if (one === undefined || other === undefined || a.bands.length > 1 || b.bands.length > 1) return undefined
  return one.width * a.rowHeight < other.width * b.rowHeight ? a : b
}

function leavingPart(part: Part, fresh: ReadonlyMap<string, Part>, t: number): Part {
  const target = part.into === undefined ? undefined : fresh.get(part.into)
  if (target === undefined) return faded(part, leave(t))
  return { ...moved(part, { ...target, heading: part.heading }, t), id: part.id, key: part.key, matrix: part.matrix, headingOpacity: leave(t), opacity: 1 - phase(t, 0.6, 0.85) }
}

function entering(part: Part, entry: Entry, old: ReadonlyMap<string, Part>, t: number): Part {
  if ('upright' in entry) return turning(part, entry.upright, ease(phase(t, 0.3, 0.75)), t)
  if ('by' in entry) {
    const start = entry.startAt ?? 0.65
    return { ...part, reveal: { by: entry.by, share: phase(t, start, 1) }, headingOpacity: phase(t, start - 0.15, start + 0.05), bars: undefined }
  }
  const source = old.get(entry.from)
  if (source === undefined) return faded(part, come(t))
  return { ...moved({ ...source, heading: part.heading }, part, t), id: part.id, key: part.key, matrix: part.matrix, headingOpacity: come(t), opacity: phase(t, 0.05, 0.4) }
}

/** A transposed matrix on its way from the box where its columns are rows. */
function turning(part: Part, upright: Box, e: number, t: number): Part {
  const lying: Box = { left: upright.left, top: upright.top, width: upright.height, height: upright.width }
  return { ...stretched(part, lying, boxOfPart(part), e), turn: 1 - e, opacity: phase(t, 0.15, 0.35), headingOpacity: phase(t, 0.75, 0.95) }
}

/** Where a map's cells lie on the stage. */
export const boxOfPart = (part: Part): Box => {
  const { width, height } = gridPx(part)
  return { left: part.x, top: part.y, width, height }
}

/** `part`, cells and all, in the box between two. */
export function stretched(part: Part, from: Box, to: Box, e: number): Part {
  const across = mix(from.width, to.width, e) / gridPx(part).width
  return {
    ...part,
    x: mix(from.left, to.left, e),
    y: mix(from.top, to.top, e),
    rowHeight: mix(from.height, to.height, e) / part.matrix.rows,
    bands: part.bands.map((band) => ({ ...band, left: band.left * across, width: band.width * across })),
    stretchedFrom: part.bands.length === 1 ? part : undefined,
    bars: undefined,
  }
}

function bandsBetween(a: readonly Band[], b: readonly Band[], e: number): readonly Band[] {
  if (a.length !== b.length) return e < 0.5 ? a : b
  // The same object where nothing moves: maps whose shape stays need not be painted again.
  if (a.every((band, i) => band.left === b[i]?.left && band.width === b[i].width)) return b
  return b.map((band, i) => {
    const old = a[i] ?? band
    return { ...band, left: mix(old.left, band.left, e), width: mix(old.width, band.width, e) }
  })
}

/**
 * Labels go with the rows they name: those that begin a line go where a map of their line goes, to the first line if its maps part. If
 * all of them leave, the rows of the sentence glide, and stay in sight.
 */
function labelsBetween(a: Scene, b: Scene, parts: readonly Part[], t: number): Labels[] {
  const e = travel(t)
  const now = (labels: Labels): Part => parts.find(({ id }) => id === labels.of.id) ?? labels.of
  const fresh = new Map(b.parts.map((part) => [part.id, part]))
  const begins = ({ labels }: Scene, { x, y }: Labels): boolean => labels.every((other) => other.y !== y || other.x >= x)
  const goesTo = (old: Labels, { y }: Labels): boolean => begins(a, old) && a.parts.some((part) => part.y === old.y && fresh.get(part.id)?.y === y)
  const left = new Set(a.labels)
  const cameFrom = new Map<Labels, Labels>()
  const match = (labels: Labels, fits: (old: Labels) => boolean): void => {
    const own = cameFrom.has(labels) ? undefined : [...left].find(fits)
    if (own === undefined) return
    left.delete(own)
    cameFrom.set(labels, own)
  }
  for (const labels of b.labels.filter((one) => begins(b, one))) match(labels, (old) => goesTo(old, labels))
  for (const labels of b.labels) match(labels, ({ id }) => id === labels.id)
  const arriving = b.labels.map((labels) => {
    const own = cameFrom.get(labels)
    if (own === undefined) return { ...faded(labels, come(t)), of: now(labels) }
    const [x, y] = [mix(own.x, labels.x, e), mix(own.y, labels.y, e)]
    return { ...labels, of: now(labels), x, y, widthPx: mix(own.widthPx, labels.widthPx, e), pitchPx: mix(own.pitchPx, labels.pitchPx, e) }
  })
  // A drawing may be a moment itself, and hold labels that leave it.
  const taken = new Set(b.labels.map(({ id }) => id))
  const leaving = [...left].map((labels) => {
    let { id } = labels
    while (taken.has(id)) id = `left: ${id}`
    taken.add(id)
    return { ...faded(labels, leave(t)), id, of: now(labels) }
  })
  return [...leaving, ...arriving]
}

function crossed<Thing extends Sign | Caption>(a: readonly Thing[], b: readonly Thing[], t: number): Thing[] {
  const old = new Map(a.map((thing) => [thing.id, thing]))
  const fresh = new Set(b.map(({ id }) => id))
  const e = travel(t)
  // What both have stays itself, with the focus that may be in it.
  const arriving = b.map((thing) => {
    const own = old.get(thing.id)
    return own === undefined ? faded(thing, come(t)) : { ...thing, x: mix(own.x, thing.x, e), y: mix(own.y, thing.y, e) }
  })
  return [...a.filter(({ id }) => !fresh.has(id)).map((thing) => faded(thing, leave(t))), ...arriving]
}
