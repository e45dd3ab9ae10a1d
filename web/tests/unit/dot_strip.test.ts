// The strip of dots: no dot on another as long as there is room, every dot in its row, values where the axis has them.
import { expect, test } from 'vitest'
import { type Strip, dotStrip } from '../../src/components/draw/dot_strip'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
const strip: Strip = { left: 60, width: 500, gap: 20, rowHeight: 64, radius: 4 }

const drawnRows = (spread: number): { values: (number | undefined)[] }[] =>
  [1, 2, 4, 8].map(() => ({ values: Array.from({ length: draw(0, 20) }, () => (draw(0, 3) === 0 ? undefined : 10 * draw(1, spread))) }))

test(`every dot is in its row and where the axis has its value (seed ${drawn})`, () => {
  for (let i = 0; i < 200; i += 1) {
    const rows = drawnRows(draw(1, 40))
    const found = dotStrip(rows, 400, strip)
    found.rows.forEach(({ base, dots, without }, row) => {
      const values = rows[row]!.values.filter((value) => value !== undefined).sort((a, b) => a - b)
      expect(dots.map(({ x }) => x)).toEqual(values.map(found.x))
      expect(dots.length + without.length).toBe(rows[row]!.values.length)
      for (const { y } of [...dots, ...without]) {
        expect(y).toBeGreaterThanOrEqual(base - strip.rowHeight + found.radius - 1e-9)
        expect(y).toBeLessThanOrEqual(base - found.radius)
      }
      for (const { x } of without) expect(x + found.radius).toBeLessThanOrEqual(found.field.left + found.field.width)
    })
  }
})

test('no two dots touch while stacks fit into the row', () => {
  for (let i = 0; i < 200; i += 1) {
    const { rows } = dotStrip(drawnRows(40), 400, strip)
    const tallest = Math.max(...rows.map(({ dots }) => new Set(dots.map(({ y }) => y)).size))
    if (tallest * 2 * strip.radius > strip.rowHeight) continue
    for (const { dots, without } of rows) {
      const all = [...dots, ...without]
      all.forEach((one, place) => {
        for (const other of all.slice(place + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThanOrEqual(2 * strip.radius - 1e-6)
      })
    }
  }
})

test('all on one value still lie in their row, each seen', () => {
  const [row] = dotStrip([{ values: Array.from({ length: 20 }, () => 100) }], 400, strip).rows
  expect(new Set(row!.dots.map(({ y }) => y)).size).toBe(20)
  expect(Math.min(...row!.dots.map(({ y }) => y))).toBeGreaterThanOrEqual(strip.radius - 1e-9)
})

test('values of nothing give a strip of nothing', () => {
  expect(dotStrip([{ values: [] }], 400, strip).rows[0]).toEqual({ base: 64, dots: [], without: [] })
})
