// Numbers as printed, scales, pages of heads, stops.
import { describe, expect, test } from 'vitest'
import { tensorNames } from '../../src/core/generated/tables'
import type { Pass, TensorView } from '../../src/core/protocol'
import { bare, bracketed, cellDecimals, duration, fixed, grouped, prefixed, restAsPrinted, scientific, significant, sumDecimals, trimmed } from '../../src/model/format'
import { headPage, headsOn } from '../../src/model/heads'
import { domainOf, keepScale, roundUp } from '../../src/model/scale'
import { carry, isPinnable, isShown, lastStop, stopNames, stopShowing } from '../../src/model/stops'
import { cellSymbol, symbolOf } from '../../src/model/symbols'
import { drawFrom, drawn, engines, request, values, withPass } from './core_support'

describe('printed', () => {
  test('how long something took, in the unit that reads best', () => {
    expect([0.00841, 0.0999, 0.1, 0.588, 12.34, 999.4, 1234].map(duration)).toEqual(['8.41 µs', '99.9 µs', '0.1 ms', '0.588 ms', '12.3 ms', '999 ms', '1.23 s'])
  })

  test.each([
    [1.005, 2, '1.00'], [-0.804, 2, '−0.80'], [-0.001, 2, '0.00'], [0, 2, '0.00'], [-0, 1, '0.0'], [Infinity, 2, '∞'],
    [-Infinity, 2, '−∞'], [NaN, 2, '∅'], [12.907, 1, '12.9'],
  ])('%d with %i decimals', (value, decimals, text) => expect(fixed(value, decimals)).toBe(text))

  test('weights without their zero, factors in brackets, thousands apart', () => {
    expect([bare('0.58'), bare('−0.58'), bare('1.00'), bare('0')]).toEqual(['.58', '−.58', '1.00', '0'])
    expect([bracketed('−0.58'), bracketed('0.58')]).toEqual(['(−0.58)', '0.58'])
    expect([grouped(0), grouped(999), grouped(1234567)]).toEqual(['0', '999', '1\u2009234\u2009567'])
  })

  test('quantities with a prefix, three digits of them', () => {
    const printed = [0, 1, 999, 999.6, 1126400, 2415919104, 999_999_999, 2.83e10, 1e14].map((value) => prefixed(value, 'B'))
    expect(printed).toEqual(['0.00 B', '1.00 B', '999 B', '1.00 kB', '1.13 MB', '2.42 GB', '1.00 GB', '28.3 GB', '100 TB'])
  })

  test('errors and bounds by their size', () => {
    expect([1.19209e-7, 0.00000128811, 0, 1, Infinity].map(scientific)).toEqual(['1.2e−7', '1.3e−6', '0', '1.0e0', '∞'])
  })

  test('six digits say the number to one part in a million', () => {
    const draw = drawFrom(drawn)
    for (let i = 0; i < 500; i += 1) {
      const value = (draw(-1e9, 1e9) / 1e9) * 10 ** draw(-12, 12)
      const read = Number(significant(value).replaceAll('−', '-'))
      expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.abs(value) * 6e-6)
    }
    expect([significant(0.5), trimmed(0.5), trimmed(0.3535533905932738), trimmed(1), trimmed(-8)]).toEqual(['0.500000', '0.5', '0.353553', '1', '−8'])
  })

  test('decimals by the rules of the design', () => {
    expect([cellDecimals(5, 30), cellDecimals(15, 72), cellDecimals(15, 59)]).toEqual([2, 2, 1])
    expect([sumDecimals(3), sumDecimals(0.3), sumDecimals(0.01)]).toEqual([2, 3, 4])
  })

  test('a column with its rest adds up as printed', () => {
    const draw = drawFrom(drawn + 1)
    for (let i = 0; i < 200; i += 1) {
      const terms = Array.from({ length: 12 }, () => draw(-5000, 5000) / 777)
      const sum = terms.reduce((a, b) => a + b, 0)
      const rest = restAsPrinted(sum, terms.slice(0, 5), 2)
      const cents = (value: number): number => Math.round(Number(fixed(value, 2).replace('−', '-')) * 100)
      expect(terms.slice(0, 5).reduce((total, term) => total + cents(term), 0) + cents(rest)).toBeCloseTo(cents(sum), 6)
    }
  })
})

