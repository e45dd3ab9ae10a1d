// The runs of the chapter `training`: what they are set to, how far they are, and whether they go. No DOM.
import { CoreError, type CoreFailure, Superseded } from '../core/protocol'
import type { HeadStudy, RunSettings, Snapshot, Switched, TrainingClient, TrainingListener } from '../core/training'
import { failureOf } from './failure'
import { readRunFile, runFileName } from './run_file'
import { type CommonSettings, headSets, initialSettings } from './run_settings'
import { SeedStudy } from './seed_study.svelte'

/** Steps in a second; the last is as fast as it goes. */
export const speeds = [5, 50, Infinity] as const
export type Speed = (typeof speeds)[number]

/** As often as an eye can follow; less where the reader wants little motion. */
const snapshotsPerSecond = { usual: 10, still: 2 }

/** One run, its history so far and its newest numbers. */
export interface Run {
  settings: RunSettings
  /** of every snapshot, in their order */
  steps: readonly number[]
  heldOutLoss: readonly number[]
  /** [heads × relations] each */
  headAccuracy: readonly Float32Array[]
  snapshot: Snapshot | undefined
  /** heads that the reader has switched off */
  off: readonly number[]
  /** of the step that they name; 'overflow': some number was too large to be told */
  study: HeadStudy | 'overflow' | undefined
  switched: Switched | 'overflow' | undefined
}

export type TrainingState = 'idle' | 'running' | 'paused' | 'diverged' | 'failed'

/** The points of a history are thinned out beyond this: every second one of the older half goes. */
export const longestHistory = 4000

export class Training {
  settings: CommonSettings = $state.raw(initialSettings)
  /** of the runs side by side */
  headCounts: readonly number[] = $state.raw(headSets[0]!)
  runs: readonly Run[] = $state.raw([])
  speed: Speed = $state.raw(Infinity)
  /** which run the matrix, the maps and the words are about: a place in `runs` */
  chosen = $state(headSets[0]!.length - 1)
  failure: CoreFailure | undefined = $state.raw()
  /** what is wrong with the newest file */
  fileFailure: CoreFailure | undefined = $state.raw()
  /** the reader wants it to run */
  #wanted = $state(false)
  /** it can be seen: the tab is in front, and shows the chapter */
  #inSight = $state(true)
  #started = $state(false)
  #still = false
  #tokens: readonly string[] = []
  #lang: 'zh' | 'en' | undefined
  readonly #client: TrainingClient | undefined
  /** of the same settings, from many seeds */
  readonly study: SeedStudy

  /** Without a client there is nothing to run. */
  constructor(client: TrainingClient | undefined) {
    this.#client = client
    this.study = new SeedStudy(client)
    this.runs = this.#empty()
  }

