// What the benchmark writes down, and how it tells it.
import { cpus, totalmem } from 'node:os'
import { quantile } from './quantile'
import type { EngineName } from './engines'
import type { Cost } from '../src/core/timed_pass'
import type { ContenderName, Point, Report, ScalingRow, Size } from './page/job'

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

/** A place on a curve: what a pass took beside what its parts take alone. */
export interface ScalingRecord extends Cost {
  along: Point['along']
  n: number
  d: number
  h: number
  k: number
  medianMs: number
  /** so many multiply-adds on registers, exponentials in a softmax, bytes read once */
  alone: { flopsMs: number; exponentialsMs: number; bytesMs: number }
  /** arithmetic and memory at the same time, and the exponentials after them */
  predictedMs: number
}

export interface EngineRecord {
  name: EngineName
  version: string
  /** GFLOP/s */
  peak: { simd: number; relaxed: number | null }
  rows: RowRecord[]
  /** absent: not measured */
  scaling?: ScalingRecord[]
}

export interface Result {
  machine: string
  date: string
  engines: EngineRecord[]
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export const machine = (): string => `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`

export function engineRecord(name: EngineName, version: string, { rows, peaks, scaling }: Report): EngineRecord {
  const peak = { simd: median(peaks.simd ?? []), relaxed: peaks.relaxed ? median(peaks.relaxed) : null }
  return {
    name,
    version,
    peak,
    rows: rows.map((row) => {
      const { n, d, h, contender, times, flops, deviation } = row
      const medianMs = median(times)
      const gflops = flops / medianMs / 1e6
      const own = contender === 'ours-relaxed' || contender === 'ours-full-trace' ? (peak.relaxed ?? peak.simd) : peak.simd
      const peer = rows.find((other) => other.n === n && other.d === d && other.h === h && other.contender === 'onnxruntime-web')
      // Rounds are taken in turns, so the ratio of each round has seen the same weather.
      const vsOrt = peer ? median(times.map((ms, round) => peer.times[round]! / ms)) : null
      const spread = (quantile(times, 0.75) - quantile(times, 0.25)) / 2 / medianMs
      return { n, d, h, contender, medianMs, spread, gflops, ofPeak: gflops / own, vsOrt, deviation }
    }),
    ...(scaling.length > 0 && { scaling: scaling.map(scalingRecord) }),
  }
}

/** Says where ours falls below half the rate of a round size near by. */
export function cliffs({ rows }: Pick<EngineRecord, 'rows'>, pairs: readonly (readonly [odd: Size, round: Size])[]): string[] {
  const ours = rows.filter(({ contender }) => contender.startsWith('ours'))
  const at = ([n, d, h]: Size): RowRecord[] => ours.filter((row) => row.n === n && row.d === d && row.h === h)
  return pairs.flatMap(([odd, round]) =>
    at(odd).flatMap(({ contender, gflops }) => {
      const near = at(round).find((row) => row.contender === contender)
      return near !== undefined && gflops < near.gflops / 2 ? [`a cliff: ${contender} does ${gflops.toFixed(1)} GFLOP/s at ${odd.join(', ')}, ${near.gflops.toFixed(1)} at ${round.join(', ')}`] : []
    }),
  )
}

function scalingRecord({ along, shape, cost, times, alone }: ScalingRow): ScalingRecord {
  const [flopsMs, exponentialsMs, bytesMs] = [median(alone.flops), median(alone.exponentials), median(alone.bytes)]
  return {
    along, n: shape.tokens, d: shape.modelDim, h: shape.heads, k: shape.headDim, ...cost, medianMs: median(times),
    alone: { flopsMs, exponentialsMs, bytesMs }, predictedMs: Math.max(flopsMs, bytesMs) + exponentialsMs,
  }
}

/** Lines of cells, each column as wide as it must be; those named are aligned to the left. */
function aligned(lines: readonly (readonly string[])[], left: readonly number[] = []): string[] {
  const widths = lines[0]!.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines.map((line) => line.map((cell, i) => (left.includes(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ').trimEnd())
}

const columns = ['n', 'd', 'h', 'contender', 'median', 'spread', 'GFLOP/s', 'of peak', 'against onnxruntime-web'] as const

/** A table in plain text. */
export function told({ name, version, peak, rows }: EngineRecord): string {
  const cells = rows.map(({ n, d, h, contender, medianMs, spread, gflops, ofPeak, vsOrt }) => [
    String(n), String(d), String(h), contender, `${medianMs.toPrecision(3)} ms`, `±${(100 * spread).toFixed(0)} %`, gflops.toFixed(1), ofPeak.toFixed(2),
    vsOrt === null ? '–' : `${vsOrt.toFixed(2)} ×`,
  ])
  const relaxed = peak.relaxed === null ? 'no relaxed SIMD' : `${peak.relaxed.toFixed(1)} relaxed`
  const best = `${peak.simd.toFixed(1)} GFLOP/s${name === 'native' ? '' : ` simd, ${relaxed}`}`
  return [`${name} ${version}: multiply-adds at best ${best}`, ...aligned([columns, ...cells], [3])].join('\n')
}

const curveWidth = 40

/** The curves, one after another: a bar for the time, and a mark where the model predicts its end. */
export function toldScaling({ name, scaling = [] }: EngineRecord): string {
  const ms = (value: number): string => `${value.toPrecision(3)} ms`
  return [...new Set(scaling.map(({ along }) => along))].map((along) => {
    const curve = scaling.filter((row) => row.along === along)
    const most = Math.max(...curve.flatMap(({ medianMs, predictedMs }) => [medianMs, predictedMs]))
    const bar = ({ medianMs, predictedMs }: ScalingRecord): string => {
      const place = (value: number): number => Math.round((curveWidth * value) / most)
      return Array.from({ length: curveWidth + 1 }, (_, i) => (i === place(predictedMs) ? '|' : i < place(medianMs) ? '█' : ' ')).join('').trimEnd()
    }
    const lines = curve.map((row) => [
      String(row.n), String(row.d), String(row.h), String(row.k), ms(row.medianMs), ms(row.predictedMs), ms(row.alone.flopsMs), ms(row.alone.bytesMs),
      ms(row.alone.exponentialsMs), bar(row),
    ])
    const titles = ['n', 'd', 'h', 'd_k', 'measured', 'predicted', 'of FLOPs', 'of bytes', 'of exponentials', '█ measured, | predicted']
    return [`${name}, time against ${along}`, ...aligned([titles, ...lines], [9])].join('\n')
  }).join('\n\n')
}
