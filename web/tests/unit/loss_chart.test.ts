// The chart of losses: labels never on each other, curves inside their plot, and few points however long a run is.
import { describe, expect, test } from 'vitest'
import { type Curve, type Plot, labelPitchPx, lossChart, spread } from '../../src/components/draw/loss_chart'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
const uniform = (from: number, to: number): number => from + ((to - from) * draw(0, 1e6)) / 1e6
const plot: Plot = { left: 50, top: 20, width: 480, height: 400 }

/** A run that falls, with noise, towards a loss of its own; some end early, some blow up, some are zero at the end. */
function drawnCurve(heads: number): Curve {
  const count = draw(1, 2000)
  const [goal, speed] = [10 ** uniform(-7, 1), uniform(10, 600)]
  const kind = draw(0, 4)
  const steps = Array.from({ length: count }, (_, i) => i)
  const losses = steps.map((step) => (4 * Math.exp(-step / speed) + goal) * 10 ** uniform(-0.2, 0.2))
  if (kind === 0) losses[count - 1] = 10 ** uniform(3, 30)
  if (kind === 1) losses[count - 1] = 0
  if (kind === 2) losses[count - 1] = [NaN, Infinity][draw(0, 1)]!
  return { heads, steps, losses, diverged: kind === 0 || kind === 2 }
}

const drawnCurves = (): Curve[] => [1, 2, 4, 8].slice(0, draw(1, 4)).map(drawnCurve)

describe(`drawn runs (seed ${drawn})`, () => {
  test('labels stay apart, inside, and in the order of the ends', () => {
    for (let i = 0; i < 300; i += 1) {
      const { curves } = lossChart(drawnCurves(), plot)
      const sorted = [...curves].sort((a, b) => a.labelY - b.labelY)
      sorted.forEach(({ labelY, end }, place) => {
        expect(labelY).toBeGreaterThanOrEqual(plot.top)
        expect(labelY).toBeLessThanOrEqual(plot.top + plot.height)
        if (place === 0) return
        expect(labelY - sorted[place - 1]!.labelY).toBeGreaterThanOrEqual(labelPitchPx - 1e-9)
        expect(end.y).toBeGreaterThanOrEqual(sorted[place - 1]!.end.y)
      })
    }
  })

  test('every point lies in the plot, and all are finite', () => {
    for (let i = 0; i < 100; i += 1) {
      for (const { path, end } of lossChart(drawnCurves(), plot).curves) {
        const points = [...path.slice(1).split('L'), `${end.x} ${end.y}`].map((point) => point.split(' ').map(Number) as [number, number])
        const outside = points.filter(([x, y]) => !(x >= plot.left && x <= plot.left + plot.width && y >= plot.top && y <= plot.top + plot.height))
        expect(outside).toEqual([])
      }
    }
  })

  test('no more than four points over a pixel, the extremes among them', () => {
    for (let i = 0; i < 50; i += 1) {
      const curve = { ...drawnCurve(8), diverged: false }
      curve.losses = curve.losses.map((loss) => (Number.isFinite(loss) ? loss : 1))
      const [line] = lossChart([curve], plot).curves
      const points = line!.path.slice(1).split('L').map((point) => point.split(' ').map(Number) as [number, number])
      expect(points.length).toBeLessThanOrEqual(4 * (plot.width + 1))
      const ys = points.map(([, y]) => y)
      const all = lossChart([{ ...curve, steps: curve.steps.map((step) => step * 1000) }], plot).curves[0]!.path.slice(1).split('L').map((point) => Number(point.split(' ')[1]))
      expect(Math.min(...ys)).toBeCloseTo(Math.min(...all), 0)
      expect(Math.max(...ys)).toBeCloseTo(Math.max(...all), 0)
    }
  })

  test('labels move no more than they must', () => {
    for (let i = 0; i < 200; i += 1) {
      const wanted = Array.from({ length: draw(1, 4) }, () => uniform(0, 400))
      const places = spread(wanted, 22, 0, 400)
      const sorted = [...wanted].sort((a, b) => a - b)
      const apart = sorted.every((y, j) => j === 0 || y - sorted[j - 1]! >= 22)
      if (apart) places.forEach((place, j) => expect(place).toBeCloseTo(wanted[j]!, 6))
    }
  })
})

test('all four end together: four labels, one pitch apart, around that place', () => {
  expect(spread([200, 200, 200, 200], 20, 0, 400)).toEqual([170, 190, 210, 230])
  expect(spread([400, 400, 400, 400], 20, 0, 400)).toEqual([340, 360, 380, 400])
  expect(spread([0, 0, 0, 0], 20, 0, 400)).toEqual([0, 20, 40, 60])
})

test('a label beside its end needs no hairline, one that was pushed away has one', () => {
  const at = (loss: number): Curve => ({ heads: 8, steps: [0, 200], losses: [4, loss], diverged: false })
  expect(lossChart([at(0.1)], plot).curves[0]!.leader).toBe('')
  expect(lossChart([at(0.1), { ...at(0.1), heads: 4 }], plot).curves.map(({ leader }) => leader !== '')).toEqual([true, true])
})

test('ticks: 1 and 3 of every power of ten, fewer where there is little room, whole steps below', () => {
  const losses = (chart: ReturnType<typeof lossChart>): number[] => chart.y.map(({ loss }) => loss)
  expect(losses(lossChart([], plot))).toEqual([0.01, 0.03, 0.1, 0.3, 1, 3, 10])
  expect(losses(lossChart([], { ...plot, height: 150 }))).toEqual([0.01, 0.1, 1, 10])
  expect(losses(lossChart([], { ...plot, height: 70 }))).toEqual([0.01, 1])
  expect(lossChart([{ heads: 1, steps: [1000], losses: [1], diverged: false }], plot).x.map(({ step }) => step)).toEqual([0, 400, 800, 1200, 1600])
})

test('nothing measured: a frame without curves', () => {
  expect(lossChart([{ heads: 1, steps: [], losses: [], diverged: false }], plot).curves).toEqual([])
  expect(lossChart([{ heads: 1, steps: [0], losses: [NaN], diverged: true }], plot).curves).toEqual([])
})
