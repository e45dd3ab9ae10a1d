// The worker's side: answers messages one after another. Between two of them, and between the slices of a long one, it
// lets waiting messages in, so that a request that was taken back in the meantime is never begun or goes no further.
import { Engine } from './engine'
import { limits } from './generated/tables'
import type { Answers, Kind, Message, MessageOf, Reply } from './messages'
import { nextTask } from './next_task'
import type { PassMemory } from './pass_memory'
import { CoreError, type PassRequest, type Shape } from './protocol'
import { isRun, modelOf } from './model_file'
import type { TrainedModel } from './source'
import type { Weights } from './weights'

export type Post = (reply: Reply, transfer: Transferable[]) => void

/** The request was taken back. */
class Stale extends Error {}

/** Weights kept beside those that current passes use: going back and forth between two seeds costs nothing. */
const keptWeights = 2
/** Measured in Chromium: a pass at 512 = 8 × 64 with weights that are there takes 7 ms then, and 17 without. */
const primingRounds = 8
/** So many layers can have a current pass. */
const maxLayers = limits.maxLayers - keptWeights

interface CurrentPass {
  id: number
  memory: PassMemory
  weights: Weights
  weightsId: string
}

interface Answered<K extends Kind> {
  value: Answers[K]
  transfer?: Transferable[]
}

export class Service {
  readonly #post: Post
  readonly #waiting: Message[] = []
  readonly #cancelled = new Set<number>()
  #busy = false
  #engine: Engine | undefined
  /** Rounds of priming still to run: after the first pass has been answered, and only while nobody waits. */
  #toPrime = primingRounds
  /** by layer */
  readonly #current = new Map<number, CurrentPass>()
  /** places of weights that a measurement has for itself */
  readonly #borrowed = new Set<number>()
  /** by name, kept: together they are small */
  readonly #models = new Map<string, TrainedModel>()
  /** by id, the least recently used first */
  readonly #weights = new Map<string, Weights>()

  constructor(post: Post) {
    this.#post = post
  }

  receive(message: Message): void {
    if (message.kind === 'cancel') {
      this.#cancelled.add(message.id)
    } else {
      this.#waiting.push(message)
      if (!this.#busy) void this.#work()
    }
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (;;) {
      await nextTask()
      const message = this.#waiting.shift()
      if (message) await this.#answer(message)
      else if (this.#current.size > 0 && this.#toPrime > 0) await this.#prime()
      else break
    }
    this.#cancelled.clear()
    this.#busy = false
  }

  async #answer(message: Message): Promise<void> {
    const { id } = message
    try {
      this.#stopIfCancelled(id)
      const { value, transfer = [] } = await this.#result(message)
      this.#post({ id, kind: 'result', value }, transfer)
    } catch (error) {
      this.#post({ id, kind: 'failed', failure: failureOf(error) }, [])
    }
  }

  #result(message: Message): Answered<Kind> | Promise<Answered<Kind>> {
    switch (message.kind) {
      case 'load':
        return this.#load(message)
      case 'model':
        return this.#keepModel(message)
      case 'pass':
        return this.#pass(message)
      case 'explain':
        return { value: this.#recall(message).explain(message.cell, message.largest) }
      case 'influence':
        return { value: this.#recall(message).influence(message.cell) }
      case 'rowShares':
        return { value: this.#recall(message).rowShares(message.row) }
      case 'narrow':
        return { value: this.#recall(message).narrow(message.role) }
      case 'compare':
        return { value: this.#recall(message).compare(message.tensor, message.headGate) }
      case 'contributions':
        return this.#contributions(message)
      case 'check':
        return { value: this.#engine!.check(message.file) }
      case 'atScale':
        return this.#atScale(message)
      case 'measure':
        return this.#measure(message)
      case 'cancel':
        throw new Error('never waits')
    }
  }

  async #load({ build, bytes }: MessageOf<'load'>): Promise<Answered<'load'>> {
    this.#engine = await Engine.start(bytes)
    if (this.#engine.relaxed !== (build === 'relaxed')) {
      throw new CoreError({ status: 'load_failed', detail: `these bytes are not the ${build} build` })
    }
    return { value: { build, arch: this.#engine.arch } }
  }

  #keepModel({ name, file }: MessageOf<'model'>): Answered<'model'> {
    if (this.#models.has(name)) return { value: null }
    const model = this.#engine!.model(file)
    // A run takes the place of the one before it, of whose passes nobody asks any more.
    for (const [other, before] of this.#models) {
      if (!isRun(name) || !isRun(other)) continue
      this.#models.delete(other)
      before.release()
    }
    this.#models.set(name, model)
    return { value: null }
  }

  async #prime(): Promise<void> {
    this.#toPrime -= 1
    try {
      await this.#engine!.prime(this.#freePlace())
    } catch {
      // No room for it, for example: that is no failure of anything the reader asked for.
      this.#toPrime = 0
    }
  }

  #pass({ id, request, known }: MessageOf<'pass'>): Answered<'pass'> {
    const { memory, weights, weightsId } = this.#compute(id, request)
    const { input, trace } = memory.copyOut()
    const parameters = known.includes(weightsId) ? undefined : weights.copyOut()
    const slabs = parameters ? { input, trace, parameters } : { input, trace }
    const { shape, scale, views } = memory
    return {
      value: { shape, scale, weightsId, views, ...slabs },
      transfer: Object.values(slabs).map((slab) => slab.buffer),
    }
  }

  /** Makes a pass the current one of its layer. If it fails, the one before stays. */
  #compute(id: number, request: PassRequest): CurrentPass {
    const engine = this.#engine!
    const { layer } = request
    if (!Number.isInteger(layer) || layer < 0 || layer >= maxLayers) throw new CoreError({ status: 'not_loaded' })
    const shape = engine.shape(request.tokens.length, request.dModel, request.heads)
    const weightsId = idOf(request)
    const weights = this.#weightsFor(weightsId, shape, request)
    const current = { id, memory: engine.pass(weights, shape, request), weights, weightsId }
    this.#current.get(layer)?.memory.release()
    this.#current.set(layer, current)
    return current
  }

  /** A pass that was answered before: as it lies there, or made again if another one or a restart came in between. */
  #recall({ pass, request }: { pass: number; request: PassRequest }): PassMemory {
    const current = this.#current.get(request.layer)
    return current?.id === pass ? current.memory : this.#compute(pass, request).memory
  }

  async #contributions(message: MessageOf<'contributions'>): Promise<Answered<'contributions'>> {
    const { id } = message
    const value = await this.#recall(message).contributions(message.heads, async (done, total) => {
      this.#post({ id, kind: 'progress', done, total }, [])
      await nextTask()
      this.#stopIfCancelled(id)
    })
    return { value, transfer: [value.data.buffer] }
  }

