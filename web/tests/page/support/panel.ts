// A folded panel that runs something long: opened, followed through its states, and no hindrance to who goes on reading.
import { expect } from 'vitest'
import { type Lesson, type Stand, test as id } from './lesson'

export class Panel {
  /** name: as in its test ids */
  constructor(private readonly name: string) {}

  async open(stand: Stand, search: string, options = {}): Promise<Lesson> {
    const lesson = await stand.open(search, options)
    await lesson.page.click(`${id(this.name)} > summary`)
    await lesson.page.waitUntil('the panel is there', (which) => document.querySelector(which) !== null, this.#panel)
    return lesson
  }

  becomes(lesson: Lesson, state: string): Promise<void> {
    return lesson.page.waitUntil(`${this.name} is ${state}`, ([which, wanted]) => document.querySelector<HTMLElement>(which)?.dataset.state === wanted, [this.#panel, state] as const)
  }

  /** Another seed, computed and shown while it runs. */
  async letsReadersGoOn(lesson: Lesson): Promise<void> {
    await lesson.page.click(id(`${this.name}-run`))
    await this.becomes(lesson, 'running')
    const state = await lesson.page.evaluate(async (which) => {
      const page = (window as unknown as { eightMeetings: { set(patch: object): void; settled(): Promise<void> } }).eightMeetings
      page.set({ seed: 3 })
      await page.settled()
      return document.querySelector<HTMLElement>(which)!.dataset.state
    }, this.#panel)
    expect(state).toBe('running')
    await this.becomes(lesson, 'done')
  }

  get #panel(): string {
    return id(`${this.name}-panel`)
  }
}
