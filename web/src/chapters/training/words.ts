// What happened in a run, in words made from its numbers: who took what, in part or together, and who did nothing. The codes are the
// core's; here they are only read aloud. No head is said to know or to want anything: it gives weight to words.
import { type CellState, type Snapshot, cellStates } from '../../core/training'
import { percentOf } from '../../model/format'
import type { TrainingText } from '../../text/training.en'

type Measured = Pick<Snapshot, 'relations' | 'headAccuracy' | 'cells' | 'unused'>

/** What the core says of a cell. */
export const stateOf = ({ cells, relations }: Pick<Measured, 'cells' | 'relations'>, head: number, relation: number): CellState =>
  cellStates[cells[head * relations.length + relation] ?? 0] ?? 'unmeasured'

/** Whether any head's cell in this column says that the relation is seen to. */
export const isSettled = (measured: Measured, relation: number): boolean =>
  Array.from(measured.unused).some((_, head) => ['owner', 'shared'].includes(stateOf(measured, head, relation)))

/** `names`: what the relations are called, in their order. Empty before anything was measured. */
export function whatHappened(measured: Measured, names: readonly string[], words: TrainingText['words']): string[] {
  const { relations, headAccuracy, unused } = measured
  const heads = Array.from(unused, (_, head) => head)
  const columns = relations.map((_, column) => column)
  const isUsed = (head: number): boolean => unused[head] !== 1
  const said = (head: number, column: number): string => words.relation(names[column] ?? relations[column] ?? '', percentOf(headAccuracy[head * relations.length + column] ?? 0))
  const being = (head: number, state: CellState): number[] => columns.filter((column) => stateOf(measured, head, column) === state)
  const sayAll = (head: number, which: readonly number[]): string[] => which.map((column) => said(head, column))

  if (measured.cells.every((code) => code === 0)) return []
  if (heads.length === 1) return [words.one(sayAll(0, columns))]

  const owners = heads.filter((head) => isUsed(head) && being(head, 'owner').length > 0)
  const took = owners.map((head) => words.took(head + 1, sayAll(head, being(head, 'owner')), sayAll(head, being(head, 'partial'))))
  const idle = heads.filter((head) => !isUsed(head) && being(head, 'owner').length > 0).map((head) => words.idle(head + 1, sayAll(head, being(head, 'owner'))))
  const again = heads.filter((head) => isUsed(head) && being(head, 'duplicate').length > 0).map((head) => words.again(head + 1, sayAll(head, being(head, 'duplicate'))))
  const quoted = (column: number): string => words.name(names[column] ?? relations[column] ?? '')
  const shared = columns.flatMap((column) => {
    const together = heads.filter((head) => isUsed(head) && stateOf(measured, head, column) === 'shared')
    if (together.length === 0) return []
    return [together.length === 1 ? words.alone(together[0]! + 1, said(together[0]!, column)) : words.share(together.map((head) => head + 1), quoted(column))]
  })
  const partly = (column: number): number[] => heads.filter((head) => isUsed(head) && !owners.includes(head) && stateOf(measured, head, column) === 'partial')
  const isOwned = (column: number): boolean => heads.some((head) => stateOf(measured, head, column) === 'owner')
  const unowned = columns.filter((column) => !isOwned(column) && partly(column).length > 0)
  const parts = unowned.map((column) => words.part(partly(column).map((head) => head + 1), quoted(column)))
  // Who does a part of what another head does anyway is named, but not what.
  const named = new Set([...unowned.flatMap(partly), ...heads.filter((head) => being(head, 'duplicate').length + being(head, 'shared').length > 0)])
  const others = heads.filter((head) => !named.has(head) && columns.some((column) => partly(column).includes(head)))
  const also = others.length === 0 ? [] : [words.also(others.map((head) => head + 1))]
  const resting = heads.filter((head) => !isUsed(head))
  const open = columns.filter((column) => !isSettled(measured, column))
  return [
    ...took, ...again, ...shared, ...parts, ...also, ...idle,
    ...(resting.length > 0 ? [words.unused(resting.map((head) => head + 1))] : []),
    ...(open.length > 0 ? [words.nobody(open.map(quoted))] : []),
  ]
}
