// The page of the benchmark: starts the worker and keeps what it says, for whoever drives the browser.
import type { Job, State } from './job'

declare global {
  interface Window {
    bench: { start(job: Job): void; state: State }
  }
}

window.bench = {
  state: { at: 'idle' },
  start(job) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    window.bench.state = { at: 'running', doing: '' }
    worker.onmessage = ({ data }: MessageEvent<State>) => {
      window.bench.state = data
      if (data.at !== 'running') worker.terminate()
    }
    worker.onerror = ({ message }) => (window.bench.state = { at: 'failed', error: message })
    worker.postMessage(job)
  },
}
