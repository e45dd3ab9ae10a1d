// Pages that fit: nothing scrolls sideways but figures in themselves, nothing is too small to hit or to read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Lesson, Stand, lastStop, test as id } from './support/lesson'
import { readGrids, stand as standOn } from './support/maps'
import { query, lesson as lessonProblem } from './support/problem'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

const smallestTarget = 24
const smallestText = 12

/** What is wrong with the page as it stands, one line each. */
const faults = (lesson: Lesson, target: number, text: number): Promise<string[]> =>
  lesson.page.evaluate(
    ({ least, floor }) => {
      const found: string[] = []
      const root = document.scrollingElement!
      if (root.scrollWidth > root.clientWidth) {
        const inScroller = (element: Element): boolean => {
          for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement) {
            if (getComputedStyle(at).overflowX !== 'visible') return true
          }
          return false
        }
        const widest = [...document.querySelectorAll('body *')].filter(
          (element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !element.matches('.unseen, .unseen *') && !inScroller(element),
        )
        found.push(`the page is ${root.scrollWidth} wide in ${root.clientWidth}: ${widest.slice(0, 3).map((element) => element.outerHTML.slice(0, 90)).join(' ⋯ ')}`)
      }

      const shown = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.closest('.unseen') === null
      const nameOf = (element: Element): string => `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30)}”`
      for (const element of document.querySelectorAll('button, a[href], input, select, summary, [role="slider"]')) {
        // A radio button that is not seen is hit by its label; the skip link is there only while it has the focus.
        const hit = element.matches('.unseen') ? element.closest('label') : element
        if (hit === null || !shown(hit) || hit.matches('.skip')) continue
        const { width, height } = hit.getBoundingClientRect()
        if (Math.min(width, height) < least - 0.5) found.push(`${nameOf(element)} is ${width.toFixed(1)} × ${height.toFixed(1)}`)
      }

      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const parent = node.parentElement
        // What is lowered or raised belongs to the letter beside it.
        if (parent === null || (node.textContent ?? '').trim() === '' || !shown(parent) || parent.closest('sub, sup, script, style, noscript') !== null) continue
        const size = parseFloat(getComputedStyle(parent).fontSize)
        if (size < floor) found.push(`${size} px: “${(node.textContent ?? '').trim().slice(0, 30)}”`)
      }
      for (const canvas of document.querySelectorAll('canvas')) {
        const least = Math.min(...window.writtenOn(canvas).map(({ fontPx }) => fontPx))
        if (least < floor) found.push(`${least} px on a canvas`)
      }
      return found
    },
    { least: target, floor: text },
  )

/** The same page at every stop. */
async function everyStop(lesson: Lesson, check: (stop: number) => Promise<void>): Promise<void> {
  for (let stop = 0; stop <= lastStop; stop += 1) {
    if (stop > 0) {
      await lesson.page.evaluate((which) => document.querySelector<HTMLElement>(which)!.click(), id('next'))
      await lesson.settled()
    }
    await check(stop)
  }
}

const wordy = { ...lessonProblem('en'), tokens: ['Donaudampfschifffahrtsgs', '𠮷野家𠮷野家𠮷野家', 'the', 'the', '👩‍👧‍👦'], dModel: 12, heads: 3, padding: 1 }

describe.each(['zh', 'en'] as const)('%s', (lang) => {
  test.each([1440, 1024, 390, 320])('fits at every stop: %i wide', async (width) => {
    const lesson = await stand.open('', { width, height: width < 640 ? 844 : 900 })
    for (const [what, search] of [
      ['the lesson', `?lang=${lang}`],
      ['a pinned cell', `?lang=${lang}&causal=1&pin=output.6.4`],
      ['long words', query({ ...wordy, lang }, { pin: 'weights.1.0.1' })],
      // Wide models hardly have words: one language each.
      lang === 'zh' ? ['the article’s size', '?dModel=512&heads=8'] : ['many heads', '?lang=en&dModel=40&heads=20'],
    ] as const) {
      await lesson.visit(search)
      const found: string[] = []
      await everyStop(lesson, async (stop) => {
        found.push(...(await faults(lesson, smallestTarget, smallestText)).map((fault) => `stop ${stop}: ${fault}`))
      })
      expect([...new Set(found)].slice(0, 12), what).toEqual([])
    }
    expect(lesson.page.complaints).toEqual([])
    await lesson.close()
  })

  test('fits with everything open', async () => {
    const lesson = await stand.open()
    for (const width of [1440, 1024, 390, 320]) {
      await lesson.page.resize(width, 844)
      await lesson.visit(`?lang=${lang}&stop=9&pin=output.6.4&head=99&foo=1`)
      await lesson.click('settings')
      await lesson.page.fill(id('heads'), '3')
      await lesson.click('as-table')
      expect(await faults(lesson, smallestTarget, smallestText), `${width}`).toEqual([])
    }
    await lesson.close()
  })

  test('fits with a token being edited, and with the seed’s panel', async () => {
    const lesson = await stand.open()
    for (const width of [1440, 1024, 390, 320]) {
      await lesson.page.resize(width, 844)
      await lesson.visit(query({ ...wordy, lang, seed: 2 ** 32 - 1 }))
      await lesson.click(width < 640 ? 'settings' : 'edit')
      await lesson.clickOne(id('token'), 0)
      expect(await faults(lesson, smallestTarget, smallestText), `${width}, editor`).toEqual([])
      await lesson.click('provenance')
      expect(await faults(lesson, smallestTarget, smallestText), `${width}, seed`).toEqual([])
    }
    await lesson.close()
  })
})

