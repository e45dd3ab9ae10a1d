// How fast the reader's machine is, measured because the reader asked for it. No DOM.
import type { Core, MeasureReport, MeasureRequest } from '../core/protocol'
import { LongRun } from './long_run.svelte'

type Size = MeasureRequest['sizes'][number]

/** The article's layer with its sentence and with a page of text: the same weights, used for a few tokens or for many. */
const fixed: readonly Size[] = [{ tokens: 11, modelDim: 512, heads: 8 }, { tokens: 128, modelDim: 512, heads: 8 }]

const same = (a: Size, b: Size): boolean => a.tokens === b.tokens && a.modelDim === b.modelDim && a.heads === b.heads

export class MeasureHere extends LongRun<MeasureRequest, MeasureReport> {
  constructor(core: Pick<Core, 'measure'>) {
    super((request, progress, signal) => core.measure(request, progress, signal))
  }

  /** What is on the page now comes first. */
  async run(onThePage: Size): Promise<void> {
    await this.begin({ sizes: [onThePage, ...fixed.filter((size) => !same(size, onThePage))] }, 1)
  }
}
