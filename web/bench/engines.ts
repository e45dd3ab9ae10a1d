// The browsers of this machine, as far as the benchmark needs them: open a page, ask it something.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { launch as launchChromium } from '../tests/page/driver/chromium'
import type { Browser } from '../tests/page/driver/driver'
import { executable } from '../tests/page/driver/executable'
import { launch as launchFirefox } from '../tests/page/driver/firefox'

export type BrowserName = 'Chromium' | 'Firefox' | 'WebKitGTK'
export type EngineName = BrowserName | 'native'

export interface Engine {
  name: BrowserName
  version: string
  /** Runs in the page. The function is sent as text. */
  evaluate<Result, Argument>(work: (argument: Argument) => Result, argument?: Argument): Promise<Awaited<Result>>
  close(): Promise<void>
}

/** Opens the address in an engine, or says why it cannot. */
export async function open(name: BrowserName, address: string): Promise<Engine> {
  if (name === 'WebKitGTK') return openWebKit(address)
  const browser = await (name === 'Chromium' ? launchChromium() : launchFirefox())
  return openIn(browser, name, address)
}

async function openIn(browser: Browser, name: BrowserName, address: string): Promise<Engine> {
  const page = await browser.open()
  await page.goto(address)
  const agent = await page.evaluate(() => navigator.userAgent)
  return {
    name,
    version: /(?:Chrome|Firefox)\/([\d.]+)/.exec(agent)?.[1] ?? agent,
    evaluate: (work, argument) => page.evaluate(work, argument as never),
    async close() {
      await page.close()
      await browser.close()
    },
  }
}

/** Debian keeps it beside its library: /usr/lib/<architecture>/webkit2gtk-<version>/MiniBrowser. */
function findMiniBrowser(): string {
  const below = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])
  const folders = below('/usr/lib').flatMap((folder) => (folder.includes('linux-gnu') ? below(folder) : []))
  const file = folders.filter((folder) => folder.includes('/webkit2gtk-')).map((folder) => join(folder, 'MiniBrowser')).find(existsSync)
  if (file === undefined) throw new Error('no MiniBrowser: install webkit2gtk-driver, or put its file into MINIBROWSER')
  return file
}

/** A free port of this machine. */
export function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.on('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}

/** WebKitGTK's small browser through its WebDriver, on a screen that nobody sees. */
async function openWebKit(address: string): Promise<Engine> {
  const driverFile = executable('WEBKIT_DRIVER', ['WebKitWebDriver'])
  const binary = process.env.MINIBROWSER ?? findMiniBrowser()
  const port = await freePort()
  const driver = spawn('xvfb-run', ['-a', driverFile, `--port=${port}`], {
    stdio: 'ignore', detached: true, env: { ...process.env, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
  })
  const failed = new Promise<never>((_, fail) => driver.on('error', fail))
  const root = `http://127.0.0.1:${port}`

  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(root + path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const { value } = (await response.json()) as { value: Answer & { error?: string; message?: string } }
    if (!response.ok) throw new Error(`WebKitGTK: ${value.error}: ${value.message}`)
    return value
  }

  async function patiently<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 50) throw error
        await new Promise((done) => setTimeout(done, 200))
      }
    }
  }

  try {
    await Promise.race([failed, patiently(() => ask('GET', '/status'))])
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } } }
    const { sessionId, capabilities: got } = await ask<{ sessionId: string; capabilities: { browserVersion: string } }>('POST', '/session', { capabilities })
    const session = `/session/${sessionId}`
    await ask('POST', `${session}/url`, { url: address })
    return {
      name: 'WebKitGTK',
      version: got.browserVersion,
      evaluate: (work, argument) => ask('POST', `${session}/execute/sync`, { script: `return (${String(work)})(arguments[0])`, args: [argument ?? null] }),
      async close() {
        await ask('DELETE', session).catch(() => undefined)
        process.kill(-driver.pid!)
      },
    }
  } catch (error) {
    if (driver.pid !== undefined) process.kill(-driver.pid)
    throw error
  }
}
