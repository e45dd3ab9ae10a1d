// The drawing of every stop and the moments between them, for shapes and widths drawn anew: everything lies inside, nothing
// covers anything, and no number changes while shapes move.
import { beforeAll, describe, expect, test } from 'vitest'
import { lookOf } from '../../src/components/draw/look'
import { layouts, type Setting } from '../../src/chapters/steps/layouts'
import { stageOf } from '../../src/chapters/steps/stage'
import { isTokenAxis } from '../../src/components/describe'
import { emWidth } from '../../src/components/draw/digits'
import { type Part, type Scene, abovePx, columnFit, gridPx, pitchOf, rowLabelPx, widthPx } from '../../src/components/draw/scene'
import { between } from '../../src/components/draw/tween'
import { zoomed } from '../../src/components/draw/zoom'
import { lessonSentence } from '../../src/model/sentences'
import { headPage, headsOn } from '../../src/model/heads'
import { type StopName, lastStop, stopNames } from '../../src/model/stops'
import { steps as en } from '../../src/text/steps.en'
import { StridedView } from '../../src/core/tensor'
import { engines, request, withPass } from './core_support'

interface Case {
  n: number
  d: number
  h: number
  width: number
  head: number
  role: 'q' | 'k' | 'v'
  apart: number
  causal: boolean
}

function settingOf({ n, d, h, width, head, role, apart, causal }: Case): Promise<Setting> {
  const tokens = Array.from({ length: n }, (_, i) => ['她', '把', '蛋糕', 'because', 'x'][i % 5]!)
  const shown = headPage(h, head)
  return withPass(engines.simd, request({ tokens, dModel: d, heads: h, causal, seed: n + d }), async ({ memory, pass }) => {
    const { view, data } = await memory.contributions(headsOn(shown), () => Promise.resolve())
    return {
      pass,
      contributions: { pass, first: shown.first, view: new StridedView('contributions', view, data) },
      stage: stageOf(width, 900, tokens),
      sizes: { n, d, h, k: d / h },
      heads: { chosen: shown.chosen, shown: headsOn(shown) },
      role, apart, pin: null, text: en,
    }
  })
}

const cases: Case[] = []
for (const width of [288, 358, 700, 960, 1328]) {
  for (const [n, d, h] of [[11, 8, 2], [3, 8, 4], [1, 1, 1], [13, 12, 3], [11, 512, 8], [32, 64, 16], [5, 1024, 64], [4, 4, 4]] as const) {
    const i = cases.length
    cases.push({ n, d, h, width, head: i % h, role: (['q', 'k', 'v'] as const)[i % 3]!, apart: i % 2, causal: i % 2 === 1 })
  }
}

const sceneOf = (setting: Setting, name: StopName): Scene => layouts[name](setting)
const boxOf = (part: Part): { left: number; top: number; right: number; bottom: number } => {
  const { width, height } = gridPx(part)
  return { left: part.x, top: part.y, right: part.x + width, bottom: part.y + height }
}
const valuesOf = ({ matrix }: Part): number[] =>
  Array.from({ length: matrix.rows * matrix.columns }, (_, i) => matrix.value(Math.floor(i / matrix.columns), i % matrix.columns))
const numbersOf = (part: Part): string => `${part.matrix.tensor} ${part.matrix.head} ${part.matrix.offset} ${part.matrix.rowStride} ${part.matrix.columnStride}`