  get state(): TrainingState {
    if (this.failure !== undefined) return 'failed'
    if (this.runs.every(({ snapshot }) => snapshot?.diverged === true)) return 'diverged'
    if (!this.#started) return 'idle'
    return this.#wanted ? 'running' : 'paused'
  }

  /** It runs on as soon as it can be seen again. */
  get waiting(): boolean {
    return this.#wanted && !this.#inSight
  }

  get run(): Run {
    return this.runs[Math.min(this.chosen, this.runs.length - 1)]!
  }

  /** Made by the run on show; if it has diverged, which leaves it behind, by the furthest. */
  get steps(): number {
    const { snapshot } = this.run
    return snapshot?.diverged === true ? Math.max(...this.runs.map((run) => run.snapshot?.step ?? 0)) : (snapshot?.step ?? 0)
  }

  /** The run of a file, without others beside it. */
  get isAlone(): boolean {
    return this.runs.length === 1
  }

  get canSave(): boolean {
    return this.#started && this.failure === undefined
  }

  get canGo(): boolean {
    return this.#client !== undefined && (this.state === 'idle' || this.state === 'paused')
  }

  prepare(): void {
    this.#client?.prepare()
  }

  play(): void {
    if (!this.canGo) return
    this.#begin()
    this.#wanted = true
    this.#go()
  }

  pause(): void {
    if (!this.#wanted) return
    this.#wanted = false
    this.#client?.pause()
  }

  step(): void {
    if (!this.canGo && this.state !== 'running') return
    this.pause()
    this.#begin()
    this.#client?.step()
  }

  /** Back to step 0, from the same seed; a run that is alone makes room for those side by side. */
  reset(): void {
    this.pause()
    if (this.isAlone) this.chosen = this.headCounts.length - 1
    this.fileFailure = undefined
    this.#started = false
    this.failure = undefined
    this.runs = this.#empty()
  }

  /** Other settings mean other runs; the same ones change nothing. The number of heads on show stays, if there is one of it. */
  set(patch: Partial<CommonSettings>, headCounts = this.headCounts): void {
    const settings = { ...this.settings, ...patch }
    if (JSON.stringify([settings, headCounts]) === JSON.stringify([this.settings, this.headCounts])) return
    const { heads } = this.run.settings
    this.settings = settings
    this.headCounts = headCounts
    this.study.clear()
    this.reset()
    this.chosen = headCounts.includes(heads) ? headCounts.indexOf(heads) : headCounts.length - 1
  }

  /** The runs on show make room for it. */
  beginStudy(): void {
    this.pause()
    this.study.begin({ ...this.settings, heads: this.headCounts, lang: this.#lang ?? 'zh' })
  }

  setSpeed(speed: Speed): void {
    this.speed = speed
    if (this.#wanted) this.#go()
  }

  choose(run: number): void {
    if (run >= 0 && run < this.runs.length) this.chosen = run
  }

  /** The language of the sentences that runs are measured by. */
  listenTo(lang: 'zh' | 'en'): void {
    if (lang === this.#lang) return
    // What was measured by sentences of the other language answers another question. The client drops what is still under way.
    if (this.#lang !== undefined) {
      this.runs = this.runs.map((run) => ({ ...run, steps: [], heldOutLoss: [], headAccuracy: [], study: undefined, switched: undefined }))
      this.study.clear()
    }
    this.#lang = lang
    this.#client?.listenTo(lang)
  }

  /** The sentence whose attention maps are shown. */
  show(tokens: readonly string[]): void {
    if (tokens.join('|') === this.#tokens.join('|')) return
    this.#tokens = tokens
    if (this.#started) this.#client?.show(tokens)
  }

  /** Nobody looks: it pauses by itself, and goes on by itself. */
  see(inSight: boolean): void {
    if (inSight === this.#inSight) return
    this.#inSight = inSight
    if (!this.#wanted) return
    if (inSight) this.#go()
    else this.#client?.pause()
  }

  setStill(still: boolean): void {
    if (still === this.#still) return
    this.#still = still
    if (this.#wanted) this.#go()
  }

  /** What the chosen run, as it is now, loses without its heads. It pauses. */
  studyHeads(): void {
    if (!this.#started || this.failure !== undefined) return
    this.pause()
    this.#client?.studyHeads(this.chosen)
    this.#client?.switchHeads(this.chosen, this.run.off)
  }

  /** Of the chosen run. Numbers of an earlier step do not stand beside new ones. */
  switchHeads(off: readonly number[]): void {
    if (!this.#started || this.failure !== undefined) return
    this.#change(this.chosen, { off })
    if (!this.#wanted && isCurrent(this.run)) this.#client?.switchHeads(this.chosen, off)
    else this.studyHeads()
  }

  /** The chosen run as a file, with a name that says what it is; undefined: it can't be saved, and fileFailure says why. */
  async save(): Promise<{ name: string; file: Blob } | undefined> {
    if (!this.canSave || this.#client === undefined) return undefined
    const { settings } = this.run
    this.fileFailure = undefined
    try {
      const { step, file } = await this.#client.save(this.runs.indexOf(this.run), true)
      return { name: runFileName(settings, step), file: new Blob([file]) }
    } catch (error) {
      this.fileFailure = failureOf(error)
      return undefined
    }
  }

  /** Why the walk cannot show the run on show; undefined: it can. */
  get whyNotWalked(): 'idle' | 'failed' | 'diverged' | 'letters' | undefined {
    if (this.failure !== undefined) return 'failed'
    const { settings, snapshot } = this.run
    if (settings.task === 'four-jobs') return 'letters'
    if (snapshot?.diverged === true) return 'diverged'
    return this.#started && snapshot !== undefined ? undefined : 'idle'
  }

  /** The model of the run on show, as it is now. Rejects with a CoreError. */
  async model(): Promise<ArrayBuffer> {
    if (this.#client === undefined || this.whyNotWalked !== undefined) throw new CoreError({ status: 'not_loaded' })
    return (await this.#client.save(this.runs.indexOf(this.run), false)).file
  }

  /** The run of such a file takes the place of all others; if it is none, they stay as they are, and fileFailure says so. */
  async resume(content: Blob): Promise<void> {
    if (this.#client === undefined) return
    this.fileFailure = undefined
    try {
      const { settings, file } = await readRunFile(content)
      await this.#client.resume(settings, file, this.#tokens, this.#listener(settings))
      this.#wanted = false
      this.#started = true
      this.failure = undefined
      this.runs = [emptyRun(settings)]
      this.chosen = 0
    } catch (error) {
      if (!(error instanceof Superseded)) this.fileFailure = failureOf(error)
    }
  }

  #empty(): Run[] {
    return this.headCounts.map((heads) => emptyRun({ ...this.settings, heads }))
  }

  #begin(): void {
    if (this.#started) return
    this.#started = true
    const made = (this.runs = this.#empty())
    this.#client?.reset(made.map(({ settings }) => settings), this.#tokens, this.#listener(made[0]!.settings))
  }

  /** What comes of runs that are gone belongs to nobody. `first`: the settings of the first of those that are meant. */
  #listener(first: RunSettings): TrainingListener {
    const ours = (): boolean => this.runs[0]?.settings === first
    return {
      snapshot: (run, snapshot) => {
        if (ours()) this.#take(run, snapshot)
      },
      studied: (run, study) => {
        if (ours()) this.#change(run, { study: study ?? 'overflow' })
      },
      switched: (run, switched) => {
        if (ours()) this.#change(run, { switched: switched ?? 'overflow' })
      },
      failed: (failure) => {
        if (!ours()) return
        this.#wanted = false
        this.failure = failure
      },
    }
  }

  #go(): void {
    if (!this.#inSight) return
    const { usual, still } = snapshotsPerSecond
    this.#client?.play({ stepsPerSecond: this.speed, snapshotsPerSecond: this.#still ? still : usual })
  }

  #change(place: number, change: Partial<Run>): void {
    this.runs = this.runs.map((run, i) => (i === place ? { ...run, ...change } : run))
  }

  #take(place: number, snapshot: Snapshot): void {
    this.runs = this.runs.map((run, i) => (i === place ? grown(run, snapshot) : run))
    if (this.state === 'diverged') this.#wanted = false
  }
}

const emptyRun = (settings: RunSettings): Run => ({
  settings, steps: [], heldOutLoss: [], headAccuracy: [], snapshot: undefined, off: [], study: undefined, switched: undefined,
})

/** Whether its study is of the model on show. */
export const isCurrent = ({ study, snapshot }: Run): boolean => study !== undefined && study !== 'overflow' && study.step === snapshot?.step

function grown(run: Run, snapshot: Snapshot): Run {
  if (run.steps.at(-1) === snapshot.step) return { ...run, snapshot }
  const longer: Run = {
    ...run,
    snapshot,
    steps: [...run.steps, snapshot.step],
    heldOutLoss: [...run.heldOutLoss, snapshot.heldOutLoss],
    headAccuracy: [...run.headAccuracy, snapshot.headAccuracy],
  }
  return longer.steps.length <= longestHistory ? longer : thinned(longer)
}

function thinned(run: Run): Run {
  const kept = (_: unknown, i: number): boolean => i >= longestHistory / 2 || i % 2 === 0
  return { ...run, steps: run.steps.filter(kept), heldOutLoss: run.heldOutLoss.filter(kept), headAccuracy: run.headAccuracy.filter(kept) }
}
