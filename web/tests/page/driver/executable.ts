// The machine's own browser.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The file in this environment variable, else the first of these names on PATH. */
export function executable(variable: string, names: readonly string[]): string {
  const given = process.env[variable]
  if (given) return given
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const file = join(folder, name)
      if (isExecutable(file)) return file
    }
  }
  throw new Error(`no browser: put one of ${names.join(', ')} on PATH, or its file into ${variable}`)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
