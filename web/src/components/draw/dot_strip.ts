// A strip of dots per row: each dot at its value on one axis, those without a value in a field of their own at the right. No dot lies on
// another: what would is stacked above it. Pure: numbers in, places in CSS pixels out.

export interface StripRow {
  /** undefined: it has none */
  values: readonly (number | undefined)[]
}

export interface Strip {
  left: number
  /** of the axis */
  width: number
  /** from the axis to the field */
  gap: number
  /** of a row; dots stand on its lower edge */
  rowHeight: number
  /** of a dot, if there is room */
  radius: number
}

export interface Dot {
  x: number
  y: number
}

export interface DrawnStrip {
  /** of every row */
  rows: readonly { base: number; dots: readonly Dot[]; without: readonly Dot[] }[]
  radius: number
  x(value: number): number
  /** where the field begins, and how wide it is */
  field: { left: number; width: number }
}

/** Of the field: as many dots side by side, before it needs a second row. */
const abreast = 7

export function dotStrip(rows: readonly StripRow[], most: number, { left, width, gap, rowHeight, radius }: Strip): DrawnStrip {
  const scale = (value: number): number => left + (width * value) / most
  const pitch = 2 * radius
  const field = { left: left + width + gap, width: abreast * pitch }
  const stacks = rows.map(({ values }) => stacked(values.filter((value) => value !== undefined).map(scale), pitch))
  const tallest = Math.max(1, ...stacks.flat().map(({ level }) => level + 1), ...rows.map(({ values }) => Math.ceil(values.filter((value) => value === undefined).length / abreast)))
  // Where a stack would leave its row, its dots lie closer together.
  const rise = Math.min(pitch, (rowHeight - pitch) / Math.max(1, tallest - 1))
  return {
    radius, x: scale, field,
    rows: rows.map(({ values }, row) => {
      const base = (row + 1) * rowHeight
      const level = (height: number): number => base - radius - height * rise
      const without = values.filter((value) => value === undefined)
      return {
        base,
        dots: stacks[row]!.map(({ x, level: height }) => ({ x, y: level(height) })),
        without: without.map((_, i) => ({ x: field.left + radius + (i % abreast) * pitch, y: level(Math.floor(i / abreast)) })),
      }
    }),
  }
}

/** Each on the lowest level where nothing is nearer than `pitch`, by ascending x. */
function stacked(wanted: readonly number[], pitch: number): { x: number; level: number }[] {
  const ends: number[] = []
  return [...wanted].sort((a, b) => a - b).map((x) => {
    let level = ends.findIndex((end) => x - end >= pitch - 1e-9)
    if (level < 0) level = ends.length
    ends[level] = x
    return { x, level }
  })
}
