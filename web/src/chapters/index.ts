// The chapters there are. Each is loaded with its own text when it is opened.
import type { Component } from 'svelte'
import type { Chapter } from '../model/state'

export const chapters: Readonly<Record<Chapter, () => Promise<{ default: Component }>>> = {
  steps: () => import('./steps/Steps.svelte'),
}
