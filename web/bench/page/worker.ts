// Runs a job: makes each problem, checks every contender's output, then times them.
import { relaxedSimd } from 'wasm-feature-detect'
import eigenUrl from '../../../build/wasm-simd/mha_bench_eigen.wasm?url'
import relaxedUrl from '../../src/core/generated/mha-relaxed.wasm?url'
import simdUrl from '../../src/core/generated/mha-simd.wasm?url'
import { Eigen } from './eigen'
import { type ContenderName, type Job, type Point, type Report, type Row, type ScalingRow, type Size, type State } from './job'
import { Onnx } from './onnx'
import { Ours } from './ours'
import { type Pace, race, type Runner } from '../../src/core/race'
import type { Cost } from '../../src/core/timed_pass'

const say = (state: State): void => self.postMessage(state)
const bytes = async (address: string): Promise<ArrayBuffer> => (await fetch(address)).arrayBuffer()

interface Contender extends Runner {
  name: ContenderName
  output(): Float32Array
}

async function run({ sizes, scaling, ...pace }: Job): Promise<Report> {
  const ours = { simd: await Ours.start(await bytes(simdUrl)), ...((await relaxedSimd()) && { relaxed: await Ours.start(await bytes(relaxedUrl)) }) }
  const best = ours.relaxed ?? ours.simd
  const full = best.other('full')
  const [eigen, onnx] = [await Eigen.start(await bytes(eigenUrl)), new Onnx()]

  async function begin(size: Size): Promise<{ cost: Cost; contenders: Contender[] }> {
    const cost = ours.simd.begin(size)
    const given = ours.simd.given()
    ours.relaxed?.begin(size)
    full.begin(size)
    eigen.begin(size, given)
    await onnx.begin(size, given)
    const contenders: Contender[] = [
      ...Object.entries(ours).map(([build, module]) => ({ name: `ours-${build}` as ContenderName, run: () => module.pass(), output: () => module.output() })),
      { name: 'ours-full-trace', run: () => full.pass(), output: () => full.output() },
      { name: 'eigen-wasm', run: () => eigen.pass(), output: () => eigen.output() },
      { name: 'onnxruntime-web', run: () => onnx.pass(), output: () => onnx.output() },
    ]
    return { cost, contenders }
  }

  const report: Report = { rows: [], peaks: {}, scaling: [] }
  // Some milliseconds long.
  const rounds = 100_000
  const peakRunners = Object.entries(ours).map(([build, module]) => ({ name: build, run: () => void module.peak(rounds) }))
  for (const size of sizes) {
    say({ at: 'running', doing: size.join(', ') })
    const { cost, contenders } = await begin(size)
    const deviations: number[] = []
    for (const contender of contenders) {
      await contender.run()
      deviations.push(eigen.deviation(contender.output()))
    }
    const times = await race([...contenders, ...peakRunners], pace)
    report.rows.push(
      ...contenders.map(({ name }, i): Row => ({ n: size[0], d: size[1], h: size[2], contender: name, flops: cost.flops, times: times[i]!, deviation: deviations[i]! })),
    )
    peakRunners.forEach(({ name }, i) => {
      const flops = ours[name as 'simd' | 'relaxed']!.peak(rounds)
      const peaks = (report.peaks[name as 'simd' | 'relaxed'] ??= [])
      peaks.push(...times[contenders.length + i]!.map((ms) => flops / ms / 1e6))
    })
  }
  full.end()
  for (const point of scaling) {
    const { tokens, modelDim, heads, headDim } = point.shape
    say({ at: 'running', doing: `along ${point.along}: ${tokens}, ${modelDim}, ${heads}, ${headDim}` })
    report.scaling.push({ ...point, ...(await scaled(best, eigen, point, pace)) })
  }
  return report
}

/** A pass against its parts: as many multiply-adds, exponentials and bytes, each alone. */
async function scaled(ours: Ours, eigen: Eigen, { shape }: Point, pace: Pace): Promise<Pick<ScalingRow, 'cost' | 'times' | 'alone'>> {
  const cost = ours.beginShape(shape)
  eigen.beginBytes(cost.bytes)
  const [rounds, rows] = [10_000, 100]
  const [peakFlops, exponentials] = [ours.peak(rounds), eigen.exponentials(rows)]
  const [times, flops, exps, bytes] = await race(
    [
      { name: 'pass', run: () => ours.pass() },
      { name: 'flops', run: () => void ours.peak(rounds) },
      { name: 'exponentials', run: () => void eigen.exponentials(rows) },
      { name: 'bytes', run: () => eigen.readBytes() },
    ],
    pace,
  )
  const scaledBy = (factor: number, values: number[]): number[] => values.map((ms) => factor * ms)
  return { cost, times: times!, alone: { flops: scaledBy(cost.flops / peakFlops, flops!), exponentials: scaledBy(cost.exponentials / exponentials, exps!), bytes: bytes! } }
}

self.onmessage = ({ data }: MessageEvent<Job>) => {
  run(data).then(
    (report) => say({ at: 'done', report }),
    (error: unknown) => say({ at: 'failed', error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) }),
  )
}
