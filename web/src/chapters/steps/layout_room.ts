// The drawings for a room. What a stop is about stands large, with digits that the back row can read; what it is made of stands
// left of it in colours only, on the same rows. Stops of one pair of tokens show their result alone, as on a phone.
import { contributionOf, slice } from '../../components/figures'
import { type Band, dockedBands, plainBand } from '../../components/draw/geometry'
import { type Caption, type Draft, type Item, type Part, type Scene, columnsPx, flow } from '../../components/draw/scene'
import type { TensorName } from '../../core/generated/tables'
import type { StopName } from '../../model/stops'
import { type Layout, type Setting, common, layouts, ofHead, piecesOf } from './layouts'
import { roomOperand, roomScoreCell, weightRow } from './stage'

/** Operands, the signs between them, and the result in the room that is left, or as wide as a cell; then the figure scrolls. */
function equation({ stage }: Setting, operands: readonly { draft: Draft; sign: string }[], result: (room: number) => Draft): Scene {
  const used = operands.reduce((sum, { draft: { bands } }) => sum + widthOf(bands) + stage.operator, stage.gutter)
  const items: Item[] = operands.flatMap(({ draft, sign }, i) => [{ draft, ...(i === 0 ? { gutter: stage.gutter } : {}) }, { sign }])
  return flow([...items, { draft: result(Math.max(stage.cell, stage.width - used)), ...(operands.length === 0 ? { gutter: stage.gutter } : {}) }], { ...stage, width: Infinity })
}

const widthOf = (bands: readonly Band[]): number => bands.reduce((widest, { left, width }) => Math.max(widest, left + width), 0)

const wide = (room: number, columns: number, cell: number): Band[] => plainBand(columns, Math.min(room, columns * cell))

const tokens: Layout = (setting) => {
  const { pass, stage, sizes } = setting
  const operand = (tensor: TensorName, sign: string): { draft: Draft; sign: string } => ({
    draft: { ...common(stage), matrix: slice(pass, tensor), bands: plainBand(sizes.d, roomOperand(stage, sizes.d, 2)) }, sign,
  })
  return equation(setting, [operand('token_vectors', '+'), operand('positions', '=')], (room) => ({
    ...common(stage), matrix: slice(pass, 'x'), bands: wide(room, sizes.d, stage.cell),
  }))
}

const project: Layout = (setting) => {
  const { pass, stage, sizes, role } = setting
  const width = roomOperand(stage, sizes.d, 2)
  const operands = [
    { draft: { ...common(stage), matrix: slice(pass, 'x'), bands: plainBand(sizes.d, width) }, sign: '×' },
    {
      draft: { ...common(stage), matrix: slice(pass, `w_${role}`), bands: plainBand(sizes.d, width), rowHeight: weightRow(sizes.d, stage, sizes.n), crossed: true },
      sign: '=',
    },
  ]
  const all = Array.from({ length: sizes.h }, (_, head) => head)
  return equation(setting, operands, (room) => {
    // Without gaps yet: the next stop parts them.
    const bands = dockedBands(room, all, sizes.k, 0, stage.cell)
    return {
      ...common(stage), matrix: slice(pass, role), bands, entry: { by: 'rows' }, bridge: 7,
      pieces: () => piecesOf(pass, `${role}_heads`, stage, bands, false),
    }
  })
}

type PairTensor = 'raw_scores' | 'scaled_scores' | 'masked_scores' | 'weights'

/** Who asks whom, alone; before the step if a cell of that is pinned. */
const pair =
  (before: PairTensor | undefined, after: PairTensor): Layout =>
  (setting) => {
    const { pass, stage, sizes, heads: { chosen: head }, pin } = setting
    const tensor = before !== undefined && pin?.tensor === before ? before : after
    const entry: Part['entry'] = before === undefined ? { by: 'diagonals' } : tensor === after ? { from: `${before}/${head}` } : undefined
    const bands = plainBand(sizes.n, roomScoreCell(stage, sizes.n) * sizes.n)
    const draft = { ...common(stage), ...ofHead(pass, tensor, { head }), bands, crossed: tensor === 'raw_scores', entry, heading: { title: null, columns: pass.request.tokens } }
    return withTab(equation(setting, [], () => draft), setting)
  }

const mix: Layout = (setting) => {
  const { pass, stage, sizes, heads: { chosen: head } } = setting
  const v = plainBand(sizes.k, roomOperand(stage, sizes.k, 2))
  const result = Math.min(sizes.k * stage.cell, 0.45 * (stage.width - stage.gutter))
  const room = stage.width - stage.gutter - 2 * stage.operator - widthOf(v) - result
  const weights = plainBand(sizes.n, sizes.n * Math.max(2, Math.min(stage.row, Math.floor(room / sizes.n))))
  const map = (tensor: TensorName, bands: Band[]): Draft => ({ ...common(stage), ...ofHead(pass, tensor, { head }), bands })
  return equation(setting, [{ draft: map('weights', weights), sign: '×' }, { draft: map('v_heads', v), sign: '=' }], (left) => ({
    ...map('heads', wide(left, sizes.k, stage.cell)), entry: { by: 'rows' },
  }))
}

/** Contributions add up: the heads on the screen as strips, and the sum. */
const output: Layout = (setting) => {
  const { pass, stage, sizes, contributions, heads } = setting
  const shown = heads.shown.filter((head) => contributionOf(contributions, pass, head) !== undefined)
  const narrowed = { ...stage, operator: shown.length > 3 ? Math.round(stage.operator * 0.6) : stage.operator }
  const width = roomOperand(narrowed, sizes.d, shown.length)
  const all = shown.length === sizes.h
  const operands = shown.flatMap((head, i) => {
    const matrix = contributionOf(contributions, pass, head)
    if (matrix === undefined) return []
    const last = i === shown.length - 1
    const draft: Draft = { ...common(stage), matrix, bands: plainBand(sizes.d, width).map((band) => ({ ...band, head })), into: 'output', heading: { title: null, tabs: true } }
    return [{ draft, sign: last ? (all ? '=' : '+ … =') : '+' }]
  })
  return equation({ ...setting, stage: narrowed }, operands, (room) => ({
    ...common(stage), matrix: slice(pass, 'output'), bands: wide(Math.max(stage.cell, room - (all ? 0 : stage.operator)), sizes.d, stage.cell),
  }))
}

const result: Layout = (setting) => {
  const { pass, stage, sizes } = setting
  return equation(setting, [], (room) => ({ ...common(stage), matrix: slice(pass, 'output'), bands: wide(room, sizes.d, stage.cell) }))
}

/** Whose map it is stands in the corner over the row labels. */
function withTab(scene: Scene, { sizes, heads, stage }: Setting): Scene {
  const [part] = scene.parts
  if (sizes.h === 1 || part === undefined) return scene
  const tab: Caption = { id: 'head', x: 0, y: Math.max(0, columnsPx(part) - stage.manner.tabsPx), opacity: 1, head: heads.chosen }
  return { ...scene, captions: [tab] }
}

export const roomLayouts: Readonly<Record<StopName, Layout>> = {
  tokens, project, split: layouts.split, score: pair(undefined, 'raw_scores'), scale: pair('raw_scores', 'scaled_scores'),
  mask: pair('scaled_scores', 'masked_scores'), softmax: pair('masked_scores', 'weights'), mix, concat: layouts.concat, output, result,
}
