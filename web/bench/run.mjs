// Runs bench.ts, which shares its browsers with the page's tests.
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const { module } = await runnerImport(fileURLToPath(new URL('./bench.ts', import.meta.url)))
await module.main(process.argv.slice(2)).catch((error) => {
  console.error(`bench: ${error.message}`)
  process.exitCode = 1
})
