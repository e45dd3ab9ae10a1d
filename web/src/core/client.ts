// The page's side: implements Core by asking a worker. The worker starts with the first request; if it crashes,
// everything unanswered fails, and the next request starts another one. It holds nothing that the page would miss: a
// pass is fully determined by its request, so a question about a pass brings that along.
import { Connection } from './connection'
import { browser, type Environment } from './environment'
import { type TensorName, tensorNames } from './generated/tables'
import { modelName, modelOf, runName, sizeOf } from './model_file'
import { ModelStore, type StoredModel } from './model_store'
import type { Answers, Build, Deviations, MessageOf } from './messages'
import { ReceivedPass } from './pass'
import {
  type AtScaleReport,
  type AtScaleRequest,
  type CellRef,
  type CheckReport,
  type Comparison,
  type Core,
  CoreError,
  type Explanation,
  type Influence,
  type MeasureReport,
  type MeasureRequest,
  type ModelAbout,
  type Pass,
  type PassRequest,
  type Progress,
  type Role,
  type RowShares,
  Superseded,
  type TensorView,
} from './protocol'
import { StridedView } from './tensor'

export const createCore = (environment: Environment = browser): Core => new Client(environment)

/** Parameters of so many weights stay on the page. */
const keptParameters = 2

/** What every question about a pass carries. */
type About = Pick<MessageOf<'explain'>, 'id' | 'pass' | 'request'>

interface Opened {
  connection: Connection
  info: Answers['load']
  /** by name: models that its worker has, or is being given */
  models: Map<string, Promise<null>>
}

class Client implements Core {
  readonly trainedSizes: Core['trainedSizes']
  readonly #environment: Environment
  readonly #models: ModelStore
  #opened: Promise<Opened> | undefined
  /** kept once it has run, so that a restart needs no network */
  #module: { build: Build; bytes: ArrayBuffer } | undefined
  #disposed = false
  #lastId = 0
  /** by layer: the pass that was asked for last and is not answered yet */
  readonly #asked = new Map<number, AbortController>()
  /** by layer: the pass that was answered last */
  readonly #current = new Map<number, { id: number; outdated: AbortController }>()
  /** contributions asked for together with a pass, until somebody wants them */
  #ahead: { pass: number; heads: string; answer: Promise<TensorView> } | undefined
  /** by weights id, the least recently used first */
  readonly #parameters = new Map<string, Float32Array>()
  /** counts what keepRun was given: another run is another model */
  #run = 0

  constructor(environment: Environment) {
    this.#environment = environment
    this.trainedSizes = environment.models.map(sizeOf).sort((a, b) => a.dModel - b.dModel || a.heads - b.heads)
    this.#models = new ModelStore((...asked) => environment.model(...asked))
  }

