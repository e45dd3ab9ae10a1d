// Everything that is asked about a pass beyond its tensors, and when.
import {
  type CellRef,
  type Comparison,
  type Core,
  CoreError,
  type Explanation,
  type Influence,
  type Pass,
  type Role,
  type RowShares,
  type TensorView,
} from '../core/protocol'
import { isOff, withGate } from './gates'
import { headPage, headsOn } from './heads'
import { Question } from './question.svelte'
import type { State } from './state'
import { nameOf, stopAt } from './stops'
import { pinnedIn, sharedRow } from './subjects'

interface Explained {
  explanation: Explanation
  /** undefined: it goes to more places than the core can name */
  influence: Influence | undefined
}

/** Contributions of the heads on the screen: [count, n, d], heads first … first + count − 1. */
export interface Contributions {
  pass: Pass
  first: number
  view: TensorView
}

/** What the reader looks at. */
interface Looking {
  readonly state: State
  readonly role: Role
  readonly trial: { readonly head: number | undefined }
}

const largestTerms = 5

export class Questions {
  /** the pinned cell */
  readonly explained: Question<Explained>
  readonly contributions: Question<Contributions>
  /** at the output stop: what each head made of the pinned row */
  readonly rowShares: Question<RowShares>
  /** at the project stop: the chosen projection against narrow ones */
  readonly narrow: Question<Comparison>
  /** while a head is tried: the output against that with the head on */
  readonly tried: Question<Comparison>
  readonly all: readonly Question<unknown>[]

  constructor(core: Core, looking: Looking) {
    this.explained = new Question(
      (pass) => pinnedIn(pass, looking.state),
      (pass) => explain(core, pass, looking.state.pin!),
    )
    this.contributions = new Question(
      (pass) => (stopAt(looking.state.stop).contributions ? String(headPage(pass.shape.heads, looking.state.head).first) : undefined),
      (pass) => contribute(core, pass, looking.state.head),
    )
    this.rowShares = new Question(
      (pass) => sharedRow(pass, looking.state)?.toString(),
      (pass) => core.rowShares(pass, sharedRow(pass, looking.state)!),
    )
    this.narrow = new Question(
      () => (nameOf(looking.state.stop) === 'project' ? looking.role : undefined),
      (pass) => core.narrow(pass, looking.role),
    )
    this.tried = new Question(
      (pass) => (looking.trial.head !== undefined && isOff(pass, looking.trial.head) ? String(looking.trial.head) : undefined),
      (pass) => core.compare(pass, 'output', withGate(pass, looking.trial.head!, 1)),
    )
    this.all = [this.explained, this.contributions, this.rowShares, this.narrow, this.tried]
  }
}

/** Heads whose contributions are shown together with a pass of so many heads. */
export const contributing = ({ stop, heads, head }: State): number[] => (stopAt(stop).contributions ? headsOn(headPage(heads, head)) : [])

async function explain(core: Core, pass: Pass, cell: CellRef): Promise<Explained> {
  const [explanation, influence] = await Promise.all([core.explain(pass, cell, largestTerms), core.influence(pass, cell).catch(unlessTooMany)])
  return { explanation, influence }
}

async function contribute(core: Core, pass: Pass, head: number): Promise<Contributions> {
  const page = headPage(pass.shape.heads, head)
  return { pass, first: page.first, view: await core.contributions(pass, headsOn(page)) }
}

function unlessTooMany(error: unknown): undefined {
  if (!(error instanceof CoreError && error.failure.status === 'too_large')) throw error
}
