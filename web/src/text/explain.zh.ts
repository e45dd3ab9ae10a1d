import type { ExplainText, Source } from './explain.en'

const given: Record<string, (source: Source) => string> = {
  token_vectors: ({ token, seed }) => `“${token}”的向量，由种子 ${seed} 和这个词本身定下来，不是从别的数算来的。线头就在这里。`,
  positions: ({ d, positions }) => (positions ? `正弦位置编码：只由第几个位置、第几列和 d = ${d} 定下来。` : '位置关掉了：全是 0。'),
}

export const explain: ExplainText = {
  region: '钉住的格子是怎么算的',
  unpin: '松开',
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
  given: (tensor, source) => given[tensor]?.(source) ?? `种子 ${source.seed} 产生的参数，没有训练过。`,
  byHead: (h) => (h === 1 ? '一个头，一份贡献' : `${h} 个头，${h} 份贡献`),
  byHeadRest: (n) => `其余 ${n} 个头`,
  direction: '蓝往右加，红往左减。',
  products: '这一格也可以按乘积看',
  largest: (shown) => `最大的 ${shown} 项`,
  product: '乘积',
  rest: (terms) => `其余 ${terms} 项`,
  total: '合计',
  bias: '偏置',
  gateOff: '这个头关掉了（ξ = 0）：它的和再乘以 0。',
  chain: {
    score: '得分',
    max: '这一行最大',
    difference: '相减',
    exponential: '取指数',
    sum: '这一行指数之和',
    weight: '注意力权重',
  },
  otherTokens: '整行',
  follow: (name) => `追到 ${name}`,
}
