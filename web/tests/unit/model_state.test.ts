// The state table and the address: everything that may be linked comes back as it was, and nothing else gets in.
import { describe, expect, test } from 'vitest'
import { tensorInfos, tensorNames } from '../../src/core/generated/tables'
import { trainingTasks } from '../../src/core/training'
import { allDivide, batches, headSets, learningRates, runWidths } from '../../src/model/run_settings'
import { lessonSentence } from '../../src/model/sentences'
import { divides, extents, nearestSizes, shortSize } from '../../src/model/shape'
import { type Key, type State, chapterNames, initialState, keys, parseTyped, readAddress, readValues, settle, writeAddress } from '../../src/model/state'
import { headOf } from '../../src/model/pin'
import { isPinnable, stopsOf, tourNames } from '../../src/model/stops'
import { drawFrom, drawn } from './core_support'

const draw = drawFrom(drawn)
const pick = <Value>(values: readonly Value[]): Value => values[draw(0, values.length - 1)]!

const words = ['她', '把', '她', 'New York', '🎂', '👩‍👧‍👦', 'é', "don't", '3.5', '&', '=', '%', '+', '#', '?', '"', '，', '𠮷', 'a,b', '__proto__']

function randomState(): State {
  const place = pick(tourNames.flatMap((tour) => stopsOf(tour).map((stop) => ({ tour, stop }))))
  const heads = place.tour === 'one' ? shortSize.heads : draw(1, 12)
  const dModel = place.tour === 'one' ? shortSize.dModel : heads * draw(1, 20)
  const sentence = Array.from({ length: draw(1, 32) }, () => pick(words))
  const size = { dModel, heads }
  const tensor = pick(tensorNames.filter(isPinnable))
  const width = pick(runWidths)
  const pin = draw(0, 2) === 0 ? null : { tensor, index: extents(tensor, sentence.length, size).map((extent) => draw(0, extent - 1)) }
  return {
    chapter: pick(chapterNames),
    lang: pick(['zh', 'en']),
    theme: pick(['auto', 'light', 'dark']),
    view: pick(['page', 'projector']),
    signs: pick([true, false]),
    sentence,
    ...size,
    causal: draw(0, 1) === 1,
    scaled: draw(0, 1) === 1,
    positions: draw(0, 1) === 1,
    padding: draw(0, sentence.length),
    weights: pick(['trained', 'seeded', 'run']),
    seed: draw(0, 2 ** 32 - 1),
    ...place,
    head: (pin && headOf(pin)) ?? draw(0, heads - 1),
    pin,
    out: Array.from({ length: heads }, (_, head) => head).filter(() => draw(0, 3) === 0),
    predict: draw(0, 1) === 1,
    task: pick(trainingTasks),
    width,
    rate: pick(learningRates),
    batch: pick(batches),
    residual: draw(0, 1) === 1,
    runSeed: draw(0, 2 ** 32 - 1),
    runHeads: pick(headSets.filter((set) => allDivide(set, width))),
  }
}

describe(`round trip (seed ${drawn})`, () => {
  test('300 random states come back exactly', () => {
    for (let i = 0; i < 300; i += 1) {
      const state = randomState()
      const address = writeAddress(state)
      // Whatever the browser's language is.
      const back = readAddress(address, draw(0, 1) === 0 ? 'zh' : 'en')
      expect(back.refusals, address).toEqual([])
      expect(back.state, address).toEqual(state)
      expect(writeAddress(back.state)).toBe(address)
    }
  })

  test('what is default is left out', () => {
    expect(writeAddress(initialState())).toBe('?lang=zh')
    expect(writeAddress({ ...initialState(), stop: 3 })).toBe('?lang=zh&stop=3')
    expect(writeAddress({ ...initialState(), lang: 'en', sentence: lessonSentence.en })).toBe('?lang=en')
    expect(writeAddress({ ...initialState(), chapter: 'training', task: 'four-jobs', runHeads: [2, 4, 8, 16] })).toBe('?chapter=training&lang=zh&task=four-jobs&runHeads=2-4-8-16')
    expect(writeAddress({ ...initialState(), out: [2, 5], heads: 8, sentence: ['a', 'b'] })).toBe('?lang=zh&sentence=a|b&heads=8&out=2,5')
  })

  test('a bare address takes the reader’s language, any other means Chinese unless it says so', () => {
    expect(readAddress('', 'en').state).toMatchObject({ lang: 'en', sentence: lessonSentence.en })
    expect(readAddress('?utm_source=x', 'en').state.lang).toBe('en')
    expect(readAddress('?stop=3', 'en').state.lang).toBe('zh')
    expect(readAddress('?lang=en', 'zh').state.lang).toBe('en')
  })
})

