// What is drawn: colours, cells, bins, digits, bands; and the small things beside a picture.
import { describe, expect, test } from 'vitest'
import type { TensorView } from '../../src/core/protocol'
import { csvName, csvOf } from '../../src/components/csv'
import { emWidth, fitDigits, gutterPx, labelFit, leastColumnPx, wordPx } from '../../src/components/draw/digits'
import { type Band, bins, boxOf, boxesOf, cellAt, devicePx, dockedBands, gridOf, isBinned, paintedBox, pixelsOf, planBands, plainBand, strongest, visible } from '../../src/components/draw/geometry'
import { lessonSentence } from '../../src/model/sentences'
import { colourCells } from '../../src/components/draw/cells'
import { type Colour, colourOf, digitDepth, inkOn, luminance, shader } from '../../src/components/draw/ramp'
import { parseFormula, parseProse, plain } from '../../src/components/prose'
import { crossing, laneWidths, mixing, outputCross, projectionWidths, stageOf } from '../../src/chapters/steps/stage'
import { matrixOf } from '../../src/model/matrix'
import type { Domain } from '../../src/model/scale'
import { symbolOf } from '../../src/model/symbols'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
const signed: Domain = { kind: 'diverging', limit: 4 }
const share: Domain = { kind: 'sequential', limit: 1 }

function matrix(rows: number, columns: number, value: (row: number, column: number) => number) {
  const data = Float32Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns))
  const view: TensorView = { name: 'x', axes: ['n', 'd'], shape: [rows, columns], strides: [columns, 1], offset: 0, data, at: () => 0 }
  return matrixOf(view)
}

