// What readers set the runs of the chapter `training` to: what there is to choose, and what goes together. No DOM.
import type { RunSettings } from '../core/training'
import { divides } from './shape'
import type { State } from './state'

export const learningRates = [0.0003, 0.001, 0.003, 0.01, 0.1, 10] as const
export const runWidths = [8, 16, 32, 64] as const
export const batches = [1, 16, 64] as const

/** How many heads the runs beside each other have. */
export const headSets: readonly (readonly number[])[] = [[1, 2, 4, 8], [2, 4, 8, 16]]

export const formatSet = (headCounts: readonly number[]): string => headCounts.join('-')

/** What all runs share. */
export type CommonSettings = Omit<RunSettings, 'heads'>

export const initialSettings: CommonSettings = { task: 'relation', dModel: 64, learningRate: 0.003, residual: false, seed: 1, batch: 64 }

/** Whether d can be shared out among each of these numbers of heads. */
export const allDivide = (headCounts: readonly number[], dModel: number): boolean => headCounts.every((heads) => divides(heads, dModel))

export const settingsOf = ({ task, width, rate, residual, runSeed, batch }: State): CommonSettings => ({
  task, dModel: width, learningRate: rate, residual, seed: runSeed, batch,
})
