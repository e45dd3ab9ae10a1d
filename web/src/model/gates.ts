// Which heads of a pass are on. ξ of a head is 1, or 0 if it is off.
import type { Pass } from '../core/protocol'

export const gatesOf = ({ request, shape }: Pass): number[] => request.headGate ?? Array.from({ length: shape.heads }, () => 1)

export const isOff = (pass: Pass, head: number): boolean => gatesOf(pass)[head] === 0

export const allOn = (pass: Pass): boolean => gatesOf(pass).every((gate) => gate === 1)

/** The gates of a pass with this head on or off. */
export const withGate = (pass: Pass, head: number, gate: 0 | 1): number[] => gatesOf(pass).map((own, i) => (i === head ? gate : own))

/** Whether two passes differ in nothing but which heads are on. */
export const sameButHeads = (a: Pass, b: Pass): boolean => besideHeads(a) === besideHeads(b)

/** What they have in common then. */
export const besideHeads = ({ request }: Pass): string => JSON.stringify({ ...request, headGate: undefined })
