// The benchmark's own arithmetic: how contenders take turns, and what is made of their times.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Report } from '../../bench/page/job'
import { curves } from '../../bench/curves'
import { cliffs, engineRecord, type RowRecord, told, toldScaling } from '../../bench/report'
import { keptResult, readmes, table, withTable } from '../../bench/table'
import { race, type Runner } from '../../src/core/race'

describe('a race', () => {
  let now = 0
  beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now))
  afterEach(() => void vi.restoreAllMocks())

  const taking = (name: string, ms: number, log: string[] = []): Runner => ({
    name,
    run() {
      now += ms
      log.push(name)
    },
  })
  const pace = { rounds: 4, batchMs: 60, warmMs: 200 }

  test('times one pass, whether it is long or short, at once or later', async () => {
    const later: Runner = { name: 'later', run: async () => void (now += 7) }
    const times = await race([taking('long', 500), taking('short', 0.25), later], pace)
    expect(times.map((each) => each.length)).toEqual([4, 4, 4])
    for (const [i, ms] of [500, 0.25, 7].entries()) for (const time of times[i]!) expect(time).toBeCloseTo(ms, 9)
  })

  test('warms each, then lets them take turns: batches of the time wanted, another one first in every round', async () => {
    const log: string[] = []
    await race([taking('a', 20, log), taking('b', 30, log)], pace)
    // 200 ms each, doubling until a batch is long enough.
    expect(log.indexOf('b')).toBeGreaterThanOrEqual(10)
    const rounds = log.slice(-4 * (3 + 2)).join('')
    expect(rounds).toBe('aaabb' + 'bbaaa' + 'aaabb' + 'bbaaa')
  })

  test('lets others in after every batch, and says how far it is; they may end it', async () => {
    const told: number[] = []
    const log: string[] = []
    const stop = async (done: number, total: number): Promise<void> => {
      expect(total).toBe(8)
      if (done > 0) expect(told.push(done)).toBe(done)
      if (done === 3) throw new Error('enough')
    }
    await expect(race([taking('a', 20, log), taking('b', 30, log)], pace, stop)).rejects.toThrow('enough')
    expect(log.slice(-7).join('')).toBe('aaabb' + 'bb')
  })
})

describe('a report', () => {
  const row = { n: 11, d: 512, h: 8, flops: 23_000_000, deviation: 0.1 }
  const report: Report = {
    peaks: { simd: [40, 60, 50], relaxed: [90, 100, 110] },
    scaling: [],
    rows: [
      { ...row, contender: 'ours-relaxed', times: [1, 2, 4] },
      { ...row, contender: 'onnxruntime-web', times: [3, 4, 4] },
    ],
  }

  test('says the median, its rate, its share of the peak of its own build, and the ratio round by round', () => {
    const { peak, rows } = engineRecord('Chromium', '1', report)
    expect(peak).toEqual({ simd: 50, relaxed: 100 })
    const [ours, peer] = rows
    expect(ours).toMatchObject({ medianMs: 2, vsOrt: 2 })
    expect(ours!.gflops).toBeCloseTo(row.flops / 2e6, 9)
    expect(ours!.ofPeak).toBeCloseTo(ours!.gflops / 100, 9)
    expect(peer!.ofPeak).toBeCloseTo(peer!.gflops / 50, 9)
    expect(peer!.vsOrt).toBe(1)
  })

  test('has no ratio without the peer, and no relaxed peak where there is none', () => {
    const { peak, rows } = engineRecord('WebKitGTK', '1', { peaks: { simd: [50] }, scaling: [], rows: [{ ...row, contender: 'ours-simd', times: [1] }] })
    expect([peak.relaxed, rows[0]!.vsOrt]).toEqual([null, null])
  })

  test('is told as a table with every row', () => {
    const lines = told(engineRecord('Chromium', '1', report)).split('\n')
    expect(lines).toHaveLength(2 + report.rows.length)
    expect(lines[2]).toMatch(/ours-relaxed +2\.00 ms .* 2\.00 ×$/)
  })
})

