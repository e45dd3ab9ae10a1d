// The double reference with its bounds, from the native executable: what the page must show, computed outside it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Problem } from './problem'

const executable = resolve(
  process.env.MHA_ORACLE ?? fileURLToPath(new URL('../../../../build/dev/mha_oracle', import.meta.url)),
)
const run = promisify(execFile)

/** As the executable prints it; heads are the first of three axes. */
interface Printed {
  shape: number[]
  value: number[]
  /** absent: inputs and parameters, which are exact */
  bound?: number[]
}

export type OracleName =
  | 'token_vectors' | 'positions' | 'x' | 'w_q' | 'w_k' | 'w_v' | 'w_o' | 'q' | 'k' | 'v' | 'raw_scores' | 'scaled_scores'
  | 'masked_scores' | 'weights' | 'heads' | 'concat' | 'contributions' | 'output'

/** d ≤ 1024: besides the a priori bound, a number is within this of the largest of its tensor. */
const houseLimit = 2e-6

/** One number: what it is, and how far float arithmetic may be off. */
export interface Expected {
  value: number
  /** 0: exact */
  tolerance: number
}

export class Oracle {
  readonly #limits = new Map<OracleName, number>()

  constructor(readonly problem: Problem, private readonly tensors: Record<OracleName, Printed>) {}

  get headDim(): number {
    return this.problem.dModel / this.problem.heads
  }

  /** Any cell of any tensor that the page can show, views by heads included. */
  cell(tensor: string, index: readonly number[]): Expected {
    const [name, place] = this.#locate(tensor, index)
    const { shape, value, bound } = this.tensors[name]
    if (place.length !== shape.length || place.some((i, axis) => !(i >= 0 && i < shape[axis]!))) {
      throw new Error(`${tensor}[${index.join(', ')}] is outside [${shape.join(', ')}]`)
    }
    const at = place.reduce((sum, i, axis) => sum * shape[axis]! + i, 0)
    const tolerance = bound === undefined ? 0 : Math.min(bound[at]!, this.#limit(name))
    return { value: value[at]!, tolerance }
  }

  /** The extents of a tensor, axis by axis. */
  shape(tensor: string): number[] {
    const { tokens, heads } = this.problem
    if (/^[qkv]_heads$/.test(tensor)) return [heads, tokens.length, this.headDim]
    return [...this.tensors[known(tensor)].shape]
  }

  /** q_heads[i, row, c] is q[row, i·k + c]: heads are column blocks. */
  #locate(tensor: string, index: readonly number[]): [OracleName, readonly number[]] {
    const split = /^([qkv])_heads$/.exec(tensor)
    if (split === null) return [known(tensor), index]
    const [head, row, column] = index as [number, number, number]
    if (!(column >= 0 && column < this.headDim)) throw new Error(`${tensor}[${index.join(', ')}] is outside`)
    return [known(split[1]!), [row, head * this.headDim + column]]
  }

  #limit(name: OracleName): number {
    const known = this.#limits.get(name)
    if (known !== undefined) return known
    // An error in a score is a relative one in its weight, and in everything that is made of weights.
    const carried = madeOfWeights.has(name) ? Math.max(1, largest(this.tensors.masked_scores)) : 1
    // One number, or a few, may all have cancelled: their largest says nothing of their terms then.
    const telling = this.tensors[name].value.length >= 16
    const limit = telling ? houseLimit * largest(this.tensors[name]) * carried : Infinity
    this.#limits.set(name, limit)
    return limit
  }
}

const madeOfWeights: ReadonlySet<OracleName> = new Set(['weights', 'heads', 'concat', 'contributions', 'output'])

const largest = ({ value }: Printed): number =>
  value.reduce((max, each) => (Number.isFinite(each) ? Math.max(max, Math.abs(each)) : max), 0)

const names: readonly OracleName[] = [
  'token_vectors', 'positions', 'x', 'w_q', 'w_k', 'w_v', 'w_o', 'q', 'k', 'v', 'raw_scores', 'scaled_scores', 'masked_scores',
  'weights', 'heads', 'concat', 'contributions', 'output',
]

function known(tensor: string): OracleName {
  const name = names.find((candidate) => candidate === tensor)
  if (name === undefined) throw new Error(`the oracle knows no ${tensor}`)
  return name
}

export async function ask(problem: Problem): Promise<Oracle> {
  if (!existsSync(executable)) throw new Error(`no ${executable}: build the target mha_oracle, or set MHA_ORACLE`)
  const { tokens, dModel, heads, seed, causal, scaled, positions, padding, out } = problem
  const options = [
    `tokens=${tokens.join('|')}`, `d=${dModel}`, `h=${heads}`, `seed=${seed}`, `causal=${Number(causal)}`,
    `scaled=${Number(scaled)}`, `positions=${Number(positions)}`, `padding=${padding}`,
  ]
  if (out.length > 0) options.push(`gates=${Array.from({ length: heads }, (_, i) => (out.includes(i) ? 0 : 1)).join(',')}`)
  if (problem.model !== undefined) options.push(`model=${problem.model}`)
  const { stdout } = await run(executable, options, { maxBuffer: 2 ** 28 })
  return new Oracle(problem, JSON.parse(stdout) as Record<OracleName, Printed>)
}
