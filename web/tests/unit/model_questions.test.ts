// What the lesson asks beside passes and explanations: when, and what becomes of answers that come late.
import { describe, expect, test } from 'vitest'
import { CoreError, type Comparison, type Influence, type RowShares } from '../../src/core/protocol'
import { explanationOf, passOf, ready, settled } from './model_support'

describe('where the pinned cell goes', () => {
  const regions: Influence = { direct: [{ tensor: 'weights', first: [0, 1, 0], count: [1, 1, 4] }], reached: [] }

  test('appears together with its explanation', async () => {
    const { core, lesson } = await ready()
    core.quick = false
    lesson.pin({ tensor: 'masked_scores', index: [0, 1, 2] })
    const cell = { tensor: 'masked_scores', index: [0, 1, 2] } as const
    expect(core.influences[0]!.asked).toEqual({ pass: lesson.pass, cell })
    core.explanations[0]!.answer(explanationOf(core.explanations[0]!.asked.cell))
    await settled()
    expect(lesson.explanation).toBeUndefined()
    core.influences[0]!.answer(regions)
    await settled()
    expect(lesson.explanation).toBeDefined()
    expect(lesson.influence).toBe(regions)
    lesson.unpin()
    expect(lesson.influence).toBeUndefined()
  })

  test('is left out where it is too much to say', async () => {
    const { core, lesson } = await ready()
    core.quick = false
    lesson.pin({ tensor: 'x', index: [0, 0] })
    core.explanations[0]!.answer(explanationOf(core.explanations[0]!.asked.cell))
    core.influences[0]!.refuse(new CoreError({ status: 'too_large' }))
    await settled()
    expect(lesson.explanation).toBeDefined()
    expect(lesson.influence).toBeUndefined()
    expect(lesson.failure).toBeUndefined()
  })
})

describe('the shares of a row', () => {
  const shares: RowShares = { shares: [3, -1], bias: 0, norm: 2 }

  test('are those of the pinned row of the output, at the output stop only', async () => {
    const { core, lesson } = await ready('?stop=7&pin=output.3.4')
    expect(core.shares).toHaveLength(0)
    core.quick = false
    lesson.goTo(9)
    expect(core.shares[0]!.asked).toEqual({ pass: lesson.pass, row: 3 })
    expect(lesson.rowShares).toBeUndefined()
    core.shares[0]!.answer(shares)
    await settled()
    expect(lesson.rowShares).toBe(shares)
    lesson.pin({ tensor: 'contributions', index: [1, 3, 0] })
    expect(lesson.rowShares).toBe(shares)
    expect(core.shares).toHaveLength(1)
    lesson.pin({ tensor: 'contributions', index: [1, 5, 0] })
    expect(lesson.rowShares).toBeUndefined()
    expect(core.shares[1]!.asked.row).toBe(5)
    lesson.pin({ tensor: 'w_o', index: [0, 0] })
    core.shares[1]!.answer(shares)
    await settled()
    expect(lesson.rowShares).toBeUndefined()
  })
})

describe('wide against narrow', () => {
  const narrowOf = (numbers: number): Comparison => ({ numbers, differing: 0, largest: 0 })

  test('follows the chosen projection, at the project stop only', async () => {
    const { core, lesson } = await ready()
    expect(core.narrows).toHaveLength(0)
    core.quick = false
    lesson.goTo(1)
    lesson.role = 'v'
    expect(core.narrows.map(({ asked }) => asked.role)).toEqual(['q', 'v'])
    core.narrows[1]!.answer(narrowOf(2))
    await settled()
    core.narrows[0]!.answer(narrowOf(1))
    await settled()
    expect(lesson.narrow).toEqual(narrowOf(2))
    lesson.goTo(2)
    expect(lesson.narrow).toBeUndefined()
  })

  test('comes together with a new pass, and an older one is not asked again', async () => {
    const { core, lesson } = await ready('?stop=1')
    core.quick = false
    const asked = core.narrows.length
    lesson.change({ seed: 1 })
    core.passes[1]!.answer(await passOf(core.passes[1]!.asked))
    await settled()
    expect(lesson.pass!.request.seed).not.toBe(1)
    core.narrows[asked]!.answer(narrowOf(5))
    await settled()
    expect(lesson.pass!.request.seed).toBe(1)
    expect(lesson.narrow).toEqual(narrowOf(5))
    expect(core.narrows).toHaveLength(asked + 1)
  })

  test('a failure is said', async () => {
    const { core, lesson } = await ready()
    core.quick = false
    lesson.goTo(1)
    core.narrows[0]!.refuse(new CoreError({ status: 'out_of_memory' }))
    await settled()
    expect(lesson.failure?.status).toBe('out_of_memory')
  })
})