describe('a cliff', () => {
  const at = (n: number, contender: RowRecord['contender'], gflops: number): RowRecord => ({ n, d: 512, h: 8, contender, gflops, medianMs: 1, spread: 0, ofPeak: 1, vsOrt: 1, deviation: 0 })

  test('is where ours reaches less than half of a near size', () => {
    const rows = [at(7, 'ours-simd', 19), at(8, 'ours-simd', 40), at(7, 'ours-relaxed', 21), at(8, 'ours-relaxed', 40), at(7, 'eigen-wasm', 1), at(8, 'eigen-wasm', 9)]
    expect(cliffs({ rows }, [[[7, 512, 8], [8, 512, 8]]])).toEqual(['a cliff: ours-simd does 19.0 GFLOP/s at 7, 512, 8, 40.0 at 8, 512, 8'])
    expect(cliffs({ rows }, [[[8, 512, 8], [7, 512, 8]], [[9, 512, 8], [8, 512, 8]]])).toEqual([])
  })
})

describe('the curves', () => {
  test('along each, one size changes and the others stay; heads are cut out of the same width', () => {
    for (const along of ['n', 'd', 'h', 'd_k'] as const) {
      const shapes = curves.filter((point) => point.along === along).map(({ shape }) => shape)
      expect(shapes.length, along).toBeGreaterThanOrEqual(5)
      const different = (of: (shape: (typeof shapes)[number]) => number): boolean => new Set(shapes.map(of)).size > 1
      expect(different(({ tokens }) => tokens)).toBe(along === 'n')
      expect(different(({ modelDim }) => modelDim)).toBe(along === 'd')
      expect(different(({ heads }) => heads)).toBe(along === 'h')
      expect(different(({ headDim }) => headDim)).toBe(along === 'h' || along === 'd_k')
      if (along === 'h') for (const { modelDim, heads, headDim } of shapes) expect(heads * headDim).toBe(modelDim)
    }
  })

  test('the model: arithmetic and memory at the same time, then the exponentials; told with a bar and a mark', () => {
    const cost = { flops: 1, exponentials: 2, bytes: 3 }
    const scaling = [
      { ...curves[0]!, cost, times: [5, 4, 6], alone: { flops: [1, 2, 3], exponentials: [0.5], bytes: [4, 3, 3] } },
      { ...curves[1]!, cost, times: [10], alone: { flops: [9], exponentials: [1], bytes: [4] } },
    ]
    const record = engineRecord('Chromium', '1', { peaks: { simd: [50] }, rows: [], scaling })
    expect(record.scaling).toMatchObject([
      { along: 'n', n: 8, d: 512, h: 8, k: 64, ...cost, medianMs: 5, alone: { flopsMs: 2, exponentialsMs: 0.5, bytesMs: 3 }, predictedMs: 3.5 },
      { medianMs: 10, predictedMs: 10 },
    ])
    const lines = toldScaling(record).split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[2]!.split('█').length - 1).toBe(19) // 20 of 40, one of them the mark
    expect(lines[2]).toContain('█|█')
    expect(lines[3]).toMatch(/█{40}\|$/)
  })
})

describe('the table in the READMEs', () => {
  test.each(['en', 'zh'] as const)('%s: is what the kept figures make of it', (lang) => {
    const text = readFileSync(readmes[lang], 'utf8')
    expect(withTable(text, table(keptResult(), lang))).toBe(text)
  })

  test('has a line for each engine and size, with its date and machine, and none is missing', () => {
    const result = keptResult()
    const made = table(result, 'en')
    expect(made).toContain(result.machine)
    expect(made).toContain(result.date)
    const sizes = result.engines.map(({ rows }) => new Set(rows.map(({ n, d, h }) => `${n} ${d} ${h}`)).size)
    expect(made.split('\n')).toHaveLength(4 + sizes.reduce((sum, each) => sum + each, 0))
    expect(made).not.toMatch(/NaN|undefined/)
  })

  test('the kept figures are of right results, say no more of the machine than they should, and hold every engine', () => {
    const { machine, date, engines } = keptResult()
    expect(machine).not.toMatch(/[/\\@]/)
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(engines.map(({ name }) => name)).toEqual(['Chromium', 'Firefox', 'WebKitGTK', 'native'])
    for (const { name, peak, rows } of engines) {
      expect(peak.simd, name).toBeGreaterThan(1)
      for (const row of rows) {
        expect(row.deviation, `${name} ${row.contender}`).toBeLessThanOrEqual(1)
        expect(row.ofPeak, `${name} ${row.contender}`).toBeGreaterThan(0)
        expect(row.vsOrt === null).toBe(name === 'native')
      }
    }
  })

  test('a README without its marks is refused', () => {
    expect(() => withTable('nothing', 'x')).toThrow('no place')
  })
})
