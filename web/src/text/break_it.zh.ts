import type { BreakItText } from './break_it.en'

const list = (words: readonly string[]): string => words.map((word) => `“${word}”`).join('、')

export const breakIt: BreakItText = {
  intro: '写多头注意力时，真有人犯的错。选一个：C++ 就在训练好的模型里照着错一遍，让它把题重新答一次。',
  choose: '选一个错误',
  names: {
    wrong_reshape: '只重排，不转置',
    no_scale: '忘了 $÷ √d_k$',
    mask_after_softmax: '先 softmax，后掩码',
    split_first: '先切开，再投影',
    no_output_projection: '漏了 $W_O$',
    shared_projection: '所有头共用一份投影',
  },
  wrongs: {
    wrong_reshape: '头拿到的，是别的词元的碎片。',
    no_scale: 'softmax 变得太陡。',
    mask_after_softmax: '每行加起来不再是 1。',
    split_first: '每个头只看得到 $x$ 的一小段。',
    no_output_projection: '各头的结果没人来合。',
    shared_projection: '所有头做的是同一件事。',
  },
  code: { both: '错的那行代码，和对的写法', wrong: '错', right: '对' },
  weights: (d, h, seed, steps) => `训练所得 · d = ${d}，h = ${h} · 种子 ${seed} · ${steps} 步`,
  instead: (d, h, ownD, ownH) => `没有 d = ${ownD}、h = ${ownH} 的训练好的模型，这里用的是 d = ${d}、h = ${h} 的。`,
  none: '这个页面没有带训练好的模型，没有东西可弄坏。',
  loading: '正在取模型，弄坏它，再问一遍……',
  effect: {
    unnoticed: (before, after) => `这个模型几乎没察觉：原来答对 ${before}，现在答对 ${after}。`,
    worse: (before, after) => `受了伤：原来答对 ${before}，现在答对 ${after}。`,
    broken: (before, after) => `模型坏了：原来答对 ${before}，现在只答对 ${after}。`,
  },
  table: {
    caption: '出错前后答得怎么样',
    before: '之前',
    after: '之后',
    loss: '损失',
    right: '答对',
  },
  heldOut: (sentences) => `用 ${sentences} 个没训练过的中文句子测的。`,
  whyTitle: '为什么',
  why: {
    wrong_reshape:
      '重排不搬动任何一个数，只是把同一长串重新切段。当成 $[h, n, d_k]$ 来读，头 1 拿到的是最前面 $n · d_k$ 个数，也就是头几个词元的所有列，而不是每个词元里自己的那几列。图上的一行一列不再对应一个词元；形状又正好对得上，所以什么错也不报。',
    no_scale:
      '所有分数都是训练时的 $√d_k$ 倍。大小顺序没变，每行最大的注意力权重还在原处，只是 softmax 从别处拿走更多给了它。本来就只选一个词的头，变化不大。太陡的 softmax，代价在训练时才付：梯度几乎传不回去。',
    mask_after_softmax:
      'softmax 已经把 1 分给了所有的键，填充的 □ 也在内。事后把 □ 分到的抹成零，那一份谁也没拿回来：填充得越长，剩下的可能越少。在 softmax 之前用 −∞ 掩掉，□ 分到的正好是 0，填充多长都不影响结果。',
    split_first:
      '通过 $W_Q$、$W_K$、$W_V$，每个头都看得到词元的全部 $d$ 个数，从中取自己要的。先把 $x$ 切开，头 $i$ 就只看得到其中 $d/h$ 个，别的永远看不到：三个矩阵都只剩下对角线上的块。',
    no_output_projection:
      '每个头只写自己那几列。$W_O$ 把这些列合成后面读出时训练过的样子；没有它，同样的数摆在了别的意思的位置上。',
    shared_projection:
      '$W_Q$、$W_K$、$W_V$ 用的列都一样，所有头的 $q$、$k$、$v$ 就都一样：同一张图算 $h$ 遍，输出也一样。$W_O$ 训练时收到的是 $h$ 个不同的头，现在收到的是同一个头的 $h$ 份。',
  },
  padding: (words) => `这里每个句子都用 □ 填到了 ${words} 个位置。□ 是模型没训练过的。`,
  maps: {
    title: '同一个头的注意力图，之前和之后',
    head: '头',
    before: '之前',
    after: '之后',
    caption: '同一色标，0 到 1',
    alt: (tokens) => `同一个头的两张注意力图，各 ${tokens} × ${tokens}：出错之前和之后。`,
    tableBefore: (head) => `头 ${head}，之前的注意力权重`,
    tableAfter: (head) => `头 ${head}，之后的注意力权重`,
    change: (largest) => `你这句话的输出，最大变了 ${largest}。`,
    rows: (least, most) => `所有头里，一行加起来从 ${least} 到 ${most}。`,
  },
  unknown: (words) => `模型没学过${list(words)}，所以这里没有你这句话的图。上面的成绩不受影响。`,
  tooLong: (words) => `模型最多读 ${words} 个词，你的句子更长，所以这里没有它的图。`,
}
