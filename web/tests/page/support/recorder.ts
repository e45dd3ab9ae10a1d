// Digits in cells are painted on canvases, where no test can read them. This script, run before the page's own, keeps
// what is written on each canvas since it was last cleared: window.writtenOn(canvas).

export interface Written {
  text: string
  /** in CSS pixels of the canvas: the right end of the text, the middle of its height */
  x: number
  y: number
  fontPx: number
}

declare global {
  interface Window {
    writtenOn(canvas: HTMLCanvasElement): Written[]
  }
}

export const recorder = `(() => {
  const notes = new WeakMap()
  const of = (canvas) => notes.get(canvas) ?? notes.set(canvas, []).get(canvas)
  const fillText = CanvasRenderingContext2D.prototype.fillText
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    of(this.canvas).push({ text: String(text), x, y, fontPx: parseFloat(/([\\d.]+)px/.exec(this.font)?.[1]) })
    return fillText.call(this, text, x, y, ...rest)
  }
  const clearRect = CanvasRenderingContext2D.prototype.clearRect
  CanvasRenderingContext2D.prototype.clearRect = function (x, y, width, height) {
    if (x === 0 && y === 0 && width >= this.canvas.width && height >= this.canvas.height) notes.set(this.canvas, [])
    return clearRect.call(this, x, y, width, height)
  }
  // Setting the width, even to what it is, clears a canvas.
  const width = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, 'width')
  Object.defineProperty(HTMLCanvasElement.prototype, 'width', {
    ...width,
    set(value) {
      notes.set(this, [])
      width.set.call(this, value)
    },
  })
  window.writtenOn = (canvas) => of(canvas)
})()`
