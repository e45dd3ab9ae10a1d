// Firefox through puppeteer-core and WebDriver BiDi, with the machine's own browser.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser as Firefox, type KeyInput, type Page as Tab, launch as start } from 'puppeteer-core'
import type { Browser, OpenOptions, Page, Point, Target } from './driver'
import { executable } from './executable'

const patienceMs = 10_000
const pollMs = 15

/** What the browser itself is set to: BiDi cannot say it of one page. */
type Taste = Required<Pick<OpenOptions, 'theme' | 'reducedMotion' | 'lang'>>

const preferences = ({ theme, reducedMotion, lang }: Taste, downloads: string) => ({
  'layout.css.prefers-color-scheme.content-override': theme === 'dark' ? 0 : 1,
  'ui.prefersReducedMotion': reducedMotion ? 1 : 0,
  'intl.accept_languages': lang,
  // Alt would open the menu, which then takes the keys.
  'ui.key.menuAccessKeyFocuses': false,
  'browser.download.folderList': 2,
  'browser.download.dir': downloads,
  'browser.download.useDownloadDir': true,
  'browser.download.always_ask_before_handling_new_types': false,
})

interface Process {
  firefox: Firefox
  downloads: string
}

export async function launch(): Promise<Browser> {
  const file = executable('FIREFOX', ['firefox', 'firefox-esr'])
  const processes = new Map<string, Promise<Process>>()

  const begin = async (taste: Taste): Promise<Process> => {
    const downloads = mkdtempSync(join(tmpdir(), 'mha-downloads-'))
    const firefox = await start({
      browser: 'firefox', executablePath: file, extraPrefsFirefox: preferences(taste, downloads), defaultViewport: null,
    })
    return { firefox, downloads }
  }

  return {
    name: 'firefox',
    async open({ width = 1440, height = 900, theme = 'light', reducedMotion = true, lang = 'zh-CN', pixelRatio = 1 } = {}) {
      const taste = { theme, reducedMotion, lang }
      const key = JSON.stringify(taste)
      if (!processes.has(key)) processes.set(key, begin(taste))
      const { firefox, downloads } = await processes.get(key)!
      const context = await firefox.createBrowserContext()
      const page = new FirefoxPage(await context.newPage({ type: 'window' }), downloads, pixelRatio)
      await page.resize(width, height)
      return page
    },
    async close() {
      for (const process of processes.values()) {
        const { firefox, downloads } = await process
        await firefox.close()
        rmSync(downloads, { recursive: true })
      }
    },
  }
}

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

class FirefoxPage implements Page {
  readonly complaints: string[] = []
  readonly requests: string[] = []
  readonly failedRequests: string[] = []
  /** WebDriver has no input methods. */
  readonly compose = undefined

  constructor(private readonly tab: Tab, private readonly downloads: string, private readonly pixelRatio: number) {
    tab.on('console', (message) => {
      if (['error', 'warn', 'assert'].includes(message.type())) this.complaints.push(message.text())
    })
    tab.on('pageerror', (error) => this.complaints.push(String(error)))
    tab.on('request', (request) => this.requests.push(request.url()))
    tab.on('requestfailed', (request) => this.failedRequests.push(request.url()))
    tab.on('response', (response) => {
      if (response.status() >= 400) this.failedRequests.push(response.url())
    })
  }

  async goto(address: string): Promise<void> {
    // Another page, or the browser's own buttons, may have taken the focus.
    await this.tab.bringToFront()
    await this.tab.goto(address)
  }

  back(): Promise<void> {
    return this.tab.evaluate(() => history.back())
  }

  forward(): Promise<void> {
    return this.tab.evaluate(() => history.forward())
  }

  async reload(): Promise<void> {
    await this.tab.reload()
  }

  address(): Promise<string> {
    return this.tab.evaluate(() => location.href)
  }

  async evaluate<Result, Argument>(work: (argument: Argument) => Result, argument?: Argument): Promise<Awaited<Result>> {
    return (await this.tab.evaluate(work as (value: unknown) => unknown, argument)) as Awaited<Result>
  }

  async run(source: string): Promise<void> {
    await this.tab.evaluate(`${source}\n;undefined`)
  }

  async click(target: Target): Promise<void> {
    const { x, y } = await this.pointOf(target)
    await this.tab.mouse.click(x, y)
  }

  async point(target: Target): Promise<void> {
    const { x, y } = await this.pointOf(target)
    await this.tab.mouse.move(x, y)
  }

