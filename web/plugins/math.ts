// A line of TeX as MathML, when the page is built: browsers draw it by themselves, and screen readers read it.
import temml from 'temml'

/** Throws an error with the line in it if that is no TeX. */
export function mathOf(tex: string): string {
  try {
    const math = temml.renderToString(tex, { displayMode: true, throwOnError: true, annotate: false })
    // The page's policy refuses styles in markup, and its sheets know none of these classes.
    return math.replace(/ (?:style|class)="[^"]*"/g, '')
  } catch (error) {
    throw new Error(`not TeX: ${tex}\n${error instanceof Error ? error.message : String(error)}`)
  }
}
