// The benchmark's own arithmetic: how contenders take turns, and what is made of their times.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Report } from '../../bench/page/job'
import { engineRecord, told } from '../../bench/report'
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
    const { peak, rows } = engineRecord('WebKitGTK', '1', { peaks: { simd: [50] }, rows: [{ ...row, contender: 'ours-simd', times: [1] }] })
    expect([peak.relaxed, rows[0]!.vsOrt]).toEqual([null, null])
  })

  test('is told as a table with every row', () => {
    const lines = told(engineRecord('Chromium', '1', report)).split('\n')
    expect(lines).toHaveLength(2 + report.rows.length)
    expect(lines[2]).toMatch(/ours-relaxed +2\.00 ms .* 2\.00 ×$/)
  })
})