describe('what is refused', () => {
  const long = 'x'.repeat(10_000_000)
  const cases: readonly (readonly [Key, string])[] = [
    ['chapter', 'explorer'], ['chapter', '__proto__'], ['lang', 'fr'], ['lang', 'ZH'], ['theme', 'pink'], ['view', 'wall'], ['signs', 'yes'], ['weights', 'trial'],
    ...['0', '-1', '1025', '1e3', '0x10', '8.5', 'NaN', 'Infinity', '', ' ', long, '8;drop'].map((text) => ['dModel', text] as const),
    ...['0', '3', '16', '-2', 'NaN', long].map((text) => ['heads', text] as const),
    ...['yes', 'true', '2', '', long].map((text) => ['causal', text] as const),
    ...['12', '-1', '0.5'].map((text) => ['padding', text] as const),
    ...['-1', '4294967296', '1e9', 'x'].map((text) => ['seed', text] as const),
    ...['11', '-1', '99', ''].map((text) => ['stop', text] as const),
    ...['2', '-1', 'a'].map((text) => ['head', text] as const),
    ...[
      'weights.0.11.0', 'weights.2.0.0', 'weights.0', 'weights.0.6.4.1', 'weights', 'weights.0.06.4', 'weights.-1.0.0', 'mask.0.0',
      'b_q.0', '__proto__.0', 'output.99999.0', 'WEIGHTS.0.0.0', '<script>.0', 'weights.0.6.4 ', long,
    ].map((text) => ['pin', text] as const),
    ...['2', '0,2', 'a', ',', '0,', '-1', '0,0,0,0,0,0,0', long].map((text) => ['out', text] as const),
    ['task', 'induction'], ['task', 'toString'], ['width', '12'], ['width', ''], ['rate', '.01'], ['rate', '-1'], ['rate', 'Infinity'], ['batch', '2'], ['residual', 'on'],
    ...['-1', '4294967296', '1.5', long].map((text) => ['runSeed', text] as const),
    ...['1,2,4,8', '1-2-4', '16', '8-4-2-1', '', long].map((text) => ['runHeads', text] as const),
    ...['', '|', ' ｜ ', long, Array(33).fill('a').join('|'), 'a'.repeat(25), 'a|\u0000|b', 'a\u202eb', 'a|\ufffd', '\ud800', 'a|\udc00|b'].map(
      (text) => ['sentence', text] as const,
    ),
  ]

  test.each(cases.map(([key, text]) => [key, text.length > 60 ? `${text.slice(0, 20)}… (${text.length})` : text, text] as const))(
    '%s=%j',
    // What hangs runs into the time limit.
    (key, _, text) => {
      const parsed = parseTyped(key, text, initialState())
      expect(parsed.ok).toBe(false)
      const { state, refusals } = readAddress(`?${new URLSearchParams({ [key]: text })}`)
      expect(state).toEqual(initialState())
      expect(refusals.map((refusal) => refusal.key)).toEqual([key])
      expect(refusals[0]!.given.length).toBeLessThan(100)
    },
  )

  test('one bad value does not spoil the others', () => {
    const { state, refusals } = readAddress('?stop=99&dModel=12&heads=5&seed=7&causal=1')
    expect(state).toMatchObject({ stop: 0, dModel: 12, heads: 2, seed: 7, causal: true })
    expect(refusals.map(({ key }) => key)).toEqual(['heads', 'stop'])
  })

  test('a pinned cell of a head is looked at in that head', () => {
    expect(readAddress('?pin=weights.1.6.4').state.head).toBe(1)
    const before = initialState()
    expect(settle({ ...before, pin: { tensor: 'heads', index: [1, 0, 0] } }, before).head).toBe(1)
  })

  test('sixteen heads do not share eight numbers: refused in an address, and let go when d becomes 8', () => {
    const { state, refusals } = readAddress('?chapter=training&width=8&runHeads=2-4-8-16')
    expect(state).toMatchObject({ width: 8, runHeads: [1, 2, 4, 8] })
    expect(refusals).toEqual([{ key: 'runHeads', given: '2-4-8-16', problem: { code: 'does_not_divide', dModel: 8, heads: 16, offers: [] } }])
    const before: State = { ...initialState(), width: 16, runHeads: headSets[1]! }
    expect(settle({ ...before, width: 8 }, before).runHeads).toEqual([1, 2, 4, 8])
    expect(settle({ ...before, width: 64 }, before).runHeads).toEqual([2, 4, 8, 16])
  })

  test('a width that two heads do not divide opens with one', () => {
    expect(readAddress('?dModel=9').state).toMatchObject({ dModel: 9, heads: 1 })
    expect(readAddress('?dModel=9').refusals).toEqual([])
  })

  test('any number of heads that does not divide is told so, with sizes that do; more than the widest model has is out of range', () => {
    for (const [dModel, heads, offers] of [[8, 3, [2, 4]], [6, 8, [6]], [8, 1024, [8]], [1, 2, [1]]] as const) {
      const parsed = parseTyped('heads', String(heads), { ...initialState(), dModel })
      expect(parsed).toEqual({
        ok: false,
        problem: { code: 'does_not_divide', dModel, heads, offers: offers.map((other) => ({ dModel, heads: other })) },
      })
    }
    expect(parseTyped('heads', '1025', initialState())).toEqual({ ok: false, problem: { code: 'not_in_range', min: 1, max: 1024 } })
  })

  test('typed full-width digits and blanks are fine', () => {
    expect(parseTyped('dModel', ' ５１２ ', initialState())).toEqual({ ok: true, value: 512 })
  })

  test('a broken escape in the address is no reason to fail', () => {
    expect(() => readAddress('?sentence=%E0%A4%A&pin=%')).not.toThrow()
  })
})