  async ready(): Promise<Answers['load']> {
    return (await this.#open()).info
  }

  async model(dModel: number, heads: number, progress?: Progress, signal?: AbortSignal): Promise<ModelAbout> {
    return (await this.#models.get(modelName(dModel, heads), progress, signal)).about
  }

  keepRun(file: ArrayBuffer): ModelAbout {
    const about = this.#models.put(runName(this.#run + 1), file)
    this.#models.forget(runName(this.#run))
    this.#run += 1
    return about
  }

  async pass(given: PassRequest, contributing: number[] = []): Promise<Pass> {
    const request = { ...plain(given), ...(given.weights === 'run' && { run: this.#run }) }
    const heads = [...contributing]
    const { layer } = request
    const asked = new AbortController()
    this.#asked.get(layer)?.abort()
    this.#asked.set(layer, asked)
    try {
      return await this.#pass(++this.#lastId, request, heads, asked.signal)
    } catch (error) {
      throw asked.signal.aborted ? new Superseded() : error
    } finally {
      if (this.#asked.get(layer) === asked) this.#asked.delete(layer)
    }
  }

  async #pass(id: number, request: PassRequest, heads: number[], signal: AbortSignal): Promise<Pass> {
    const { connection, model } = await this.#openFor(request, signal)
    const known = new Map(this.#parameters)
    const answered = connection.ask({ id, kind: 'pass', request, known: [...known.keys()] }, signal)
    if (heads.length > 0) this.#askAhead(connection, { id: ++this.#lastId, pass: id, request }, heads, signal)
    const answer = await answered
    signal.throwIfAborted()
    const parameters = answer.parameters ?? known.get(answer.weightsId)!
    this.#keepParameters(answer.weightsId, parameters)
    this.#current.get(request.layer)?.outdated.abort()
    this.#current.set(request.layer, { id, outdated: new AbortController() })
    const weights = model ? ({ kind: 'trained', about: model.about, ...(request.weights === 'run' && { here: true as const }) } as const) : ({ kind: 'seeded', seed: request.seed } as const)
    return new ReceivedPass(id, request, weights, answer, parameters)
  }

  async explain(pass: Pass, cell: CellRef, largest: number): Promise<Explanation> {
    const asked = plainCell(cell)
    return this.#about(pass, (connection, about, signal) =>
      connection.ask({ ...about, kind: 'explain', cell: asked, largest }, signal),
    )
  }

  async influence(pass: Pass, cell: CellRef): Promise<Influence> {
    const asked = plainCell(cell)
    return this.#about(pass, (connection, about, signal) =>
      connection.ask({ ...about, kind: 'influence', cell: asked }, signal),
    )
  }

  async rowShares(pass: Pass, row: number): Promise<RowShares> {
    return this.#about(pass, (connection, about, signal) => connection.ask({ ...about, kind: 'rowShares', row }, signal))
  }

  async narrow(pass: Pass, role: Role): Promise<Comparison> {
    return this.#about(pass, (connection, about, signal) => connection.ask({ ...about, kind: 'narrow', role }, signal))
  }

  async compare(pass: Pass, tensor: TensorName, headGate: number[]): Promise<Comparison> {
    const gates = [...headGate]
    return this.#about(pass, (connection, about, signal) =>
      connection.ask({ ...about, kind: 'compare', tensor, headGate: gates }, signal),
    )
  }

  async contributions(pass: Pass, heads: number[], progress?: Progress): Promise<TensorView> {
    const asked = [...heads]
    return this.#about(pass, (connection, about, signal) => {
      const ahead = this.#ahead
      if (ahead?.pass === pass.id && ahead.heads === String(asked)) {
        // For one question only: should it have failed, the next one asks.
        this.#ahead = undefined
        return ahead.answer
      }
      return contributions(connection, about, asked, signal, progress)
    })
  }

  /** The worker takes it up right behind the pass, while the pass is still on its way here. */
  #askAhead(connection: Connection, about: About, heads: number[], signal: AbortSignal): void {
    const answer = contributions(connection, about, heads, signal)
    // It fails where the pass fails; then nobody is going to ask.
    answer.catch(() => {})
    this.#ahead = { pass: about.pass, heads: String(heads), answer }
  }

