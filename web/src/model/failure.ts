// What went wrong, in the terms that texts are keyed by.
import { CoreError, type CoreFailure } from '../core/protocol'

export function failureOf(error: unknown): CoreFailure {
  if (error instanceof CoreError) return error.failure
  return { status: 'crashed', detail: error instanceof Error ? error.message : String(error) }
}
