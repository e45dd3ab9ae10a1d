// How one share went, from the first time it was measured to the newest: a path as small as a word. 0 below, 1 above, always.

const mostPoints = 24

export function sparkline(history: readonly Float32Array[], place: number, { width, height }: { width: number; height: number }): string {
  const count = Math.min(mostPoints, history.length)
  if (count < 2) return ''
  const point = (i: number): string => {
    const share = history[Math.round((i * (history.length - 1)) / (count - 1))]?.[place] ?? 0
    return `${((i * width) / (count - 1)).toFixed(1)} ${(height - height * Math.min(1, Math.max(0, share))).toFixed(1)}`
  }
  return `M${Array.from({ length: count }, (_, i) => point(i)).join('L')}`
}