describe('what follows a change', () => {
  const before: State = { ...initialState(), heads: 8, dModel: 64, head: 7, out: [2, 7], padding: 11, pin: { tensor: 'weights', index: [7, 10, 10] } }

  test('a smaller shape lets go of what no longer exists', () => {
    expect(settle({ ...before, heads: 4 }, before)).toMatchObject({ head: 3, out: [2], pin: null })
    expect(settle({ ...before, sentence: ['a', 'b'] }, before)).toMatchObject({ padding: 2, pin: null })
    expect(settle({ ...before, dModel: 9 }, before)).toMatchObject({ heads: 1, head: 0, out: [] })
  })

  test('a pin that still exists stays', () => {
    const pinned: State = { ...before, pin: { tensor: 'output', index: [1, 7] } }
    expect(settle({ ...pinned, sentence: ['a', 'b'] }, pinned).pin).toEqual(pinned.pin)
  })

  test('the language takes the lesson’s sentence along, but nobody’s own', () => {
    const zh = initialState()
    expect(settle({ ...zh, lang: 'en' }, zh).sentence).toEqual(lessonSentence.en)
    const own: State = { ...zh, sentence: ['她'] }
    expect(settle({ ...own, lang: 'en' }, own).sentence).toEqual(['她'])
  })
})

