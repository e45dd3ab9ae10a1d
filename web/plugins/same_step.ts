// The module `virtual:same-step`: every stop of the walk as a formula, in NumPy, in PyTorch and in C++. Put together when
// the page is built, from the files themselves.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { StopName } from '../src/model/stops'
import { type Excerpt, cutExcerpts, excerptOf } from './excerpts.ts'
import { mathOf } from './math.ts'

export interface SameStep {
  /** MathML, a line each */
  formula: string[]
  numpy: Excerpt[]
  torch: Excerpt[]
  /** the readable C++ */
  reference: Excerpt[]
  /** the C++ that the page runs; empty: there is only one */
  fast: Excerpt[]
}

const code = 'web/src/chapters/steps/code'
const [embedding, reference, attention] = ['embedding', 'attention_reference', 'attention'].map((name) => `src/mha/${name}.cpp`) as [string, string, string]
const product = 'src/mha/gemm.cpp#product'
const heads = 'src/mha/layout.cpp#heads'

/** Which C++ a stop is, as file#excerpt. */
const table: Readonly<Record<StopName, { reference: readonly string[]; fast: readonly string[] }>> = {
  tokens: { reference: [`${embedding}#tokens`], fast: [] },
  project: { reference: [`${reference}#project`], fast: [`${attention}#project`, product] },
  split: { reference: [`${reference}#split`], fast: [heads] },
  score: { reference: [`${reference}#score`], fast: [`${attention}#score`, product] },
  scale: { reference: [`${reference}#scale`], fast: [`${attention}#scale`] },
  mask: { reference: [`${reference}#mask`], fast: [`${attention}#mask`] },
  softmax: { reference: [`${reference}#softmax`], fast: [`${attention}#softmax`, 'src/mha/softmax.cpp#softmax'] },
  mix: { reference: [`${reference}#mix`], fast: [`${attention}#mix`, product] },
  concat: { reference: [`${reference}#concat`], fast: [`${attention}#mix`, heads] },
  output: { reference: [`${reference}#output`], fast: [`${attention}#output`, product] },
  result: { reference: [`${reference}#result`], fast: [`${attention}#result`] },
}

const root = new URL('../../', import.meta.url)
const readRepository = (file: string): string => readFileSync(new URL(file, root), 'utf8')

/** `read` gives the text of a file by its path from the root of the repository. */
export function sameSteps(read: (file: string) => string = readRepository): Record<StopName, SameStep> {
  const files = new Map<string, Map<string, Excerpt>>()
  const excerpt = (place: string): Excerpt => {
    const [file, name] = place.split('#') as [string, string]
    if (!files.has(file)) files.set(file, cutExcerpts(file, read(file)))
    return excerptOf(files.get(file)!, file, name)
  }
  const stops = Object.entries(table).map(([stop, cpp]): [string, SameStep] => [
    stop,
    {
      formula: excerpt(`${code}/formulas.tex#${stop}`).text.split('\n').map(mathOf),
      numpy: [excerpt(`${code}/steps_numpy.py#${stop}`)],
      torch: [excerpt(`${code}/steps_torch.py#${stop}`)],
      reference: cpp.reference.map(excerpt),
      fast: cpp.fast.map(excerpt),
    },
  ])
  return Object.fromEntries(stops) as Record<StopName, SameStep>
}

const name = 'virtual:same-step'
const resolved = `\0${name}`

export function sameStepPlugin(): Plugin {
  return {
    name: 'same-step',
    resolveId: (id) => (id === name ? resolved : undefined),
    load(id) {
      if (id !== resolved) return undefined
      const stops = sameSteps((file) => {
        this.addWatchFile(fileURLToPath(new URL(file, root)))
        return readRepository(file)
      })
      return `export default ${JSON.stringify(stops)}`
    },
  }
}
