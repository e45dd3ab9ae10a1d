// A chart of losses against steps, as paths and places: loss on a logarithmic scale, a label for every curve that stands beside its end
// and never on another label. Pure: numbers in, places in CSS pixels out.

export interface Curve {
  /** how many heads: the curve's name and its manner of drawing */
  heads: number
  /** ascending */
  steps: readonly number[]
  losses: readonly number[]
  /** it ends there, because the numbers grew too large */
  diverged: boolean
}

/** Where the curves may run. To the right of it is room for labels. */
export interface Plot {
  left: number
  top: number
  width: number
  height: number
}

export interface DrawnCurve {
  heads: number
  path: string
  end: { x: number; y: number }
  diverged: boolean
  loss: number
  /** the middle of its label */
  labelY: number
  /** a hairline from the end to the label; '' where they stand side by side */
  leader: string
}

export interface LossChart {
  x: readonly { at: number; step: number }[]
  y: readonly { at: number; loss: number }[]
  curves: readonly DrawnCurve[]
  /** where labels begin: beside the end that is furthest right */
  labelX: number
}

/** From label to label, and from the furthest end to the labels. */
export const labelPitchPx = 22
export const labelGapPx = 12

/** Below this every loss is drawn as this one. */
export const smallestLoss = 1e-6
/** Above this a curve leaves at the top: the others shall stay readable. */
const largestLoss = 100
/** As low as the scale goes before anything falls below it. */
const usualFloor = 0.01
const usualCeiling = 10
const tickPitchPx = 34
const firstSteps = 200

/** `letters`: how large they are, against those of the page. */
export function lossChart(curves: readonly Curve[], plot: Plot, letters = 1): LossChart {
  const lasting = curves.map(finite).filter(({ steps }) => steps.length > 0)
  const scale = scaleOf(lasting, plot)
  const ends = lasting.map((curve) => ({ x: scale.x(curve.steps.at(-1)!), y: scale.y(curve.losses.at(-1)!) }))
  const furthest = ends.reduce((most, { x }) => Math.max(most, x), plot.left)
  const labelX = furthest + labelGapPx * letters
  const labels = spread(ends.map(({ y }) => y), labelPitchPx * letters, plot.top, plot.top + plot.height)
  return {
    labelX,
    x: [0, 1, 2, 3, 4].map((quarter) => (scale.lastStep * quarter) / 4).map((step) => ({ at: scale.x(step), step })),
    y: ticks(scale.low, scale.high, plot.height, tickPitchPx * letters).map((exponent) => 10 ** exponent).map((loss) => ({ at: scale.y(loss), loss: Number(loss.toPrecision(1)) })),
    curves: lasting.map((curve, i) => {
      const [end, labelY] = [ends[i]!, labels[i]!]
      const near = Math.abs(labelY - end.y) < 1 && furthest - end.x < 2
      return {
        heads: curve.heads, diverged: curve.diverged, end, labelY, loss: curve.losses.at(-1)!,
        path: pathOf(curve, scale),
        leader: near ? '' : `M${px(end.x)} ${px(end.y)}L${px(furthest)} ${px(end.y)}L${px(labelX)} ${px(labelY)}`,
      }
    }),
  }
}

function finite(curve: Curve): Curve {
  const kept = (_: number, i: number): boolean => Number.isFinite(curve.losses[i])
  return { ...curve, steps: curve.steps.filter(kept), losses: curve.losses.filter(kept) }
}

interface Scale {
  lastStep: number
  /** powers of ten */
  low: number
  high: number
  x(step: number): number
  y(loss: number): number
}

function scaleOf(curves: readonly Curve[], { left, top, width, height }: Plot): Scale {
  let [lastStep, least, most] = [firstSteps, usualFloor, usualCeiling]
  for (const { steps, losses } of curves) {
    // It doubles, so that what is drawn stays where it is most of the time.
    while (steps.at(-1)! > lastStep) lastStep *= 2
    for (const loss of losses) {
      if (loss < least) least = loss
      if (loss > most) most = loss
    }
  }
  const low = Math.floor(Math.log10(Math.max(least, smallestLoss)) + 1e-9)
  const high = Math.ceil(Math.log10(Math.min(most, largestLoss)) - 1e-9)
  const exponent = (loss: number): number => Math.min(high, Math.max(low, Math.log10(Math.max(loss, smallestLoss))))
  return {
    lastStep, low, high,
    x: (step) => left + (width * step) / lastStep,
    y: (loss) => top + (height * (high - exponent(loss))) / (high - low),
  }
}

/** Exponents of 1, 3, 10, 30, … as far as there is room; where there is less, of fewer powers of ten. */
function ticks(low: number, high: number, height: number, pitch: number): number[] {
  const perDecade = height / (high - low)
  const every = Math.max(1, Math.ceil(pitch / perDecade))
  const decades = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter((exponent) => (exponent - low) % every === 0)
  const between = perDecade >= 2 * pitch ? decades.filter((exponent) => exponent < high).map((exponent) => exponent + Math.log10(3)) : []
  return [...decades, ...between].sort((a, b) => a - b)
}

/** One decimal is finer than any screen. */
export const px = (value: number): number => Math.round(value * 10) / 10

/** Of all points over one pixel only the first, lowest, highest and last are seen. */
function pathOf({ steps, losses }: Curve, scale: Scale): string {
  const points: string[] = []
  const add = (i: number): void => void points.push(`${px(scale.x(steps[i]!))} ${px(scale.y(losses[i]!))}`)
  for (let first = 0; first < steps.length; ) {
    const column = Math.floor(scale.x(steps[first]!))
    let last = first
    let [low, high] = [first, first]
    while (last + 1 < steps.length && Math.floor(scale.x(steps[last + 1]!)) === column) {
      last += 1
      if (losses[last]! < losses[low]!) low = last
      if (losses[last]! > losses[high]!) high = last
    }
    for (const i of [...new Set([first, low, high, last])].sort((a, b) => a - b)) add(i)
    first = last + 1
  }
  return points.length === 0 ? '' : `M${points.join('L')}`
}

/**
 * Places as near to the wanted ones as can be, in their order, at least `pitch` apart and between `from` and `to`: least squares, by
 * pooling neighbours that want to stand too close. Equal wishes keep the order they are given in.
 */
export function spread(wanted: readonly number[], pitch: number, from: number, to: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]! || a - b)
  const pools: { sum: number; count: number }[] = []
  order.forEach((which, rank) => {
    let pool = { sum: wanted[which]! - rank * pitch, count: 1 }
    for (let before = pools.at(-1); before !== undefined && before.sum / before.count >= pool.sum / pool.count; before = pools.at(-1)) {
      pools.pop()
      pool = { sum: before.sum + pool.sum, count: before.count + pool.count }
    }
    pools.push(pool)
  })
  const room = Math.max(from, to - (wanted.length - 1) * pitch)
  const places = pools.flatMap(({ sum, count }) => Array.from({ length: count }, () => Math.min(room, Math.max(from, sum / count))))
  const result = wanted.map(() => 0)
  order.forEach((which, rank) => (result[which] = places[rank]! + rank * pitch))
  return result
}