describe('sizes', () => {
  test('the nearest that go together, for every pair', () => {
    for (let dModel = 1; dModel <= 70; dModel += 1) {
      for (let heads = 1; heads <= 70; heads += 1) {
        if (divides(heads, dModel)) continue
        for (const keep of ['dModel', 'heads'] as const) {
          const offers = nearestSizes({ dModel, heads }, keep)
          expect(offers.length).toBeGreaterThan(0)
          expect(offers.length).toBeLessThanOrEqual(2)
          for (const offer of offers) {
            expect(divides(offer.heads, offer.dModel)).toBe(true)
            expect(offer[keep]).toBe({ dModel, heads }[keep])
          }
        }
      }
    }
    expect(nearestSizes({ dModel: 1023, heads: 2 }, 'heads')).toEqual([{ dModel: 1022, heads: 2 }, { dModel: 1024, heads: 2 }])
    expect(nearestSizes({ dModel: 8, heads: 3 }, 'dModel')).toEqual([{ dModel: 8, heads: 2 }, { dModel: 8, heads: 4 }])
  })

  test('every tensor has as many limits as axes', () => {
    for (const name of tensorNames) expect(extents(name, 11, { dModel: 8, heads: 2 })).toHaveLength(tensorInfos[name].rank)
    expect(extents('weights', 11, { dModel: 8, heads: 2 })).toEqual([2, 11, 11])
    expect(extents('w_o', 11, { dModel: 8, heads: 2 })).toEqual([8, 8])
  })
})

describe('trained or seeded', () => {
  test('trained, unless the address names a seed, as links did before there were trained numbers', () => {
    expect(readAddress('').state.weights).toBe('trained')
    expect(readAddress('?seed=7').state.weights).toBe('seeded')
    expect(readAddress('?seed=7&weights=trained').state.weights).toBe('trained')
    expect(readAddress('?weights=run').state.weights).toBe('run')
    expect(readAddress('?weights=seeded').state).toMatchObject({ weights: 'seeded', seed: 42 })
  })

  test('whoever changes the seed means seeded numbers; whoever says which, gets those', () => {
    const before = initialState()
    expect(settle({ ...before, seed: 7 }, before).weights).toBe('seeded')
    const seeded = settle({ ...before, seed: 7 }, before)
    expect(settle({ ...seeded, seed: 8, weights: 'trained' }, seeded).weights).toBe('trained')
    expect(settle({ ...seeded, heads: 4 }, seeded)).toMatchObject({ weights: 'seeded', seed: 7 })
  })

  test('an address that only says which numbers still opens in the reader’s language', () => {
    expect(readAddress('?weights=seeded', 'en').state.lang).toBe('en')
  })
})

test('the table has exactly the keys of the design', () => {
  expect(keys).toEqual('chapter lang theme view signs sentence dModel heads causal scaled positions padding seed weights tour stop head pin out predict task width rate batch residual runSeed runHeads'.split(' '))
})

describe('values from a program', () => {
  test('as they stand in the state, or as text; what comes first counts for what comes after', () => {
    const before = initialState()
    expect(readValues({ heads: 4, dModel: '12', causal: true, sentence: ['a', 'b'], out: [1, 3], pin: { tensor: 'weights', index: [3, 1, 0] } }, before)).toEqual({
      patch: { dModel: 12, heads: 4, causal: true, sentence: ['a', 'b'], out: [1, 3], pin: { tensor: 'weights', index: [3, 1, 0] } },
      refusals: [],
    })
    expect(readValues({ pin: null }, before)).toEqual({ patch: { pin: null }, refusals: [] })
    expect(readValues({}, before)).toEqual({ patch: {}, refusals: [] })
  })

  test('every state may be set as it is', () => {
    for (let i = 0; i < 100; i += 1) {
      const state = randomState()
      expect(readValues(state, initialState())).toEqual({ patch: state, refusals: [] })
    }
  })

  test('what may not be typed is refused, whatever it is', () => {
    for (const key of keys) {
      for (const value of [{}, undefined, NaN, Infinity, -1, 1.5, 1e9, Symbol('s'), () => 1, [[]], new Date(NaN), 'x'.repeat(5000)]) {
        const { patch, refusals } = readValues({ [key]: value }, initialState())
        const fits = refusals.length === 0
        expect(fits === key in patch, `${key} ${typeof value}`).toBe(true)
        if (fits) expect(readAddress(writeAddress({ ...initialState(), ...patch })).refusals, key).toEqual([])
      }
    }
    expect(readValues({ heads: 3 }, initialState()).refusals).toMatchObject([{ key: 'heads', given: '3', problem: { code: 'does_not_divide' } }])
  })
})
