// Where the golden cases lie: files of tests/golden, which the build puts beside the page. Loaded only for a check.
const addresses = import.meta.glob<string>('../../../tests/golden/*.safetensors', { query: '?url', import: 'default', eager: true })

export interface GoldenFile {
  name: string
  address: string
}

export const goldenFiles: readonly GoldenFile[] = Object.entries(addresses).map(([path, address]) => ({
  name: path.replace(/^.*\/|\.safetensors$/g, ''),
  address,
}))
