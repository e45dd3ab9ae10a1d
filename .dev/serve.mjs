// Serves a folder of static files to this machine's browsers:  node serve.mjs FOLDER PORT OPEN(yes|no)
import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream'

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

const [folder, port, open] = process.argv.slice(2)
const root = resolve(folder)
const address = `http://127.0.0.1:${port}/`

/** The file that a request asks for, or undefined. */
async function find(url) {
  try {
    const path = decodeURIComponent(new URL(url, address).pathname)
    const file = join(root, path.endsWith('/') ? `${path}index.html` : path)
    const found = file.startsWith(root + sep) ? await stat(file) : undefined
    return found?.isFile() ? { file, size: found.size } : undefined
  } catch {
    return undefined // no such file, or no such URL
  }
}

const server = createServer(async (request, response) => {
  const found = request.method === 'GET' || request.method === 'HEAD' ? await find(request.url) : undefined
  if (!found) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n')
    return
  }
  response.writeHead(200, {
    'content-type': types[extname(found.file)] ?? 'application/octet-stream',
    'content-length': found.size,
    'cache-control': 'no-cache',
  })
  if (request.method === 'HEAD') response.end()
  else pipeline(createReadStream(found.file), response, () => {}) // a reader that leaves early is no error
})

/** The command that opens a browser on this system, or undefined where there is no screen. */
function opener() {
  if (process.platform === 'darwin') return 'open'
  if (process.env.WSL_DISTRO_NAME) return 'wslview'
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? 'xdg-open' : undefined
}

server.on('error', (error) => {
  const reason = error.code === 'EADDRINUSE' ? `port ${port} is in use. Choose another: ./dev serve --port N` : error.message
  console.error(`dev: ${reason}`)
  process.exit(1)
})

server.listen(Number(port), '127.0.0.1', () => {
  console.log(`Eight Meetings is at ${address} (Ctrl-C ends it)`)
  const command = open === 'yes' ? opener() : undefined
  if (command) {
    spawn(command, [address], { detached: true, stdio: 'ignore' })
      .on('error', () => {}) // no browser: the address is printed
      .unref()
  }
})
