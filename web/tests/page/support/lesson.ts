// The lesson in a browser: opening it, moving in it, knowing when everything on show belongs together.
import { type Browser, type OpenOptions, type Page, launch } from '../driver/driver'
import { type Problem, query } from './problem'
import { recorder } from './recorder'
import { type Site, serve } from './server'

export const lastStop = 10

/** Who walks through the stops is not asked to guess, except where that is the subject. */
const unasked = { predict: 0 }

/** Most tests are about arithmetic, for which the oracle knows any sentence and size: there, numbers come from a seed. */
const seeded = (search: string): string => (/[?&]weights=/.test(search) ? search : `${search}${search === '' ? '?' : '&'}weights=seeded`)

export const test = (id: string): string => `[data-testid="${id}"]`

/** One browser and one site; each test file has its own. */
export class Stand {
  private constructor(readonly browser: Browser, readonly site: Site) {}

  static async raise(): Promise<Stand> {
    const [browser, site] = await Promise.all([launch(), serve()])
    site.prepend(recorder)
    return new Stand(browser, site)
  }

  async open(search = '', options: OpenOptions = {}): Promise<Lesson> {
    const lesson = new Lesson(await this.browser.open(options), this.site.address)
    await lesson.visit(search)
    return lesson
  }

  async fall(): Promise<void> {
    await Promise.all([this.browser.close(), this.site.close()])
  }
}

export class Lesson {
  constructor(readonly page: Page, private readonly home: string) {}

  /** Loads the page with this query and waits for its numbers. */
  async visit(search: string): Promise<void> {
    await this.visitAsIs(seeded(search))
  }

  /** The same with the numbers that a reader would get. */
  async visitAsIs(search: string): Promise<void> {
    await this.page.goto(this.home + search)
    await this.settled()
  }

  visitProblem(problem: Problem, more: Record<string, string | number> = {}): Promise<void> {
    return this.visit(query(problem, { ...unasked, ...more }))
  }

  /** Another problem without loading the page anew, as the browser's Back and Forward bring it. */
  async changeTo(problem: Problem, more: Record<string, string | number> = {}): Promise<void> {
    await this.page.evaluate((search) => {
      history.pushState(null, '', location.pathname + search)
      window.dispatchEvent(new PopStateEvent('popstate'))
    }, query(problem, { ...unasked, ...more }))
    await this.settled()
  }

  /** Until the numbers on show belong to the state, with the explanation and the contributions that go with it. */
  async settled(): Promise<void> {
    await this.page.waitUntil('everything is computed', () => {
      const by = (id: string) => document.querySelector<HTMLElement>(`[data-testid="${id}"]`)
      const main = by('main')
      const inspector = by('inspector')
      // A room sees no explanation until a cell is chosen, and of the last product only its parts.
      const projected = main?.dataset.view === 'projector'
      if (main?.dataset.ready !== 'true' || (inspector === null && !projected)) return false
      const explained = inspector === null || inspector.dataset.cell === undefined || inspector.dataset.rule !== undefined
      const grids = [...document.querySelectorAll<HTMLElement>('[data-testid="grid"]')]
      const count = (tensor: string): number => grids.filter((grid) => grid.dataset.tensor === tensor).length
      // Where one is missing stands an ellipsis; while shapes move, what is not seen yet is not there.
      const awaited = [...document.querySelectorAll('.caption')].some(({ textContent }) => textContent?.trim() === '…')
      const contributed = projected || (main.dataset.moving === 'true' ? !awaited : count('contributions') === count('w_o'))
      return explained && contributed && document.fonts.status === 'loaded'
    })
  }

  /** Until all folded parts, fetched when nothing else is to be done, are there. */
  haveFolds(): Promise<void> {
    return this.page.waitUntil('what is folded is fetched', () => {
      const folds = [...document.querySelectorAll<HTMLElement>('[data-lazy]')]
      return folds.length > 0 && folds.every((fold) => fold.dataset.lazy === 'fetched')
    })
  }

