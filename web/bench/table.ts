// The tables of both READMEs, from the figures that are kept in result.json: between two marks, and nothing else.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Result, RowRecord } from './report'

type Lang = 'en' | 'zh'

const root = resolve(import.meta.dirname, '../..')
const kept = resolve(import.meta.dirname, 'result.json')
export const readmes: Readonly<Record<Lang, string>> = { en: resolve(root, 'README.md'), zh: resolve(root, 'README.zh-CN.md') }
const marks = ['<!-- bench: made by ./dev bench --table -->', '<!-- end bench -->'] as const

export const keptResult = (): Result => JSON.parse(readFileSync(kept, 'utf8')) as Result

const words = {
  en: {
    columns: ['engine', 'n', 'd', 'h', 'ours', 'of the peak', 'onnxruntime-web', 'Eigen'],
    measured: (machine: string, date: string) => `${machine}; ${date}. Median of one pass ± half the distance of its quartiles; “×”: how many times as long as ours.`,
  },
  zh: {
    columns: ['引擎', 'n', 'd', 'h', '我们的', '占峰值', 'onnxruntime-web', 'Eigen'],
    measured: (machine: string, date: string) => `${machine}；${date}。一遍用时的中位数 ± 四分位距的一半；“×”是我们的多少倍。`,
  },
} as const

/** Markdown: for each engine and size ours, in the best build there, and its peers. */
export function table({ machine, date, engines }: Result, lang: Lang): string {
  const ms = (value: number): string => `${Number(value.toPrecision(3))} ms`
  const lines = engines.flatMap(({ name, version, rows }) => {
    const sizes = new Map<string, RowRecord[]>()
    for (const row of rows) {
      const key = `${row.n} ${row.d} ${row.h}`
      sizes.set(key, [...(sizes.get(key) ?? []), row])
    }
    return [...sizes.values()].map((contenders) => {
      const of = (...names: string[]): RowRecord | undefined => names.flatMap((wanted) => contenders.filter(({ contender }) => contender === wanted))[0]
      const ours = of('ours-relaxed', 'ours-simd', 'ours-native')!
      const peer = (row: RowRecord | undefined): string => (row ? `${ms(row.medianMs)} (${(row.medianMs / ours.medianMs).toFixed(2)} ×)` : '–')
      return [
        `${name} ${version}`, String(ours.n), String(ours.d), String(ours.h), `${ms(ours.medianMs)} ±${Math.round(100 * ours.spread)} %`, `${Math.round(100 * ours.ofPeak)} %`,
        peer(of('onnxruntime-web')), peer(of('eigen-wasm', 'eigen-native')),
      ]
    })
  })
  const { columns, measured } = words[lang]
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [measured(machine, date), '', line(columns), line(columns.map((_, i) => (i === 0 ? '---' : '---:'))), ...lines.map(line)].join('\n')
}

/** A text with its table in place of the one before. */
export function withTable(text: string, made: string): string {
  const [from, to] = [text.indexOf(marks[0]), text.indexOf(marks[1])]
  if (from < 0 || to < from) throw new Error(`no place for the table: it belongs between ${marks.join(' and ')}`)
  return `${text.slice(0, from)}${marks[0]}\n\n${made}\n\n${text.slice(to)}`
}

export function renewTables(): void {
  for (const [lang, file] of Object.entries(readmes)) writeFileSync(file, withTable(readFileSync(file, 'utf8'), table(keptResult(), lang as Lang)))
}