const contrast = (a: Colour, b: Colour): number => {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

describe('the ramp', () => {
  test.each(['light', 'dark'] as const)('%s: ends as designed, and digits read everywhere', (ground) => {
    const ends = { light: [[0x17, 0x24, 0x39], [0x7f, 0x21, 0x17]], dark: [[0xe7, 0xf9, 0xfc], [0xff, 0xa5, 0x71]] }[ground]
    expect(colourOf(4, signed, ground)).toEqual(ends[0])
    expect(colourOf(-4, signed, ground)).toEqual(ends[1])
    expect(colourOf(400, signed, ground)).toEqual(ends[0])
    for (const depth of [1, digitDepth]) {
      for (let i = -100; i <= 100; i += 1) {
        const colour = colourOf(i / 25, signed, ground, depth)
        expect(contrast(colour, inkOn(colour) === '#000' ? [0, 0, 0] : [255, 255, 255])).toBeGreaterThan(4.5)
      }
    }
  })

  test('lightness runs one way on each side of zero', () => {
    for (const [ground, sign] of [['light', -1], ['dark', 1]] as const) {
      for (const side of [1, -1]) {
        const values = Array.from({ length: 50 }, (_, i) => luminance(colourOf((side * 4 * i) / 49, signed, ground)))
        values.slice(1).forEach((value, i) => expect(sign * (value - values[i]!)).toBeGreaterThanOrEqual(-1e-9))
      }
    }
  })

  test('under digits on paper the ink is always black', () => {
    for (let i = -40; i <= 40; i += 1) expect(inkOn(colourOf(i / 10, signed, 'light', digitDepth))).toBe('#000')
    expect(colourOf(0.5, share, 'light')).toEqual(colourOf(2, signed, 'light'))
  })
})

describe('bins', () => {
  test('every item is in exactly one bin, every pixel in at most one', () => {
    for (let i = 0; i < 200; i += 1) {
      const [items, pixels] = [draw(1, 1200), draw(1, 1200)]
      const found = bins(items, pixels)
      expect(found.first(0)).toBe(0)
      expect(found.first(found.count)).toBe(items)
      expect(found.pixel(found.count)).toBe(Math.min(items, pixels) === items ? pixels : found.count)
      for (let bin = 0; bin < found.count; bin += 1) {
        expect(found.first(bin + 1)).toBeGreaterThan(found.first(bin))
        expect(found.end(bin)).toBeGreaterThanOrEqual(found.first(bin + 1))
        expect(found.end(bin)).toBeLessThanOrEqual(Math.min(items, found.first(bin + 1) + 1))
        expect(found.pixel(bin + 1)).toBeGreaterThan(found.pixel(bin))
        expect([found.of(found.first(bin)), found.of(found.first(bin + 1) - 1)]).toEqual([bin, bin])
        expect([found.at(found.pixel(bin)), found.at(found.pixel(bin + 1) - 1)]).toEqual([bin, bin])
      }
    }
  })

  test('the strongest keeps its sign, and what is no number can’t hide', () => {
    const m = matrix(2, 4, (row, column) => [[1, -9, 2, 0], [3, 4, NaN, 8]][row]![column]!)
    expect(strongest(m, 0, 1, 0, 4)).toEqual({ row: 0, column: 1 })
    expect(strongest(m, 1, 2, 0, 2)).toEqual({ row: 1, column: 1 })
    expect(strongest(m, 0, 2, 0, 4)).toEqual({ row: 1, column: 2 })
    expect(strongest(matrix(1, 3, () => 0), 0, 1, 0, 3)).toEqual({ row: 0, column: 0 })
  })
})

describe('cells', () => {
  test('the middle of every cell is that cell, between bands there is none', () => {
    for (let i = 0; i < 40; i += 1) {
      const heads = draw(1, 8)
      const headDim = draw(1, 9)
      const shown = Array.from({ length: heads }, (_, head) => head)
      const bands = planBands({ available: draw(300, 1300), heads: shown, headDim, chosen: draw(0, heads - 1), gap: 12, cell: { max: 46, min: 31 } })
      const rows = draw(1, 12)
      const m = matrix(rows, heads * headDim, () => 1)
      const grid = gridOf(bands, rows, 24)
      for (let row = 0; row < rows; row += 1) {
        for (let column = 0; column < heads * headDim; column += 1) {
          const box = boxOf(grid, row, column)!
          if (box.width < 1.5) continue
          expect(cellAt(grid, m, box.left + box.width / 2, box.top + box.height / 2, 1)).toEqual({ row, column })
          const seen = visible(box)
          expect(Math.min(seen.width, seen.height)).toBeGreaterThanOrEqual(3)
          expect(seen.left + seen.width / 2).toBeCloseTo(box.left + box.width / 2)
          expect(seen.top + seen.height / 2).toBeCloseTo(box.top + box.height / 2)
        }
      }
      for (const { left, width } of bands.slice(0, -1)) expect(cellAt(grid, m, left + width + 6, 5, 1)).toBeUndefined()
      expect(cellAt(grid, m, -1, 5, 1)).toBeUndefined()
      expect(cellAt(grid, m, 5, rows * 24 + 1, 1)).toBeUndefined()
    }
  })

  test('every pixel of a cell is that cell, wherever in the pixel the pointer stands', () => {
    for (let i = 0; i < 60; i += 1) {
      const [heads, headDim, rows] = [draw(1, 8), draw(1, 64), draw(1, 5)]
      const shown = Array.from({ length: heads }, (_, head) => head)
      const m = matrix(rows, heads * headDim, () => 1)
      const ratio = [1, 1.25, 2, 3][draw(0, 3)]!
      const seam = 1.5
      const available = heads * headDim * (1.1 + draw(0, 99) / 100) + (heads - 1) * seam
      const grid = gridOf(dockedBands(available, shown, headDim, seam, 46), rows, 7 + draw(0, 90) / 10)
      for (const band of grid.bands) {
        const { left, columns } = pixelsOf(grid, band, ratio)
        for (let column = 0; column < band.count; column += 1) {
          for (let pixel = columns.pixel(column); pixel < columns.pixel(column + 1); pixel += 1) {
            const at = left + pixel
            for (const part of [0.001, 0.5, 0.999]) {
              expect(cellAt(grid, m, (at + part) / ratio, 1, ratio)).toEqual({ row: 0, column: band.start + column })
            }
          }
        }
      }
    }
  })

  test('who points at the middle of the keyboard’s mark means its cell, or a stronger one in the same pixel, wherever on the screen the map stands', () => {
    for (let i = 0; i < 200; i += 1) {
      const [heads, headDim, rows] = [draw(1, 8), draw(1, 64), draw(1, 40)]
      const shown = Array.from({ length: heads }, (_, head) => head)
      const m = matrix(rows, heads * headDim, () => draw(-99, 99))
      const ratio = [1, 1.25, 2, 3][draw(0, 3)]!
      const grid = gridOf(dockedBands(heads * headDim * (0.6 + draw(0, 99) / 100), shown, headDim, 1.5, 46), rows, 0.7 + draw(0, 300) / 100)
      const [row, column] = [draw(0, rows - 1), draw(0, heads * headDim - 1)]
      const box = visible(paintedBox(grid, row, column, ratio))
      // The browser puts the map's picture on the nearest device pixel; its marks stay where the map stands.
      const off = (draw(0, 999) / 1000 - 0.5) / ratio
      const found = cellAt(grid, m, off + box.left + box.width / 2, off + box.top + box.height / 2, ratio)!
      const what = `${row}, ${column} of ${rows} × ${heads} × ${headDim} at ${ratio}, ${off} off`
      if (!isBinned(grid, ratio)) expect(found, what).toEqual({ row, column })
      const [mark, reached] = [paintedBox(grid, row, column, ratio)!, boxOf(grid, found.row, found.column)!]
      expect(Math.min(mark.left + mark.width, reached.left + reached.width) - Math.max(mark.left, reached.left), what).toBeGreaterThan(-0.5 / ratio)
      expect(Math.min(mark.top + mark.height, reached.top + reached.height) - Math.max(mark.top, reached.top), what).toBeGreaterThan(-0.5 / ratio)
      expect(Math.abs(m.value(found.row, found.column)), what).toBeGreaterThanOrEqual(Math.abs(m.value(row, column)))
    }
  })

  test('where pixels are few, the strongest cell of a pixel is the one under the pointer', () => {
    const m = matrix(1, 100, (_, column) => (column === 37 ? -5 : 1))
    const grid = gridOf(plainBand(100, 10), 1, 20)
    expect(isBinned(grid, 1)).toBe(true)
    expect(isBinned(grid, 10)).toBe(false)
    expect(cellAt(grid, m, 3.5, 10, 1)).toEqual({ row: 0, column: 37 })
  })
})

describe('bands', () => {
  const fits = (bands: readonly Band[], available: number): void => {
    const last = bands.at(-1)!
    expect(last.left + last.width).toBeLessThanOrEqual(available + 0.5)
    bands.slice(1).forEach((band, i) => expect(band.left).toBeGreaterThan(bands[i]!.left + bands[i]!.width))
  }

  test('fit, whatever the heads', () => {
    for (const available of [250, 400, 960, 1276]) {
      for (const [count, headDim] of [[1, 1], [1, 1024], [2, 4], [8, 64], [16, 64], [16, 1], [8, 1], [3, 7]] as const) {
        const heads = Array.from({ length: count }, (_, i) => i)
        const bands = planBands({ available, heads, headDim, chosen: count - 1, gap: 10, cell: { max: 46, min: 31 } })
        fits(bands, available)
        expect(Math.max(...bands.map(({ width }) => width))).toBe(bands.at(-1)!.width)
        fits(dockedBands(available, heads, headDim, 3, 46), available)
      }
    }
  })

  test('a block that crosses bands is a box in each', () => {
    const grid = gridOf(dockedBands(90, [0, 1, 2], 3, 0, 10), 5, 20)
    expect(boxesOf(grid, { row: 1, column: 2, rows: 2, columns: 5 })).toEqual([
      { left: 20, top: 20, width: 10, height: 40 },
      { left: 30, top: 20, width: 30, height: 40 },
      { left: 60, top: 20, width: 10, height: 40 },
    ])
    expect(boxesOf(grid, { row: 0, column: 3, rows: 1, columns: 1 })).toEqual([boxOf(grid, 0, 3)])
  })

  test('the readable size shows every head alike, the article’s one head wide', () => {
    const even = planBands({ available: 400, heads: [0, 1], headDim: 4, chosen: 0, gap: 10, cell: { max: 46, min: 31 } })
    expect(even.map(({ width }) => width)).toEqual([184, 184])
    const article = planBands({ available: 1230, heads: [0, 1, 2, 3, 4, 5, 6, 7], headDim: 64, chosen: 6, gap: 12, cell: { max: 46, min: 31 } })
    expect(article.map(({ width }) => width)).toEqual([61, 61, 61, 61, 61, 61, 719, 61])
  })
})

describe('digits and labels', () => {
  test('no word of the lesson’s sentences is cut in the strip of a phone, and none is too small to read', () => {
    for (const word of Object.values(lessonSentence).flat()) {
      const px = wordPx(word, 52, 16)
      expect(emWidth(word) * px, word).toBeLessThanOrEqual(52)
      expect(px, word).toBeGreaterThanOrEqual(12)
    }
    expect([wordPx('she', 52, 16), wordPx('internationally', 52, 16)]).toEqual([16, 12])
  })

  test('rules of the design', () => {
    expect(fitDigits(signed, 46, 34)).toEqual({ fontPx: 16, decimals: 2, bare: false })
    expect(fitDigits({ ...signed, limit: 15 }, 72, 30)).toEqual({ fontPx: 16, decimals: 2, bare: false })
    expect(fitDigits({ ...signed, limit: 15 }, 50, 30)).toMatchObject({ decimals: 1 })
    expect(fitDigits(share, 38, 30)).toMatchObject({ decimals: 2, bare: true })
    expect(fitDigits(signed, 20, 34)).toBeUndefined()
    expect(fitDigits(signed, 46, 12)).toBeUndefined()
    for (let width = 1; width < 100; width += 1) expect(fitDigits(signed, width, 40)?.fontPx ?? 12).toBeGreaterThanOrEqual(12)
  })

  test('labels lie flat, stand on each other, or lean', () => {
    expect(labelFit(['小明', '把'], 46, 16)).toEqual({ mode: 'flat', fontPx: 16 })
    expect(labelFit(['小明', '把'], 27, 14)).toEqual({ mode: 'stacked', fontPx: 14 })
    expect(labelFit(['小明', '把'], leastColumnPx, 14)).toEqual({ mode: 'stacked', fontPx: 13 })
    expect(labelFit(['because', 'she'], 40, 16)).toEqual({ mode: 'slanted', fontPx: 16 })
    expect(labelFit(['because', 'she'], leastColumnPx, 16)).toEqual({ mode: 'slanted', fontPx: 12 })
    expect(labelFit(['小明', 'because'], 27, 14)).toEqual({ mode: 'slanted', fontPx: 14 })
    expect(emWidth('小明a')).toBeCloseTo(2.55)
    expect(gutterPx(['x'.repeat(200)], 16)).toBeLessThan(140)
  })
})

describe('stages', () => {
  const tokens = (n: number): string[] => Array.from({ length: n }, () => '小明')

  test.each([320, 390, 700, 960, 1328])('%i px: nothing is wider than the stage where it need not be', (width) => {
    for (const n of [1, 11, 32]) {
      const stage = stageOf(width, 900, tokens(n))
      for (const [d, h] of [[1, 1], [8, 2], [12, 3], [512, 8], [1024, 64], [1024, 1]] as const) {
        const sizes = { n, d, h, k: d / h }
        const { x, w, q } = projectionWidths(stage, sizes)
        expect(Math.max(x, w, q)).toBeLessThanOrEqual(width - stage.gutter)
        const cross = outputCross(stage, sizes)
        if (cross !== undefined) expect(stage.gutter + cross * (h * (d / h + d) + d)).toBeLessThanOrEqual(width)
        const lanes = laneWidths(stage, sizes)
        expect(lanes.z + lanes.w + lanes.c).toBeLessThan(width)
        if (n <= 11) {
          const { score, q: qWidth, side } = crossing(stage, sizes)
          if (!stage.narrow) expect(stage.gutter + qWidth + 30 + score * n + side).toBeLessThanOrEqual(width + 30)
          const mix = mixing(stage, sizes)
          expect(stage.gutter + Math.max(mix.a * n, mix.v)).toBeLessThanOrEqual(width)
        }
      }
    }
  })
})

describe('words', () => {
  test('markup', () => {
    expect(parseProse('*q* 用来问，$W_O$ 混合')).toEqual([
      { kind: 'bold', text: 'q' },
      { kind: 'text', text: ' 用来问，' },
      { kind: 'formula', pieces: [{ kind: 'letter', text: 'W' }, { kind: 'lowered', text: 'O' }] },
      { kind: 'text', text: ' 混合' },
    ])
    expect(parseFormula('K_{12}^T[4, 0]').map(({ kind }) => kind)).toEqual(['letter', 'lowered', 'raised', 'upright'])
    expect(parseFormula('S′_1').map(({ text }) => text)).toEqual(['S′', '1'])
    expect(plain('*q* $W_{12}$')).toBe('q W12')
    expect(parseProse('2 * 3 $')).toEqual([{ kind: 'text', text: '2 * 3 $' }])
  })

  test('files for spreadsheets: full precision, and nothing that runs', () => {
    const m = matrix(2, 2, (row, column) => (row + 1) / 3 + column)
    const csv = csvOf(m, ['=cmd|x', 'say "hi"'], ['0', '+1'])
    expect(csv).toBe(`\ufeff"","0","'+1"\r\n"'=cmd|x",${m.value(0, 0)},${m.value(0, 1)}\r\n"say ""hi""",${m.value(1, 0)},${m.value(1, 1)}\r\n`)
    expect(csvName(m)).toBe('x.csv')
  })

  test('a file names the head as the page does', () => {
    const [data, shape] = [new Float32Array(12), [3, 2, 2]]
    const view: TensorView = { name: 'weights', axes: ['h', 'n', 'm'], shape, strides: [4, 2, 1], offset: 0, data, at: () => 0 }
    for (const head of [0, 1, 2]) expect(csvName(matrixOf(view, { head }))).toBe(`weights-head-${symbolOf('weights', head).match(/\d+/u)![0]}.csv`)
  })
})

test('a cell too narrow to be seen is shown wider, around its own middle', () => {
  const seen = visible({ left: 10, top: 20, width: 1.5, height: 2 })
  expect(seen).toEqual({ left: 9.25, top: 19.5, width: 3, height: 3 })
  expect(visible({ left: 10, top: 20, width: 46, height: 30 })).toEqual({ left: 10, top: 20, width: 46, height: 30 })
})

test('every pixel is painted in the colour of the cell that the pointer finds there', () => {
  for (let i = 0; i < 40; i += 1) {
    const [heads, headDim, rows] = [draw(1, 4), draw(1, 40), draw(1, 30)]
    const values = Float32Array.from({ length: rows * heads * headDim }, () => draw(-400, 400) / 100)
    const m = { ...matrix(rows, heads * headDim, () => 0), data: values, offset: 0, rowStride: heads * headDim, columnStride: 1 }
    const ratio = [1, 1.5, 2][draw(0, 2)]!
    const shown = Array.from({ length: heads }, (_, head) => head)
    const grid = gridOf(dockedBands(draw(20, 600), shown, headDim, 2, 46), rows, draw(5, 200) / 10)
    const look = { domain: { kind: 'diverging', limit: 4 } as const, ground: 'light' as const, from: 0, depth: 1, blankBelow: 0 }
    const colour = shader(look)
    for (const band of grid.bands) {
      const { left, width, height } = pixelsOf(grid, band, ratio)
      const pixels = new Uint32Array(width * height)
      colourCells(pixels, m, grid, band, look, ratio)
      let [painted, wrong] = [0, 0]
      for (let y = 0; y < height; y += 1) {
        for (let x = 0; x < width; x += 1) {
          const pixel = pixels[y * width + x]!
          if (pixel === 0) continue
          painted += 1
          const { row, column } = cellAt(grid, m, (left + x + 0.5) / ratio, (y + 0.5) / ratio, ratio)!
          if (pixel !== colour(values[row * heads * headDim + column]!)) wrong += 1
        }
      }
      expect(wrong).toBe(0)
      expect(painted).toBeGreaterThan(0.7 * width * height)
    }
  }
})

test('weak columns between strong ones make no stripes where two share a pixel, and blocks that adjoin have no gap', () => {
  for (let i = 0; i < 60; i += 1) {
    const [heads, headDim, ratio] = [draw(1, 8), draw(8, 64), [1, 1.5, 2][draw(0, 2)]!]
    const all = heads * headDim
    const m = { ...matrix(1, all, () => 0), data: Float32Array.from({ length: all }, (_, column) => column % 2), offset: 0, rowStride: all, columnStride: 1 }
    const shown = Array.from({ length: heads }, (_, head) => head)
    const grid = gridOf(dockedBands((all * draw(30, 95)) / 100 / ratio, shown, headDim, 0, 46), 1, 5)
    const look = { domain: { kind: 'diverging', limit: 1 } as const, ground: 'light' as const, from: 0, depth: 1, blankBelow: 0 }
    let reached = 0
    for (const band of grid.bands) {
      const { left, width, height } = pixelsOf(grid, band, ratio)
      expect(left).toBe(reached)
      reached = left + width
      const pixels = new Uint32Array(width * height)
      colourCells(pixels, m, grid, band, look, ratio)
      if (headDim > width) expect(new Set(pixels)).toEqual(new Set([shader(look)(1)]))
    }
    expect(reached).toBe(devicePx(grid.width, ratio))
  }
})

test('a cell that is no number stays blank, also where it shares a pixel with others', () => {
  const m = { ...matrix(1, 40, () => 0), data: Float32Array.from({ length: 40 }, (_, i) => (i === 13 ? NaN : i)), offset: 0, rowStride: 40, columnStride: 1 }
  const look = { domain: { kind: 'diverging', limit: 40 } as const, ground: 'light' as const, from: 0, depth: 1, blankBelow: 0 }
  const pixels = new Uint32Array(10 * 5)
  colourCells(pixels, m, gridOf(plainBand(40, 10), 1, 5), plainBand(40, 10)[0]!, look, 1)
  expect([...pixels.slice(0, 10)].map((pixel) => pixel === 0)).toEqual([false, false, false, true, false, false, false, false, false, false])
})
