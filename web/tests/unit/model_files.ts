// What tests read of a model file: its metadata, as any reader of .safetensors would.

export function metadataOf(file: Uint8Array): Record<string, string> {
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length))) as { __metadata__: Record<string, string> }
  return header.__metadata__
}