  async check(progress: Progress = () => {}): Promise<CheckReport> {
    const cases = await this.#environment.golden()
    const { connection, info } = await this.#open()
    const report: CheckReport = { build: info.build, cases: cases.length, ok: cases.length > 0, tensors: {} }
    for (const [i, { name, file }] of cases.entries()) {
      progress(i, cases.length)
      add(report, name, await connection.ask({ id: ++this.#lastId, kind: 'check', file }))
    }
    return report
  }

  async atScale(given: AtScaleRequest, progress?: Progress, signal?: AbortSignal): Promise<AtScaleReport> {
    const request = { ...given }
    const connection = await this.#openUnless(signal)
    return connection.ask({ id: ++this.#lastId, kind: 'atScale', request }, signal, progress)
  }

  async measure({ sizes }: MeasureRequest, progress?: Progress, signal?: AbortSignal): Promise<MeasureReport> {
    const request = { sizes: sizes.map((size) => ({ ...size })) }
    const connection = await this.#openUnless(signal)
    return connection.ask({ id: ++this.#lastId, kind: 'measure', request }, signal, progress)
  }

  dispose(): void {
    this.#disposed = true
    for (const asked of this.#asked.values()) asked.abort()
    this.#opened?.then(({ connection }) => connection.close(new Superseded()), () => {})
  }

  /** A question about a pass. It is taken back when a newer pass has been answered. */
  async #about<Answer>(
    pass: Pass,
    ask: (connection: Connection, about: About, signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const current = this.#current.get(pass.request.layer)
    if (current?.id !== pass.id) throw new Superseded()
    const { signal } = current.outdated
    const { connection } = await this.#openFor(pass.request, signal)
    return ask(connection, { id: ++this.#lastId, pass: pass.id, request: pass.request }, signal)
  }

  /** The worker, with the model that a request of trained weights wants. */
  async #openFor(request: PassRequest, signal: AbortSignal): Promise<{ connection: Connection; model?: StoredModel }> {
    if (request.weights === 'seeded') return { connection: await this.#openUnless(signal) }
    // Both at once: the module and the model are two files.
    const [opened, model] = await Promise.all([this.#open(), this.#model(request, signal)])
    await this.#give(model, opened)
    if (signal.aborted || this.#isReplaced(request)) throw new Superseded()
    return { connection: opened.connection, model }
  }

  #model(request: PassRequest, signal: AbortSignal): Promise<StoredModel> {
    if (this.#isReplaced(request)) return Promise.reject(new Superseded())
    if (request.run === 0) return Promise.reject(new CoreError({ status: 'not_loaded' }))
    return this.#models.get(modelOf(request), undefined, signal)
  }

  /** The worker has only the newest run, and so has the page. */
  #isReplaced({ weights, run }: PassRequest): boolean {
    return weights === 'run' && run !== this.#run
  }

  /** Once to each worker. */
  async #give({ name, file }: StoredModel, { connection, models }: Opened): Promise<void> {
    const given = models.get(name) ?? connection.ask({ id: ++this.#lastId, kind: 'model', name, file })
    models.set(name, given)
    try {
      await given
    } catch (error) {
      models.delete(name)
      if (error instanceof CoreError && error.failure.status === 'bad_model' && name !== runName(this.#run)) this.#models.forget(name)
      throw error
    }
  }

  #keepParameters(id: string, parameters: Float32Array): void {
    this.#parameters.delete(id)
    this.#parameters.set(id, parameters)
    for (const oldest of this.#parameters.keys()) {
      if (this.#parameters.size <= keptParameters) break
      this.#parameters.delete(oldest)
    }
  }

  /** For work that may be taken back before it is asked for. */
  async #openUnless(signal?: AbortSignal): Promise<Connection> {
    const { connection } = await this.#open()
    if (signal?.aborted) throw new Superseded()
    return connection
  }

  /** The running worker, or a new one. A failed start is forgotten, so that the next request tries again. */
  #open(): Promise<Opened> {
    if (this.#disposed) return Promise.reject(new Superseded())
    if (this.#opened) return this.#opened
    const opened = this.#start(() => this.#forget(opened))
    opened.catch(() => this.#forget(opened))
    this.#opened = opened
    return opened
  }

  #forget(opened: Promise<Opened>): void {
    if (this.#opened === opened) this.#opened = undefined
  }

  async #start(onCrash: () => void): Promise<Opened> {
    const module = this.#module ?? (await this.#fetchModule())
    const connection = new Connection(this.#environment.spawn(), onCrash)
    try {
      const info = await connection.ask({ id: ++this.#lastId, kind: 'load', ...module })
      this.#module = module
      if (this.#disposed) throw new Superseded()
      return { connection, info, models: new Map() }
    } catch (error) {
      const failure = startFailure(error)
      connection.close(failure)
      throw failure
    }
  }

  async #fetchModule(): Promise<{ build: Build; bytes: ArrayBuffer }> {
    const build = await this.#environment.build()
    return { build, bytes: await this.#environment.bytes(build) }
  }
}

async function contributions(connection: Connection, about: About, heads: number[], signal: AbortSignal, progress?: Progress): Promise<TensorView> {
  const { view, data } = await connection.ask({ ...about, kind: 'contributions', heads }, signal, progress)
  return new StridedView('contributions', view, data)
}

/** Keeps, of each tensor, the number that comes closest to its bound. */
function add(report: CheckReport, name: string, deviations: Deviations): void {
  for (const tensor of tensorNames) {
    const found = deviations[tensor]
    if (!found) continue
    const kept = report.tensors[tensor]
    if (found.error > found.bound) report.ok = false
    if (!kept || share(found) > share(kept)) report.tensors[tensor] = { ...found, case: name }
  }
}

const share = ({ error, bound }: { error: number; bound: number }): number => (error === 0 ? 0 : error / bound)

/** A copy that can be sent, which the page's reactive objects can't, and that nobody changes afterwards. */
const plain = (request: PassRequest): PassRequest => ({
  ...request,
  tokens: [...request.tokens],
  ...(request.headGate && { headGate: [...request.headGate] }),
})

const plainCell = ({ tensor, index }: CellRef): CellRef => ({ tensor, index: [...index] })

/** A worker that crashes while it starts was never there. */
function startFailure(error: unknown): Error {
  if (error instanceof CoreError && error.failure.status === 'crashed') {
    return new CoreError({ ...error.failure, status: 'load_failed' })
  }
  return error instanceof Error ? error : new Error(String(error))
}