  /** Once everything that is fetched ahead is there. */
  async cutNetwork(): Promise<void> {
    await this.haveFolds()
    await this.page.setOffline(true)
  }

  stop(): Promise<number> {
    return this.page.evaluate(() => Number(document.querySelector<HTMLElement>('[data-testid="main"]')?.dataset.stop))
  }

  async click(id: string): Promise<void> {
    await this.page.click(test(id))
    await this.settled()
  }

  /** Brings one of several elements into the middle of the screen and clicks it. */
  async clickOne(selector: string, order = 0): Promise<void> {
    const middle = await this.page.evaluate(
      ({ which, at }) => {
        const element = document.querySelectorAll(which)[at]!
        element.scrollIntoView({ block: 'center', inline: 'center' })
        const { left, top, width, height } = element.getBoundingClientRect()
        return { x: left + width / 2, y: top + height / 2 }
      },
      { which: selector, at: order },
    )
    await this.page.click(middle)
    await this.settled()
  }

  /** Where the walk is: stop + t. */
  place(): Promise<number> {
    return this.page.evaluate(() => Number(document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.place))
  }

  async atRest(): Promise<void> {
    await this.settled()
    await this.page.waitUntil('nothing moves', () => document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.moving === 'false')
    await this.settled()
  }

  /** Takes the thumb of the thread into the hand. */
  async grab(): Promise<void> {
    const place = await this.place()
    const at = await this.#onThread(place)
    await this.page.point(at)
    await this.page.hold()
    await this.page.point({ x: at.x + 10, y: at.y })
    await this.page.point({ x: at.x - 10, y: at.y })
  }

  /** Pulls it to a place between two stops. */
  async pull(place: number): Promise<void> {
    await this.page.point(await this.#onThread(place))
    await this.page.waitUntil('it is there', (wanted) => Math.abs(Number(document.querySelector<HTMLElement>('[data-testid="main"]')!.dataset.place) - wanted) < 0.05, place)
  }

  #onThread(place: number): Promise<{ x: number; y: number }> {
    return this.page.evaluate((where) => {
      const { left, top, width } = document.querySelector('nav.track')!.getBoundingClientRect()
      const stops = Number(document.querySelector('[data-testid="scrubber"]')!.getAttribute('aria-valuemax')) + 1
      return { x: left + ((where + 0.5) / stops) * width, y: top + 20 }
    }, place)
  }

  async next(): Promise<void> {
    await this.click('next')
  }

  async chooseHead(head: number): Promise<void> {
    // Heads beyond the page of heads are reached by the address in these tests.
    await this.page.click(`${test('head')}[data-head="${head}"]`)
    await this.settled()
  }

  async parameters(): Promise<URLSearchParams> {
    return new URL(await this.page.address()).searchParams
  }

  /** The address follows the state after a moment; null: the parameter is not there. */
  async addressSays(key: string, value: string | null): Promise<void> {
    await this.page.waitUntil(
      `the address says ${key}=${value}`,
      ({ name, wanted }) => new URLSearchParams(location.search).get(name) === wanted,
      { name: key, wanted: value },
    )
  }

  exists(selector: string): Promise<boolean> {
    return this.page.evaluate((which) => document.querySelector(which) !== null, selector)
  }

  text(selector: string): Promise<string> {
    return this.page.evaluate((which) => (document.querySelector(which)?.textContent ?? '').replace(/\s+/gu, ' ').trim(), selector)
  }

  /** Everything that can be read on the page, the values of fields included. */
  allText(): Promise<string> {
    return this.page.evaluate(() => {
      const fields = [...document.querySelectorAll<HTMLInputElement>('input, select')].map(({ value }) => value)
      const spoken = [...document.querySelectorAll('[aria-label], [title]')].flatMap((element) => [
        element.getAttribute('aria-label') ?? '', element.getAttribute('title') ?? '',
      ])
      return [document.body.textContent ?? '', ...fields, ...spoken].join('\n')
    })
  }

  close(): Promise<void> {
    return this.page.close()
  }
}
