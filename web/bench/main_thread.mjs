// How long the reader waits, at 1440 wide: from navigation to the first numbers; from input to paint when h, a token or the stop
// changes; the longest tasks of the page meanwhile; and the frames of every movement. Numbers in ms, on this machine, now.
//   node bench/main_thread.mjs [address of a served page]; CHROMIUM names the browser, STOPS where h is dragged
import { chromium } from 'playwright-core'

const address = process.argv[2] ?? 'http://localhost:8008/'
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
const viewport = { width: 1440, height: 900 }
const page = await (await browser.newContext({ viewport })).newPage()

const stops = (process.env.STOPS ?? '1,3,6,9').split(',').map(Number)
const sizes = [['512 = 8 × 64', 'dModel=512&heads=8'], ['1024 = 16 × 64', 'dModel=1024&heads=16']]
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN
const said = (values) => `median ${quantile(values, 0.5).toFixed(1)}, p95 ${quantile(values, 0.95).toFixed(1)}, most ${Math.max(...values).toFixed(1)} (${values.length})`
const saidTasks = (tasks) => `tasks over 50 ms: ${tasks.length > 0 ? said(tasks) : 'none'}`

async function open(search, on = page) {
  await on.goto(address + search)
  await on.waitForSelector('main[data-ready=true]')
  await on.evaluate(() => document.fonts.ready)
  // Kernels are primed after the first pass, and the engine compiles the rest of them better meanwhile.
  await on.waitForTimeout(1500)
}

/** What the reader does to each: many times, back and forth. Runs in the page; returns what makes the next change. */
const changes = {
  h() {
    const slider = document.querySelector('[data-testid="h-slider"]')
    const last = Number(slider.max)
    let i = 0
    return () => {
      const place = i++ % (2 * last)
      slider.value = String(place <= last ? place : 2 * last - place)
      return () => slider.dispatchEvent(new Event('input', { bubbles: true }))
    }
  },
  token() {
    const field = document.querySelector('[data-testid="sentence"]')
    const tokens = window.eightMeetings.state.sentence
    let i = 0
    return () => {
      field.value = tokens.map((token, at) => (at === 3 ? `词${i}` : token)).join('|')
      i += 1
      field.dispatchEvent(new Event('input', { bubbles: true }))
      // Typing waits for whoever types on; Enter does not.
      return () => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    }
  },
  stop() {
    let i = 0
    return () => {
      const key = i++ % 20 < 10 ? 'ArrowRight' : 'ArrowLeft'
      return () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    }
  },
}

/** From an input event to the end of the frame in which what it asked for stands on the page. */
async function waits(what, search, times, on = page) {
  await open(search, on)
  if (what !== 'stop') await on.click('[data-testid="settings"]')
  await on.waitForTimeout(300)
  return on.evaluate(async ([change, times]) => {
    const longTasks = []
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ['longtask'] })
    const main = document.querySelector('main')
    const asked = ({ heads, sentence }) => `${heads} ${sentence.join('|')}`
    const shown = () => {
      const { pass, state } = window.eightMeetings
      const { heads, tokens } = pass.request
      return asked({ heads, sentence: tokens }) === asked(state) && main.dataset.ready === 'true' && main.dataset.place === String(state.stop)
    }
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
    const next = new Function(`return (${change.replace(/^\w+\(\)/, 'function ()')})()`)()
    const [waits, handlers] = [[], []]
    for (let i = 0; i < times; i += 1) {
      const act = next()
      const start = performance.now()
      const there = written()
      act()
      handlers.push(performance.now() - start)
      await there
      await painted()
      waits.push(performance.now() - start)
      await new Promise((done) => setTimeout(done, 20))
    }
    return { waits, handlers, longTasks }
  }, [String(changes[what]), times])
}

/** From navigation to the end of the frame with the first numbers. `context` keeps what the browser has seen of the page. */
async function firstNumbers(context) {
  const fresh = await context.newPage()
  await fresh.addInitScript(() => {
    window.longTasks = []
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true })
    window.firstNumbers = new Promise((done) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('main[data-ready=true]')) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => done(performance.now())))
      }).observe(document, { attributes: true, childList: true, subtree: true })
    })
  })
  await fresh.goto(`${address}?lang=zh`)
  const ms = await fresh.evaluate(() => window.firstNumbers)
  await fresh.waitForTimeout(1500)
  const longTasks = await fresh.evaluate(() => window.longTasks)
  await fresh.close()
  return { ms, longTasks }
}

async function navigation() {
  const found = { cold: [], warm: [] }
  for (let i = 0; i < 10; i += 1) {
    const context = await browser.newContext({ viewport })
    for (const kind of ['cold', 'warm']) found[kind].push(await firstNumbers(context))
    await context.close()
  }
  return found
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

for (const [kind, visits] of Object.entries(await navigation())) {
  console.log(`navigation to the first numbers, ${kind}: ${said(visits.map(({ ms }) => ms))}; ${saidTasks(visits.flatMap(({ longTasks }) => longTasks))}`)
}
const tell = (what, { waits, handlers, longTasks }) => console.log(`${what}: input to paint ${said(waits)}; handler ${said(handlers)}; ${saidTasks(longTasks)}`)
// Without movement: what is waited for is the next stop, whole.
const still = await (await browser.newContext({ viewport, reducedMotion: 'reduce' })).newPage()
for (const [name, size] of sizes) {
  for (const stop of stops) tell(`${name}, h dragged at stop ${stop}`, await waits('h', `?lang=zh&${size}&stop=${stop}`, 90))
  tell(`${name}, a token changed`, await waits('token', `?lang=zh&${size}&stop=3`, 60))
  tell(`${name}, the stop changed`, await waits('stop', `?lang=zh&${size}&stop=0&predict=0`, 60, still))
}
for (const [name, size] of [['8 = 2 × 4', 'dModel=8&heads=2'], sizes[0]]) {
  for (let stop = 0; stop < 10; stop += 1) console.log(`${name}, frames from stop ${stop} to ${stop + 1}: ${said(await moving(stop, size))}`)
}
await browser.close()
