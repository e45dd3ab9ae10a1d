// The training chapter with its real numbers: trained by the core in the browser while the test looks.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixed } from '../../src/model/format'
import { violations } from './support/axe'
import { type Lesson, Stand, test as id } from './support/lesson'
import { readTables } from './support/tables'

let stand: Stand
beforeAll(async () => (stand = await Stand.raise()))
afterAll(() => stand.fall())

async function open(search: string): Promise<Lesson> {
  const lesson = await stand.open('')
  await lesson.page.goto(`${stand.site.address}${search}&chapter=training`)
  await lesson.page.waitUntil('the chapter is there', (main) => document.querySelector<HTMLElement>(main)?.dataset.chapter === 'training', id('main'))
  return lesson
}

const stateIs = (lesson: Lesson, state: string): Promise<void> =>
  lesson.page.waitUntil(`it is ${state}`, ([main, wanted]) => document.querySelector<HTMLElement>(main)?.dataset.state === wanted, [id('main'), state] as const)

const stepOf = async (lesson: Lesson): Promise<number> => Number((await lesson.text(`${id('run-position')} b`)).replace(/\D/g, ''))

/** In strides, so that a slow machine has time for each of them. */
async function reaches(lesson: Lesson, step: number): Promise<void> {
  for (let least = Math.min(step, 25); ; least = Math.min(step, least + 25)) {
    await lesson.page.waitUntil(
      `step ${least}`,
      ([position, wanted]) => Number(document.querySelector(`${position} b`)?.textContent?.replace(/\D/g, '')) >= Number(wanted),
      [id('run-position'), String(least)] as const,
    )
    if (least === step) return
  }
}

test.each(['zh', 'en'])('press play: the loss falls, jobs settle on heads, and every number on show is one (%s)', async (lang) => {
  const lesson = await open(`?lang=${lang}`)
  await lesson.page.click(id('play'))
  await stateIs(lesson, 'running')
  await reaches(lesson, 250)
  await lesson.page.click(id('play'))
  await stateIs(lesson, 'paused')
  const { owners, shown } = await lesson.page.evaluate(() => ({
    owners: document.querySelectorAll('[data-testid="role-matrix"] [data-state="owner"], [data-testid="role-matrix"] [data-state="shared"]').length,
    shown: document.querySelector('main')?.innerText ?? '',
  }))
  expect(owners, 'cells of the matrix with a job').toBeGreaterThan(0)
  expect(shown).not.toMatch(/NaN|Infinity|undefined|∞/)
  expect(await violations(lesson, 'while it rests')).toEqual([])
  const rest = await stepOf(lesson)
  await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 400)))
  expect(await stepOf(lesson)).toBe(rest)
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('the settings of the runs are in the link: they open as they were, Back leads to the runs before, and what is refused is named', async () => {
  const lesson = await open('?lang=en&task=four-jobs&width=16&rate=0.01&batch=16&residual=1&runSeed=7&runHeads=2-4-8-16')
  const { page } = lesson
  await page.click(`${id('training-settings')} summary`)
  const chosen = (): Promise<string[]> =>
    page.evaluate((fields) => fields.map((field) => document.querySelector<HTMLSelectElement | HTMLInputElement>(field)?.value ?? ''), ['task', 'width', 'rate', 'batch', 'seed', 'heads'].map((field) => id(`training-${field}`)))
  expect(await chosen()).toEqual(['four-jobs', '16', '0.01', '16', '7', '2-4-8-16'])
  await page.click(id('run-step'))
  await reaches(lesson, 1)
  expect(await page.evaluate((chart) => [...document.querySelectorAll<HTMLElement>(`${chart} [data-manner]`)].map(({ dataset }) => `${dataset.heads} ${dataset.manner}`).sort(), id('loss-chart'))).toEqual(['16 3', '2 0', '4 1', '8 2'])
  await page.click(`${id('maps')} summary`)
  await page.waitUntil('letters of its own', (which) => document.querySelector(which)?.textContent?.includes('letters of its own') === true, id('unknown-words'))

  await page.evaluate((which) => {
    const select = document.querySelector<HTMLSelectElement>(which)!
    select.value = '8'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }, id('training-width'))
  await stateIs(lesson, 'idle')
  await lesson.addressSays('width', '8')
  expect(await chosen()).toEqual(['four-jobs', '8', '0.01', '16', '7', '1-2-4-8'])
  expect(await page.evaluate((which) => document.querySelector<HTMLOptionElement>(`${which} option[value="2-4-8-16"]`)?.disabled, id('training-heads'))).toBe(true)
  await page.back()
  await lesson.addressSays('width', '16')
  expect(await chosen()).toEqual(['four-jobs', '16', '0.01', '16', '7', '2-4-8-16'])
  await lesson.close()

  const refused = await open('?lang=en&width=8&runHeads=2-4-8-16&rate=7')
  expect(await refused.text(id('refusals'))).toMatch(/rate=7[\s\S]*runHeads=2-4-8-16/)
  expect(refused.page.complaints).toEqual([])
  await refused.close()
})

