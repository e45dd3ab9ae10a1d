// How long the reader waits: h dragged over its divisors at 512 wide with the lesson's sentence, from input to paint; the longest
// task of the page meanwhile; and the frames of every movement at 1440 wide. Numbers in ms, on this machine, now.
//   node bench/main_thread.mjs [address of a served page]; CHROMIUM names the browser, STOPS where h is dragged
import { chromium } from 'playwright-core'

const address = process.argv[2] ?? 'http://localhost:8008/'
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()

const stops = (process.env.STOPS ?? '1,3,6,9').split(',').map(Number)
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN
const said = (values) => `median ${quantile(values, 0.5).toFixed(1)}, p95 ${quantile(values, 0.95).toFixed(1)}, most ${Math.max(...values).toFixed(1)} (${values.length})`

async function open(search) {
  await page.goto(address + search)
  await page.waitForSelector('main[data-ready=true]')
  await page.evaluate(() => document.fonts.ready)
  // Kernels are primed after the first pass, and the engine compiles the rest of them better meanwhile.
  await page.waitForTimeout(1500)
}

/** From an input event of the slider to the frame after the one in which its numbers stand on the page. */
async function dragging(stop) {
  await open(`?lang=zh&dModel=512&heads=8&stop=${stop}`)
  await page.click('[data-testid="settings"]')
  await page.waitForTimeout(300)
  return page.evaluate(async () => {
    const slider = document.querySelector('[data-testid="h-slider"]')
    const last = Number(slider.max)
    const longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ['longtask'] })
    const main = document.querySelector('main')
    const shown = () => window.eightMeetings.pass.shape.heads === window.eightMeetings.state.heads && main.dataset.ready === 'true'
    // Seen at once when the page writes them; then the frame that shows them, to the end of its painting.
    const written = () => new Promise((done) => {
      const observer = new MutationObserver(() => {
        if (!shown()) return
        observer.disconnect()
        done()
      })
      observer.observe(main, { attributes: true, childList: true, characterData: true, subtree: true })
    })
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
    const waits = []
    const handlers = []
    for (let i = 0; i < 90; i += 1) {
      const place = i % (2 * last)
      slider.value = String(place <= last ? place : 2 * last - place)
      const start = performance.now()
      const there = written()
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      handlers.push(performance.now() - start)
      await there
      await painted()
      waits.push(performance.now() - start)
      await new Promise((done) => setTimeout(done, 20))
    }
    return { waits, handlers, longTasks }
  })
}

/** What each frame of one movement costs the main thread, from the change of the place to the end of layout. */
async function moving(stop, size) {
  await open(`?lang=zh&${size}&stop=${stop}&predict=0`)
  return page.evaluate(async () => {
    const main = document.querySelector('main')
    const nav = document.querySelector('nav.track')
    const { left, top, width } = nav.getBoundingClientRect()
    const from = Number(main.dataset.place)
    const at = (place) => left + ((place + 0.5) / 11) * width
    const send = (type, place) => nav.dispatchEvent(new PointerEvent(type, { clientX: at(place), clientY: top + 20, button: 0, buttons: 1, isPrimary: true, pointerId: 1, bubbles: true }))
    nav.setPointerCapture = () => undefined
    send('pointerdown', from)
    const frames = []
    for (let t = 0.02; t < 0.99; t += 0.02) {
      await new Promise((done) => requestAnimationFrame(done))
      const start = performance.now()
      send('pointermove', from + t)
      await Promise.resolve()
      void document.body.offsetHeight
      frames.push(performance.now() - start)
    }
    const reached = Number(main.dataset.place)
    send('pointerup', from)
    if (Math.abs(reached - from - 0.98) > 0.02) throw new Error(`the hand did not pull the walk: it is at ${reached}`)
    return frames
  })
}

for (const stop of stops) {
  const { waits, handlers, longTasks } = await dragging(stop)
  console.log(`h dragged at 512, stop ${stop}: input to paint ${said(waits)}; handler ${said(handlers)}; tasks over 50 ms: ${longTasks.length > 0 ? said(longTasks) : 'none'}`)
}
for (const [name, size] of [['8 = 2 × 4', 'dModel=8&heads=2'], ['512 = 8 × 64', 'dModel=512&heads=8']]) {
  for (let stop = 0; stop < 10; stop += 1) console.log(`${name}, frames from stop ${stop} to ${stop + 1}: ${said(await moving(stop, size))}`)
}
await browser.close()
