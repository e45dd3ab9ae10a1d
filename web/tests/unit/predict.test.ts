// The questions in front of the figures: every column and every head judged, what switching a head off did, when the reader is
// asked and when not, and the closed figures they are asked in.
import { beforeEach, describe, expect, test } from 'vitest'
import { judgeBlock, judgeColumn, largestOf, wentOut } from '../../src/chapters/steps/judge'
import { askedLayouts, isRoomy } from '../../src/chapters/steps/layout_asked'
import { layouts, type Setting } from '../../src/chapters/steps/layouts'
import { Predict } from '../../src/chapters/steps/predict.svelte'
import { stageOf } from '../../src/chapters/steps/stage'
import { gridPx } from '../../src/components/draw/scene'
import { between } from '../../src/components/draw/tween'
import { slice } from '../../src/components/figures'
import type { Comparison, Pass, TensorView } from '../../src/core/protocol'
import { headPage, headsOn } from '../../src/model/heads'
import { Lesson, requestOf } from '../../src/model/lesson.svelte'
import { type State, initialState } from '../../src/model/state'
import { type StopName, nameOf, stopNames } from '../../src/model/stops'
import { steps as en } from '../../src/text/steps.en'
import { engines, request, withPass } from './core_support'
import { SlowCore, settled } from './model_support'

const passOf = (changes: Parameters<typeof request>[0]): Promise<Pass> => withPass(engines.simd, request(changes), ({ pass }) => pass)

describe.each([[8, 2], [12, 4], [6, 6], [1, 1], [40, 20]] as const)('%i columns, %i heads', (dModel, heads) => {
  test('every column is its head’s, whichever head was asked for', async () => {
    const pass = await passOf({ dModel, heads })
    const k = dModel / heads
    for (const tensor of ['q', 'k', 'v', 'concat'] as const) {
      for (let column = 0; column < dModel; column += 1) {
        const owner = Math.floor(column / k)
        for (let head = 0; head < heads; head += 1) {
          expect(judgeColumn(pass, head, { tensor, index: [column % 5, column] })).toEqual({
            right: owner === head, head: head + 1, k, first: head * k, last: head * k + k - 1, column, owner: owner + 1,
          })
        }
      }
    }
  })

  test('of stop 9, what belongs to the head changes, and Y', () => {
    for (let head = 0; head < heads; head += 1) {
      for (let other = 0; other < heads; other += 1) {
        expect(judgeBlock(head, { tensor: 'heads', index: [other, 0, 0] })).toEqual({ right: other === head, head: head + 1, name: `Z_{${other + 1}}` })
        expect(judgeBlock(head, { tensor: 'contributions', index: [other, 0, 0] })).toEqual({ right: other === head, head: head + 1, name: `C_{${other + 1}}` })
      }
      expect(judgeBlock(head, { tensor: 'output', index: [0, 0] })).toMatchObject({ right: true, name: 'Y' })
      expect(judgeBlock(head, { tensor: 'w_o', index: [0, 0] })).toMatchObject({ right: false, name: 'W_O' })
    }
  })
})

test('a cell of anything else is no answer about columns', async () => {
  expect(judgeColumn(await passOf({}), 0, { tensor: 'weights', index: [0, 0, 0] })).toBeUndefined()
})

describe('what switching a head off did', () => {
  test('is said only between two passes that differ in nothing else', async () => {
    const [on, off] = await Promise.all([passOf({}), passOf({ headGate: [1, 0] })])
    expect(wentOut(on, off, 1)).toBe(true)
    expect(wentOut(on, off, 0)).toBe(false)
    expect(wentOut(on, on, 1)).toBe(false)
    expect(wentOut(on, await passOf({ headGate: [1, 0], seed: 8 }), 1)).toBe(false)
    expect(wentOut(off, await passOf({ headGate: [0, 0] }), 0)).toBe(true)
  })

  test('and the largest is where the number is largest', async () => {
    const matrix = slice(await passOf({}), 'output')
    const { row, column } = largestOf(matrix)
    const reach = Math.max(...Array.from({ length: 40 }, (_, i) => Math.abs(matrix.value(Math.floor(i / 8), i % 8))))
    expect(Math.abs(matrix.value(row, column))).toBe(reach)
  })
})

