// The lesson between the reader and the core: what is asked, what is shown, and in which order.
import { describe, expect, test } from 'vitest'
import { CoreError, Superseded, type TensorView } from '../../src/core/protocol'
import { domainOf } from '../../src/model/scale'
import { readAddress } from '../../src/model/state'
import { trainedFile } from './model_file_support'
import { begin, explanationOf, passOf, ready, settled } from './model_support'

describe('passes', () => {
  test('the request says everything, and heads that are out get gate 0', async () => {
    const { core } = await begin('?dModel=12&heads=3&causal=1&scaled=0&positions=0&padding=2&seed=7&out=0,2')
    expect(core.passes[0]!.asked).toMatchObject({
      dModel: 12, heads: 3, causal: true, scaled: false, positions: false, padding: 2, seed: 7, weights: 'seeded', headGate: [0, 1, 0],
    })
    expect(core.passes[0]!.asked.tokens).toHaveLength(11)
  })

  test('what is only looked at asks for nothing new', async () => {
    const { core, lesson } = await ready()
    lesson.goTo(3)
    lesson.change({ theme: 'dark', head: 1 })
    expect(core.passes).toHaveLength(1)
    lesson.change({ seed: 1 })
    expect(core.passes).toHaveLength(2)
  })

  test('an older answer never replaces a newer one', async () => {
    const { core, lesson } = await ready()
    lesson.change({ seed: 1 })
    lesson.change({ seed: 2 })
    const [, first, second] = core.passes
    second!.answer(await passOf(second!.asked))
    await settled()
    first!.answer(await passOf(first!.asked))
    await settled()
    expect(lesson.pass!.request.seed).toBe(2)
    expect(lesson.busy).toBe(false)
  })

  test('a failure keeps the last result, and can be tried again', async () => {
    const { core, lesson, pass } = await ready()
    lesson.change({ seed: 1 })
    core.passes[1]!.refuse(new CoreError({ status: 'out_of_memory' }))
    await settled()
    expect(lesson.failure).toEqual({ status: 'out_of_memory' })
    expect(lesson.pass).toBe(pass)
    lesson.retry()
    expect(lesson.failure).toBeUndefined()
    core.passes[2]!.answer(await passOf(core.passes[2]!.asked))
    await settled()
    expect(lesson.pass!.request.seed).toBe(1)
  })

  test('a superseded request is no failure', async () => {
    const { core, lesson } = await ready()
    lesson.change({ seed: 1 })
    lesson.change({ seed: 2 })
    core.passes[1]!.refuse(new Superseded())
    await settled()
    expect(lesson.failure).toBeUndefined()
  })

  test('what is no CoreError is said to be a crash', async () => {
    const { core, lesson } = await begin()
    core.passes[0]!.refuse(new Error('boom'))
    await settled()
    expect(lesson.failure).toEqual({ status: 'crashed', detail: 'boom' })
  })
})

describe('explanations', () => {
  test('come together with their pass', async () => {
    const { core, lesson } = await begin('?pin=output.1.2')
    core.passes[0]!.answer(await passOf(core.passes[0]!.asked))
    await settled()
    expect(lesson.pass).toBeUndefined()
    core.explanations[0]!.answer(explanationOf({ tensor: 'output', index: [1, 2] }))
    await settled()
    expect([lesson.pass, lesson.explanation?.cell.index]).toEqual([core.explanations[0]!.asked.pass, [1, 2]])
  })

  test('the last pinned cell wins', async () => {
    const { core, lesson } = await ready()
    lesson.pin({ tensor: 'x', index: [0, 0] })
    lesson.pin({ tensor: 'x', index: [0, 1] })
    const [first, second] = core.explanations
    second!.answer(explanationOf(second!.asked.cell))
    await settled()
    first!.answer(explanationOf(first!.asked.cell))
    await settled()
    expect(lesson.explanation!.cell.index).toEqual([0, 1])
  })

  test('a superseded explanation does not keep its pass away', async () => {
    const { core, lesson } = await begin('?pin=output.1.2')
    core.passes[0]!.answer(await passOf(core.passes[0]!.asked))
    await settled()
    core.explanations[0]!.refuse(new Superseded())
    await settled()
    expect(lesson.pass).toBeDefined()
    expect(core.explanations).toHaveLength(2)
  })

  test('unpinned, it goes', async () => {
    const { lesson } = await ready('?pin=output.1.2')
    expect(lesson.explanation).toBeDefined()
    lesson.unpin()
    await settled()
    expect(lesson.explanation).toBeUndefined()
  })

  test('pinned, another one pinned, the first one pinned again before an answer: the first one is explained', async () => {
    const { core, lesson } = await ready('?pin=output.1.2')
    const first = lesson.explanation
    lesson.pin({ tensor: 'output', index: [3, 4] })
    lesson.pin({ tensor: 'output', index: [1, 2] })
    for (const { asked, answer } of core.explanations.slice(1)) answer(explanationOf(asked.cell))
    await settled()
    expect(lesson.explanation).toEqual(first)
  })
})

