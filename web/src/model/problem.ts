// What can be wrong with a value, typed or from the address. The texts say it in the reader's language.

/** A model width and a number of heads that go together. */
export interface Size {
  dModel: number
  heads: number
}

export type Problem =
  | { code: 'not_a_choice'; allowed: readonly string[] }
  | { code: 'not_in_range'; min: number; max: number }
  | { code: 'does_not_divide'; dModel: number; heads: number; offers: readonly Size[] }
  | { code: 'no_tokens'; max: number }
  | { code: 'too_many_tokens'; count: number; max: number }
  | { code: 'token_too_long'; token: string; max: number }
  | { code: 'text_too_long'; max: number }
  | { code: 'broken_text' }
  | { code: 'no_such_cell' }
  | { code: 'not_a_list'; max: number }

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; problem: Problem }

export const accepted = <Value>(value: Value): Parsed<Value> => ({ ok: true, value })
export const refused = (problem: Problem): { ok: false; problem: Problem } => ({ ok: false, problem })
