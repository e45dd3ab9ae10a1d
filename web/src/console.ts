// `eightMeetings` in the browser's console: the lesson for those who program. Everything counts from 0 here.
import { tick } from 'svelte'
import { tensorNames } from './core/generated/tables'
import type { CheckReport, Shape } from './core/protocol'
import { type Extract, extract, noSuchHead } from './model/extract'
import type { Lesson } from './model/lesson.svelte'
import { type Key, keys, readValues } from './model/state'
import { common as en } from './text/common.en'
import { common as zh } from './text/common.zh'

export function createConsole(lesson: Lesson) {
  const settled = async (): Promise<void> => {
    await tick()
    await lesson.settled()
    await tick()
  }

  /** Only those of the head asked for: all at once can be very many. */
  const contributions = async (shape: Shape, head: number | undefined): Promise<Extract> => {
    const heads = Array.from({ length: shape.heads }, (_, i) => i)
    if (head !== undefined && !heads.includes(head)) throw noSuchHead(head, shape)
    const { shape: [, ...inner], data } = extract(await lesson.contributionsOfHeads(head === undefined ? heads : [head]), shape)
    return { shape: head === undefined ? [heads.length, ...inner] : inner, data }
  }

  return Object.freeze({
    /** what the address says */
    get state() {
      return lesson.state
    },
    /** Changes the state, with values as in `state` or as text. All or nothing: a value that may not be typed throws. */
    set(values: Partial<Record<Key, unknown>>): void {
      const unknown = Object.keys(values).filter((key) => !keys.some((known) => known === key))
      if (unknown.length > 0) throw new RangeError(`${unknown.join(', ')}: allowed are ${keys.join(', ')}`)
      const { patch, refusals } = readValues(values, lesson.state)
      const { refusals: text } = lesson.state.lang === 'zh' ? zh : en
      if (refusals.length > 0) throw new RangeError(refusals.map(({ key, given, problem }) => text.item(key, given, problem)).join('\n'))
      lesson.change(patch)
    },
    /** Until the page shows the numbers of this state. */
    settled,
    /** A tensor of the pass on show, or what belongs to one head of it, as its own block of numbers. */
    async tensor(name: string, { head }: { head?: number } = {}): Promise<Extract> {
      await settled()
      const known = tensorNames.find((each) => each === name)
      if (known === undefined) throw new RangeError(`${name}: allowed are ${tensorNames.join(', ')}`)
      if (lesson.pass === undefined) throw new Error(lesson.failure?.status ?? 'no pass yet')
      const { pass } = lesson
      if (known === 'contributions') return contributions(pass.shape, head)
      const view = pass.tensor(known)
      if (view === undefined) throw new RangeError(`this pass has no ${known}`)
      return extract(view, pass.shape, head)
    },
    /** PyTorch's answers against this browser's: the largest error of every tensor beside its bound. */
    check: (): Promise<CheckReport> => lesson.check(),
    /** what is on show, read-only */
    get pass() {
      return lesson.pass
    },
    get explanation() {
      return lesson.explanation
    },
    get contributions() {
      return lesson.contributions
    },
    get core() {
      return lesson.build
    },
  })
}

declare global {
  interface Window {
    readonly eightMeetings: ReturnType<typeof createConsole>
  }
}
