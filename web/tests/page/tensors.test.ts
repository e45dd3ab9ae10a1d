// Every tensor that the core hands to the page, for many problems one after another in one page: the numbers behind the
// pictures, and none left over from the problem before.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Lesson, Stand } from './support/lesson'
import { Findings, disagreement } from './support/numbers'
import { type Oracle, ask } from './support/oracle'
import { describeProblem, randomProblem } from './support/problem'
import { Random, runSeed } from './support/random'

const random = new Random('tensors')
console.log(`TEST_SEED=${runSeed}`)

let stand: Stand
let lesson: Lesson
beforeAll(async () => {
  stand = await Stand.raise()
  lesson = await stand.open()
})
afterAll(() => stand.fall())

interface Tensor {
  shape: number[]
  /** in the order of the indices, by the page's own strides */
  values: number[]
}

const readTensor = (name: string): Promise<Tensor | null> =>
  lesson.page.evaluate((which) => {
    const view = window.eightMeetings.pass!.tensor(which as 'x')
    if (view === undefined) return null
    const values: number[] = []
    const visit = (index: number[]): void => {
      if (index.length === view.shape.length) values.push(view.at(...index))
      else for (let i = 0; i < view.shape[index.length]!; i += 1) visit([...index, i])
    }
    visit([])
    return { shape: [...view.shape], values }
  }, name)

const names = [
  'token_vectors', 'positions', 'x', 'w_q', 'w_k', 'w_v', 'w_o', 'q', 'k', 'v', 'q_heads', 'k_heads', 'v_heads', 'raw_scores',
  'scaled_scores', 'masked_scores', 'weights', 'heads', 'concat', 'output',
]

function compare(name: string, { shape, values }: Tensor, oracle: Oracle, findings: Findings): void {
  findings.equal(`shape of ${name}`, shape, oracle.shape(name))
  values.forEach((value, place) => {
    const index = shape.map((_, axis) => Math.floor(place / shape.slice(axis + 1).reduce((a, b) => a * b, 1)) % shape[axis]!)
    findings.note(`${name}[${index.join(', ')}]`, disagreement(value, oracle.cell(name, index)))
  })
}

test.each(Array.from({ length: 30 }, (_, i) => randomProblem(random, { tokens: i % 5 === 0 ? 32 : 14, dModel: i % 5 === 0 ? 16 : 80, heads: 20 })))(
  'problem %#',
  async (problem) => {
    const oracle = await ask(problem)
    await lesson.changeTo(problem)
    expect(await lesson.page.evaluate(() => window.eightMeetings.pass!.request.seed)).toBe(problem.seed)
    const findings = new Findings()
    for (const name of names) {
      const tensor = await readTensor(name)
      if (tensor === null) findings.note(name, 'is missing')
      else compare(name, tensor, oracle, findings)
    }
    const dead = await lesson.page.evaluate(() => [...window.eightMeetings.pass!.maskedRows])
    findings.equal('masked rows', dead, problem.tokens.map(() => problem.padding === problem.tokens.length))
    findings.conclude(describeProblem(problem))
  },
)

test('nothing complained', () => expect(lesson.page.complaints).toEqual([]))