  async #atScale({ id, request }: MessageOf<'atScale'>): Promise<Answered<'atScale'>> {
    const layer = this.#engine!.atScale(request)
    try {
      return { value: await layer.run((done, total) => this.#pause(id, done, total)) }
    } finally {
      layer.release()
    }
  }

  async #measure({ id, request }: MessageOf<'measure'>): Promise<Answered<'measure'>> {
    const engine = this.#engine!
    const measurement = engine.measurement()
    const places: number[] = []
    try {
      for (const { tokens, modelDim, heads } of request.sizes) {
        const place = this.#freePlace()
        measurement.add(place, engine.shape(tokens, modelDim, heads))
        places.push(place)
        this.#borrowed.add(place)
        await this.#pause(id, 0, 1)
      }
      const report = await measurement.run((done, total) => this.#pause(id, done, total))
      return { value: { build: engine.relaxed ? 'relaxed' : 'simd', ...report } }
    } finally {
      measurement.release()
      for (const place of places) this.#borrowed.delete(place)
    }
  }

  /** Between two slices of long work. Whatever is asked meanwhile is answered here: nobody who goes on reading waits for it. */
  async #pause(id: number, done: number, total: number): Promise<void> {
    this.#post({ id, kind: 'progress', done, total }, [])
    await nextTask()
    for (let message; (message = this.#waiting.shift()); ) await this.#answer(message)
    this.#stopIfCancelled(id)
  }

  #weightsFor(id: string, shape: Shape, request: PassRequest): Weights {
    const weights = this.#weights.get(id) ?? this.#makeWeights(shape, request)
    this.#weights.delete(id)
    this.#weights.set(id, weights)
    return weights
  }

  #makeWeights(shape: Shape, request: PassRequest): Weights {
    if (request.weights === 'seeded') return this.#engine!.seededWeights(this.#freePlace(), shape, request.seed)
    const model = this.#models.get(modelOf(request))
    if (!model) throw new CoreError({ status: 'not_loaded' })
    return this.#engine!.trainedWeights(this.#freePlace(), shape, model)
  }

  /** A place in the module for other weights, which takes one from the least recently used if enough are kept. */
  #freePlace(): number {
    const used = new Set([...this.#current.values()].map(({ weights }) => weights))
    const unused = [...this.#weights].filter(([, weights]) => !used.has(weights))
    for (const [id, weights] of unused.slice(0, Math.max(0, unused.length - keptWeights + 1))) {
      this.#weights.delete(id)
      weights.release()
    }
    const taken = new Set([...this.#borrowed, ...[...this.#weights.values()].map(({ place }) => place)])
    for (let place = 0; place < limits.maxLayers; place++) if (!taken.has(place)) return place
    throw new CoreError({ status: 'out_of_memory' })
  }

  #stopIfCancelled(id: number): void {
    if (this.#cancelled.delete(id)) throw new Stale()
  }
}

/** Seeded matrices know nothing of heads: another h cuts the same ones. Trained ones were trained as so many. */
const idOf = (request: PassRequest): string =>
  request.weights === 'seeded' ? `seeded ${request.seed} d=${request.dModel}` : `trained ${modelOf(request)}`

function failureOf(error: unknown): CoreError['failure'] | 'superseded' {
  if (error instanceof Stale) return 'superseded'
  if (error instanceof CoreError) return error.failure
  // A trap or a bug: whatever the module's memory holds now is not to be trusted.
  return { status: 'crashed', detail: String(error) }
}
