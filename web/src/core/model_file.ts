// What a trained model says about itself: the metadata in the header of its .safetensors file. Whether the file is valid, C++ alone
// judges; of its numbers nothing is read here.
import { CoreError } from './protocol'

const lengthBytes = 8

/** Throws bad_model. */
export function readMetadata(file: ArrayBuffer): Record<string, string> {
  try {
    const length = Number(new DataView(file).getBigUint64(0, true))
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(file, lengthBytes, length)))
    const found = isTexts(header) ? header.__metadata__ : undefined
    if (isTexts(found) && Object.values(found).every((text) => typeof text === 'string')) return found as Record<string, string>
  } catch (error) {
    throw new CoreError({ status: 'bad_model', detail: String(error) })
  }
  throw new CoreError({ status: 'bad_model', detail: 'no metadata' })
}

const isTexts = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
