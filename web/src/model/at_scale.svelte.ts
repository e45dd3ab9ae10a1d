// A layer of a real model, run because the reader asked for it: which one. No DOM.
import { models } from '../core/generated/tables'
import type { AtScaleReport, AtScaleRequest, Core } from '../core/protocol'
import { LongRun } from './long_run.svelte'

/** Latent attention is shown with its sizes only; of some models nobody knows even these. */
export const canRun = (model: number): boolean => models[model]?.kind === 'heads'

export class AtScale extends LongRun<AtScaleRequest, AtScaleReport> {
  /** its place in the table of models */
  model = $state(models.findIndex(({ name }) => name === 'GPT-3'))

  constructor(core: Pick<Core, 'atScale'>) {
    super((request, progress, signal) => core.atScale(request, progress, signal))
  }

  /** Does nothing while a layer runs, or if this one can't. */
  async run(tokens: number, seed: number): Promise<void> {
    if (canRun(this.model)) await this.begin({ model: this.model, tokens, seed }, models[this.model]!.heads)
  }
}
