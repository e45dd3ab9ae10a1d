// A figure as a picture file: every digit at its place, every label and sign there, and nothing beyond the edge. The canvases are
// fakes that keep what is drawn on them; a map that is drawn onto the picture brings its own notes along.
import { describe, expect, test, vi } from 'vitest'
import { layouts, type Setting } from '../../src/chapters/steps/layouts'
import { stageOf } from '../../src/chapters/steps/stage'
import { limitText } from '../../src/components/figures'
import { drawPicture, pictureName, type PictureFile } from '../../src/components/draw/picture_file'
import type { Brush } from '../../src/components/draw/picture_scene'
import { lookOf } from '../../src/components/draw/look'
import { printed } from '../../src/components/draw/paint'
import type { Scene } from '../../src/components/draw/scene'
import { boxOf, gridOf } from '../../src/components/draw/geometry'
import { linesOf } from '../../src/components/draw/write'
import { StridedView } from '../../src/core/tensor'
import type { CellRef } from '../../src/core/protocol'
import { stopNames } from '../../src/model/stops'
import { steps as en } from '../../src/text/steps.en'
import { engines, request, withPass } from './core_support'

interface Note {
  text: string
  x: number
  y: number
}

/** A canvas that keeps its texts in device pixels. Letters are half as wide as high. */
class FakeCanvas {
  width = 0
  height = 0
  readonly notes: Note[] = []
  readonly rects: [x: number, y: number, width: number, height: number, colour: string][] = []
  #scale = 1
  #at = [0, 0]
  readonly #stack: [number, number[]][] = []
  readonly context = this.#context()

  getContext(): unknown {
    return this.context
  }

