// What a map tells the figure it stands in.
import { createContext } from 'svelte'

export interface Picture {
  /** A map in which pixels stand for several numbers each. Returns what takes the word back. */
  binned: () => () => void
}

export const [getPicture, setPicture] = createContext<Picture>()
