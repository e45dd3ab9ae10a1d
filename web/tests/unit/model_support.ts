// What the tests of the lesson share: a core that answers when the test says so.
import {
  type AtScaleReport, type AtScaleRequest, type CellRef, type CheckReport, type Comparison, type Core, CoreError, type Explanation, type Influence, type MeasureReport,
  type MeasureRequest, type ModelAbout, type Pass, type PassRequest, type Progress, type Role, type RowShares, Superseded, type TensorView,
} from '../../src/core/protocol'
import type { TensorName } from '../../src/core/generated/tables'
import { readMetadata } from '../../src/core/model_file'
import { Lesson, type Visit } from '../../src/model/lesson.svelte'
import { readAddress } from '../../src/model/state'
import { engines, withPass } from './core_support'

interface Question<Asked, Answer> {
  asked: Asked
  /** what was promised */
  given: Promise<Answer>
  answer(value: Answer): void
  progress?: Progress | undefined
  refuse(error: unknown): void
}

const nowhere: Influence = { direct: [], reached: [] }
const alike: Comparison = { numbers: 0, differing: 0, largest: 0 }

/** A core that answers when the test says so. */
export class SlowCore implements Core {
  /** what most tests are not about is answered at once */
  quick = true
  readonly passes: Question<PassRequest, Pass>[] = []
  /** the heads named with each pass */
  readonly contributing: number[][] = []
  readonly explanations: Question<{ pass: Pass; cell: CellRef }, Explanation>[] = []
  readonly parts: Question<number[], TensorView>[] = []
  readonly influences: Question<{ pass: Pass; cell: CellRef }, Influence>[] = []
  readonly shares: Question<{ pass: Pass; row: number }, RowShares>[] = []
  readonly narrows: Question<{ pass: Pass; role: Role }, Comparison>[] = []
  readonly layers: Question<AtScaleRequest, AtScaleReport>[] = []
  readonly measurements: Question<MeasureRequest, MeasureReport>[] = []
  /** none, unless a test is about them */
  trainedSizes: { dModel: number; heads: number }[] = []
  readonly models: Question<string, ModelAbout>[] = []
  readonly comparisons: Question<{ pass: Pass; tensor: TensorName; headGate: number[] }, Comparison>[] = []

  ready = () => Promise.resolve({ build: 'simd' as const, arch: 'wasm' })
  pass = (asked: PassRequest, contributing: number[]) => {
    this.contributing.push(contributing)
    return this.#ask(this.passes, asked)
  }
  keepRun = (file: ArrayBuffer): ModelAbout => readMetadata(file)
  model = (dModel: number, heads: number, progress?: Progress, signal?: AbortSignal): Promise<ModelAbout> => {
    const place = this.models.length
    signal?.addEventListener('abort', () => this.models[place]?.refuse(new Superseded()))
    return this.#ask(this.models, `${dModel}x${heads}`, undefined, progress)
  }
  explain = (pass: Pass, cell: CellRef) => this.#ask(this.explanations, { pass, cell })
  influence = (pass: Pass, cell: CellRef) => this.#ask(this.influences, { pass, cell }, nowhere)
  rowShares = (pass: Pass, row: number) => this.#ask(this.shares, { pass, row }, { shares: [], bias: 0, norm: 0 })
  narrow = (pass: Pass, role: Role) => this.#ask(this.narrows, { pass, role }, alike)
  compare = (pass: Pass, tensor: TensorName, headGate: number[]) => this.#ask(this.comparisons, { pass, tensor, headGate }, alike)
  contributions = (_: Pass, heads: number[]) => this.#ask(this.parts, heads)
  atScale = (asked: AtScaleRequest, progress?: Progress, signal?: AbortSignal): Promise<AtScaleReport> => {
    signal?.addEventListener('abort', () => this.layers.find((layer) => layer.asked === asked)?.refuse(new Superseded()))
    return this.#ask(this.layers, asked, undefined, progress)
  }
  measure = (asked: MeasureRequest, progress?: Progress, signal?: AbortSignal): Promise<MeasureReport> => {
    signal?.addEventListener('abort', () => this.measurements.find((each) => each.asked === asked)?.refuse(new Superseded()))
    return this.#ask(this.measurements, asked, undefined, progress)
  }
  check = (): Promise<CheckReport> => Promise.reject(new CoreError({ status: 'load_failed' }))
  dispose(): void {}

  #ask<Asked, Answer>(list: Question<Asked, Answer>[], asked: Asked, atOnce?: Answer, progress?: Progress): Promise<Answer> {
    let answer!: (value: Answer) => void
    let refuse!: (error: unknown) => void
    const given = new Promise<Answer>((resolve, reject) => ([answer, refuse] = [resolve, reject]))
    list.push({ asked, given, answer, refuse, progress })
    if (this.quick && atOnce !== undefined) answer(atOnce)
    return given
  }
}

export const settled = (): Promise<void> => new Promise((done) => setTimeout(done))
export const passOf = (request: PassRequest): Promise<Pass> => withPass(engines.simd, request, ({ pass }) => pass)

export function explanationOf(cell: CellRef): Explanation {
  return {
    rule: 'dot', cell, value: 1, sum: 1, bound: 0, bias: 0, gate: 1, factor: 1, masked: false, rowMax: 0, difference: 0,
    exponential: 0, rowMasked: false, terms: [], largest: [], rest: 0,
  }
}

export async function begin(search = '', prepare: (core: SlowCore) => void = () => {}) {
  const core = new SlowCore()
  prepare(core)
  const visits: [string, Visit][] = []
  const lesson = new Lesson(core, readAddress(search), (address, visit) => visits.push([address, visit]))
  void lesson.start()
  return { core, lesson, visits }
}

export async function ready(search = '') {
  const begun = await begin(search)
  const { core, lesson } = begun
  core.passes[0]!.answer(await passOf(core.passes[0]!.asked))
  await settled()
  for (const { asked, answer } of core.explanations) answer(explanationOf(asked.cell))
  await settled()
  return { ...begun, pass: lesson.pass! }
}
