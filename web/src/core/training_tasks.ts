// Which tasks the page trains on. Apart from the rest, since every link is read by it, and the tables of training are long.
import type { TaskName } from './generated/training_tables'

/** Of the core's tasks, those that one attention layer is for. */
export const trainingTasks = ['relation', 'two-women', 'four-jobs'] as const satisfies readonly TaskName[]
export type TrainingTask = (typeof trainingTasks)[number]
