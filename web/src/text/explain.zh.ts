import type { ExplainText, Source } from './explain.en'

const given: Record<string, (source: Source) => string> = {
  token_vectors: ({ token, weights, seed }) =>
    weights !== 'seeded'
      ? `“${token}”的向量，在哪个句子里都一样，和别的参数一起训练出来。线头就在这里。`
      : `“${token}”的向量，由种子 ${seed} 和这个词本身定下来，不是从别的数算来的。线头就在这里。`,
  positions: ({ d, weights, positions }) =>
    weights !== 'seeded' ? '这个位置的向量，在哪个句子里都一样，是训练出来的。' : (positions ? `正弦位置编码：只由第几个位置、第几列和 d = ${d} 定下来。` : '位置关掉了：全是 0。'),
}

export const explain: ExplainText = {
  region: '钉住的格子是怎么算的',
  unpin: '取消选中',
  escape: 'Esc',
  pair: (query, key) => `${query} → ${key}`,
  dot: (terms) => (terms === 1 ? '1 个乘积' : `${terms} 个乘积相加`),
  sum: '两个数相加',
  scale: (k) => `除以 √${k}`,
  scaleOff: '缩放关掉了，原样过去',
  mask: '许看，原样过去',
  maskHit: '不许看：得分记 −∞，注意力权重就会是 0。',
  softmaxMasked: '被遮住：得分 −∞，注意力权重 0。',
  softmaxDead: '这一行的键全被遮住了：注意力权重都记 0。',
  same: '同一个数，在内存里同一个地方，只是下标的写法不同：',
  given: (tensor, source) => given[tensor]?.(source) ?? (source.weights !== 'seeded' ? '一个参数，训练出来的。' : `种子 ${source.seed} 产生的参数，没有训练过。`),
  byHead: (h) => (h === 1 ? '一个头，一份贡献' : `${h} 个头，${h} 份贡献`),
  scope: {
    label: '看一格还是一行',
    cell: '这一格',
    row: '这一整行',
    meaning: '每份贡献在 Y 这一行方向上占多少；加起来是这一行的长度。',
    zero: 'Y 这一行全是 0，没有方向可比。',
  },
  byHeadRest: (n) => `其余 ${n} 个头`,
  direction: '蓝往右加，红往左减。',
  products: '这一格也可以按乘积看',
  largest: (shown) => `最大的 ${shown} 项`,
  product: '乘积',
  rest: (terms) => `其余 ${terms} 项`,
  total: '合计',
  bias: '偏置',
  gateOff: '这个头关掉了：它的输出乘以 0。',
  chain: {
    score: '得分',
    max: '这一行最大',
    difference: '相减',
    exponential: '取指数',
    sum: '这一行指数之和',
    weight: '注意力权重',
  },
  otherTokens: '整行',
  follow: (name) => `去看 ${name}`,
  onward: {
    title: '用到哪里',
    row: (name, n, word) => (word === undefined ? `${name} 第 ${n} 行` : `${name} 里“${word}”这一行`),
    column: (name, n) => `${name} 第 ${n} 列`,
    rows: (first, last) => `第 ${first}–${last} 行`,
    output: '这就是这一层的输出，线到这里为止。',
    stopped: '到此为止：它被遮住了，或者这个头关掉了。',
  },
}
