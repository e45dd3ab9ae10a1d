// Files of trained models: what they say of themselves, and that each is fetched once, however many wait for it.
import { describe, expect, test } from 'vitest'
import { readMetadata, sizeOf, modelName } from '../../src/core/model_file'
import { ModelStore } from '../../src/core/model_store'
import { CoreError, type Progress, Superseded } from '../../src/core/protocol'
import { failure } from './core_support'

function fileOf(header: unknown, length?: number): ArrayBuffer {
  const text = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const file = new Uint8Array(8 + text.length)
  new DataView(file.buffer).setBigUint64(0, BigInt(length ?? text.length), true)
  file.set(text, 8)
  return file.buffer
}

const settle = (): Promise<void> => new Promise((done) => setTimeout(done))

describe('metadata', () => {
  test('as it stands in the header', () => {
    expect(readMetadata(fileOf({ __metadata__: { seed: '3', vocabulary: '\n小明' }, w: {} }))).toEqual({ seed: '3', vocabulary: '\n小明' })
  })

  test.each([
    ['nothing', new ArrayBuffer(0)],
    ['no header', new ArrayBuffer(4)],
    ['a header that is cut off', fileOf('{}', 999)],
    ['a length beyond all files', fileOf('{}', 2 ** 52)],
    ['no JSON', fileOf('{')],
    ['a list', fileOf([])],
    ['no metadata', fileOf({ w: {} })],
    ['metadata that is no object', fileOf({ __metadata__: 'x' })],
    ['metadata that is no text', fileOf({ __metadata__: { seed: 3 } })],
    ['no UTF-8', (() => { const file = fileOf('{"__metadata__":{"a":"x"}}'); new Uint8Array(file)[30] = 0xff; return file })()],
  ])('%s', async (_, file) => {
    expect(await failure(() => readMetadata(file))).toMatchObject({ status: 'bad_model' })
  })

  test('names of files and sizes', () => {
    expect(sizeOf(modelName(512, 8))).toEqual({ dModel: 512, heads: 8 })
  })
})

describe('the store', () => {
  const file = fileOf({ __metadata__: { seed: '3' } })

  function open() {
    const asked: { name: string; progress: Progress; signal: AbortSignal; answer(file: ArrayBuffer): void; refuse(error: unknown): void }[] = []
    const store = new ModelStore((name, progress, signal) => new Promise((answer, refuse) => asked.push({ name, progress, signal, answer, refuse })))
    return { store, asked }
  }

  test('one file for all who wait, and for all who come later; all are told how far it is', async () => {
    const { store, asked } = open()
    const told: string[] = []
    const both = [store.get('8x2', (done, total) => told.push(`a ${done}/${total}`)), store.get('8x2', (done) => told.push(`b ${done}`))]
    asked[0]!.progress(5, 10)
    asked[0]!.answer(file)
    const [one, other] = await Promise.all(both)
    expect([one, await store.get('8x2')]).toEqual([other, other])
    expect([asked.length, told]).toEqual([1, ['a 5/10', 'b 5']])
  })

  test('goes on while somebody waits, stops when nobody does, and begins anew then', async () => {
    const { store, asked } = open()
    const [first, second] = [new AbortController(), new AbortController()]
    const gone = [store.get('8x2', undefined, first.signal), store.get('8x2', undefined, second.signal)]
    first.abort()
    await expect(gone[0]).rejects.toBeInstanceOf(Superseded)
    expect(asked[0]!.signal.aborted).toBe(false)
    second.abort()
    await expect(gone[1]).rejects.toBeInstanceOf(Superseded)
    expect(asked[0]!.signal.aborted).toBe(true)
    const again = store.get('8x2')
    asked[0]!.refuse(new Superseded())
    await settle()
    asked[1]!.answer(file)
    expect((await again).about).toEqual({ seed: '3' })
  })

  test('what did not arrive, or is no model, is asked for again', async () => {
    const { store, asked } = open()
    const lost = store.get('8x2')
    asked[0]!.refuse(new CoreError({ status: 'load_failed' }))
    await expect(lost).rejects.toMatchObject({ failure: { status: 'load_failed' } })
    const bad = store.get('8x2')
    asked[1]!.answer(new ArrayBuffer(3))
    await expect(bad).rejects.toMatchObject({ failure: { status: 'bad_model' } })
    const good = store.get('8x2')
    asked[2]!.answer(file)
    await good
    store.forget('8x2')
    void store.get('8x2')
    expect(asked).toHaveLength(4)
  })
})