describe('asking', () => {
  let pass: Pass
  let core: SlowCore
  let lesson: Lesson
  let predict: Predict
  let isStill: boolean
  let roomy: boolean
  const shape = { dModel: 12, heads: 3 }

  beforeEach(async () => {
    const state: State = { ...initialState(), weights: 'seeded', ...shape }
    pass = await passOf(requestOf(state))
    isStill = false
    roomy = true
    core = new SlowCore()
    lesson = new Lesson(core, { state, refusals: [] }, () => {})
    lesson.pass = pass
    predict = new Predict(lesson, () => isStill, () => roomy, () => 0.5)
  })

  const go = (stop: number, mayAsk = true): void => {
    lesson.change({ stop })
    predict.arrive(stop, mayAsk)
  }

  test('at stops 2, 8 and 9, once each, on the way forwards', () => {
    const asked: number[] = []
    for (let round = 0; round < 2; round += 1) {
      for (let stop = 0; stop <= 10; stop += 1) {
        go(stop)
        if (predict.question !== undefined) asked.push(stop)
      }
      for (let stop = 9; stop >= 0; stop -= 1) {
        go(stop)
        expect(predict.question, `back at ${stop}`).toBeUndefined()
      }
    }
    expect(asked).toEqual([2, 8, 9])
  })

  test.each<[string, () => void]>([
    ['whoever jumps', () => go(2)],
    ['playing and pulling', () => [go(1), go(2, false)]],
    ['whoever wants no motion', () => [(isStill = true), go(1), go(2)]],
    ['whoever wants no questions', () => [lesson.change({ predict: false }), go(1), go(2)]],
    ['a head narrower than a finger', () => [(roomy = false), go(1), go(2)]],
    ['one head', () => [(lesson.pass = { ...pass, shape: { ...pass.shape, heads: 1 } }), go(1), go(2)]],
  ])('not: %s', (_, walk) => {
    walk()
    expect(predict.question).toBeUndefined()
    expect(predict.closed('split')).toBeUndefined()
  })

  test('an answer is no pin, and opens the figure; a second one is a pin again', () => {
    go(1)
    expect(predict.answer({ tensor: 'q', index: [0, 0] })).toBe(false)
    go(2)
    expect(predict.closed('split')).toMatchObject({ share: 0 })
    // No frames here: it opens at once.
    isStill = true
    expect(predict.answer({ tensor: 'q', index: [0, 4] })).toBe(true)
    expect(predict.verdict).toMatchObject({ stop: 'split', columns: { right: true, head: 2 } })
    expect(predict.answer({ tensor: 'q', index: [0, 4] })).toBe(false)
    expect(predict.closed('split')).toBeUndefined()
  })

  test('skipped, left, or asked at another size: gone', async () => {
    go(1), go(2)
    predict.skip()
    expect([predict.question, predict.canAsk]).toEqual([undefined, true])
    predict.ask()
    expect(predict.question).toBeDefined()
    lesson.pass = await passOf({ dModel: 12, heads: 6 })
    expect([predict.question, predict.closed('split')]).toEqual([undefined, undefined])
    lesson.pass = pass
    predict.ask()
    go(3)
    expect([predict.question, predict.canAsk]).toEqual([undefined, false])
    expect(predict.answer({ tensor: 'q', index: [0, 0] })).toBe(false)
  })

  test('where heads are narrower than a finger, only about those of stop 9; asked already, the figure opens', () => {
    roomy = false
    const asked: number[] = []
    for (let stop = 0; stop <= 10; stop += 1) {
      go(stop)
      if (predict.canAsk) asked.push(stop)
    }
    expect(asked).toEqual([9])
    roomy = true
    go(1), go(2)
    expect(predict.closed('split')).toBeDefined()
    roomy = false
    expect([predict.question, predict.hides, predict.closed('split')]).toEqual([undefined, false, undefined])
  })

  test('never means never, until asked for', () => {
    go(1), go(2)
    predict.never()
    expect(lesson.state.predict).toBe(false)
    go(8), go(9)
    expect(predict.question).toBeUndefined()
    predict.ask()
    expect(predict.question).toBeDefined()
  })

  test('asked again, it is another head', () => {
    go(8), go(9)
    const seen = [predict.question!.head]
    for (let i = 0; i < 5; i += 1) {
      predict.ask()
      expect(predict.question!.head).not.toBe(seen.at(-1))
      seen.push(predict.question!.head)
    }
  })

  test('stop 9: the head is off, on again by its button or by walking on; one that is off already is not asked about', () => {
    lesson.change({ out: [1] })
    go(8), go(9)
    const { head } = predict.question!
    expect(head).not.toBe(1)
    predict.answer({ tensor: 'output', index: [0, 0] })
    expect(predict.headOff).toBe(head)
    expect(lesson.state.out).toContain(head)
    predict.undo()
    expect([lesson.state.out, predict.headOff]).toEqual([[1], undefined])
    predict.ask()
    predict.answer({ tensor: 'w_o', index: [0, 0] })
    expect(lesson.state.out.length).toBe(2)
    go(10)
    expect(lesson.state.out).toEqual([1])
    lesson.change({ out: [0, 1, 2] })
    go(9)
    predict.ask()
    expect([predict.canAsk, predict.question]).toEqual([false, undefined])
  })

  test('stop 9, answered: what C++ counted is on show with the pass without the head, and not any longer than that', async () => {
    const counted: Comparison = { numbers: 60, differing: 59, largest: 2 }
    core.quick = false
    go(8), go(9)
    predict.answer({ tensor: 'output', index: [0, 0] })
    const head = predict.headOff!
    expect(predict.change).toBeUndefined()
    core.passes.at(-1)!.answer(await passOf(core.passes.at(-1)!.asked))
    await settled()
    const { asked } = core.comparisons[0]!
    expect(asked).toMatchObject({ tensor: 'output', headGate: [1, 1, 1] })
    expect(asked.pass.request.headGate).toEqual([0, 1, 2].map((i) => Number(i !== head)))
    expect([lesson.pass, predict.change]).toEqual([pass, undefined])
    core.comparisons[0]!.answer(counted)
    for (const { answer } of core.parts) answer({ shape: [3, 5, 12] } as unknown as TensorView)
    await settled()
    expect(predict.change).toMatchObject({ pass, after: lesson.pass, output: counted })
    expect(lesson.pass!.request.headGate![head]).toBe(0)
    lesson.toggleHead(head)
    expect(predict.change).toBeUndefined()
  })

  // What the reader does with the switches after the answer; `tried` is the head that the answer switched off.
  const others = (tried: number): number[] => [0, 1, 2].filter((head) => head !== tried)
  test.each<[string, (tried: number) => void]>([
    ['switches another head off', (tried) => lesson.toggleHead(others(tried)[0]!)],
    ['switches the head on and off again', (tried) => [lesson.toggleHead(tried), lesson.toggleHead(tried)]],
    ['switches another off and on again', (tried) => [lesson.toggleHead(others(tried)[0]!), lesson.toggleHead(others(tried)[0]!)]],
    ['switches the head on', (tried) => lesson.toggleHead(tried)],
    ['switches all of them on', () => lesson.change({ out: [] })],
    ['opens a link with it off', (tried) => lesson.arrive({ state: { ...lesson.state, out: [tried] }, refusals: [] })],
  ])('stop 9, answered: whoever %s has the heads that way, wherever they go', (_, choose) => {
    for (const leave of [() => go(10), () => go(8), () => predict.ask(), () => predict.undo()]) {
      lesson.change({ out: [] })
      go(8), go(9)
      predict.ask()
      predict.answer({ tensor: 'output', index: [0, 0] })
      choose(predict.headOff!)
      const { out } = lesson.state
      expect(predict.headOff).toBeUndefined()
      leave()
      expect(lesson.state.out).toEqual(out)
    }
  })

  test('stop 9, answered: what is no switch leaves the head to be switched on again', () => {
    lesson.change({ out: [] })
    for (const patch of [{ seed: 3 }, { pin: null }, { causal: true }, { sentence: ['a', 'b'] }, { lang: 'en' as const }]) {
      go(8), go(9)
      predict.ask()
      predict.answer({ tensor: 'output', index: [0, 0] })
      lesson.change(patch)
      expect(lesson.state.out).toEqual([predict.headOff])
      go(10)
      expect(lesson.state.out).toEqual([])
    }
  })
})

