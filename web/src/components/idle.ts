// Work that can wait: for a frame, or until the browser has nothing better to do.

/** For browsers that cannot tell. */
const waitMs = 1000

/** Returns what calls it off. */
export function whenIdle(work: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const id = requestIdleCallback(work)
    return () => cancelIdleCallback(id)
  }
  const id = setTimeout(work, waitMs)
  return () => clearTimeout(id)
}

/** Once the frame that is about to be drawn has been. Returns what calls it off. */
export function afterFrame(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => (timer = setTimeout(work)))
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** The reader wants to save data: then nothing is fetched before it is asked for. */
export const savesData = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
