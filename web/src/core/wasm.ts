// The wasm boundary, and the only file that knows an address. The functions are those of src/wasm/exports.hpp.
//
// Memory may grow in any call, which leaves every typed array over it empty. So no view is kept: what goes in is copied
// just before a call, what comes out just after it, each through a view made there.
import { outcomeRecord, statusNames, tensorInfos, tensorNames } from './generated/tables'
import { CoreError } from './protocol'

type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array

/** A buffer that a function fills. */
class Out {
  constructor(readonly array: Numbers) {}
}

export const out = (array: Numbers): Out => new Out(array)

/** Floats in the module's memory, until they are released. */
export class Block {
  constructor(readonly address: number, readonly floats: number) {}
}

/** Numbers and blocks as they are, arrays copied in, null for a pointer that may be missing. */
type Argument = number | Block | Numbers | Out | null

type Function = (...values: number[]) => number

/**
 * What the module may import. A release build wants the first only, which tells that memory has grown: no view is kept
 * here, so nobody needs to know. With assertions, the C library's way of printing comes along; it prints nowhere.
 */
const imports: Record<string, (...values: number[]) => number | void> = {
  emscripten_notify_memory_growth: () => {},
  fd_write: () => noSystem,
  fd_close: () => noSystem,
  fd_seek: () => noSystem,
  proc_exit: (code) => {
    throw new Error(`the module left with code ${code}`)
  },
}
const noSystem = 52 // ENOSYS of WASI

const scratchAlignment = 8

export class Wasm {
  readonly #memory: WebAssembly.Memory
  readonly #functions: WebAssembly.Exports
  #scratch = new Block(0, 0)

  private constructor(exports: WebAssembly.Exports) {
    this.#functions = exports
    this.#memory = exports.memory as WebAssembly.Memory
  }

  /** Bytes, not an address: so that the module may come from anywhere. Rejects with load_failed. */
  static async instantiate(bytes: BufferSource): Promise<Wasm> {
    try {
      const module = await WebAssembly.compile(bytes)
      const { exports } = await WebAssembly.instantiate(module, importsOf(module))
      const wasm = new Wasm(exports)
      wasm.#function('_initialize')()
      return wasm
    } catch (error) {
      throw new CoreError({ status: 'load_failed', detail: String(error) })
    }
  }

  allocate(floats: number): Block {
    const address = this.#function('mha_allocate')(floats * Float32Array.BYTES_PER_ELEMENT)
    if (address === 0) throw new CoreError({ status: 'out_of_memory' })
    return new Block(address, floats)
  }

  /** Bytes that stay in the module's memory until they are released. */
  keep(bytes: Uint8Array): Block {
    // Nothing is no allocation, but may be asked about.
    const block = this.allocate(Math.max(1, Math.ceil(bytes.length / Float32Array.BYTES_PER_ELEMENT)))
    this.#bytes(block.address, bytes).set(bytes)
    return block
  }

  release(block: Block): void {
    this.#function('mha_release')(block.address)
  }

  copyOut(block: Block): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#memory.buffer, block.address, block.floats).slice() as Float32Array<ArrayBuffer>
  }

  /** Calls a function and returns its number. Arrays are copied in, those wrapped by out() are copied back. */
  call(name: string, ...values: Argument[]): number {
    const scratch = this.#scratchFor(values)
    let next = scratch.address
    const addresses = values.map((value) => {
      const array = arrayOf(value)
      if (!array) return value instanceof Block ? value.address : ((value ?? 0) as number)
      const address = next
      next = aligned(next + array.byteLength)
      if (!(value instanceof Out)) this.#bytes(address, array).set(bytesOf(array))
      return address
    })
    const result = this.#function(name)(...addresses)
    values.forEach((value, i) => {
      if (value instanceof Out) bytesOf(value.array).set(this.#bytes(addresses[i]!, value.array))
    })
    return result
  }

  /** Calls a function that returns a Status; any but ok is thrown. */
  run(name: string, ...values: Argument[]): void {
    const status = this.call(name, ...values)
    if (status !== 0) throw new CoreError({ status: statusNames[status]! })
  }

  /** The same for a function whose last parameter says where it failed. */
  runLocated(name: string, ...values: Argument[]): void {
    const outcome = new Int32Array(outcomeRecord.size)
    const status = this.call(name, ...values, out(outcome))
    if (status === 0) return
    const tensor = tensorNames[outcome[outcomeRecord.tensor]!]
    // Gates are no tensor of the table, but have an index.
    const rank = tensor ? tensorInfos[tensor].rank : 1
    const index = Array.from(outcome.subarray(outcomeRecord.index, outcomeRecord.index + rank))
    const place = index.filter((i) => i >= 0)
    throw new CoreError({
      status: statusNames[status]!,
      ...(tensor && { tensor }),
      ...(place.length > 0 && { index: place }),
    })
  }

  #function(name: string): Function {
    const found = this.#functions[name]
    if (typeof found !== 'function') throw new Error(`the module has no function ${name}`)
    return found as Function
  }

  /** One block for the arrays of a call, kept from call to call. */
  #scratchFor(values: Argument[]): Block {
    const sizes = values.map((value) => aligned(arrayOf(value)?.byteLength ?? 0))
    const bytes = sizes.reduce((sum, size) => sum + size, scratchAlignment)
    const floats = bytes / Float32Array.BYTES_PER_ELEMENT
    if (floats > this.#scratch.floats) {
      this.release(this.#scratch)
      this.#scratch = new Block(0, 0)
      this.#scratch = this.allocate(floats)
    }
    return this.#scratch
  }

  #bytes(address: number, array: Numbers): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, array.byteLength)
  }
}

const aligned = (bytes: number): number => Math.ceil(bytes / scratchAlignment) * scratchAlignment

const bytesOf = (array: Numbers): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

function arrayOf(value: Argument): Numbers | undefined {
  if (value instanceof Out) return value.array
  return ArrayBuffer.isView(value) ? value : undefined
}

function importsOf(module: WebAssembly.Module): WebAssembly.Imports {
  const wanted: Record<string, Record<string, WebAssembly.ImportValue>> = {}
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    const given = imports[name]
    if (!given) throw new Error(`the module wants ${space}.${name}`)
    ;(wanted[space] ??= {})[name] = given
  }
  return wanted
}
