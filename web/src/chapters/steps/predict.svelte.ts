// Predict, then see: whoever walks to stop 2, 8 or 9 is asked once, in front of the figure, and answers by choosing a cell in
// it. Nothing waits for the answer.
import { Tween } from 'svelte/motion'
import type { Asker } from '../../components/asker'
import { contributionOf } from '../../components/figures'
import type { CellRef, Comparison, Pass } from '../../core/protocol'
import { headPage, headsOn, laneHeads } from '../../model/heads'
import type { Lesson } from '../../model/lesson.svelte'
import type { Matrix } from '../../model/matrix'
import { type StopName, nameOf } from '../../model/stops'
import type { Block, Columns } from '../../text/questions.en'
import { judgeBlock, judgeColumn, wentOut } from './judge'
import { askedLayouts } from './layout_asked'
import type { Layout } from './layouts'

export type AskingStop = 'split' | 'concat' | 'output'

export interface Question {
  stop: AskingStop
  /** counted from 0 */
  head: number
  shape: Pass['shape']
}

export type Verdict = { stop: 'split' | 'concat'; columns: Columns } | { stop: 'output'; block: Block }

interface Before {
  pass: Pass
  contribution: Matrix | undefined
}

const isAsking = (name: StopName): name is AskingStop => name === 'split' || name === 'concat' || name === 'output'

/** The stops that have asked since the page was opened. */
const askedIn = new WeakMap<Lesson, Set<StopName>>()

export class Predict implements Asker {
  verdict: Verdict | undefined = $state.raw()
  readonly #lesson: Lesson
  readonly #isStill: () => boolean
  readonly #isRoomy: () => boolean
  readonly #random: () => number
  readonly #asked: Set<StopName>
  /** 0: the figure is closed; 1: it is as it always is */
  readonly #parted = new Tween(1)
  #question: Question | undefined = $state.raw()
  /** answered, skipped or left: the figure opens */
  #isOver = $state(false)
  #before: Before | undefined = $state.raw()
  #stop: number