describe('scales', () => {
  test('round numbers that hold everything', () => {
    for (const [reach, limit] of [[0.61, 0.8], [2.71, 3], [3, 3], [4.14, 5], [0.0765, 0.08], [11, 15], [0, 1], [Infinity, 1], [NaN, 1]] as const) {
      expect(roundUp(reach)).toBe(limit)
    }
  })

  test('nothing of a pass is clipped, scores end at a multiple of five, weights at 1', () =>
    withPass(engines.simd, request({ causal: true, dModel: 64, heads: 8 }), ({ pass }) => {
      for (const name of tensorNames) {
        const view = pass.tensor(name)
        if (view === undefined || name === 'mask' || name === 'masked_rows') continue
        const { limit, kind } = domainOf(pass, name)
        for (const value of values(view)) if (value !== -Infinity) expect(Math.abs(value), name).toBeLessThanOrEqual(limit)
        if (name === 'weights') expect({ limit, kind }).toEqual({ limit: 1, kind: 'sequential' })
        if (name.endsWith('scores')) expect(limit % 5).toBe(0)
      }
    }))

  const passOf = (headGate?: number[], changes = {}): Promise<Pass> =>
    withPass(engines.simd, request({ dModel: 12, heads: 3, ...changes, ...(headGate && { headGate }) }), ({ pass }) => pass)
  /** A tensor that reaches just so far. */
  const reaching = (limit: number): TensorView => {
    const [data, shape] = [Float32Array.of(limit, 0), [1, 1, 2]]
    return { name: 'contributions', axes: ['h', 'n', 'd'], shape, strides: [2, 2, 1], offset: 0, data, at: () => 0 }
  }
  const limitsOf = (pass: Pass): number[] => tensorNames.map((name) => domainOf(pass, name).limit)

  test('with heads off a pass keeps the scale of all heads on, whatever was on in between, and holds what is larger', async () => {
    const draw = drawFrom(drawn)
    for (let i = 0; i < 10; i += 1) {
      const seed = draw(0, 1e6)
      const all = await passOf(undefined, { seed })
      let before = all
      for (let step = 0; step < 4; step += 1) {
        const gates = [draw(0, 1), draw(0, 1), draw(0, 1)]
        const [pass, alone] = [await passOf(gates, { seed }), await passOf(gates, { seed })]
        keepScale(pass, before)
        before = pass
        expect(limitsOf(pass), String(gates)).toEqual(limitsOf(all).map((limit, place) => Math.max(limit, limitsOf(alone)[place]!)))
        expect(domainOf(pass, 'heads')).toEqual(domainOf(all, 'heads'))
      }
      // All heads on again: its own, whatever there was.
      const again = await passOf(undefined, { seed })
      keepScale(again, before)
      expect(limitsOf(again)).toEqual(limitsOf(all))
    }
  })

  test('so do the contributions that were known, and anything larger widens', async () => {
    const [all, off] = [await passOf(), await passOf([1, 0, 1])]
    keepScale(off, all, reaching(70))
    expect(domainOf(all, 'output', reaching(70)).limit).toBe(80)
    expect(domainOf(off, 'contributions', reaching(1)).limit).toBe(80)
    expect(domainOf(off, 'contributions', reaching(90)).limit).toBe(100)
    expect(domainOf(off, 'output')).toEqual(domainOf(all, 'output'))
  })

  test('who looks at another size and comes back finds the same colours', async () => {
    const [all, off, elsewhere, back] = [await passOf(), await passOf([1, 0, 1]), await passOf([1, 0, 1], { dModel: 24 }), await passOf([1, 0, 1])]
    keepScale(off, all, reaching(70))
    keepScale(elsewhere, off)
    keepScale(back, elsewhere)
    expect(limitsOf(back)).toEqual(limitsOf(off))
    expect(domainOf(back, 'output', reaching(1)).limit).toBe(80)
  })

  test('another sentence, size or seed has a scale of its own', async () => {
    const all = await passOf()
    for (const changes of [{ seed: 8 }, { tokens: ['a'] }, { dModel: 24 }, { causal: true }, { positions: false }]) {
      const [pass, alone] = [await passOf([1, 0, 1], changes), await passOf([1, 0, 1], changes)]
      keepScale(pass, all, reaching(70))
      expect(limitsOf(pass)).toEqual(limitsOf(alone))
      expect(domainOf(pass, 'output', reaching(1))).toEqual(domainOf(alone, 'output', reaching(1)))
    }
  })
})

describe('heads', () => {
  test.each([1, 2, 8, 15, 16, 17, 64, 1000])('%i heads: the chosen one is on its page', (heads) => {
    for (let chosen = 0; chosen < heads; chosen += 1) {
      const page = headPage(heads, chosen)
      const shown = headsOn(page)
      expect(shown).toContain(chosen)
      expect(shown.length).toBeLessThanOrEqual(16)
      expect(shown.every((head) => head >= 0 && head < heads)).toBe(true)
      if (heads <= 16) expect(shown).toHaveLength(heads)
    }
    expect(headPage(heads, heads + 9), 'chosen where there were more').toEqual(headPage(heads, heads - 1))
  })
})

describe('stops', () => {
  test('every tensor that can be pinned is shown somewhere, and found from anywhere', () => {
    expect(stopNames).toHaveLength(11)
    for (const tensor of tensorNames.filter(isPinnable)) {
      for (let stop = 0; stop <= lastStop; stop += 1) expect(isShown(tensor, stopShowing(tensor, stop))).toBe(true)
    }
    expect(stopShowing('w_q', 3)).toBe(1)
    expect(stopShowing('raw_scores', 4)).toBe(4)
  })

  test('the pinned pair of tokens walks along', () => {
    const none = (): undefined => undefined
    const cell = { tensor: 'raw_scores' as const, index: [1, 6, 4] }
    expect([3, 4, 5, 6, 7].map((stop) => carry(cell, stop, none).tensor)).toEqual([
      'raw_scores', 'scaled_scores', 'masked_scores', 'weights', 'weights',
    ])
    expect(carry(cell, 9, none)).toEqual(cell)
    expect(carry({ tensor: 'contributions', index: [1, 6, 4] }, 10, none)).toEqual({ tensor: 'output', index: [6, 4] })
  })

  test('symbols count heads from 1, indices from 0', () => {
    expect(symbolOf('weights', 0)).toBe('A_{1}')
    expect(cellSymbol({ tensor: 'weights', index: [6, 3, 4] })).toEqual({ symbol: 'A_{7}', index: [3, 4] })
    expect(cellSymbol({ tensor: 'w_o', index: [3, 4] })).toEqual({ symbol: 'W_O', index: [3, 4] })
  })
})
