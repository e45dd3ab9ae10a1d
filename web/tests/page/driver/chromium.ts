// Chromium through playwright-core, with the machine's own browser.
import { readFileSync } from 'node:fs'
import { type Browser as Chromium, type BrowserContext, type Page as Tab, chromium } from 'playwright-core'
import type { Browser, OpenOptions, Page, Point, Target } from './driver'
import { executable } from './executable'

const flags = [
  '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync',
]
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const patienceMs = 10_000

export async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: executable('CHROMIUM', names), args: flags })
  return {
    name: 'chromium',
    open: (options = {}) => open(browser, options),
    close: () => browser.close(),
  }
}

async function open(browser: Chromium, options: OpenOptions): Promise<Page> {
  const { width = 1440, height = 900, theme = 'light', reducedMotion = true, lang = 'zh-CN', pixelRatio = 1 } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    locale: lang,
    deviceScaleFactor: pixelRatio,
  })
  context.setDefaultTimeout(patienceMs)
  return new ChromiumPage(context, await context.newPage())
}

class ChromiumPage implements Page {
  readonly complaints: string[] = []
  readonly requests: string[] = []
  readonly failedRequests: string[] = []

  constructor(private readonly context: BrowserContext, private readonly tab: Tab) {
    tab.on('console', (message) => {
      if (['error', 'warning', 'assert'].includes(message.type())) this.complaints.push(message.text())
    })
    tab.on('pageerror', (error) => this.complaints.push(String(error)))
    context.on('request', (request) => this.requests.push(request.url()))
    context.on('requestfailed', (request) => this.failedRequests.push(request.url()))
    context.on('response', (response) => {
      if (response.status() >= 400) this.failedRequests.push(response.url())
    })
  }

  async goto(address: string): Promise<void> {
    await this.tab.goto(address)
  }

  async back(): Promise<void> {
    await this.tab.goBack({ waitUntil: 'commit' })
  }

  async forward(): Promise<void> {
    await this.tab.goForward({ waitUntil: 'commit' })
  }

  async reload(): Promise<void> {
    await this.tab.reload()
  }

  async address(): Promise<string> {
    // As the page sees it: Playwright's own copy lags behind history.replaceState.
    return this.tab.evaluate(() => location.href)
  }

  async evaluate<Result, Argument>(work: (argument: Argument) => Result, argument?: Argument): Promise<Awaited<Result>> {
    return (await this.tab.evaluate(work as (value: unknown) => unknown, argument)) as Awaited<Result>
  }

  async run(source: string): Promise<void> {
    await this.tab.evaluate(source)
  }

  async click(target: Target): Promise<void> {
    if (typeof target === 'string') return this.tab.click(target)
    await this.tab.mouse.click(target.x, target.y)
  }

  async point(target: Target): Promise<void> {
    if (typeof target === 'string') return this.tab.hover(target)
    await this.tab.mouse.move(target.x, target.y)
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
    await this.tab.keyboard.press(key)
  }

  async type(text: string): Promise<void> {
    await this.tab.keyboard.type(text)
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.tab.fill(selector, text)
  }

  readonly compose = async (texts: readonly string[], commit: string | null): Promise<void> => {
    const session = await this.context.newCDPSession(this.tab)
    for (const text of texts) {
      await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    }
    if (commit !== null) await session.send('Input.insertText', { text: commit })
    await session.detach()
  }

  async resize(width: number, height: number): Promise<void> {
    await this.tab.setViewportSize({ width, height })
  }

  async waitUntil<Argument>(what: string, test: (argument: Argument) => unknown, argument?: Argument): Promise<void> {
    try {
      await this.tab.waitForFunction(test as (value: unknown) => unknown, argument, { timeout: patienceMs })
    } catch (error) {
      const seen = this.complaints.length > 0 ? `\nconsole: ${this.complaints.join('\n')}` : ''
      throw new Error(`waited in vain until ${what} at ${this.tab.url().slice(0, 300)}${seen}`, { cause: error })
    }
  }

  async screenshot(file: string): Promise<void> {
    await this.tab.screenshot({ path: file })
  }

  async download(target: Target): Promise<{ name: string; base64: string }> {
    const [download] = await Promise.all([this.tab.waitForEvent('download'), this.click(target)])
    return { name: download.suggestedFilename(), base64: readFileSync(await download.path()).toString('base64') }
  }

  async setOffline(offline: boolean): Promise<void> {
    await this.context.setOffline(offline)
  }

  async close(): Promise<void> {
    await this.context.close()
  }
}

