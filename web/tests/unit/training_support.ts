// What the tests of training share: a worker without its thread, the real modules, and who listens.
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { relaxedSimd } from 'wasm-feature-detect'
import type { WorkerPort } from '../../src/core/environment'
import type { Build } from '../../src/core/messages'
import type { CoreFailure } from '../../src/core/protocol'
import type { HeadStudy, RunSettings, Snapshot, Switched } from '../../src/core/training'
import type { BreakReply, TrainingMessage, TrainingReply } from '../../src/core/training_messages'
import { TrainingService } from '../../src/core/training_service'

export class LocalWorker implements WorkerPort {
  onmessage: WorkerPort['onmessage'] = null
  onmessageerror: WorkerPort['onmessageerror'] = null
  onerror: WorkerPort['onerror'] = null
  terminated = false
  readonly #service = new TrainingService((reply: TrainingReply | BreakReply) => {
    const copy = structuredClone(reply)
    setTimeout(() => !this.terminated && this.onmessage?.call(this as never, { data: copy } as MessageEvent))
  })

  postMessage(message: TrainingMessage): void {
    const copy = structuredClone(message)
    setTimeout(() => !this.terminated && this.#service.receive(copy))
  }

  terminate(): void {
    this.terminated = true
  }
}

export async function moduleBytes(build: Build): Promise<ArrayBuffer> {
  if (build === 'relaxed' && !(await relaxedSimd())) setFlagsFromString('--experimental-wasm-relaxed-simd')
  return new Uint8Array(readFileSync(new URL(`../../src/core/generated/training-${build}.wasm`, import.meta.url))).buffer
}

export const sentence = '小明|把|蛋糕|递给|小红|因为|她|不|饿|了|。'.split('|')

/** As small as the tests want it. */
export const smallRun = (patch: Partial<RunSettings> = {}): RunSettings => ({ task: 'relation', heads: 2, dModel: 16, learningRate: 0.01, residual: false, seed: 1, batch: 16, ...patch })

/** What came of each run, and who waits for it. */
export class Ear {
  readonly heard: Snapshot[][] = []
  readonly studies: [run: number, study: HeadStudy | undefined][] = []
  readonly switches: [run: number, switched: Switched | undefined][] = []
  readonly failures: CoreFailure[] = []
  #wake = (): void => {}

  snapshot(run: number, snapshot: Snapshot): void {
    ;(this.heard[run] ??= []).push(snapshot)
    this.#wake()
  }

  studied(run: number, study: HeadStudy | undefined): void {
    this.studies.push([run, study])
    this.#wake()
  }

  switched(run: number, switched: Switched | undefined): void {
    this.switches.push([run, switched])
    this.#wake()
  }

  failed(failure: CoreFailure): void {
    this.failures.push(failure)
    this.#wake()
  }

  last(run = 0): Snapshot {
    return this.heard[run]!.at(-1)!
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#wake = resolve))
  }
}