describe.each([[11, 8, 2, 1328], [11, 12, 4, 358], [5, 64, 16, 700], [3, 512, 8, 960], [2, 40, 20, 1328], [11, 1024, 64, 1328], [5, 512, 64, 358]] as const)(
  'closed: %i tokens, %i columns, %i heads, %i px',
  (n, dModel, heads, width) => {
    test('one map of all columns, which opens into those of the stop without a number changing', async () => {
      const tokens = Array.from({ length: n }, (_, i) => `t${i}`)
      const pass = await passOf({ tokens, dModel, heads })
      const shown = headPage(heads, 0)
      for (const role of ['q', 'k', 'v'] as const) {
        const setting: Setting = {
          pass, contributions: undefined, stage: stageOf(width, 900, tokens), sizes: { n, d: dModel, h: heads, k: dModel / heads },
          heads: { chosen: 0, shown: headsOn(shown) }, role, apart: 0, pin: null, text: en,
        }
        for (const name of Object.keys(askedLayouts) as StopName[]) {
          const [closed, open] = [askedLayouts[name]!(setting), layouts[name](setting)]
          expect(closed.parts.length).toBe(1)
          const [part] = closed.parts
          expect([part!.matrix.columns, part!.heading.tabs]).toEqual([dModel, false])
          expect(gridPx(part!).width).toBeLessThanOrEqual(width - setting.stage.gutter + 0.5)
          expect(isRoomy(setting)).toBe(part!.bands.every(({ width: own }) => own >= 24))
          expect(part!.bands.every(({ left, width: own }, i) => i === 0 || Math.abs(left - i * own) < 0.01)).toBe(true)
          if (shown.pages > 1) continue
          for (const t of [0.001, 0.3, 0.5, 0.9]) {
            const { parts } = between(closed, open, t)
            expect(new Set(parts.map(({ key }) => key)).size).toBe(parts.length)
            expect(parts.map(({ matrix, opacity }) => [matrix.tensor, matrix.head, matrix.offset, opacity])).toEqual(
              open.parts.map(({ matrix, opacity }) => [matrix.tensor, matrix.head, matrix.offset, opacity]),
            )
          }
        }
      }
    })
  },
)

test('only stops of the table are asked about', () => {
  expect(Object.keys(askedLayouts).every((name) => (stopNames as string[]).includes(name))).toBe(true)
  expect([2, 8].map(nameOf)).toEqual(Object.keys(askedLayouts))
})
