// One picture of all maps that rest on a stage. Every map keeps its canvas, hidden: where nothing but the processor draws, a browser
// takes longer to put twenty-five canvases on the screen than to paint them.
import { getContext, setContext } from 'svelte'
import { devicePx } from './draw/geometry'
import { cleared } from './draw/paint'

/** Where a map stands on its stage, in CSS pixels. */
export interface Standing {
  x: number
  y: number
  opacity: number
}

/** What the picture is drawn on: absent while shapes move, then every map shows its own canvas. */
export interface Ground {
  canvas: HTMLCanvasElement
  width: number
  height: number
  pixelRatio: number
}

export class Sheet {
  readonly #maps = new Map<HTMLCanvasElement, Standing>()
  #ground: Ground | undefined
  #isDue = false

  put(map: HTMLCanvasElement, standing: Standing): void {
    this.#maps.set(map, standing)
    this.redraw()
  }

  take(map: HTMLCanvasElement): void {
    this.#maps.delete(map)
    this.redraw()
  }

  lieOn(ground: Ground | undefined): void {
    this.#ground = ground
    this.redraw()
  }

  /** A map was painted: once for all that changes together, and before it is shown. */
  redraw(): void {
    if (this.#isDue || this.#ground === undefined) return
    this.#isDue = true
    queueMicrotask(() => {
      this.#isDue = false
      if (this.#ground !== undefined) drawAll(this.#ground, this.#maps)
    })
  }
}

function drawAll({ canvas, width, height, pixelRatio }: Ground, maps: ReadonlyMap<HTMLCanvasElement, Standing>): void {
  const context = cleared(canvas, Math.ceil(width * pixelRatio), Math.ceil(height * pixelRatio))
  if (context === null) return
  for (const [map, { x, y, opacity }] of maps) {
    context.globalAlpha = opacity
    context.drawImage(map, devicePx(x, pixelRatio), devicePx(y, pixelRatio))
  }
}

const key = Symbol('sheet')

export function setSheet(): Sheet {
  const sheet = new Sheet()
  setContext(key, sheet)
  return sheet
}

/** undefined: a map that stands by itself. */
export const getSheet = (): Sheet | undefined => getContext<Sheet | undefined>(key)