describe('walking', () => {
  test('a stop is a step of the browser’s history, the rest is not', async () => {
    const { lesson, visits } = await ready()
    lesson.goTo(3)
    lesson.change({ causal: true })
    lesson.goTo(3)
    lesson.goTo(11)
    lesson.goTo(-1)
    expect(visits).toEqual([['?lang=zh&stop=3', 'push'], ['?lang=zh&causal=1&stop=3', 'replace']])
  })

  test('the pinned pair becomes the same pair at the next stop', async () => {
    const { lesson } = await ready('?stop=3&pin=raw_scores.1.6.4')
    lesson.goTo(4)
    expect(lesson.state.pin).toEqual({ tensor: 'scaled_scores', index: [1, 6, 4] })
    lesson.goTo(6)
    expect(lesson.state.pin).toEqual({ tensor: 'weights', index: [1, 6, 4] })
  })

  test('a projected number is the same number once it is split', async () => {
    const { lesson } = await ready('?stop=1&pin=k.6.5')
    lesson.goTo(2)
    expect(lesson.state.pin).toEqual({ tensor: 'k_heads', index: [1, 6, 1] })
    expect(lesson.role).toBe('k')
  })

  test('another head keeps the pair', async () => {
    const { lesson } = await ready('?stop=6&pin=weights.0.6.4')
    lesson.chooseHead(1)
    expect(lesson.state).toMatchObject({ head: 1, pin: { tensor: 'weights', index: [1, 6, 4] } })
    lesson.chooseHead(2)
    expect(lesson.state.head).toBe(1)
  })

  test('an operand is followed to where it can be seen', async () => {
    const { lesson, visits } = await ready('?stop=3&pin=raw_scores.0.6.4')
    lesson.follow({ tensor: 'v', index: [2, 3] })
    expect(lesson.state).toMatchObject({ stop: 1, pin: { tensor: 'v', index: [2, 3] } })
    expect(lesson.role).toBe('v')
    expect(visits.at(-1)![1]).toBe('push')
    lesson.follow({ tensor: 'x', index: [2, 3] })
    expect(lesson.state.stop).toBe(1)
    expect(visits.at(-1)![1]).toBe('replace')
  })

  test('contributions are asked for at stop 9, for the heads on the screen', async () => {
    const { core, lesson, pass } = await ready('?dModel=40&heads=20')
    expect(core.parts).toHaveLength(0)
    lesson.goTo(9)
    expect(core.parts[0]!.asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    lesson.chooseHead(17)
    expect(core.parts[1]!.asked).toEqual([16, 17, 18, 19])
    const view = { shape: [4, 11, 40] } as unknown as TensorView
    core.parts[1]!.answer(view)
    await settled()
    expect(lesson.contributions).toEqual({ pass, first: 16, view })
  })

  test('contributions of the heads on the screen are asked for with the pass they are shown with', async () => {
    const { core, lesson } = await ready('?dModel=48&heads=4&stop=6')
    lesson.change({ heads: 3 })
    lesson.goTo(9)
    lesson.change({ heads: 24, head: 10 })
    expect(core.contributing).toEqual([[], [], [8, 9, 10, 11, 12, 13, 14, 15]])
  })

  test('heads looked up and left again before an answer: those on the screen stay', async () => {
    const { core, lesson, pass } = await ready('?dModel=40&heads=20')
    lesson.goTo(9)
    const view = { shape: [8, 11, 40] } as unknown as TensorView
    core.parts[0]!.answer(view)
    await settled()
    lesson.chooseHead(17)
    lesson.chooseHead(0)
    for (const { answer } of core.parts.slice(1)) answer({ shape: [4, 11, 40] } as unknown as TensorView)
    await settled()
    expect(lesson.contributions).toEqual({ pass, first: 0, view })
  })

  test('switching heads off and on changes no colour scale, another seed does', async () => {
    const { core, lesson } = await begin('?stop=9&dModel=12&heads=3')
    const parts = (reach: number): TensorView => ({ name: 'contributions', shape: [1, 1, 1], offset: 0, data: Float32Array.of(reach) }) as unknown as TensorView
    const answer = async (reach: number): Promise<number> => {
      core.passes.at(-1)!.answer(await passOf(core.passes.at(-1)!.asked))
      await settled()
      core.parts.at(-1)!.answer(parts(reach))
      await settled()
      return domainOf(lesson.pass!, 'output', lesson.contributions!.view).limit
    }
    expect(await answer(70)).toBe(80)
    for (const head of [1, 0, 1, 2]) {
      lesson.toggleHead(head)
      expect(await answer(1), `with ${lesson.state.out.join(' and ')} out`).toBe(80)
    }
    lesson.change({ seed: 2 })
    expect(await answer(1)).toBeLessThan(10)
  })

  test('back in the browser shows the projection of the pinned cell', async () => {
    const { lesson } = await ready('?stop=1&pin=q.1.2')
    lesson.role = 'v'
    lesson.arrive(readAddress('?stop=1&pin=k.1.2'))
    expect(lesson.role).toBe('k')
  })

  test('settled once everything asked for is there, or has failed', async () => {
    const { core, lesson } = await begin('?stop=9&pin=output.1.2')
    let settledAt = ''
    void lesson.settled().then(() => (settledAt = 'everything'))
    core.passes[0]!.answer(await passOf(core.passes[0]!.asked))
    await settled()
    core.explanations[0]!.answer(explanationOf(core.explanations[0]!.asked.cell))
    await settled()
    expect(settledAt).toBe('')
    core.parts[0]!.refuse(new CoreError({ status: 'crashed' }))
    await settled()
    expect(settledAt).toBe('everything')
    expect(lesson.failure?.status).toBe('crashed')
  })

  test('back in the browser brings back everything', async () => {
    const { core, lesson } = await ready('?seed=1')
    lesson.arrive(readAddress('?seed=5&stop=99'))
    expect(lesson.state.seed).toBe(5)
    expect(lesson.refusals.map(({ key }) => key)).toEqual(['stop'])
    expect(core.passes[1]!.asked.seed).toBe(5)
    lesson.forgetRefusals()
    expect(lesson.refusals).toEqual([])
  })

  test('heads go off and on', async () => {
    const { core, lesson } = await ready()
    lesson.toggleHead(1)
    lesson.toggleHead(0)
    expect(lesson.state.out).toEqual([0, 1])
    expect(core.passes.at(-1)!.asked.headGate).toEqual([0, 0])
    lesson.toggleHead(1)
    expect(lesson.state.out).toEqual([0])
  })
})

describe('trained numbers', () => {
  const about = { vocabulary: '\n小明\n吃饱', seed: '3', steps: '1500' }
  const first = { dModel: 8, heads: 2, weights: 'trained' }

  async function started(search = '', sizes = [{ dModel: 8, heads: 2 }, { dModel: 512, heads: 8 }]) {
    const begun = await begin(search, (core) => (core.trainedSizes = sizes))
    await settled()
    return begun
  }
  type Begun = Awaited<ReturnType<typeof started>>
  const answerLast = async ({ core }: Begun): Promise<void> => {
    const { asked, answer } = core.passes.at(-1)!
    answer(await passOf(asked))
    await settled()
  }
  const fetched = async ({ core }: Begun): Promise<void> => {
    core.models.at(-1)!.answer(about)
    await settled()
  }

  test('are the first ones, where a model of the size is shipped', async () => {
    const begun = await started()
    expect(begun.core.models.map(({ asked }) => asked)).toEqual(['8x2'])
    expect(begun.core.passes).toEqual([])
    await fetched(begun)
    expect(begun.core.passes[0]!.asked).toMatchObject(first)
    await answerLast(begun)
    expect([begun.lesson.fallback, begun.lesson.busy, begun.lesson.learned]).toEqual([undefined, false, about])
  })

  test.each([
    ['?dModel=12', { reason: 'size' }],
    ['?positions=0', { reason: 'positions' }],
  ])('%s: seeded at once, and why', async (search, fallback) => {
    const begun = await started(search)
    expect(begun.core.models).toEqual([])
    expect(begun.core.passes[0]!.asked.weights).toBe('seeded')
    await answerLast(begun)
    expect(begun.lesson.fallback).toEqual(fallback)
    begun.lesson.change({ dModel: 8, positions: true })
    await fetched(begun)
    await answerLast(begun)
    expect([begun.lesson.pass!.request.weights, begun.lesson.fallback]).toEqual(['trained', undefined])
  })

  test('a wish for seeded ones is no fallback', async () => {
    const begun = await started('?weights=seeded')
    await answerLast(begun)
    expect([begun.core.models.length, begun.lesson.fallback]).toEqual([0, undefined])
  })

  test.each([
    [{ status: 'unknown_word', index: [1, 3] }, { reason: 'words', places: [1, 3] }],
    [{ status: 'too_many_words' }, { reason: 'length' }],
    [{ status: 'bad_model' }, { reason: 'load' }],
    [{ status: 'load_failed' }, { reason: 'load' }],
  ] as const)('what the model refuses is computed from the seed: %j', async (failure, fallback) => {
    const begun = await started()
    await fetched(begun)
    begun.core.passes[0]!.refuse(new CoreError({ ...failure, ...('index' in failure && { index: [...failure.index] }) } as never))
    await settled()
    expect(begun.core.passes[1]!.asked.weights).toBe('seeded')
    await answerLast(begun)
    expect([begun.lesson.fallback, begun.lesson.failure, begun.lesson.state.weights]).toEqual([fallback, undefined, 'trained'])
  })

  test('a file that does not come can be asked for again', async () => {
    const begun = await started()
    begun.core.models[0]!.refuse(new CoreError({ status: 'load_failed' }))
    await settled()
    await answerLast(begun)
    expect(begun.lesson.fallback).toEqual({ reason: 'load' })
    begun.lesson.retry()
    await fetched(begun)
    await answerLast(begun)
    expect([begun.core.models.length, begun.lesson.fallback]).toEqual([2, undefined])
  })

  describe('a run of this page', () => {
    const run = (seed = '7'): ArrayBuffer => trainedFile({ dModel: 16, heads: 4, changes: { seed } }).file

    test('is walked at its own size, as training sees it, in a step that Back undoes; a second one replaces it', async () => {
      const begun = await started('?chapter=training&weights=seeded&causal=1&out=0')
      const { core, lesson, visits } = begun
      for (const seed of ['7', '8']) {
        lesson.walkRun(run(seed))
        await settled()
        expect(core.passes.at(-1)!.asked).toMatchObject({ weights: 'run', dModel: 16, heads: 4, causal: false })
        await answerLast(begun)
        expect([lesson.run!.about.seed, lesson.state.chapter, lesson.fallback]).toEqual([seed, 'steps', undefined])
      }
      expect([core.passes.length, core.models.length, visits.at(-1)![1]]).toEqual([3, 0, 'push'])
      expect(visits.at(-1)![0]).toContain('weights=run')
      expect(() => lesson.walkRun(new ArrayBuffer(3))).toThrow(CoreError)
      expect(lesson.run!.about.seed).toBe('8')
    })

    test('that a link names and nobody has: trained ones, said', async () => {
      const begun = await started('?weights=run')
      await fetched(begun)
      expect(begun.core.passes[0]!.asked).toMatchObject(first)
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.state.weights]).toEqual([{ reason: 'run' }, 'run'])
    })

    test('and no trained one of that size: seeded ones, said', async () => {
      const begun = await started('?weights=run&dModel=12')
      expect(begun.core.passes[0]!.asked.weights).toBe('seeded')
      await answerLast(begun)
      expect(begun.lesson.fallback).toEqual({ reason: 'run' })
    })

    test.each([
      [{ dModel: 8, heads: 2 }, { dModel: 16, heads: 4 }, 'size'],
      [{ positions: false }, { positions: true }, 'positions'],
    ])('%j does not fit it: said, and back', async (change, back, reason) => {
      const begun = await started('?weights=seeded')
      begun.lesson.walkRun(run())
      begun.lesson.change(change)
      await settled()
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.pass!.request.weights]).toEqual([{ reason }, 'seeded'])
      begun.lesson.change(back)
      await settled()
      expect(begun.core.passes.at(-1)!.asked.weights).toBe('run')
    })

    test.each([
      [{ status: 'unknown_word', index: [1] }, { reason: 'words', places: [1] }],
      [{ status: 'too_many_words' }, { reason: 'length' }],
      [{ status: 'bad_model' }, { reason: 'run' }],
    ] as const)('what it refuses is computed from the seed: %j', async (failure, fallback) => {
      const begun = await started('?weights=seeded')
      begun.lesson.walkRun(run())
      await settled()
      begun.core.passes.at(-1)!.refuse(new CoreError({ ...failure, ...('index' in failure && { index: [...failure.index] }) } as never))
      await settled()
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.pass!.request.weights]).toEqual([fallback, 'seeded'])
    })
  })

  test('any other failure is one', async () => {
    const begun = await started()
    await fetched(begun)
    begun.core.passes[0]!.refuse(new CoreError({ status: 'out_of_memory' }))
    await settled()
    expect([begun.core.passes.length, begun.lesson.failure?.status]).toEqual([1, 'out_of_memory'])
  })

  describe('a large model', () => {
    async function waiting() {
      const begun = await started()
      await fetched(begun)
      await answerLast(begun)
      const before = begun.lesson.pass
      begun.lesson.change({ dModel: 512, heads: 8 })
      await settled()
      begun.core.models[1]!.progress!(10, 40)
      return { ...begun, before }
    }

    test('keeps the figure before it, and tells how far it is', async () => {
      const begun = await waiting()
      expect([begun.lesson.pass, begun.lesson.loading, begun.core.passes.length]).toEqual([begun.before, { dModel: 512, heads: 8, done: 10, total: 40 }, 1])
      await fetched(begun)
      await answerLast(begun)
      expect([begun.lesson.loading, begun.lesson.pass!.request.dModel, begun.lesson.pass!.request.weights]).toEqual([undefined, 512, 'trained'])
    })

    test('seeded numbers stand in for whoever would rather not wait, after a change as well', async () => {
      const begun = await waiting()
      begun.lesson.meanwhile()
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.busy, begun.lesson.loading]).toEqual([{ reason: 'meanwhile' }, false, { dModel: 512, heads: 8, done: 10, total: 40 }])
      begun.lesson.change({ causal: true })
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.pass!.request.causal]).toEqual([{ reason: 'meanwhile' }, true])
      await fetched(begun)
      await answerLast(begun)
      expect([begun.lesson.fallback, begun.lesson.pass!.request.weights]).toEqual([undefined, 'trained'])
    })

    test('is not waited for where nothing is on show yet', async () => {
      const begun = await started('?dModel=512&heads=8')
      expect(begun.core.passes[0]!.asked.weights).toBe('seeded')
    })

    test('that is no longer wanted is taken back', async () => {
      const begun = await waiting()
      begun.lesson.change({ dModel: 8, heads: 2 })
      await settled()
      await expect(begun.core.models[1]!.given).rejects.toBeInstanceOf(Superseded)
      expect(begun.lesson.loading).toBeUndefined()
    })
  })
})
