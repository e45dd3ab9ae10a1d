// The four ways to write a step: each is there for every stop, cut from its file, and what cannot be shown fails the build.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import steps from 'virtual:same-step'
import { cutExcerpts, excerptOf, longestExcerpt } from '../../plugins/excerpts'
import { mathOf } from '../../plugins/math'
import { sameSteps } from '../../plugins/same_step'
import { pythonCell, pythonNames } from '../../src/components/same.svelte'
import { stopAt, stopNames } from '../../src/model/stops'

const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')

test('the walk has the stops that are written', () => expect(Object.keys(steps)).toEqual(stopNames))

describe.each(stopNames)('%s', (name) => {
  const step = steps[name]

  test('has all four ways', () => {
    for (const way of [step.formula, step.numpy, step.torch, step.reference]) expect(way.length).toBeGreaterThan(0)
    // Tokens are made by one function for everybody.
    expect(step.fast.length > 0).toBe(name !== 'tokens')
  })

  test('its formula is MathML without styles', () => {
    for (const line of step.formula) {
      expect(line).toMatch(/^<math\b.*<\/math>$/)
      expect(line).not.toMatch(/style=|class=|<merror|\\/)
    }
  })

  test('its code stands in the file at these lines', () => {
    for (const { file, first, last, text } of [...step.numpy, ...step.torch, ...step.reference, ...step.fast]) {
      const lines = read(file).split('\n').slice(first - 1, last)
      expect(text.split('\n').map((line) => line.trim())).toEqual(lines.map((line) => line.trim()))
      expect(lines.length).toBeLessThanOrEqual(longestExcerpt)
      expect(text).toMatch(/^\S/)
      expect(text).not.toContain('excerpt')
    }
  })

  test('its Python names what the stop is about', () => {
    for (const { text } of [step.numpy[0]!, step.torch[0]!]) {
      const named = stopAt(stopNames.indexOf(name)).shows.some((tensor) => new RegExp(`\\b${pythonNames[tensor]}\\b`).test(text))
      expect(named).toBe(true)
    }
  })
})

test('every name that Python is said to have is assigned in both files, or is a parameter', () => {
  for (const library of ['numpy', 'torch']) {
    const program = read(`web/src/chapters/steps/code/steps_${library}.py`)
    for (const name of Object.values(pythonNames)) expect(program, `${name} in ${library}`).toMatch(new RegExp(`^    ${name} =|^def walk\\(.*\\b${name}\\b`, 'm'))
  }
})

test('a cell as Python writes it', () => {
  expect(pythonCell({ tensor: 'raw_scores', index: [0, 6, 4] })).toBe('S[0, 6, 4]')
  expect(pythonCell({ tensor: 'output', index: [6, 4] })).toBe('Y[6, 4]')
  expect(pythonCell({ tensor: 'contributions', index: [1, 6, 4] })).toBe('C[1][6, 4]')
})

describe('excerpts', () => {
  const cut = (...lines: string[]) => cutExcerpts('file.cpp', lines.join('\n'))

  test('are cut with their places, without the indentation they share', () => {
    expect(cut('a', '  // --- excerpt: one', '    b', '', '      c', '  // --- end excerpt', '# --- excerpt: two', 'd', '# --- end excerpt')).toEqual(
      new Map([
        ['one', { file: 'file.cpp', first: 3, last: 5, text: 'b\n\n  c' }],
        ['two', { file: 'file.cpp', first: 8, last: 8, text: 'd' }],
      ]),
    )
  })

  const long = Array<string>(longestExcerpt + 1).fill('x')
  test.each([
    ['empty', ['// --- excerpt: a', '  ', '// --- end excerpt'], 'file.cpp:3: excerpt “a” is empty'],
    ['too long', ['// --- excerpt: a', ...long, '// --- end excerpt'], `“a” has ${longestExcerpt + 1} lines`],
    ['without an end', ['', '// --- excerpt: a', 'x'], 'file.cpp:2: excerpt “a” does not end'],
    ['within another', ['// --- excerpt: a', 'x', '// --- excerpt: b'], 'file.cpp:3: excerpt “b” begins inside “a”'],
    ['without a beginning', ['x', '// --- end excerpt'], 'file.cpp:2: an excerpt ends that did not begin'],
    ['twice', ['// --- excerpt: a', 'x', '// --- end excerpt', '// --- excerpt: a'], 'file.cpp:4: there are two excerpts “a”'],
    ['misspelt', ['// --- excerpt a', 'x'], 'file.cpp:1: not a mark of an excerpt'],
    ['misspelt at its end', ['// --- excerpt: a', 'x', '// --- end excerpt.'], 'file.cpp:3: not a mark of an excerpt'],
  ])('%s: refused', (_, lines, message) => expect(() => cut(...lines)).toThrow(message))

  test('one that is not there is named, with its file', () => {
    expect(() => excerptOf(new Map(), 'file.cpp', 'a')).toThrow('file.cpp has no excerpt “a”')
  })

  test.each(['src/mha/attention_reference.cpp', 'src/mha/gemm.cpp', 'web/src/chapters/steps/code/steps_torch.py', 'web/src/chapters/steps/code/formulas.tex'])(
    'a file that lost its marks fails the build: %s',
    (file) => {
      expect(() => sameSteps((path) => (path === file ? 'nothing' : read(path)))).toThrow(`${file} has no excerpt`)
    },
  )
})

test('what is no TeX is named', () => expect(() => mathOf('\\frac{1')).toThrow('not TeX: \\frac{1'))
