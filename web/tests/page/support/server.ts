// Serves the built page from a folder of a host that promises nothing: random port, a path of its own, a strict policy.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

/** As strict as a page with wasm, workers, styles and fonts of its own can be. */
const policy = [
  "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self'", "font-src 'self'",
  "connect-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
].join('; ')

export const folder = '/a/b/'

const dist = resolve(process.env.DIST ?? fileURLToPath(new URL('../../../../dist', import.meta.url)))

export interface Site {
  /** ends with a slash */
  readonly address: string
  /** paths below the folder, in the order they were asked for */
  readonly asked: readonly string[]
  /** Answers 404 for paths that match, until it is called with null. */
  lose(path: RegExp | null): void
  /** A script that runs before the page's own, or null. */
  prepend(script: string | null): void
  close(): Promise<void>
}

export async function serve(): Promise<Site> {
  if (!existsSync(join(dist, 'index.html'))) throw new Error(`${dist} holds no page: build it first`)
  const asked: string[] = []
  let lost: RegExp | null = null
  let script: string | null = null

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request)
    const headers = { 'content-security-policy': policy, 'cache-control': path === 'index.html' ? 'no-cache' : 'max-age=600' }
    if (path !== undefined) asked.push(path)
    const body = path === undefined || lost?.test(path) ? undefined : await bodyOf(path, script)
    if (path === undefined || body === undefined) return void response.writeHead(404, { 'cache-control': 'no-store' }).end()
    response.writeHead(200, { ...headers, 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(body)
  }

  // Addresses of 100 kB are part of the tests; that a server should refuse them is its own affair.
  const server = createServer({ maxHeaderSize: 2 ** 20 }, (request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}${folder}`,
    asked,
    lose: (path) => (lost = path),
    prepend: (text) => (script = text),
    close: () => closed(server),
  }
}

/** The path below the folder, undefined for anything outside it. */
function pathOf(request: IncomingMessage): string | undefined {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (!pathname.startsWith(folder)) return undefined
  const path = decodeURIComponent(pathname.slice(folder.length))
  return path === '' ? 'index.html' : path
}

const prepended = 'before-the-page.js'

async function bodyOf(path: string, script: string | null): Promise<Buffer | string | undefined> {
  if (script !== null && path === prepended) return script
  const file = join(dist, path)
  if (!file.startsWith(dist + sep)) return undefined
  const body = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined
    throw error
  })
  if (script === null || body === undefined || path !== 'index.html') return body
  // A classic script in the head runs before every module.
  return body.toString('utf8').replace('<head>', `<head><script src="./${prepended}"></script>`)
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((done) => server.close(() => done()))
}
