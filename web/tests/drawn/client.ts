// A client of the chapter `training` whose numbers are drawn, not trained: for looking at the frame and for its tests. Never part of the page.
import {
  type HeadStudy, type PrunedPoint, type RunSettings, type SavedRun, type Snapshot, type StudyListener, type StudySettings, type Switched, type TrainingClient, type TrainingListener, cellStates,
} from '../../src/core/training'
import { drawFrom } from '../unit/drawing'

/** Rows are heads: giver, receiver, reference, cause, object, in percent. */
const finished: Readonly<Record<number, readonly (readonly number[])[]>> = {
  1: [[60, 39, 55, 78, 40]],
  2: [[97, 20, 88, 15, 44], [10, 95, 60, 93, 51]],
  4: [[42, 0, 97, 84, 31], [96, 15, 47, 0, 33], [93, 42, 13, 12, 30], [13, 94, 10, 95, 66]],
  8: [[42, 0, 0, 84, 31], [55, 15, 47, 0, 33], [73, 42, 53, 13, 0], [13, 25, 10, 79, 50], [12, 0, 95, 91, 32], [95, 97, 1, 14, 39], [43, 77, 19, 0, 50], [33, 41, 38, 38, 12]],
}
const relations = ['giver', 'receiver', 'reference', 'cause', 'object']
/** What a run loses, and about when it falls. */
const manner: Readonly<Record<number, { goal: number; fall: number }>> = { 1: { goal: 0.012, fall: 160 }, 2: { goal: 0.0004, fall: 52 }, 4: { goal: 0.00035, fall: 36 }, 8: { goal: 0.0003, fall: 30 } }

export class DrawnClient implements TrainingClient {
  #runs: readonly RunSettings[] = []
  #tokens: readonly string[] = []
  #listener: TrainingListener | undefined
  #step = 0
  #timer: ReturnType<typeof setInterval> | undefined
  /** everything it was asked for, in order */
  readonly asked: string[] = []
  /** who listens to the newest study */
  studied: StudyListener | undefined

  prepare(): void {}

  listenTo(): void {}