describe.each(cases)('$n tokens, $d = $h heads, $width px', (given) => {
  let setting: Setting
  let scenes: Scene[]
  beforeAll(async () => {
    setting = await settingOf(given)
    scenes = stopNames.map((name) => sceneOf(setting, name))
  })

  test('every map lies on the stage, and none on another', () => {
    scenes.forEach(({ parts, width, height }, stop) => {
      expect(parts.length, `stop ${stop}`).toBeGreaterThan(0)
      for (const part of parts) {
        const box = boxOf(part)
        const where = `stop ${stop}, ${part.id}`
        expect([part.x, part.y, part.rowHeight, ...part.bands.flatMap(({ left, width }) => [left, width])].every(Number.isFinite), where).toBe(true)
        expect(box.left, where).toBeGreaterThanOrEqual(0)
        expect(box.top - abovePx(part), where).toBeGreaterThanOrEqual(-0.5)
        expect(box.right, where).toBeLessThanOrEqual(width + 0.5)
        expect(box.bottom, where).toBeLessThanOrEqual(height + 0.5)
      }
      for (const [i, a] of parts.entries()) {
        for (const b of parts.slice(i + 1)) {
          // Each with what stands above it.
          const [p, q] = [boxOf(a), boxOf(b)]
          const apart = p.right <= q.left + 0.5 || q.right <= p.left + 0.5 || p.bottom <= q.top - abovePx(b) + 0.5 || q.bottom <= p.top - abovePx(a) + 0.5
          expect(apart, `stop ${stop}: ${a.id} and ${b.id}`).toBe(true)
        }
      }
      expect(new Set(parts.map(({ key }) => key)).size, `keys of stop ${stop}`).toBe(parts.length)
      expect(new Set(parts.map(({ id }) => id)).size, `ids of stop ${stop}`).toBe(parts.length)
    })
  })

  test('no label covers the next', () => {
    scenes.forEach(({ parts, labels }, stop) => {
      for (const label of labels.filter(({ of }) => isTokenAxis(of.matrix.rowAxis))) expect(label.pitchPx - rowLabelPx(label), `rows of ${label.of.id}, stop ${stop}`).toBeGreaterThanOrEqual(4)
      for (const part of parts.filter(({ heading }) => heading.columns.length > 0)) {
        const { mode, fontPx } = columnFit(part)
        // Leaning lines stand as far from each other as the columns are wide, seen from their side.
        const apart = mode === 'slanted' ? pitchOf(part) * Math.sin((42 * Math.PI) / 180) : pitchOf(part)
        expect(apart / fontPx, `columns of ${part.id}, stop ${stop}`).toBeGreaterThanOrEqual(mode === 'slanted' ? 0.88 : 1.1)
        expect(fontPx).toBeGreaterThanOrEqual(12)
      }
    })
  })

  test('every line of maps begins with the rows’ labels, and no title runs into the next map', () => {
    scenes.forEach(({ parts, labels }, stop) => {
      const named = new Set(labels.map(({ of }) => of.id))
      for (const part of parts) {
        const inLine = parts.filter(({ y, matrix }) => y === part.y && isTokenAxis(matrix.rowAxis))
        // In lanes the rows are named at the sum.
        const inLane = part.edge !== undefined && part.heading.title === null
        if (isTokenAxis(part.matrix.rowAxis) && !inLane) expect(inLine.some(({ id }) => named.has(id)), `stop ${stop}, ${part.id}`).toBe(true)
        const titleEnd = part.x + (part.heading.title === null ? 0 : widthPx(part))
        const last = inLine.length > 1 && inLine.every(({ x }) => x <= part.x)
        if (last && part.heading.note !== '' && boxOf(part).right <= setting.stage.width) expect(titleEnd, `stop ${stop}, ${part.id}`).toBeLessThanOrEqual(setting.stage.width + 1)
        for (const next of parts) {
          if (next.y === part.y && next.x > part.x && next.heading.title !== null) expect(next.x, `stop ${stop}, ${part.id} and ${next.id}`).toBeGreaterThanOrEqual(titleEnd - 0.5)
        }
      }
    })
  })

  test('no line of text runs into a title or into the next line', () => {
    scenes.forEach(({ parts, captions }, stop) => {
      for (const { x, y, id, text = '', role } of captions) {
        const right = x + 16 * emWidth(text.replace(/[$_{}^]/g, '')) + (role === undefined ? 0 : 28)
        for (const part of parts.filter(({ heading }) => heading.title !== null)) {
          const apart = right <= part.x || part.x + widthPx(part) <= x || y + 28 <= part.y - abovePx(part) + 0.5 || part.y <= y
          expect(apart, `stop ${stop}: ${id} and ${part.id}`).toBe(true)
        }
        for (const next of captions.filter((other) => other.y === y && other.x > x)) expect(right, `stop ${stop}: ${id} and ${next.id}`).toBeLessThan(next.x)
      }
    })
  })

  test('what stands on one stop is told apart: no two maps say the same above them', () => {
    scenes.forEach(({ parts }, stop) => {
      const said = parts.filter(({ heading }) => heading.title !== null).map(({ heading, edge }) => `${heading.title} ${heading.note} ${edge}`)
      expect(new Set(said).size, `stop ${stop}`).toBe(said.length)
    })
  })

  test('every map has the columns its bands say, each once', () => {
    for (const { parts } of scenes) {
      for (const { bands, matrix } of parts) {
        for (const { start, count } of bands) expect(start >= 0 && start + count <= matrix.columns).toBe(true)
        const columns = bands.flatMap(({ start, count }) => Array.from({ length: count }, (_, i) => start + i))
        expect(new Set(columns).size).toBe(columns.length)
      }
    }
  })

  test('between two stops shapes move and no number changes', () => {
    for (let stop = 0; stop < lastStop; stop += 1) {
      const [a, b] = [scenes[stop]!, scenes[stop + 1]!]
      expect(between(a, b, 0)).toBe(a)
      expect(between(a, b, 1)).toBe(b)
      const known = new Map<string, string>()
      for (const t of [0.001, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.999]) {
        const scene = between(a, b, t)
        for (const part of scene.parts) {
          const where = `stop ${stop} + ${t}, ${part.id}`
          expect(part.opacity >= 0 && part.opacity <= 1, where).toBe(true)
          expect([part.x, part.y, part.rowHeight].every(Number.isFinite), where).toBe(true)
          // The same map is the same numbers in the same places, all the way.
          expect(known.get(part.id) ?? numbersOf(part), where).toBe(numbersOf(part))
          known.set(part.id, numbersOf(part))
        }
        expect(new Set(scene.parts.map(({ key }) => key)).size, `keys at ${stop} + ${t}`).toBe(scene.parts.length)
      }
    }
  })

  test('K is turned over its diagonal: first it has the shape of Q, then it lies as columns', () => {
    const [a, b] = [scenes[2]!, scenes[3]!]
    const q = b.parts.find(({ id }) => id === `q_heads/${setting.heads.chosen}`)
    if (q === undefined) return expect(setting.stage.narrow).toBe(true)
    const turned = (t: number): Part | undefined => between(a, b, t).parts.find(({ id }) => id === `k_heads/${setting.heads.chosen}/turned`)
    const first = turned(0.2)!
    expect(first.turn).toBe(1)
    expect(gridPx(first).height).toBeCloseTo(gridPx(q).width)
    expect(gridPx(first).width).toBeCloseTo(gridPx(q).height)
    const turns = [0.2, 0.35, 0.5, 0.65, 0.8].map((t) => turned(t)!.turn)
    expect(turns).toEqual([...turns].sort((one, other) => other - one))
    expect(turns.at(-1)).toBe(0)
  })

  test('just after a stop, and just before the next, everything is where it stands at rest', () => {
    const seen = ({ parts }: Scene): Part[] => parts.filter(({ opacity, reveal }) => opacity > 0.01 && (reveal === undefined || reveal.share > 0.01))
    for (let stop = 0; stop < lastStop; stop += 1) {
      const [a, b] = [scenes[stop]!, scenes[stop + 1]!]
      for (const [resting, moment] of [[a, between(a, b, 1e-6)], [b, between(a, b, 1 - 1e-6)]] as const) {
        const painted = (scene: Scene): string[] =>
          seen(scene)
            // A map of all heads and its heads one by one are the same cells.
            .flatMap((part) => part.bands.map((band) => ({ part, band })))
            .map(({ part, band }) => `${Math.round(part.x + band.left)} ${Math.round(part.y)} ${Math.round(band.width)} ${band.count} ${Math.round(part.rowHeight * part.matrix.rows)} ${part.matrix.value(0, band.start)}`)
            .sort()
        expect(painted(moment), `around stop ${stop}`).toEqual(painted(resting))
      }
    }
  })

  test('a map on its way to a line with labels has them beside its rows all the way; where a line parts, its first map', () => {
    for (let stop = 0; stop < lastStop; stop += 1) {
      const [a, b] = [scenes[stop]!, scenes[stop + 1]!]
      const from = new Map(between(a, b, 1e-9).parts.filter(({ reveal, opacity }) => reveal === undefined && opacity === 1).map((part) => [part.id, Math.round(part.y)]))
      const to = new Map(between(a, b, 1 - 1e-9).parts.map((part) => [part.id, Math.round(part.y)]))
      const lines = new Map<number, number>()
      for (const { y } of b.labels) {
        for (const [id, start] of from) if (to.get(id) === Math.round(y) && !lines.has(start)) lines.set(start, Math.round(y))
      }
      for (const t of [0.02, 0.3, 0.5, 0.7, 0.98]) {
        const moment = between(a, b, t)
        const moving = moment.parts.filter(({ id, matrix }) => isTokenAxis(matrix.rowAxis) && to.has(id) && lines.get(from.get(id)!) === to.get(id))
        for (const part of moving) {
          const beside = moment.labels.filter(({ opacity, y, pitchPx }) => opacity === 1 && Math.abs(y - part.y) < 0.01 && Math.abs(pitchPx - part.rowHeight) < 0.01)
          expect(beside.length, `${part.id}, stop ${stop} + ${t}`).toBeGreaterThan(0)
        }
      }
    }
  })

  test('at no moment are there two labels at one place', () => {
    for (let stop = 0; stop < lastStop; stop += 1) {
      for (const t of [0.02, 0.1, 0.3, 0.5]) {
        const labels = between(scenes[stop]!, scenes[stop + 1]!, t).labels.filter(({ opacity }) => opacity > 0.95)
        for (const [i, one] of labels.entries()) {
          for (const other of labels.slice(i + 1)) {
            const apart = Math.abs(one.x - other.x) >= 12 || one.y + one.of.matrix.rows * one.pitchPx <= other.y + 1 || other.y + other.of.matrix.rows * other.pitchPx <= one.y + 1
            expect(apart, `${one.id} and ${other.id}, stop ${stop} + ${t}`).toBe(true)
          }
        }
      }
    }
  })

  test('labels keep names of their own, also in moments between moments', () => {
    for (let stop = 0; stop < lastStop; stop += 1) {
      const moments = [stop - 1, stop, stop + 1].filter((at) => at >= 0 && at < lastStop).map((at) => between(scenes[at]!, scenes[at + 1]!, 0.2))
      for (const one of moments) {
        for (const other of moments) {
          for (const moment of [between(one, other, 0.3), zoomed(one, other, 0.3)]) {
            const ids = moment.labels.map(({ id }) => id)
            expect(new Set(ids).size, `around stop ${stop}: ${ids.join(', ')}`).toBe(ids.length)
          }
        }
      }
    }
  })

  test('the heads fill their columns once the chosen one has passed', () => {
    const [a, b] = [scenes[stopNames.indexOf('mix')]!, scenes[stopNames.indexOf('concat')]!]
    for (let t = 0.02; t < 1; t += 0.02) {
      const { parts } = between(a, b, t)
      const own = parts.find(({ id }) => id === `heads/${given.head}`)
      if (own === undefined) continue
      for (const other of parts.filter(({ reveal, matrix }) => reveal !== undefined && matrix.tensor === 'heads')) {
        const [p, q] = [boxOf(own), boxOf(other)]
        const apart = p.right <= q.left + 1 || q.right <= p.left + 1 || p.bottom <= q.top + 1 || q.bottom <= p.top + 1
        expect(apart, `${other.id} at ${t.toFixed(2)}`).toBe(true)
      }
    }
  })

  test('the rows of the sentence stay in sight and in order', () => {
    for (let stop = 0; stop < lastStop; stop += 1) {
      for (const t of [0.1, 0.5, 0.9]) {
        const rows = between(scenes[stop]!, scenes[stop + 1]!, t).labels.filter(({ opacity }) => opacity === 1)
        expect(rows.length, `stop ${stop} + ${t}`).toBeGreaterThan(0)
        for (const { pitchPx } of rows) expect(pitchPx).toBeGreaterThan(0)
      }
    }
  })
})

