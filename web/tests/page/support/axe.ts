// Accessibility rules that a machine can check, asked of the page as it stands.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'vitest'
import type { Lesson } from './lesson'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Axe {
  run(context: Document): Promise<{ violations: { id: string; help: string; nodes: { target: unknown; failureSummary?: string }[] }[]; passes: unknown[] }>
}

/** One line per violation; empty if there is none. */
export async function violations(lesson: Lesson, where: string): Promise<string[]> {
  await lesson.page.run(axe)
  const { violations: found, passes } = await lesson.page.evaluate(async () => {
    const result = await (window as unknown as { axe: Axe }).axe.run(document)
    return {
      passes: result.passes.length,
      violations: result.violations.flatMap(({ id: rule, help, nodes }) =>
        nodes.slice(0, 3).map(({ target, failureSummary }) => `${rule} (${help}) at ${String(target)}: ${failureSummary ?? ''}`),
      ),
    }
  })
  expect(passes, 'axe looked at something').toBeGreaterThan(10)
  return found.map((one) => `${where}: ${one}`)
}
