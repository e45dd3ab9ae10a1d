// Reads a wasm module's code, as far as a test of what the compiler made of a loop needs it.

export interface Loop {
  /** how often each instruction stands in it */
  count(instruction: string): number
}

export interface Code {
  /** loops without another loop in them */
  innermost: Loop[]
  /** how often each instruction stands in the whole function */
  count(instruction: string): number
}

/** The instructions that are counted. 0xFD is the prefix of vectors; above 0xFF lie the relaxed ones. */
const names: Record<number, string> = {
  0x10: 'call', 0x11: 'call', 0xfd00: 'v128.load', 0xfd09: 'v128.load32_splat', 0xfd0b: 'v128.store', 0xfde4: 'f32x4.add', 0xfde6: 'f32x4.mul',
}
const nameOf = (prefix: number, code: number): string | undefined => {
  if (prefix !== 0xfd) return prefix === 0 ? names[code] : undefined
  if (code === 0x105) return 'f32x4.relaxed_madd'
  return code >= 0x100 ? 'relaxed' : names[0xfd00 + code]
}

class Reader {
  at = 0
  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    return this.bytes[this.at++]!
  }

  /** Signed and unsigned numbers are as long as each other; only sizes and codes are ever used, and those are small. */
  number(): number {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const next = this.byte()
      value += (next & 127) * scale
      if (next < 128) return value
    }
  }

  numbers(count: number): void {
    for (let i = 0; i < count; i += 1) this.number()
  }
}

function skipPlain(reader: Reader, code: number): void {
  if (code === 0x0e) reader.numbers(reader.number() + 1)
  else if (code === 0x1c) reader.numbers(reader.number())
  else if (code === 0x11 || code === 0x13 || (code >= 0x28 && code <= 0x3e)) reader.numbers(2)
  else if (code === 0x43) reader.at += 4
  else if (code === 0x44) reader.at += 8
  else if ([0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x12, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].includes(code) || (code >= 0x20 && code <= 0x26)) reader.number()
}

function skipBulk(reader: Reader, code: number): void {
  if (code >= 8) reader.numbers([8, 10, 12, 14].includes(code) ? 2 : 1)
}

function skipVector(reader: Reader, code: number): void {
  if (code <= 0x0b || code === 0x5c || code === 0x5d) reader.numbers(2)
  else if (code === 0x0c || code === 0x0d) reader.at += 16
  else if (code >= 0x15 && code <= 0x22) reader.at += 1
  else if (code >= 0x54 && code <= 0x5b) {
    reader.numbers(2)
    reader.at += 1
  }
}

type Counts = Map<string, number>
const counted = (counts: Counts) => (instruction: string): number => counts.get(instruction) ?? 0

function functionOf(reader: Reader): Code {
  for (let groups = reader.number(); groups > 0; groups -= 1) {
    reader.number()
    reader.byte()
  }
  const whole: Counts = new Map()
  const innermost: Loop[] = []
  const open: { loop: Counts | undefined; hasLoop: boolean }[] = [{ loop: undefined, hasLoop: false }]
  while (open.length > 0) {
    const first = reader.byte()
    const prefix = first === 0xfc || first === 0xfd ? first : 0
    const code = prefix === 0 ? first : reader.number()
    if (prefix === 0xfc) skipBulk(reader, code)
    else if (prefix === 0xfd) skipVector(reader, code)
    else skipPlain(reader, code)

    if (prefix === 0 && code >= 0x02 && code <= 0x04) open.push({ loop: code === 0x03 ? new Map() : undefined, hasLoop: false })
    if (prefix === 0 && code === 0x0b) {
      const { loop, hasLoop } = open.pop()!
      if (loop !== undefined && !hasLoop) innermost.push({ count: counted(loop) })
      const around = open.at(-1)
      if (around !== undefined && (loop !== undefined || hasLoop)) around.hasLoop = true
    }
    const name = nameOf(prefix, code)
    if (name === undefined) continue
    for (const counts of [whole, ...open.map(({ loop }) => loop)]) counts?.set(name, (counts.get(name) ?? 0) + 1)
  }
  return { innermost, count: counted(whole) }
}

/** Every function of a module. */
export function codeOf(bytes: Uint8Array): Code[] {
  const reader = new Reader(bytes)
  reader.at = 8
  while (reader.at < bytes.length) {
    const section = reader.byte()
    const size = reader.number()
    const end = reader.at + size
    if (section === 10) {
      return Array.from({ length: reader.number() }, () => {
        const next = reader.number() + reader.at
        const code = functionOf(reader)
        if (reader.at !== next) throw new Error(`a function was misread: at ${reader.at} instead of ${next}`)
        return code
      })
    }
    reader.at = end
  }
  throw new Error('a module without code')
}
