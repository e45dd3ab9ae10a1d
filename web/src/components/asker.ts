// A question that is answered by choosing a cell in a figure: while one is open, the answer takes the place of pinning.
import { getContext, setContext } from 'svelte'
import type { CellRef } from '../core/protocol'

export interface Asker {
  /** true: the cell was an answer, and is not to be pinned */
  answer(cell: CellRef): boolean
}

const key = Symbol('asker')

export const setAsker = (asker: Asker): Asker => setContext(key, asker)

/** Not every chapter asks. */
export const getAsker = (): Asker | undefined => getContext<Asker | undefined>(key)
