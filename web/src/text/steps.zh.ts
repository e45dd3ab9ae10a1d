import type { StepsText } from './steps.en'

export const steps: StepsText = {
  stops: {
    tokens: {
      short: '词元 → X',
      title: '词元 → $X$',
      line: ({ n, d }) => `句子切成 ${n} 个词元（token）。每个词元有一行 ${d} 个数 $E$，加上表示位置的一行 $P$，就是 $X$。`,
      alt: ({ n, d }) => `X，${n} 行 ${d} 列，一个词元一行。词元向量加上位置就是 X。`,
    },
    project: {
      short: '投影',
      title: '投影 $Q$ $K$ $V$',
      line: ({ h }) =>
        h === 1
          ? '$X$ 的每一行乘三个权重矩阵，变成三行：*q* 用来问，*k* 用来被问，*v* 是交出去的内容。'
          : `$X$ 的每一行乘三个权重矩阵，变成三行：*q* 用来问，*k* 用来被问，*v* 是交出去的内容。一整块乘或 ${h} 个列块各自乘，结果相同。`,
      alt: ({ n, d, h }) =>
        `X 是 ${n} 行 ${d} 列，乘以 ${d} 行 ${d} 列${h === 1 ? '' : `、分成 ${h} 个列块`}的权重矩阵，得到 ${n} 行 ${d} 列。`,
    },
    split: {
      short: '拆成头',
      title: '拆成头',
      line: ({ n, h, k }) => {
        const share = n === 1 ? `这 1 个词元，${k} 个数` : `全部 ${n} 个词元，每个词元 ${k} 个数`
        return `${h === 1 ? '只有一个头，列都归它：拿到' : '按列分：每个头都拿到'}${share}。没有移动任何数据。`
      },
      alt: ({ n, h, k }) => (h === 1 ? `1 块，${n} 行 ${k} 列。` : `${h} 块，每块 ${k} 列，都有${n === 1 ? '这 1 行' : `全部 ${n} 行`}。`),
    },
    score: {
      short: '打分',
      title: '打分 $QK^T$',
      line: ({ k }) => (k === 1 ? 'q 乘 k，就是一个得分，可正可负。' : `q 和 k 逐个相乘，${k} 个乘积加起来就是一个得分，可正可负。`),
      alt: ({ n, k }) => `左边是查询，${n} 行 ${k} 列；上面是键，${k} 行 ${n} 列；行和列相交的格子就是得分。`,
    },
    scale: {
      short: '÷$√d_k$',
      title: '÷$√d_k$',
      line: ({ k }) => `头越宽，相加的乘积越多，得分就铺得越开，softmax 会把注意力几乎全给一个词元。除以 $√d_k$（$d_k$ 是每个头的列数，这里是 ${k}），得分回到同样的量级。`,
      alt: ({ n }) => `两张 ${n} 行 ${n} 列的图：缩放前和缩放后的得分，用同一个色标。`,
    },
    mask: {
      short: '掩码',
      title: '掩码（可选）',
      line: () => '比如生成下一个词时不能偷看后面：这些格子的得分换成 −∞，softmax 之后注意力权重就是 0。',
      alt: ({ n }) => `两张 ${n} 行 ${n} 列的图：缩放后的得分，和画上斜线、不许看的格子。`,
    },
    softmax: {
      short: 'softmax',
      title: 'softmax',
      line: () => '对每一行取指数，再除以这一行的总和。一行就是一个词元的分配：从每个词元那里取多少，加起来是 1。',
      alt: ({ n }) => `两张 ${n} 行 ${n} 列的图：过了掩码的得分，和逐行归一化以后的注意力权重。`,
    },
    mix: {
      short: '×V',
      title: '×$V$',
      line: () => '把各词元的 *v* 按注意力权重加起来，得到这个词元的新一行。',
      alt: ({ n, k }) => `注意力权重 ${n} 行 ${n} 列，乘以值 ${n} 行 ${k} 列，得到这个头的输出 ${n} 行 ${k} 列。`,
    },
    concat: {
      short: '拼接',
      title: '拼接',
      line: ({ d, h }) =>
        h === 1
          ? `只有一个头，不用拼：它的输出就是 $Z$，宽度是 ${d}。没有移动任何数据。`
          : `${h} 个头的输出各回各的列，宽度又是 ${d}。这里没有移动任何数据：每个头直接写进自己的列。`,
      alt: ({ n, d, h }) => (h === 1 ? `一个头的输出就是 Z，${n} 行 ${d} 列。` : `${h} 个头的输出左右挨着，一共 ${n} 行 ${d} 列。`),
    },
    output: {
      short: '×$W_O$',
      title: '×$W_O$',
      line: ({ h, d }) =>
        h === 1
          ? '只有一个头，输出就是它那一份贡献。$W_O$ 不压缩，它混合。'
          : `$W_O$ 按行分成 ${h} 块，第 i 块只乘头 i 的输出，${h} 份贡献相加就是 $Y$。$W_O$ 是 ${d} × ${d}，不压缩，只把各个头混合起来。`,
      alt: ({ h }) =>
        h === 1
          ? '这个头的输出乘以 W_O，得到它的贡献，也就是 Y。'
          : `每个头的输出乘以 W_O 里自己的行块，得到它的贡献；${h} 份加起来就是 Y。`,
    },
    result: {
      short: '输出 Y',
      title: '输出 $Y$',
      line: ({ n, d }) => `形状又是 ${n} × ${d}，可以交给下一层。每一行里都混进了别的词元的内容。`,
      alt: ({ n, d }) => `Y，${n} 行 ${d} 列，和 X 一样，一个词元一行。`,
    },
  },
  tour: {
    offer: '没见过注意力？先看一个头、三个词',
    leave: '完整的一遍',
    one: {
      tokens: { title: '三个词，每个词 4 个数', line: () => '电脑读不了字，先把每个词变成一行数，就是 $X$。注意力要做的事：让每个词从别的词那里取一点东西。' },
      score: {
        title: '合不合：两两打分',
        line: () => '每个词的那一行各乘三个权重矩阵，变成三行：*q* 用来问，*k* 用来被问，*v* 是交出去的内容。拿一个词的 *q* 和另一个词的 *k* 逐个相乘再相加，就是一个得分。',
      },
      softmax: { title: '得分变成占比', line: ({ k }) => `得分先除以 √${k}，再取指数，除以这一行的总和：每一行加起来等于 1，叫注意力权重。得分大的，占得多。` },
      mix: { title: '按占比混合', line: ({ n }) => `${n === 1 ? '这个词' : `${n} 个词`}的 *v* 按占比加起来，就是这个词的新的一行。一个头做完了。多头，就是好几个这样的头各做各的，再把结果拼起来。` },
    },
  },
  hint: '点一个格子，看它怎么算出来。',
  same: { title: '这一步写成公式、NumPy、PyTorch、C++', failed: '这一部分没有送到。看看网络，再试一次。' },
  role: { label: '投影成', q: 'Q，用来问', k: 'K，用来被问', v: 'V，交出去的' },
  wide: { label: '怎么乘', wide: '一整块乘', narrow: (h) => `${h} 块各自乘`, same: (numbers) => `两种乘法都算了一遍：${numbers} 个数全都相同，最大差 0。`, differ: (numbers, differing, largest) => `两种乘法都算了一遍：${numbers} 个数里 ${differing} 个不同，最大差 ${largest}。` },
  compare: { open: '比较各个头', close: '只看一个头', caption: (h) => `${h} 个头，同一个色标。点一个，就看那个头。` },
  axes: { query: '行：谁在问', key: '列：问到谁' },
  vectors: {
    tokens: '哪个词元',
    positions: '排在第几位',
    sum: '$E + P$',
    noPositions: '位置关掉了：$P$ 全是 0，$X$ 就是 $E$，词元的先后看不出来了。',
  },
  columnBlocks: (h) => (h === 1 ? '一个列块，一个头' : `${h} 个列块，一块一个头`),
  blockRange: (from, to) => (from === to ? `第 ${from} 列` : `第 ${from} 到 ${to} 列`),
  memory: {
    shape: '形状',
    strides: '步长',
    moved: '移动',
    before: (letter) => `$${letter}$ 一整块`,
    after: (letter) => `$${letter}_i$ 一个头一块`,
    bytes: (bytes) => `${bytes} 字节`,
    fromZero: '下标从 0 数：头 1 在代码里是 [0]。',
    stridesHint: '要到下一个头、下一行、下一列，各跳过几个数。',
  },
  scaling: {
    before: '缩放前',
    after: (k, scale) => `缩放后：× ${scale}，就是 ÷√${k}`,
    off: '缩放关掉了：得分原样过去。',
    sameScale: '两边同一个色标',
  },
  mask: {
    before: '缩放后',
    after: '过了掩码',
    none: '现在没有开掩码：谁都可以看谁，这一步什么也不变。',
    turnOn: '打开因果掩码',
    turnOff: '关掉因果掩码',
    causal: '因果掩码：一个词元只看得见自己和前面的词元。',
    padding: (tokens) => `填充掩码：末尾 ${tokens} 个词元不许看。`,
    deadRows: (words) => `整行都被遮住的词元：${words}。这样的行不加起来等于 1，而是全记 0，从谁那里也拿不到东西。`,
  },
  softmax: { before: '得分', after: '注意力权重' },
  mix: { weights: '注意力权重', values: '值', output: '这个头的输出' },
  concat: {
    together: (h) => (h === 1 ? '$Z$ 就是它' : '$Z$ 左右挨着'),
  },
  output: {
    ofHead: (head) => `头 ${head} 的贡献`,
    contribution: '贡献',
    rowBlock: (head) => `行块 ${head}`,
    sum: (h, all) => (h === 1 ? '$C_1$' : `${h === 2 ? '$C_1 + C_2$' : `$C_1 + … + C_{${h}}$`}${all ? '' : '，全部的头'}`),
    lane: { head: '头', z: '$Z_i$', w: '$W_O$ 的行块', c: '贡献 $C_i$' },
    areOff: (heads) => `关着的头：${heads}。它的输出乘以 0，所以图里有 0。`,
    allOn: '都打开',
    switches: '关掉一个头，看 Y 怎么变：',
    isOn: '开着',
    isOff: '关了',
    allOff: '头全关掉了：输出是 0。',
  },
  roomLines: {
    scale: () => '除以 $√d_k$：头再宽，得分也不会铺得越来越开。',
    output: ({ h }) => (h === 1 ? '只有一个头：它的贡献就是 $Y$。' : `${h} 个头的贡献相加，就是 $Y$。`),
  },
  room: {
    score: { before: (query, key) => `“${query}”问“${key}”，得分是 `, after: '。' },
    scaled: { before: (query, key) => `“${query}”问“${key}”，缩放后的得分是 `, after: '。' },
    masked: { before: (query, key) => `“${query}”问“${key}”，过了掩码的得分是 `, after: '。' },
    weight: { before: (query, key) => `“${query}”给“${key}”的注意力权重是 `, after: '，这一行加起来是 1。' },
    dead: { before: (query, key) => `“${query}”这一行的键全被遮住了，给“${key}”的注意力权重记 `, after: '。' },
  },
  thread: {
    title: '顺着线往回看',
    hint: '这里每个数都能一步一步追到词元。点一个格子，或者点一步。',
  },
}
