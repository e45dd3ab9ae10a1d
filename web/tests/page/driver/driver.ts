// What the page tests ask of a browser. Chromium implements it by Playwright (chromium.ts), Firefox by Puppeteer over
// WebDriver BiDi (firefox.ts); WebKitGTK (plain WebDriver) fits behind the same interface. Tests import this file and never a browser library.

export interface Point {
  x: number
  y: number
}

/** A CSS selector of exactly one element, or a point in the viewport. */
export type Target = string | Point

export interface OpenOptions {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  reducedMotion?: boolean
  /** what the browser says its reader prefers */
  lang?: 'zh-CN' | 'en'
  pixelRatio?: number
}

export interface Page {
  goto(address: string): Promise<void>
  back(): Promise<void>
  forward(): Promise<void>
  reload(): Promise<void>
  address(): Promise<string>
  /** Runs in the page. The function is sent as text: it may use its argument and what the page has, nothing else. */
  evaluate<Result, Argument = undefined>(work: (argument: Argument) => Result, argument?: Argument): Promise<Awaited<Result>>
  /** Runs a script in the page, for libraries such as axe. */
  run(source: string): Promise<void>
  click(target: Target): Promise<void>
  point(target: Target): Promise<void>
  /** Presses the mouse at one point and lets it go at another. */
  drag(from: Point, to: Point): Promise<void>
  /** 'Enter', 'Shift+Tab', 'a' */
  press(key: string): Promise<void>
  /** Holds the pointer's first button down where the pointer is, and lets go of it. */
  hold(): Promise<void>
  letGo(): Promise<void>
  /** Types key by key into what has the focus. */
  type(text: string): Promise<void>
  /** Replaces the text of a field. */
  fill(selector: string, text: string): Promise<void>
  /** An input method at work in the focused field: each text is shown as a composition; `commit` ends it. */
  compose: ((texts: readonly string[], commit: string | null) => Promise<void>) | undefined
  resize(width: number, height: number): Promise<void>
  /** Waits until the function, run in the page, returns something truthy. Fails with `what` after ten seconds. */
  waitUntil<Argument = undefined>(what: string, test: (argument: Argument) => unknown, argument?: Argument): Promise<void>
  screenshot(file: string): Promise<void>
  /** The file that the page hands over when this is clicked, as base64. */
  download(target: Target): Promise<{ name: string; base64: string }>
  /** While on, nothing loads. */
  setOffline(offline: boolean): Promise<void>
  /** Errors and warnings of the console, and errors nobody caught, since the page was opened. */
  readonly complaints: readonly string[]
  /** Addresses of everything the page asked for, workers included. */
  readonly requests: readonly string[]
  readonly failedRequests: readonly string[]
  close(): Promise<void>
}

export interface Browser {
  readonly name: string
  open(options?: OpenOptions): Promise<Page>
  close(): Promise<void>
}

const engines: Record<string, () => Promise<Browser>> = {
  chromium: async () => (await import('./chromium')).launch(),
  firefox: async () => (await import('./firefox')).launch(),
}

/** The engine is chosen by the environment variable ENGINE. */
export async function launch(): Promise<Browser> {
  const name = process.env.ENGINE ?? 'chromium'
  const start = engines[name]
  if (start === undefined) throw new Error(`ENGINE=${name}: there is ${Object.keys(engines).join(', ')}`)
  return start()
}