test('sixteen heads: their maps come by eight, with the words they are about; on a phone numbers stand for the words', async () => {
  const lesson = await open('?lang=en&runHeads=2-4-8-16')
  const { page } = lesson
  await page.click(id('model-16'))
  await page.click(id('run-step'))
  await reaches(lesson, 1)
  await page.click(`${id('maps')} summary`)
  const maps = (): Promise<{ heads: string[]; labels: string[] }> =>
    page.evaluate((which) => {
      const maps = [...document.querySelectorAll<HTMLElement>(which)]
      return { heads: maps.map(({ dataset }) => dataset.head ?? ''), labels: [...(maps[0]?.querySelectorAll('.labels.top .label') ?? [])].map((label) => label.textContent ?? '') }
    }, id('map-of-head'))
  await page.waitUntil('eight maps', (which) => document.querySelectorAll(which).length === 8, id('map-of-head'))
  expect(await maps()).toEqual({ heads: ['0', '1', '2', '3', '4', '5', '6', '7'], labels: ['Tom', 'passed', 'the', 'cake', 'to', 'Lily', 'because', 'she', 'was', 'no', 'longer', 'hungry', '.'] })
  await page.click(`${id('maps')} ${id('heads-after')}`)
  expect((await maps()).heads).toEqual(['8', '9', '10', '11', '12', '13', '14', '15'])
  await page.resize(390, 844)
  await page.waitUntil('numbers', (which) => document.querySelector(`${which} .labels.top .label`)?.textContent === '1', id('map-of-head'))
  expect(await violations(lesson, 'sixteen heads on a phone')).toEqual([])
  expect(page.complaints).toEqual([])
  await lesson.close()
})

test('a run is saved to a file, goes on from it alone, and a bad file changes nothing', async () => {
  const lesson = await open('?lang=en&width=16&batch=16')
  const { page } = lesson
  await page.click(id('model-4'))
  for (let step = 1; step <= 3; step += 1) {
    await page.click(id('run-step'))
    await reaches(lesson, step)
  }
  await page.click(`${id('run-file')} summary`)
  const { name, base64 } = await page.download(id('run-save'))
  expect(name).toBe('run-relation-16x4-seed1-3.safetensors')
  const matrix = (): Promise<string> => lesson.text(id('role-matrix'))
  const choose = (data: string): Promise<void> =>
    page.evaluate(
      ([which, content]) => {
        const files = new DataTransfer()
        files.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], 'mine.safetensors'))
        const input = document.querySelector<HTMLInputElement>(which)!
        input.files = files.files
        input.dispatchEvent(new Event('change', { bubbles: true }))
      },
      [id('run-resume'), data] as const,
    )
  await page.click(id('run-step'))
  await reaches(lesson, 4)
  const fourth = await matrix()

  await choose(base64.slice(0, 400))
  await page.waitUntil('it is refused', (which) => document.querySelector(which)?.textContent?.includes('no model saved by this page') === true, id('file-problem'))
  expect(await stepOf(lesson)).toBe(4)
  expect(await matrix()).toBe(fourth)

  await choose(base64)
  await page.waitUntil('it is there', (which) => document.querySelector(which)?.textContent?.includes('mine.safetensors') === true, id('file-said'))
  await page.waitUntil('at its step', (position) => document.querySelector(`${position} b`)?.textContent === 'Step 3', id('run-position'))
  expect(await page.evaluate((which) => document.querySelectorAll(which).length, '[data-testid^="model-"]')).toBe(1)
  await page.click(id('run-step'))
  await reaches(lesson, 4)
  // The small lines in the cells are no text: only numbers are compared.
  expect(await matrix()).toBe(fourth)
  expect(await violations(lesson, 'a run from a file')).toEqual([])
  await page.click(id('run-reset'))
  await stateIs(lesson, 'idle')
  expect(await page.evaluate((which) => document.querySelectorAll(which).length, '[data-testid^="model-"]')).toBe(4)
  expect(page.complaints).toEqual([])
  await lesson.close()
})

