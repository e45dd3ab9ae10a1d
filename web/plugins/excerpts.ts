// Excerpts: the lines between two marks, cut from real files when the page is built. The marks are comments in the file's
// own language (// # or %), on lines of their own:
//
//     // --- excerpt: score
//     Bounded score(const Head& head) { return product(head.q, transposed(head.k)); }
//     // --- end excerpt
//
// A name stands for one excerpt of its file. What is missing, empty or too long to read fails the build.

export interface Excerpt {
  /** its path from the root of the repository */
  file: string
  /** its first and last line there, counting from 1 */
  first: number
  last: number
  /** without the indentation that all lines share */
  text: string
}

export const longestExcerpt = 40

const mark = /^\s*(?:\/\/|#|%) --- (?:excerpt: (?<name>[a-z_]+)|(?<end>end excerpt))$/

/** All excerpts of a file, by their names. */
export function cutExcerpts(file: string, content: string): Map<string, Excerpt> {
  const excerpts = new Map<string, Excerpt>()
  const lines = content.split('\n')
  let open: { name: string; at: number } | undefined
  lines.forEach((line, at) => {
    const found = mark.exec(line)?.groups
    const fail = (what: string): never => {
      throw new Error(`${file}:${at + 1}: ${what}`)
    }
    if (found === undefined) {
      if (/--- (end )?excerpt\b/.test(line)) fail(`not a mark of an excerpt: ${line.trim()}`)
    } else if (found.name !== undefined) {
      if (open !== undefined) fail(`excerpt “${found.name}” begins inside “${open.name}”`)
      if (excerpts.has(found.name)) fail(`there are two excerpts “${found.name}”`)
      open = { name: found.name, at }
    } else {
      if (open === undefined) return fail('an excerpt ends that did not begin')
      const inside = lines.slice(open.at + 1, at)
      if (inside.every((each) => each.trim() === '')) fail(`excerpt “${open.name}” is empty`)
      if (inside.length > longestExcerpt) fail(`excerpt “${open.name}” has ${inside.length} lines, and at most ${longestExcerpt} can be read on the page`)
      excerpts.set(open.name, { file, first: open.at + 2, last: at, text: dedented(inside) })
      open = undefined
    }
  })
  if (open !== undefined) throw new Error(`${file}:${open.at + 1}: excerpt “${open.name}” does not end`)
  return excerpts
}

function dedented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const shared = Math.min(...indents)
  return lines.map((line) => line.slice(shared)).join('\n')
}

export function excerptOf(excerpts: ReadonlyMap<string, Excerpt>, file: string, name: string): Excerpt {
  const found = excerpts.get(name)
  if (found === undefined) throw new Error(`${file} has no excerpt “${name}”: it wants a line “--- excerpt: ${name}” and a line “--- end excerpt”`)
  return found
}