test('forwards and back are the same moments', async () => {
  const setting = await settingOf(cases[4]!)
  const scenes = stopNames.map((name) => sceneOf(setting, name))
  const moments = Array.from({ length: 101 }, (_, i) => i / 100)
  for (let stop = 0; stop < lastStop; stop += 1) {
    const frame = (t: number): string => JSON.stringify(between(scenes[stop]!, scenes[stop + 1]!, t), (key, value: unknown) => (key === 'data' || key === 'matrix' ? undefined : value))
    const forwards = moments.map(frame)
    const back = [...moments].reverse().map(frame).reverse()
    expect(back).toEqual(forwards)
  }
})

test('the pieces of a map of all heads are its own numbers', async () => {
  const setting = await settingOf({ ...cases[0]!, width: 1328, apart: 1 })
  for (const name of ['project', 'concat'] as const) {
    const part = sceneOf(setting, name).parts.find(({ pieces }) => pieces !== undefined)!
    const pieces = part.pieces!()
    expect(pieces.length).toBe(setting.sizes.h)
    const { k } = setting.sizes
    pieces.forEach((piece, head) => {
      const whole = valuesOf(part)
      const own = valuesOf(piece)
      expect(own).toEqual(whole.filter((_, i) => Math.floor((i % part.matrix.columns) / k) === head))
    })
  }
})


// The promise of the readable size. Columns of the screen at 1024, 1280, 1440 wide.
describe.each([960, 1192, 1328])('the lesson’s sentences at 8 = 2 × 4, %i px', (width) => {
  test.each(['zh', 'en'] as const)('%s: every map has a digit in every cell', async (lang) => {
    const tokens = [...lessonSentence[lang]]
    await withPass(engines.simd, request({ tokens }), async ({ memory, pass }) => {
      const { view, data } = await memory.contributions([0, 1], () => Promise.resolve())
      const contributions = new StridedView('contributions', view, data)
      const setting: Setting = {
        pass, contributions: { pass, first: 0, view: contributions }, stage: stageOf(width, 768, tokens), sizes: { n: tokens.length, d: 8, h: 2, k: 4 },
        heads: { chosen: 0, shown: [0, 1] }, role: 'q', apart: 1, pin: null, text: en,
      }
      for (const name of stopNames) {
        for (const part of sceneOf(setting, name).parts) {
          const narrowest = Math.min(...part.bands.map((band) => band.width / band.count))
          expect(lookOf(pass, part.matrix, narrowest, part.rowHeight, part.manner, contributions).digits, `${name}, ${part.id}`).toBeDefined()
        }
      }
    })
  })
})
