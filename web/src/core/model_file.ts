// What a trained model says about itself: the metadata in the header of its .safetensors file. Whether the file is valid, C++ alone
// judges; of its numbers nothing is read here.
import { CoreError, type ModelAbout, type PassRequest } from './protocol'

/** The model of this width and number of heads, as its file is named. */
export const modelName = (dModel: number, heads: number): string => `${dModel}x${heads}`

/** A run of this page. */
export const runName = (run: number): string => `run ${run}`

export const isRun = (name: string): boolean => name.startsWith('run ')

/** Of the model that a pass of trained weights is made of. */
export const modelOf = ({ run, dModel, heads }: Pick<PassRequest, 'run' | 'dModel' | 'heads'>): string =>
  run === undefined ? modelName(dModel, heads) : runName(run)

/** The inverse of modelName. */
export function sizeOf(name: string): { dModel: number; heads: number } {
  const [dModel = 0, heads = 0] = name.split('x').map(Number)
  return { dModel, heads }
}

const lengthBytes = 8

/** Throws bad_model. */
export function readMetadata(file: ArrayBuffer): ModelAbout {
  try {
    const length = Number(new DataView(file).getBigUint64(0, true))
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(file, lengthBytes, length)))
    const found = isTexts(header) ? header.__metadata__ : undefined
    if (isTexts(found) && Object.values(found).every((text) => typeof text === 'string')) return found as ModelAbout
  } catch (error) {
    throw new CoreError({ status: 'bad_model', detail: String(error) })
  }
  throw new CoreError({ status: 'bad_model', detail: 'no metadata' })
}

const isTexts = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