  async hold(): Promise<void> {
    await this.tab.mouse.down()
  }

  async letGo(): Promise<void> {
    await this.tab.mouse.up()
  }

  async drag(from: Point, to: Point): Promise<void> {
    await this.tab.mouse.move(from.x, from.y)
    await this.tab.mouse.down()
    await this.tab.mouse.move(to.x, to.y, { steps: 8 })
    await this.tab.mouse.up()
  }

  async press(key: string): Promise<void> {
    const keys = key.split('+') as KeyInput[]
    const last = keys.pop()!
    for (const modifier of keys) await this.tab.keyboard.down(modifier)
    await this.tab.keyboard.press(last)
    for (const modifier of keys.reverse()) await this.tab.keyboard.up(modifier)
  }

  async type(text: string): Promise<void> {
    await this.tab.keyboard.type(text)
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.pointOf(selector)
    await this.evaluate(
      ({ which, wanted }) => {
        const field = document.querySelector<HTMLInputElement>(which)!
        field.focus()
        field.select()
        // As if typed: one input event now, one change event when the focus leaves.
        if (wanted === '') document.execCommand('delete')
        else document.execCommand('insertText', false, wanted)
      },
      { which: selector, wanted: text },
    )
  }

  async resize(width: number, height: number): Promise<void> {
    await this.tab.setViewport({ width, height, deviceScaleFactor: this.pixelRatio })
  }

  async waitUntil<Argument>(what: string, test: (argument: Argument) => unknown, argument?: Argument): Promise<void> {
    // From outside: what Puppeteer sends into the page for this is made from text, which the page's policy refuses.
    const end = performance.now() + patienceMs
    let cause: unknown
    for (;;) {
      try {
        if (await this.evaluate(test, argument)) return
      } catch (error) {
        cause = error // the page may be on its way to another
      }
      if (performance.now() > end) break
      await later(pollMs)
    }
    const seen = this.complaints.length > 0 ? `\nconsole: ${this.complaints.join('\n')}` : ''
    throw new Error(`waited in vain until ${what} at ${this.tab.url().slice(0, 300)}${seen}`, { cause })
  }

  async screenshot(file: string): Promise<void> {
    await this.tab.screenshot({ path: file as `${string}.png` })
  }

  async download(target: Target): Promise<{ name: string; base64: string }> {
    const before = new Set(readdirSync(this.downloads))
    await this.click(target)
    for (const end = performance.now() + patienceMs; performance.now() < end; await later(pollMs)) {
      const files = readdirSync(this.downloads)
      const name = files.find((file) => !before.has(file) && !file.endsWith('.part'))
      // While it is written, the file stands there empty beside its part.
      if (name === undefined || files.includes(`${name}.part`)) continue
      const content = readFileSync(join(this.downloads, name))
      if (content.length === 0) continue
      rmSync(join(this.downloads, name)) // the next of this name shall not be called name(1)
      return { name, base64: content.toString('base64') }
    }
    throw new Error('waited in vain for a download')
  }

  async setOffline(offline: boolean): Promise<void> {
    await this.tab.setOfflineMode(offline)
  }

  async close(): Promise<void> {
    await this.tab.browserContext().close()
  }

  /** Where a click hits the element and nothing that lies over it: brought into view, and at rest. */
  private async pointOf(target: Target): Promise<Point> {
    // Puppeteer points at whole pixels, and would round up to the next one: a point lies in the pixel it is in.
    if (typeof target !== 'string') return { x: Math.floor(target.x), y: Math.floor(target.y) }
    const find = (): Promise<Point | string> =>
      this.evaluate((which) => {
        const element = document.querySelector(which)
        if (element === null) return 'is not there'
        const middle = (): Point => {
          const { left, top, width, height } = element.getBoundingClientRect()
          return { x: left + width / 2, y: top + height / 2 }
        }
        const hit = ({ x, y }: Point): boolean => {
          const top = document.elementFromPoint(x, y)
          return top !== null && (element.contains(top) || element.closest('label')?.contains(top) === true)
        }
        if (hit(middle())) return middle()
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
        return hit(middle()) ? middle() : 'is covered or not seen'
      }, target)
    let last: Point | string = ''
    for (const end = performance.now() + patienceMs; performance.now() < end; await later(pollMs)) {
      const now = await find()
      if (typeof now !== 'string' && typeof last !== 'string' && now.x === last.x && now.y === last.y) return now
      last = now
    }
    throw new Error(`${target} ${typeof last === 'string' ? last : 'does not rest'}`)
  }
}
