import type { AtScaleText } from './at_scale.en'

export const atScale: AtScaleText = {
  intro: (tokens) =>
    `真实模型的一个注意力层，按真实大小，在你的浏览器里读 ${tokens} 个词元。它的矩阵一块一块现造，用过一次就覆盖掉，从不整个存下来。`,
  model: '模型',
  sizes: { layers: '层数', modelDim: 'd，每个词元几个数', heads: 'h，几个头', kvHeads: '键和值的头', headDim: '每个头几个数' },
  latent: (kvRank, queryRank, headDim, rotaryDim, valueDim) =>
    `潜在注意力：一个词元的键和值，都由一个 ${kvRank} 个数的向量生成，查询由 ${queryRank} 个数的向量生成。每个头里，查询和键有 ${headDim} + ${rotaryDim} 个数，值有 ${valueDim} 个。这里只列大小，不跑。`,
  undisclosed: '大小没有公开。流传的“120 层、128 个头”是传闻。',
  run: '跑一层',
  stop: '停',
  progress: '算完的头',
  running: (head, heads) => `第 ${head} 个头，共 ${heads} 个`,
  stopped: '停了，什么都没有留下。',
  done: (model, tokens) => `${model} 的一层，${tokens} 个词元`,
  report: {
    seconds: '用时',
    speed: '矩阵乘法',
    weights: '现造的参数',
    weightBytes: '省去的存储',
    roomBytes: '用到的内存',
    rms: '输出的均方根',
  },
  meaning: (seed) => `参数由随机种子 ${seed} 产生，输入也是：计算量和真实模型一样，结果没有含义。`,
}
