// The study of many seeds in the training module, in the lesson's terms. Runs in the worker.
import { seedPlanRecord, seedProgressRecord, seedSummaryRecord, tasks } from './generated/training_tables'
import type { Relation, StudyReport, StudySettings, StudySummary } from './training'
import { languageIds, settingsRecord } from './training_engine'
import { out, type Wasm } from './wasm'

export class SeedStudy {
  readonly #settings: StudySettings
  readonly #relations: readonly Relation[]
  readonly #progress = new Float64Array(seedProgressRecord.size)

  /** Throws what cannot be studied. The module has one study, which is begun anew. */
  constructor(private readonly wasm: Wasm, settings: StudySettings) {
    this.#settings = settings
    this.#relations = tasks[settings.task].relations
    const { heads, seeds, steps, bound, every } = settings
    const language = languageIds[settings.lang]
    const plan = new Float64Array(seedPlanRecord.size)
    for (const [name, value] of Object.entries({ seeds, steps, bound, every, language })) plan[seedPlanRecord[name as 'seeds']] = value
    wasm.run('mha_study_open', settingsRecord({ ...settings, heads: heads[0]! }), Int32Array.from(heads), heads.length, plan)
    this.advance(0)
  }

  get done(): boolean {
    return this.#progress[seedProgressRecord.done] === 1
  }

  /** Runs that are through. */
  get runs(): number {
    return this.#progress[seedProgressRecord.seed]! * this.#settings.heads.length + this.#progress[seedProgressRecord.place]!
  }

  advance(steps: number): void {
    this.wasm.run('mha_study_advance', steps, out(this.#progress))
  }

  close(): void {
    this.wasm.run('mha_study_close')
  }

  report(): StudyReport {
    const { heads, seeds, steps } = this.#settings
    const [seed, place, step] = (['seed', 'place', 'steps'] as const).map((field) => this.#progress[seedProgressRecord[field]]!) as [number, number, number]
    return {
      now: this.done ? undefined : { seed, heads: heads[place]!, step },
      done: this.runs + step / steps,
      total: heads.length * seeds,
      relations: this.#relations,
      summaries: this.#summaries(),
    }
  }

  #summaries(): StudySummary[] {
    const { heads, seeds } = this.#settings
    const relations = this.#relations.length
    const records = new Float64Array(heads.length * seedSummaryRecord.size)
    const owned = new Int32Array(heads.length * relations)
    const alone = new Int32Array(owned.length)
    const answered = new Int32Array(owned.length)
    const reachedAt = new Int32Array(heads.length * seeds)
    const grouped = new Int32Array(reachedAt.length)
    const groups = new Int32Array(reachedAt.length * relations)
    this.wasm.run('mha_study_read', out(records), out(owned), out(alone), out(answered), out(reachedAt), out(grouped), out(groups))
    return heads.map((count, place) => {
      const read = (field: Exclude<keyof typeof seedSummaryRecord, 'size'>): number => records[place * seedSummaryRecord.size + seedSummaryRecord[field]]!
      const row = <Numbers extends Int32Array>(numbers: Numbers, width: number): Int32Array => numbers.slice(place * width, (place + 1) * width)
      const [runs, reached, diverged, loss] = [read('runs'), read('reached'), read('diverged'), read('loss')]
      const ofGrouping = row(groups, seeds * relations)
      return {
        heads: count, runs, reached, diverged,
        steps: reached === 0 ? undefined : { median: read('median'), fewest: read('fewest'), most: read('most') },
        loss: runs === diverged ? undefined : loss,
        owned: row(owned, relations), alone: row(alone, relations), answered: row(answered, relations),
        assignments: read('assignments'),
        groupings: Array.from(row(grouped, seeds).subarray(0, read('groupings')), (often, i) => ({ groups: ofGrouping.slice(i * relations, (i + 1) * relations), runs: often })),
        reachedAt: Array.from(row(reachedAt, seeds).subarray(0, runs), (step) => (step < 0 ? undefined : step)),
      }
    })
  }
}