  #place(x: number, y: number): [number, number] {
    return [(this.#at[0]! + x) * this.#scale, (this.#at[1]! + y) * this.#scale]
  }

  #context(): unknown {
    const sizeOf = (font: string): number => Number(/([\d.]+)px/.exec(font)?.[1])
    const context = {
      font: '10px sans', fillStyle: '',
      setTransform: (scale: number) => {
        this.#scale = scale
        this.#at = [0, 0]
      },
      translate: (x: number, y: number) => (this.#at = [this.#at[0]! + x, this.#at[1]! + y]),
      save: () => this.#stack.push([this.#scale, [...this.#at]]),
      restore: () => ([this.#scale, this.#at] = this.#stack.pop()!),
      measureText: (text: string) => ({ width: [...text].length * sizeOf(context.font) * 0.5 }),
      fillText: (text: string, x: number, y: number) => {
        const [left, top] = this.#place(x, y)
        this.notes.push({ text, x: left, y: top })
      },
      fillRect: (x: number, y: number, width: number, height: number) => {
        this.rects.push([...this.#place(x, y), width * this.#scale, height * this.#scale, String(context.fillStyle)])
      },
      drawImage: (child: FakeCanvas, x: number, y: number) => {
        const [left, top] = this.#place(x, y)
        this.notes.push(...child.notes.map((note) => ({ ...note, x: left + note.x, y: top + note.y })))
      },
    }
    // Everything else draws lines and shapes, which are not looked at here.
    return new Proxy(context, { get: (target, key) => Reflect.get(target, key) ?? (() => undefined), set: Reflect.set })
  }
}

// Pixels are no notes: cells.ts is looked at in draw.test.ts.
vi.stubGlobal('ImageData', class {})

const pixelRatio = 2
const margin = 32

async function pictureOf(stop: number, pin: CellRef | null = null): Promise<{ canvas: FakeCanvas; scene: Scene; setting: Setting; file: PictureFile }> {
  const tokens = ['她', '把', '蛋糕', 'because', 'x']
  return withPass(engines.simd, request({ tokens, causal: true }), async ({ memory, pass }) => {
    const { view, data } = await memory.contributions([0, 1], () => Promise.resolve())
    const contributions = new StridedView('contributions', view, data)
    const setting: Setting = {
      pass, contributions: { pass, first: 0, view: contributions }, stage: stageOf(1200, 900, tokens), sizes: { n: 5, d: 8, h: 2, k: 4 },
      heads: { chosen: 0, shown: [0, 1] }, role: 'q', apart: 1, pin, text: en,
    }
    const scene = layouts[stopNames[stop]!](setting)
    const file: PictureFile = {
      scene, stop, title: en.stops[stopNames[stop]!].title, line: en.stops[stopNames[stop]!].line(setting.sizes), notes: ['a note'], caption: 'whose it is',
      legends: [{ domain: { kind: 'diverging', limit: 2.5 }, caption: '$Q_i$', pale: true, from: 0 }],
      numbers: { pass, contributions, pin, explanation: undefined },
    }
    const canvas = new FakeCanvas()
    drawPicture(canvas as unknown as HTMLCanvasElement, file, (context): Brush => ({
      context, pixelRatio, ground: 'light', signs: false, colour: (name) => name, faces: { sans: 'sans', serif: 'serif', mono: 'mono' },
      canvas: () => new FakeCanvas() as unknown as HTMLCanvasElement, headName: (number) => `Head ${number}`,
    }))
    return { canvas, scene, setting, file }
  })
}

describe.each(stopNames.map((name, stop) => ({ name, stop })))('stop $stop, $name', ({ stop }) => {
  test('every digit in its cell', async () => {
    const { canvas, scene, setting, file } = await pictureOf(stop)
    // Where the drawing begins: below the title and its sentence.
    const faces = { sans: 'sans', serif: 'serif', mono: 'mono' }
    const inner = Math.max(640, Math.ceil(scene.width) + 40)
    const lines = linesOf(canvas.context as CanvasRenderingContext2D, file.line, { sizePx: 17, linePx: 28, family: 'sans' }, faces, inner).length
    const origin = { x: margin, y: margin + 40 + lines * 28 + 12 }
    let digits = 0
    for (const part of scene.parts) {
      const grid = gridOf(part.bands, part.matrix.rows, part.rowHeight)
      const narrowest = Math.min(...part.bands.map(({ width, count }) => width / count))
      const look = lookOf(setting.pass, part.matrix, narrowest, part.rowHeight, part.manner, setting.contributions?.view)
      if (look.digits === undefined) continue
      for (let row = 0; row < grid.rows; row += 1) {
        for (let column = 0; column < part.matrix.columns; column += 1) {
          if (look.masked?.(row, column)) continue
          const box = boxOf(grid, row, column)!
          const [left, top] = [(origin.x + part.x + box.left) * pixelRatio, (origin.y + part.y + box.top) * pixelRatio]
          const here = canvas.notes.filter(({ x, y }) => x > left && x <= left + box.width * pixelRatio && y > top && y < top + box.height * pixelRatio)
          expect(here.map(({ text }) => text), `${part.id} [${row}, ${column}]`).toEqual([printed(part.matrix.value(row, column), look.digits)])
          digits += 1
        }
      }
    }
    expect(digits).toBeGreaterThan(20)
  })

  test('says what it is, from which numbers, and whose', async () => {
    const { canvas, scene, file } = await pictureOf(stop)
    const text = canvas.notes.map((note) => note.text).join('')
    for (const word of ['whose it is', 'a note', `${stop}  `, '−2.5', '+2.5']) expect(text).toContain(word)
    for (const token of ['她', '把', '蛋糕', 'because']) expect(canvas.notes.map((note) => note.text)).toContain(token)
    for (const { sign } of scene.signs) expect(text).toContain(sign)
    for (const { heading } of scene.parts) if (heading.title?.startsWith('W_')) expect(text).toContain('W')
    expect(text.replace(/\s/g, '')).toContain(file.line.replace(/[$*_\s]/g, '').slice(0, 12))
    for (const note of canvas.notes) {
      expect(note.x >= 0 && note.x <= canvas.width && note.y >= 0 && note.y <= canvas.height, note.text).toBe(true)
    }
  })
})

test('the picture is twice as fine as the drawing and has room for all of it', async () => {
  const { canvas, scene } = await pictureOf(3)
  expect(canvas.width).toBeGreaterThanOrEqual((scene.width + 2 * margin) * pixelRatio)
  expect(canvas.height).toBeGreaterThan((scene.height + 2 * margin) * pixelRatio)
  expect(canvas.rects[0]).toEqual([0, 0, canvas.width, canvas.height, 'paper'])
})

test('a pinned cell has its rules and its tokens', async () => {
  const [plain, pinned] = [await pictureOf(6), await pictureOf(6, { tensor: 'weights', index: [0, 2, 1] })]
  const count = ({ canvas }: typeof plain, colour: string): number => canvas.rects.filter((rect) => rect[4] === colour).length
  expect(count(plain, 'mark')).toBe(0)
  // Two maps: a row label and a column label each.
  expect(count(pinned, 'mark')).toBe(4)
  expect(count(pinned, 'ink')).toBe(count(plain, 'ink') + 4)
})

test('lines break between words, in Chinese between signs but not before what closes', () => {
  const { context } = new FakeCanvas() as unknown as { context: CanvasRenderingContext2D }
  const faces = { sans: 'sans', serif: 'serif', mono: 'mono' }
  const style = { sizePx: 10, linePx: 20, family: 'sans' }
  const lines = (text: string, width: number): string[] => linesOf(context, text, style, faces, width).map((runs) => runs.map(({ text: piece }) => piece).join(''))
  expect(lines('two words more', 50)).toEqual(['two words ', 'more'])
  expect(lines('每一行各自，归一化。', 25)).toEqual(['每一行各', '自，归一', '化。'])
  expect(lines('*q* and $√d_k$', 1000)).toEqual(['q and √dk'])
  for (const stop of Object.values(en.stops)) expect(lines(stop.line({ n: 5, d: 8, h: 2, k: 4 }), 1000).join('')).not.toMatch(/[*$_{}]/)
})

test('names and limits', () => {
  expect(pictureName(6, 'softmax', 8, 2)).toBe('eight-meetings-stop-6-softmax-8x2.png')
  expect(limitText({ kind: 'diverging', limit: 2.5 })).toEqual(['−2.5', '+2.5'])
  expect(limitText({ kind: 'diverging', limit: 15 })).toEqual(['−15', '+15'])
  expect(limitText({ kind: 'sequential', limit: 1 })).toEqual(['0', '1'])
})