test('step by step, from the start again, with any seed: the same seed gives the same run', async () => {
  const lesson = await open('?lang=en')
  const matrix = (): Promise<string> => lesson.text(id('role-matrix'))
  const walk = async (): Promise<string> => {
    for (let step = 1; step <= 3; step += 1) {
      await lesson.page.click(id('run-step'))
      await reaches(lesson, step)
    }
    return matrix()
  }
  const first = await walk()
  await lesson.page.click(id('run-reset'))
  await stateIs(lesson, 'idle')
  expect(await walk()).toBe(first)
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('far too large a learning rate: runs stop and say so, nothing hangs, no NaN', async () => {
  const lesson = await open('?lang=en')
  await lesson.page.click(`${id('training-settings')} summary`)
  for (const [field, value] of [['training-rate', '10'], ['training-width', '8'], ['training-batch', '1']]) {
    await lesson.page.evaluate(
      ([which, wanted]) => {
        const select = document.querySelector<HTMLSelectElement>(which!)!
        select.value = wanted!
        select.dispatchEvent(new Event('change', { bubbles: true }))
      },
      [id(field!), value!],
    )
  }
  await lesson.page.click(id('play'))
  await reaches(lesson, 100)
  expect(await lesson.page.evaluate(() => document.querySelector('main')?.innerText ?? '')).not.toMatch(/NaN|Infinity|undefined|∞/)
  await lesson.page.click(id('run-reset'))
  await stateIs(lesson, 'idle')
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('a sentence with a word that was not learned is named, and another one stands in', async () => {
  const lesson = await open(`?lang=zh&sentence=${encodeURIComponent('小明|把|灯泡|递给|小红')}`)
  await lesson.page.click(id('run-step'))
  await reaches(lesson, 1)
  await lesson.page.click(`${id('maps')} summary`)
  await lesson.page.waitUntil('it says so', (which) => document.querySelector(which)?.textContent?.includes('灯泡') === true, id('unknown-words'))
  await lesson.close()
})

test('many seeds: it tells how far it is, can be stopped, says only numbers, and other settings forget it', async () => {
  const lesson = await open('?lang=en')
  const study = id('seed-study')
  const isIn = (state: string): Promise<void> =>
    lesson.page.waitUntil(`the study is ${state}`, ([which, wanted]) => document.querySelector<HTMLElement>(which)?.dataset.state === wanted, [study, state] as const)
  const choose = (field: string, value: string): Promise<void> =>
    lesson.page.evaluate(
      ([which, wanted]) => {
        const select = document.querySelector<HTMLSelectElement>(which)!
        select.value = wanted
        select.dispatchEvent(new Event('change', { bubbles: true }))
      },
      [id(field), value] as const,
    )
  for (const fold of ['training-settings', 'seeds']) await lesson.page.click(`${id(fold)} summary`)
  await choose('training-width', '8')
  await choose('training-batch', '1')
  await choose('study-length', '200')
  await lesson.page.click(id('study-run'))
  await isIn('running')
  await lesson.page.waitUntil('it says how far it is', (which) => /h = \d, seed \d+ of 20/.test(document.querySelector(which)?.textContent ?? ''), id('study-progress'))
  await lesson.page.waitUntil('every h has a row', (which) => document.querySelectorAll(`${which} tbody tr`).length === 4, id('study-losses'))
  await lesson.page.click(id('study-run'))
  await isIn('stopped')
  const shown = await lesson.text(study)
  expect(shown).not.toMatch(/NaN|Infinity|undefined|∞/)
  expect(shown).toMatch(/h = 8 in \d+ of \d+ seeds?/)
  const found = await lesson.text(id('study-owners'))
  await lesson.page.evaluate(() => new Promise((done) => setTimeout(done, 400)))
  expect(await lesson.text(id('study-owners'))).toBe(found)
  expect(await violations(lesson, 'with what was found')).toEqual([])
  await choose('training-width', '16')
  await isIn('idle')
  expect(lesson.page.complaints).toEqual([])
  await lesson.close()
})

test('a run is looked at in the walk: the same attention weights to the printed digits, and Back leads to the run', async () => {
  const lesson = await open('?lang=en&width=16&batch=16&predict=0')
  const { page } = lesson
  await page.click(id('model-4'))
  await page.click(id('play'))
  await reaches(lesson, 30)
  await page.click(id('play'))
  await stateIs(lesson, 'paused')
  // The last slice may still be on its way.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 1500)))
  const step = await stepOf(lesson)
  await page.click(`${id('maps')} summary`)
  await page.click(`${id('maps')} ${id('as-table')}`)
  const cells = (within: string): Promise<string[]> => page.evaluate((which) => [...document.querySelectorAll(`${which} tbody td`)].map((cell) => cell.textContent ?? ''), within)
  await page.waitUntil('the table is there', (which) => document.querySelectorAll(`${which} tbody td`).length > 0, id('maps'))
  const map = await cells(id('maps'))
  await page.click(id('walk-run'))
  await page.waitUntil('the chip says so', (which) => document.querySelector(which)?.textContent?.includes('Trained here') === true, id('provenance'))
  expect((await lesson.text(id('provenance'))).replace(/\s+/g, ' ')).toContain(`Trained here · seed 1 · ${step.toLocaleString('en')} step`)
  await lesson.click('provenance')
  expect(await lesson.text(id('here-only'))).toContain('neither a link nor a reload')
  expect(await violations(lesson, 'a run in the walk')).toEqual([])
  await page.evaluate(() => window.eightMeetings.set({ stop: 6, head: 0 }))
  await lesson.settled()
  const walked = (await readTables(page)).find(({ tensor, head }) => tensor === 'weights' && head === 0)!
  expect(map).toHaveLength(13 * 13)
  expect(walked.rows.flatMap((row) => row.cells.map(({ value }) => fixed(Number(value), 2)))).toEqual(map)
  await page.evaluate(() => history.back())
  await page.waitUntil('the chapter is there', (main) => document.querySelector<HTMLElement>(main)?.dataset.chapter === 'training', id('main'))
  expect(await stepOf(lesson)).toBe(step)
  expect(page.complaints).toEqual([])
  await lesson.close()
})
