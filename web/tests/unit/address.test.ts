// The address bar is written seldom enough for every browser: WebKit throws after 100 changes in 30 seconds.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Address } from '../../src/address'

let written: [method: string, address: string, atMs: number][]
let refusing = false

beforeEach(() => {
  vi.useFakeTimers()
  written = []
  refusing = false
  const write = (method: string) => (_: unknown, __: string, address: string): void => {
    if (refusing) throw new DOMException('SecurityError')
    written.push([method, address, performance.now()])
  }
  vi.stubGlobal('window', {
    location: { pathname: '/x/', search: '' },
    history: { replaceState: write('replace'), pushState: write('push') },
    addEventListener: () => {},
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a slider dragged for 30 seconds: fewer than 100 writes, and the last one is the last state', () => {
  const address = new Address()
  for (let event = 0; event < 1800; event += 1) {
    address.visit(`?d=${event}`, 'replace')
    vi.advanceTimersByTime(1000 / 60)
  }
  vi.advanceTimersByTime(1000)
  expect(written.length).toBeGreaterThan(50)
  expect(written.length).toBeLessThan(100)
  expect(written.at(-1)!.slice(0, 2)).toEqual(['replace', '/x/?d=1799'])
})

test('the first change is written at once; a step of the history waits for nothing and leaves nothing behind', () => {
  const address = new Address()
  address.visit('?a', 'replace')
  address.visit('?b', 'replace')
  address.visit('?c', 'push')
  vi.advanceTimersByTime(1000)
  expect(written.map(([method, to]) => `${method} ${to}`)).toEqual(['replace /x/?a', 'replace /x/?b', 'push /x/?c'])
})

test('a browser that refuses is asked again, until it takes what stands', () => {
  const address = new Address()
  refusing = true
  address.visit('?a', 'replace')
  address.visit('?b', 'replace')
  vi.advanceTimersByTime(2000)
  expect(written).toEqual([])
  refusing = false
  vi.advanceTimersByTime(60_000)
  expect(written.map(([, to]) => to)).toEqual(['/x/?b'])
})

test('a browser that always refuses is left alone', () => {
  const address = new Address()
  let asked = 0
  vi.stubGlobal('window', {
    location: { pathname: '/x/', search: '' },
    history: {
      replaceState: () => {
        asked += 1
        throw new DOMException('SecurityError')
      },
    },
  })
  address.visit('?a', 'replace')
  vi.advanceTimersByTime(600_000)
  expect(asked).toBe(4)
})
