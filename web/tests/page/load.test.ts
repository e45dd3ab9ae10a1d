// What a first visit costs: only what it needs, from nowhere else, small enough for a slow connection.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Stand } from './support/lesson'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

test('a first visit takes at most 250 kB, gzipped and without fonts', async () => {
  const lesson = await stand.open('?weights=trained')
  await lesson.visitAsIs('?stop=9&pin=output.1.2')
  await lesson.haveFolds()
  const files = [...new Set(lesson.page.requests)].map((address) => new URL(address).pathname)
  const sizes = new Map<string, number>()
  for (const file of files) {
    if (file.endsWith('.woff2')) continue
    const body = await lesson.page.evaluate((path) => fetch(path).then(async (answer) => [...new Uint8Array(await answer.arrayBuffer())]), file)
    sizes.set(file, gzipSync(Uint8Array.from(body)).length)
  }
  expect([...sizes.keys()].filter((file) => file.endsWith('.wasm')), 'one build').toHaveLength(1)
  expect(files.filter((file) => /golden|safetensors/.test(file) && !/\/8x2[^/]*$/.test(file)), 'nothing of the check, and the small model alone').toEqual([])
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  console.log(`first visit: ${(total / 1000).toFixed(0)} kB in ${sizes.size} files`)
  expect(total).toBeGreaterThan(50_000)
  expect(total).toBeLessThanOrEqual(250_000)
  await lesson.close()
})
