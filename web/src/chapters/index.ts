// How each chapter is loaded, with its own text, when it is opened.
import type { Component } from 'svelte'
import type { Chapter } from '../model/state'

export type ChapterModule = { default: Component }

const loaders = {
  steps: (): Promise<ChapterModule> => import('./steps/Steps.svelte'),
  training: (): Promise<ChapterModule> => import('./training/TrainingChapter.svelte'),
}

/** Those that model/state.ts lists. */
export const chapters: Readonly<Record<Chapter, () => Promise<ChapterModule>>> = loaders
