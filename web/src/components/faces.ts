// Which faces this system has: asked once, by the width of letters. A face that is missing measures like the one that stands in.
const chineseSerifs = ['Noto Serif CJK SC', 'Noto Serif SC', 'Source Han Serif SC', 'Songti SC', 'STSong', 'SimSun']
/** Two, for a face may be as wide as one of them. */
const standIns = ['monospace', 'sans-serif']
const letters = 'mmmiiiWWW.'

export type Measure = (font: string) => number

export function hasChineseSerif(width: Measure | undefined = measure()): boolean {
  // Where nothing can be measured the system's own choice stands.
  if (width === undefined) return true
  return chineseSerifs.some((face) => standIns.some((standIn) => width(`72px "${face}", ${standIn}`) !== width(`72px ${standIn}`)))
}

function measure(): Measure | undefined {
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) return undefined
  return (font) => {
    context.font = font
    return context.measureText(letters).width
  }
}
