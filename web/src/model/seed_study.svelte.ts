// Many seeds at a click: what is asked of the core, how far it is, and what is known so far. No DOM.
import type { CoreFailure } from '../core/protocol'
import type { StudyReport, StudySettings, TrainingClient } from '../core/training'

export const studyLengths = [200, 400, 600, 1500] as const
export const studyPlan = { seeds: 20, bound: 0.02, every: 10 } as const

export type StudyState = 'idle' | 'running' | 'done' | 'stopped' | 'failed'

export class SeedStudy {
  /** of every run */
  steps: (typeof studyLengths)[number] = $state.raw(600)
  state: StudyState = $state.raw('idle')
  /** what the report is about */
  settings: StudySettings | undefined = $state.raw()
  /** the newest; it stays when the study is stopped */
  report: StudyReport | undefined = $state.raw()
  failure: CoreFailure | undefined = $state.raw()
  readonly #client: Pick<TrainingClient, 'study' | 'stopStudy'> | undefined

  constructor(client: Pick<TrainingClient, 'study' | 'stopStudy'> | undefined) {
    this.#client = client
  }

  /** From its first seed. Does nothing while one goes on. */
  begin(common: Omit<StudySettings, keyof typeof studyPlan | 'steps'>): void {
    if (this.#client === undefined || this.state === 'running') return
    const settings = { ...common, ...studyPlan, steps: this.steps }
    this.clear()
    this.settings = settings
    this.state = 'running'
    // What comes of a study that is gone belongs to nobody.
    const ours = (): boolean => this.settings === settings && this.state === 'running'
    this.#client.study(settings, {
      report: (report) => {
        if (!ours()) return
        this.report = report
        if (report.now === undefined) this.state = 'done'
      },
      failed: (failure) => {
        if (!ours()) return
        this.failure = failure
        this.state = 'failed'
      },
    })
  }

  stop(): void {
    if (this.state !== 'running') return
    this.#client?.stopStudy()
    this.state = 'stopped'
  }

  /** Other settings: what was found is not about them. */
  clear(): void {
    this.stop()
    this.state = 'idle'
    this.settings = this.report = this.failure = undefined
  }

  setSteps(steps: number): void {
    const found = studyLengths.find((length) => length === steps)
    if (found === undefined || found === this.steps) return
    this.steps = found
    this.clear()
  }
}
