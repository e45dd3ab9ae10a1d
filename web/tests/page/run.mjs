// npm run test:page [-- --quick] [files and options of vitest]: --quick is the smoke subset.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const rest = process.argv.slice(2).filter((word) => word !== '--quick')
const quick = rest.length < process.argv.length - 2 || process.env.QUICK === '1'
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const telling = process.env.ENGINE === 'firefox' ? ['walker', 'motion', 'state', 'keyboard'] : ['walker', 'explanations', 'axe']
const smoke = quick && rest.length === 0 ? telling.map((name) => `tests/page/${name}.test.ts`) : []

const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'page', ...smoke, ...rest], {
  stdio: 'inherit',
  env: { ...process.env, ...(quick && { QUICK: '1' }) },
})
process.exit(status ?? 1)