  /** `isStill`: the reader wants no motion. `isRoomy`: a closed figure shows heads wide enough to choose one. */
  constructor(lesson: Lesson, isStill: () => boolean, isRoomy: () => boolean, random = Math.random) {
    this.#lesson = lesson
    this.#isStill = isStill
    this.#isRoomy = isRoomy
    this.#random = random
    this.#asked = askedIn.get(lesson) ?? new Set()
    askedIn.set(lesson, this.#asked)
    this.#stop = lesson.state.stop
  }

  /** What stands above the figure: asked, or answered. Gone when the sizes change under it. */
  get question(): Question | undefined {
    const question = this.#question
    if (question === undefined || question.stop !== this.#name || (this.#isOver && this.verdict === undefined)) return undefined
    return this.#fits(question) ? question : undefined
  }

  /** A question is open and the figure closed because of it. */
  get hides(): boolean {
    return this.question !== undefined && !this.#isOver && askedLayouts[this.#name] !== undefined
  }

  /** Whether the reader can be asked here. */
  get canAsk(): boolean {
    return this.#candidates(this.#name).length > 0
  }

  /** The head that the answer switched off, until the reader switches any. */
  get headOff(): number | undefined {
    const { question } = this
    return question?.stop === 'output' && question.head === this.#lesson.trial.head ? question.head : undefined
  }

  /** What switching it off did, once that is computed. */
  get change(): (Before & { after: Pass; output: Comparison }) | undefined {
    const { pass, tried } = this.#lesson
    const before = this.#before
    const head = this.headOff
    if (head === undefined || before === undefined || pass === undefined || tried === undefined) return undefined
    return wentOut(before.pass, pass, head) ? { ...before, after: pass, output: tried } : undefined
  }

  get moving(): boolean {
    return this.#share > 0 && this.#share < 1
  }

  /** The closed figure of a stop, and how far it is open; undefined: it is as always. */
  closed(name: StopName): { layout: Layout; share: number } | undefined {
    const layout = askedLayouts[name]
    const question = this.#question
    if (layout === undefined || question?.stop !== name || !this.#fits(question)) return undefined
    return this.#share === 1 ? undefined : { layout, share: this.#share }
  }

  /** The walk has come to a stop. `mayAsk`: by the reader's own step, not by play or pull. */
  arrive(stop: number, mayAsk: boolean): void {
    const from = this.#stop
    this.#stop = stop
    if (from === stop) return
    this.#leave()
    const name = nameOf(stop)
    if (mayAsk && from === stop - 1 && this.#lesson.state.predict && !this.#isStill() && !this.#asked.has(name)) this.ask()
  }

  /** Asks about a head, if it can another than before. */
  ask(): void {
    const { pass } = this.#lesson
    const name = this.#name
    const last = this.#question
    if (pass === undefined || !isAsking(name)) return
    this.#lesson.trial.end()
    const heads = this.#candidates(name)
    const others = heads.filter((head) => last?.stop !== name || head !== last.head)
    const choice = others.length > 0 ? others : heads
    const head = choice[Math.floor(this.#random() * choice.length)]
    if (head === undefined) return
    this.#asked.add(name)
    this.#question = { stop: name, head, shape: pass.shape }
    this.verdict = undefined
    this.#isOver = false
    // On arrival the figure comes closed; asked again, it closes.
    if (askedLayouts[name]) this.#move(0, last?.stop === name)
  }

  answer(cell: CellRef): boolean {
    const { question } = this
    const { pass } = this.#lesson
    if (question === undefined || pass === undefined || this.#isOver) return false
    if (question.stop === 'output') {
      this.verdict = { stop: 'output', block: judgeBlock(question.head, cell) }
      this.#before = { pass, contribution: contributionOf(this.#lesson.contributions, pass, question.head) }
      this.#lesson.trial.begin(question.head)
    } else {
      const columns = judgeColumn(pass, question.head, cell)
      if (columns === undefined) return false
      this.verdict = { stop: question.stop, columns }
    }
    this.#open()
    return true
  }

  skip(): void {
    this.#open()
  }

  never(): void {
    this.skip()
    this.#lesson.change({ predict: false })
  }

  /** The head that the answer switched off is on again. */
  undo(): void {
    this.#lesson.trial.end()
  }

  get #name(): StopName {
    return nameOf(this.#lesson.state.stop)
  }

  /** In pieces from the first moment on, also for those who want no motion. */
  get #share(): number {
    return this.#isOver ? Math.max(this.#parted.current, 0.001) : this.#parted.current
  }

  #fits({ stop, shape, head }: Question): boolean {
    const now = this.#lesson.pass?.shape
    if (!this.#isOver && !this.#isAnswerable(stop)) return false
    return now?.heads === shape.heads && now.modelDim === shape.modelDim && this.#shown(stop, now.heads).includes(head)
  }

  /** Heads on the screen; those that are off already have nothing to change. */
  #candidates(name: StopName): number[] {
    const { pass, state } = this.#lesson
    if (pass === undefined || pass.shape.heads === 1 || !isAsking(name) || !this.#isAnswerable(name)) return []
    const shown = this.#shown(name, pass.shape.heads)
    return name === 'output' ? shown.filter((head) => !state.out.includes(head)) : shown
  }

  #shown(name: StopName, heads: number): number[] {
    const chosen = this.#lesson.state.head
    return name === 'output' ? laneHeads(heads, chosen) : headsOn(headPage(heads, chosen))
  }

  #isAnswerable(name: AskingStop): boolean {
    return askedLayouts[name] === undefined || this.#isRoomy()
  }

  #open(): void {
    this.#isOver = true
    this.#move(1, true)
  }

  #move(to: 0 | 1, seen: boolean): void {
    void this.#parted.set(to, { duration: seen && !this.#isStill() ? 480 : 0 })
  }

  /** Whoever walks on takes nothing along: the figure opens, and the head is on again (not in the step that Back returns to). */
  #leave(): void {
    if (this.#question === undefined) return
    this.verdict = undefined
    this.#before = undefined
    this.#open()
    this.#lesson.trial.end()
  }
}