// 小… says nothing: words over columns are whole where they lie flat, and titles are whole on their line.
test.each([['zh', 1440], ['zh', 1024], ['en', 1024], ['en', 1280], ['zh', 390]] as const)('no word is cut short: %s, %i wide', async (lang, width) => {
  const lesson = await stand.open('', { width, height: width < 640 ? 844 : 768 })
  for (const size of ['', '&dModel=512&heads=8']) {
    await lesson.visit(`?lang=${lang}${size}`)
    await everyStop(lesson, async (stop) => {
      const cut = await lesson.page.evaluate(() => {
        const words = [...document.querySelectorAll<HTMLElement>('.labels.top.flat .label, .labels.left .label')]
        const found = words.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).map(({ textContent }) => textContent)
        const title = document.querySelector('#page-title')!
        const written = document.createRange()
        written.selectNodeContents(title)
        return [...found, ...(written.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(title).lineHeight) ? [title.textContent] : [])]
      })
      expect(cut, `stop ${stop}${size}`).toEqual([])
    })
  }
  await lesson.close()
})

test.each([
  ['', 1440, 1, [], lastStop],
  ['dModel=512&heads=8', 1440, 2, [9], 2],
  ['dModel=512&heads=8', 1024, 1, [2, 9], 3],
  ['dModel=512&heads=8', 1920, 1, [9], 10],
] as const)('fewer pixels than numbers is said where it is so, and only there: “%s”, %i wide at %i', async (search, width, pixelRatio, surely, surelyNot) => {
  const lesson = await stand.open(`?${search}`, { width, pixelRatio })
  const said: number[] = []
  await everyStop(lesson, async (stop) => {
    const crowded = await lesson.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[data-testid="grid"]')].some((grid) => {
        const { width: across, height: down } = grid.querySelector('canvas')!
        return across < Number(grid.dataset.columns) || down < Number(grid.dataset.rows)
      }),
    )
    const says = await lesson.exists(id('binned'))
    if (says) said.push(stop)
    // Stops 1 and 8 have maps with narrow parts.
    if (crowded || (stop !== 1 && stop !== 8)) expect(says, `stop ${stop}`).toBe(crowded)
  })
  expect(said).toEqual(expect.arrayContaining([...surely]))
  expect(said).not.toContain(surelyNot)
  await lesson.close()
})

/** Where everything lies but what is drawn in the figure: its top and height on the page. */
const everythingBelow = (lesson: Lesson): Promise<string[]> =>
  lesson.page.evaluate((pointed) => {
    const fixed = [...document.querySelectorAll<HTMLElement>('main *')].filter(
      (element) => element.getClientRects().length > 0 && element.closest(`${pointed}, .stage, .unseen`) === null,
    )
    return fixed.map((element) => {
      const { top, height } = element.getBoundingClientRect()
      return `${element.tagName} ${element.className}: ${(top + scrollY).toFixed(1)} + ${height.toFixed(1)}`
    })
  }, id('pointed'))

// A press that moves its own target is no press: the pointer goes down on one thing and up on another.
test.each([['zh', 1440], ['en', 1280], ['en', 1024], ['en', 390]] as const)('pointing at numbers moves nothing: %s, %i wide', async (lang, width) => {
  const lesson = await stand.open('', { width, height: width < 640 ? 844 : 900 })
  for (const search of [`?lang=${lang}&pin=x.2.5`, query({ ...wordy, lang }, { pin: 'output.1.2' })]) {
    await lesson.visit(search)
    await everyStop(lesson, async (stop) => {
      await lesson.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      const before = await everythingBelow(lesson)
      for (const { order } of await readGrids(lesson.page)) {
        await standOn(lesson.page, order)
        await lesson.page.press('Control+End')
        expect(await lesson.text(id('pointed')), `stop ${stop}, map ${order}`).not.toBe('')
        expect(await everythingBelow(lesson), `stop ${stop}, map ${order}`).toEqual(before)
      }
    })
  }
  await lesson.close()
})

test('a page that gets narrower or wider is laid out anew', async () => {
  const lesson = await stand.open('?lang=en&stop=3')
  const strip = (): Promise<boolean> => lesson.exists(id('strip'))
  expect(await strip()).toBe(false)
  await lesson.page.resize(390, 844)
  await lesson.page.waitUntil('the row strip of a phone is there', (which) => document.querySelector(which) !== null, id('strip'))
  expect(await faults(lesson, smallestTarget, smallestText)).toEqual([])
  await lesson.page.resize(1440, 900)
  await lesson.page.waitUntil('it is gone again', (which) => document.querySelector(which) === null, id('strip'))
  expect(await faults(lesson, smallestTarget, smallestText)).toEqual([])
  await lesson.close()
})