  reset(runs: readonly RunSettings[], tokens: readonly string[], listener: TrainingListener): void {
    this.asked.push('reset')
    clearInterval(this.#timer)
    ;[this.#runs, this.#tokens, this.#listener, this.#step] = [runs, tokens, listener, 0]
    this.#report()
  }

  play({ snapshotsPerSecond }: { stepsPerSecond: number; snapshotsPerSecond: number }): void {
    this.asked.push(`play ${snapshotsPerSecond}`)
    clearInterval(this.#timer)
    this.#timer = setInterval(() => this.walk(10), 1000 / snapshotsPerSecond)
  }

  pause(): void {
    this.asked.push('pause')
    clearInterval(this.#timer)
  }

  step(): void {
    this.asked.push('step')
    this.walk(1)
  }

  walk(steps: number): void {
    this.#step += steps
    this.#report()
  }

  show(tokens: readonly string[]): void {
    this.asked.push('show')
    this.#tokens = tokens
    this.#report()
  }

  study(_settings: StudySettings, listener: StudyListener): void {
    this.asked.push('study')
    this.studied = listener
  }

  stopStudy(): void {
    this.asked.push('stop study')
  }

  save(_run: number, _moments: boolean): Promise<SavedRun> {
    return Promise.reject(new Error('drawn runs are not saved'))
  }

  resume(_settings: RunSettings, _file: ArrayBuffer, _tokens: readonly string[], _listener: TrainingListener): Promise<void> {
    return Promise.reject(new Error('drawn runs are not saved'))
  }

  studyHeads(run: number): void {
    this.asked.push(`study ${run}`)
    this.#listener?.studied(run, drawnStudy(this.#runs[run]!.heads, this.#step))
  }

  switchHeads(run: number, off: readonly number[]): void {
    this.asked.push(`switch ${run} ${off.join(',')}`)
    this.#listener?.switched(run, drawnSwitched(this.#runs[run]!.heads, this.#step, off))
  }

  #report(): void {
    this.#runs.forEach((settings, run) => this.#listener?.snapshot(run, drawnSnapshot(settings, this.#step, this.#tokens)))
  }
}

export function drawnSnapshot({ heads, learningRate, seed }: RunSettings, step: number, tokens: readonly string[]): Snapshot {
  const draw = drawFrom(seed * 1000 + step + heads * 77)
  const noise = (): number => draw(-1000, 1000) / 1000
  const { goal, fall } = manner[heads]!
  const blowsUp = learningRate >= 1
  const diverged = blowsUp && step >= 8 * heads
  const at = diverged ? 8 * heads : step
  const heldOutLoss = blowsUp ? 4 * 1.3 ** at : (4 * Math.exp(-at / fall) + goal) * 10 ** (0.06 * noise())
  const share = Math.min(1, at / (6 * fall))
  const rows = finished[heads]!.map((row) => row.map((percent) => (percent / 100) * share))
  const n = tokens.length
  const maps = new Float32Array(heads * n * n)
  for (let head = 0; head < heads; head += 1) {
    for (let row = 0; row < n; row += 1) {
      const weights = Array.from({ length: n }, (_, column) => Math.exp(((head * 5 + row * 3 + column * 7) % 11) * 0.6 * share))
      const sum = weights.reduce((total, weight) => total + weight, 0)
      maps.set(weights.map((weight) => weight / sum), (head * n + row) * n)
    }
  }
  const best = relations.map((_, column) => Math.max(...rows.map((row) => row[column]!)))
  const codeOf = (value: number, column: number): number => {
    if (at === 0) return 0
    const state = value >= 0.9 ? (value === best[column] ? 'owner' : 'duplicate') : value < 0.5 ? 'low' : best[column]! < 0.9 && share === 1 ? 'shared' : 'partial'
    return cellStates.indexOf(state)
  }
  // Where the words of the lesson's sentence stand, in either language.
  const [verb, receiver] = tokens.includes('passed') ? [1, 5] : [Math.min(3, n - 1), Math.min(4, n - 1)]
  const weights = Float32Array.from({ length: n }, (_, i) => (i === 0 ? 0.6 : i === receiver ? 0.37 : 0.03 / Math.max(1, n - 2)))
  return {
    step: at, loss: heldOutLoss, heldOutLoss, relations, unknown: [],
    accuracy: Float32Array.from(best, (value) => Math.min(1, heads === 1 ? value : share)),
    headAccuracy: Float32Array.from(rows.flat()),
    cells: Uint8Array.from(rows.flatMap((row) => row.map(codeOf))),
    unused: Uint8Array.from(rows, (_, head) => (share === 1 && head === 7 ? 1 : 0)),
    tokens, maps, diverged, stepsPerSecond: 812 + 9 * noise(),
    dilemma: n < 5 ? undefined : { head: 0, query: verb, giver: 0, receiver, weights, loss: 0.74 },
  }
}

/** Head 2 is missed most, the first has the largest I_h; the more are out, the worse. */
export function drawnStudy(heads: number, step: number): HeadStudy {
  const without = (gone: number): { loss: number; accuracy: number } => ({ loss: 0.001 + (4 * gone) / heads, accuracy: 1 - gone / heads })
  const curve = (order: readonly number[]): PrunedPoint[] => [{ ...without(0), head: undefined }, ...order.map((head, i) => ({ ...without(i + 1), head }))]
  const all = Array.from({ length: heads }, (_, head) => head)
  return {
    step,
    heads: all.map((head) => ({
      without: { loss: head === 1 ? 2 : 0.01 / (1 + head), accuracy: head === 1 ? 0.5 : 0.99 },
      accuracyLost: head === 1 ? 0.5 : 0.01,
      sliced: { loss: 0.7, accuracy: 0.8 },
      importance: 1e-3 / (1 + head),
      normalised: 0.8 / (1 + head),
      rank: head === 1 ? 1 : head === 0 && heads > 1 ? 2 : head + 1,
      importanceRank: head + 1,
    })),
    byImportance: curve([...all].reverse()),
    greedy: curve([...all.filter((head) => head !== 1), ...all.filter((head) => head === 1)]),
  }
}

export function drawnSwitched(heads: number, step: number, off: readonly number[]): Switched {
  const share = 1 - off.length / heads
  const one = (accuracy: number): Switched['now'] => ({ loss: 4 * (1 - accuracy), accuracy, relations: Float64Array.from(relations, () => accuracy) })
  return { step, off, now: one(share), allOn: one(1) }
}
