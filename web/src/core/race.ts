// Times contenders against each other: warmed, in batches, taking turns, so that what disturbs the machine disturbs all of them.

export interface Runner {
  name: string
  /** one pass */
  run(): void | Promise<void>
}

export interface Pace {
  rounds: number
  batchMs: number
  warmMs: number
}

/** Called between two batches: how many are done, of how many. */
export type Pause = (done: number, total: number) => Promise<void>

async function batch({ run }: Runner, passes: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < passes; i += 1) {
    const going = run()
    if (going !== undefined) await going
  }
  return performance.now() - start
}

/** Runs until it is warm. Returns how many passes a batch takes. */
async function warm(runner: Runner, { warmMs, batchMs }: Pace, pause: () => Promise<void>): Promise<number> {
  let [passes, took, sum] = [1, 0, 0]
  while (sum < warmMs || took < batchMs / 2) {
    took = await batch(runner, passes)
    sum += took
    await pause()
    if (took < batchMs / 2) passes *= 2
  }
  return Math.max(1, Math.ceil((passes * batchMs) / took))
}

/** ms per pass of every runner, one for each round, in the order of the runners. */
export async function race(runners: readonly Runner[], pace: Pace, pause: Pause = async () => {}): Promise<number[][]> {
  const total = pace.rounds * runners.length
  const passes: number[] = []
  for (const runner of runners) passes.push(await warm(runner, pace, () => pause(0, total)))
  const times: number[][] = runners.map(() => [])
  for (let round = 0; round < pace.rounds; round += 1) {
    for (let turn = 0; turn < runners.length; turn += 1) {
      // Another one begins in every round: nobody always runs behind the same neighbour.
      const which = (round + turn) % runners.length
      times[which]!.push((await batch(runners[which]!, passes[which]!)) / passes[which]!)
      await pause(round * runners.length + turn + 1, total)
    }
  }
  return times
}
