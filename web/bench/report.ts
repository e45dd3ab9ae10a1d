// What the benchmark writes down, and how it tells it.
import { cpus, totalmem } from 'node:os'
import { quantile } from '../src/core/quantile'
import type { EngineName } from './engines'
import type { ContenderName, Report } from './page/job'

export interface RowRecord {
  n: number
  d: number
  h: number
  contender: ContenderName
  medianMs: number
  /** half the distance between the quartiles, as a share of the median */
  spread: number
  gflops: number
  /** of the multiply-add peak of the same build; of the simd peak for contenders that have no build of ours */
  ofPeak: number
  /** how many times as fast as onnxruntime-web; null where that does not run */
  vsOrt: number | null
  /** the largest error of the output over the bound that any float computation keeps */
  deviation: number
}

export interface EngineRecord {
  name: EngineName
  version: string
  /** GFLOP/s */
  peak: { simd: number; relaxed: number | null }
  rows: RowRecord[]
}

export interface Result {
  machine: string
  date: string
  engines: EngineRecord[]
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const machine = (): string => `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`

export function engineRecord(name: EngineName, version: string, { rows, peaks }: Report): EngineRecord {
  const peak = { simd: median(peaks.simd ?? []), relaxed: peaks.relaxed ? median(peaks.relaxed) : null }
  return {
    name,
    version,
    peak,
    rows: rows.map((row) => {
      const { n, d, h, contender, times, flops, deviation } = row
      const medianMs = median(times)
      const gflops = flops / medianMs / 1e6
      const own = contender === 'ours-relaxed' ? peak.relaxed! : peak.simd
      const peer = rows.find((other) => other.n === n && other.d === d && other.h === h && other.contender === 'onnxruntime-web')
      // Rounds are taken in turns, so the ratio of each round has seen the same weather.
      const vsOrt = peer ? median(times.map((ms, round) => peer.times[round]! / ms)) : null
      const spread = (quantile(times, 0.75) - quantile(times, 0.25)) / 2 / medianMs
      return { n, d, h, contender, medianMs, spread, gflops, ofPeak: gflops / own, vsOrt, deviation }
    }),
  }
}

const columns = ['n', 'd', 'h', 'contender', 'median', 'spread', 'GFLOP/s', 'of peak', 'against onnxruntime-web'] as const

/** A table in plain text. */
export function told({ name, version, peak, rows }: EngineRecord): string {
  const cells = rows.map(({ n, d, h, contender, medianMs, spread, gflops, ofPeak, vsOrt }) => [
    String(n), String(d), String(h), contender, `${medianMs.toPrecision(3)} ms`, `±${(100 * spread).toFixed(0)} %`, gflops.toFixed(1), ofPeak.toFixed(2),
    vsOrt === null ? '–' : `${vsOrt.toFixed(2)} ×`,
  ])
  const widths = columns.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string => row.map((cell, i) => (i === 3 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  const relaxed = peak.relaxed === null ? 'no relaxed SIMD' : `${peak.relaxed.toFixed(1)} relaxed`
  return [`${name} ${version}: multiply-adds at best ${peak.simd.toFixed(1)} GFLOP/s simd, ${relaxed}`, line(columns), ...cells.map(line)].join('\n')
}
