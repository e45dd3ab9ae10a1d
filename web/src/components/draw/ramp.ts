// The one ramp: blue-black ink for more, red ink for negative; on the dark page, chalk. Nine stops each with equal steps
// of OKLab lightness (design, section 4), straight lines in sRGB between them.
import type { Domain } from '../../model/scale'

export type Ground = 'light' | 'dark'
export type Colour = readonly [red: number, green: number, blue: number]

const stops: Record<Ground, { positive: string; negative: string }> = {
  light: {
    positive: 'F2F7F8 C2DEEA 96C3DB 70A8C9 528CB4 3C7099 2D557B 223C5A 172439',
    negative: 'F9F5F2 FED4C1 FEB293 F99069 E57651 CE5E3E B4482F 9A3523 7F2117',
  },
  dark: {
    positive: '1C2328 243B48 2C5669 387188 4C8DA4 69A9BD 8FC5D3 B9DFE7 E7F9FC',
    negative: '27201E 571C12 77240F 933313 AC4720 C25C30 D87443 ED8B58 FFA571',
  },
}

/** Lines over cells that may not be looked at (--line-2), and what is not a number (--neg). */
export const lineOn: Record<Ground, string> = { light: '#7d8783', dark: '#6b7872' }
export const alarmOn: Record<Ground, string> = { light: '#b4482f', dark: '#d87443' }
/** The frame of a cell that is left blank (--line). */
export const hairOn: Record<Ground, string> = { light: '#d9ddd8', dark: '#2e3b37' }

/** Under digits the ramp is used up to here only, so that they stay easy to read. */
export const digitDepth = 0.55

const parse = (hex: string): Colour => {
  const value = Number.parseInt(hex, 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

const between = (colours: readonly Colour[], t: number): Colour => {
  const place = Math.min(1, Math.max(0, t)) * (colours.length - 1)
  const below = Math.min(colours.length - 2, Math.floor(place))
  const [a, b] = [colours[below] ?? [0, 0, 0], colours[below + 1] ?? [0, 0, 0]]
  const mix = (channel: 0 | 1 | 2): number => Math.round(a[channel] + (b[channel] - a[channel]) * (place - below))
  return [mix(0), mix(1), mix(2)]
}

const steps = 255

/** 511 colours, −limit … +limit; zero is the 256th. */
function table(ground: Ground): readonly Colour[] {
  const { positive, negative } = stops[ground]
  const [up, down] = [positive.split(' ').map(parse), negative.split(' ').map(parse)]
  const half = (colours: readonly Colour[]): Colour[] => Array.from({ length: steps + 1 }, (_, i) => between(colours, i / steps))
  return [...half(down).slice(1).reverse(), ...half(up)]
}

const tables: Record<Ground, readonly Colour[]> = { light: table('light'), dark: table('dark') }

/** How values lie on the ramp. `depth` < 1 uses the pale part of it only, `from` > 0 leaves the palest out. */
interface Scale {
  limit: number
  depth: number
  from: number
}

/** The place of a finite value in a table. One multiplication: a map asks it for every pixel. */
function placer({ limit, depth, from }: Scale): (value: number) => number {
  const base = steps + 0.5
  const [start, most, gain] = [from * steps, depth * steps, ((depth - from) * steps) / limit]
  return (value) => {
    if (value > 0) return (base + Math.min(most, start + value * gain)) | 0
    return value < 0 ? (base - Math.min(most, start - value * gain)) | 0 : steps
  }
}

/** The colour of a finite value. */
export const colourOf = (value: number, domain: Domain, ground: Ground, depth = 1, from = 0): Colour =>
  tables[ground][placer({ limit: domain.limit, depth, from })(value)] ?? [0, 0, 0]

export interface Shade {
  domain: Domain
  ground: Ground
  depth: number
  from?: number
}

export const colourIn = (value: number, { domain, ground, depth, from }: Shade): Colour => colourOf(value, domain, ground, depth, from)

// ImageData is RGBA in memory, and every browser we know runs on little-endian machines.
const pack = ([red, green, blue]: Colour): number => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
const packed: Record<Ground, Uint32Array> = { light: Uint32Array.from(tables.light, pack), dark: Uint32Array.from(tables.dark, pack) }

/** The colours of finite values as pixels of ImageData. */
export function shader({ domain: { limit }, ground, depth, from = 0 }: Shade): (value: number) => number {
  const colours = packed[ground]
  const place = placer({ limit, depth, from })
  return (value) => colours[place(value)] ?? 0
}

export const css = ([red, green, blue]: Colour): string => `rgb(${red} ${green} ${blue})`

/** Relative luminance, WCAG 2. */
export function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((channel) => {
    const c = channel / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever reads better on the colour. */
export const inkOn = (colour: Colour): '#000' | '#fff' => (luminance(colour) > 0.179 ? '#000' : '#fff')
