// A run as a file: what it is called, and what it says of its settings. No DOM.
import { readMetadata } from '../core/model_file'
import { CoreError } from '../core/protocol'
import { type RunSettings, trainingTasks } from '../core/training'

export const runFileName = ({ task, dModel, heads, seed }: RunSettings, step: number): string =>
  `run-${task}-${dModel}x${heads}-seed${seed}-${step}.safetensors`

/** A file of this page is smaller by far. */
const largestFile = 2 ** 26

/** What is in it. Whether such a run can be, and whether the file is one of it, the core says. Throws bad_model. */
export async function readRunFile(content: Blob): Promise<{ settings: RunSettings; file: ArrayBuffer }> {
  if (content.size > largestFile) throw bad('too large a file')
  const file = await content.arrayBuffer()
  return { settings: settingsIn(file), file }
}

const bad = (detail: string): CoreError => new CoreError({ status: 'bad_model', detail })

function settingsIn(file: ArrayBuffer): RunSettings {
  let said: unknown
  try {
    said = JSON.parse(readMetadata(file).settings ?? 'null')
  } catch (error) {
    throw error instanceof CoreError ? error : bad(String(error))
  }
  if (typeof said !== 'object' || said === null) throw bad('no settings of a run')
  const { task, heads, dModel, learningRate, residual, seed, batch } = said as Partial<Record<keyof RunSettings, unknown>>
  const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
  const known = trainingTasks.find((one) => one === task)
  if (known === undefined || !isNumber(heads) || !isNumber(dModel) || !isNumber(learningRate) || typeof residual !== 'boolean' || !isNumber(seed) || !isNumber(batch)) {
    throw bad('no settings of a run')
  }
  return { task: known, heads, dModel, learningRate, residual, seed, batch }
}
