// What was broken outlives the folded part in which it is shown.
import { BreakClient } from '../../core/broken_client'
import { BreakIt } from '../../model/break_it.svelte'

export const breaking = new BreakIt(new BreakClient())
