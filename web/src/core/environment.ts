// What the client needs of a browser: a worker, the module's bytes, and which build it can run.
import { relaxedSimd, simd } from 'wasm-feature-detect'
import relaxedUrl from './generated/mha-relaxed.wasm?url'
import simdUrl from './generated/mha-simd.wasm?url'
import type { Build } from './messages'
import { CoreError, type Progress, Superseded } from './protocol'

/** The part of a worker that the client uses. */
export type WorkerPort = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onmessageerror' | 'onerror'>

export interface Environment {
  /** the faster build that runs here; rejects with no_wasm or no_simd */
  build(): Promise<Build>
  /** rejects with load_failed */
  bytes(build: Build): Promise<ArrayBuffer>
  spawn(): WorkerPort
  /** the names of the trained models that are shipped */
  models: readonly string[]
  /** one of them; rejects with load_failed */
  model(name: string, progress: Progress, signal: AbortSignal): Promise<ArrayBuffer>
  /** the golden cases, for a check; rejects with load_failed */
  golden(): Promise<GoldenCase[]>
}

export interface GoldenCase {
  name: string
  file: ArrayBuffer
}

/** Of the trained models that are shipped, by their names. */
export const modelUrls: Record<string, string> = Object.fromEntries(
  Object.entries(import.meta.glob<string>('./generated/models/*.safetensors', { query: '?url', import: 'default', eager: true })).map(
    ([path, url]) => [/([^/]*)\.safetensors$/.exec(path)![1]!, url],
  ),
)

const urls: Record<Build, string> = { simd: simdUrl, relaxed: relaxedUrl }

export const browser: Environment = {
  async build() {
    if (typeof WebAssembly === 'undefined') throw new CoreError({ status: 'no_wasm' })
    if (await relaxedSimd()) return 'relaxed'
    if (await simd()) return 'simd'
    throw new CoreError({ status: 'no_simd' })
  },

  bytes: (build) => fetched(urls[build]),

  models: Object.keys(modelUrls),

  model: (name, progress, signal) => fetched(modelUrls[name]!, progress, signal),

  async golden() {
    const { goldenFiles } = await import('./golden').catch(loadFailed)
    return Promise.all(goldenFiles.map(async ({ name, address }) => ({ name, file: await fetched(address) })))
  },

  spawn: () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
}

/** Rejects with load_failed, or with Superseded when the signal stops it. progress: bytes so far, of so many; 0 if nobody says. */
export async function fetched(address: string, progress?: Progress, signal?: AbortSignal): Promise<ArrayBuffer> {
  try {
    const response = await fetch(address, { signal: signal ?? null })
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
    if (progress === undefined || response.body === null) return await response.arrayBuffer()
    return await new Response(counted(response.body, totalOf(response), progress)).arrayBuffer()
  } catch (error) {
    if (signal?.aborted) throw new Superseded()
    return loadFailed(error)
  }
}

/** What is on its way compressed is longer when it arrives: then the length that was promised says nothing. */
function totalOf({ headers }: Response): number {
  return headers.has('content-encoding') ? 0 : Number(headers.get('content-length') ?? 0)
}

function counted(body: ReadableStream<Uint8Array<ArrayBuffer>>, total: number, progress: Progress): ReadableStream<Uint8Array<ArrayBuffer>> {
  let done = 0
  return body.pipeThrough(
    new TransformStream({
      transform(chunk: Uint8Array<ArrayBuffer>, controller) {
        done += chunk.byteLength
        progress(done, total)
        controller.enqueue(chunk)
      },
    }),
  )
}

function loadFailed(error: unknown): never {
  throw new CoreError({ status: 'load_failed', detail: String(error) })
}
