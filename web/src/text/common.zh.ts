import type { CommonText } from './common.en'
import { explain } from './explain.zh'

const problems: CommonText['problems'] = (problem) => {
  switch (problem.code) {
    case 'not_a_choice': return `可以填：${problem.allowed.join('、')}。`
    case 'not_in_range': return `请填 ${problem.min} 到 ${problem.max} 之间的整数。`
    case 'does_not_divide': return `${problem.dModel} 列没法平分给 ${problem.heads} 个头：h 要能整除 d。`
    case 'no_tokens': return `至少写一个词元，可以写 1 到 ${problem.max} 个。`
    case 'too_many_tokens': return `现在是 ${problem.count} 个词元，最多 ${problem.max} 个，删几个再算。`
    case 'token_too_long': return `“${problem.token}”太长，一个词元最多 ${problem.max} 个字。`
    case 'text_too_long': return `这段文字太长，最多 ${problem.max} 个字。`
    case 'broken_text': return '文字里有损坏的字或看不见的控制符，去掉再算。'
    case 'no_such_cell': return '现在的大小里没有这个格子。写法是“张量.下标”，比如 weights.0.6.4。'
    case 'not_a_list': return `写头的编号，用逗号隔开，从 0 数，最大 ${problem.max}。`
  }
}

const statuses: CommonText['failure']['statuses'] = {
  tokens_out_of_range: '词元太多或太少，内核算不了。',
  model_dim_out_of_range: '这个 d 内核算不了。',
  heads_out_of_range: '这个头数内核算不了。',
  kv_heads_not_a_divisor: '键和值的头数不能整除查询的头数。',
  head_dim_out_of_range: '每个头太宽，或者 h 不能整除 d。',
  too_large: '有一个矩阵，或者全部矩阵加起来，大得超出内核的限度。把 d 改小，或者少写几个词元。',
  out_of_memory: '浏览器不肯再给内存了。关掉别的标签页，或者把 d 改小。',
  wrong_size: '有一个张量大小不对。这是我们的错，不怪你。',
  not_finite: '送进去的数里有无穷大，或者不是数。',
  overflow: '算出来的数大得存不下。',
  bad_scale: '缩放用的数不是有限数。',
  no_such_cell: '没有这个格子。',
  not_loaded: '权重矩阵还没有装好。',
  bad_text: '有一个词元的文字读不出来。',
  bad_gate: '每个头都要有一个开关，开关必须是有限的数。',
  bad_padding: '填充的个数要在 0 和词元数之间。',
  no_wasm: '这个浏览器跑不了 WebAssembly，什么都算不了。2023 年以后的浏览器都可以。',
  no_simd: '这个浏览器的 WebAssembly 没有 SIMD，什么都算不了。2023 年以后的浏览器都有。',
  load_failed: '负责计算的那部分没有送到。看看网络，再试一次。',
  crashed: '负责计算的那部分意外停了。',
}

const tensors: CommonText['tensors'] = {
  token_vectors: '词元向量', positions: '位置', x: 'X', context: '上下文', mask: '掩码',
  w_q: '权重矩阵 W_Q', w_k: '权重矩阵 W_K', w_v: '权重矩阵 W_V', w_o: '输出投影 W_O',
  b_q: 'Q 的偏置', b_k: 'K 的偏置', b_v: 'V 的偏置', b_o: '输出的偏置',
  q: '查询 Q', k: '键 K', v: '值 V', q_heads: '查询 q', k_heads: '键 k', v_heads: '值 v',
  raw_scores: '得分', scaled_scores: '缩放后的得分', masked_scores: '过了掩码的得分', weights: '注意力权重',
  heads: '头的输出', concat: '拼接 Z', output: '输出 Y', masked_rows: '整行遮住', contributions: '贡献',
}

const names: CommonText['names'] = {
  chapter: '章', lang: '语言', theme: '配色', view: '版面', signs: '正负号', sentence: '句子', dModel: 'd', heads: 'h', causal: '因果掩码', scaled: '缩放',
  positions: '位置', padding: '填充', weights: '权重矩阵', seed: '种子', stop: '步', head: '头', pin: '钉住的格子', out: '关掉的头',
}

export const common: CommonText = {
  name: '八场会',
  otherName: 'Eight Meetings',
  colon: '：',
  comma: '，',
  skip: '跳到图',
  navigation: '各章',
  chapters: { steps: '分步' },
  language: '语言',
  theme: { label: '配色', auto: '自动', light: '浅色', dark: '深色' },
  loading: '正在准备内核，第一批数马上就来。',
  computing: '正在计算',
  chapterFailed: '这一章没有送到。看看网络，再试一次。',
  failure: {
    title: '没算出来',
    statuses,
    place: (place) => `问题出在 ${place}。`,
    older: '你看到的是上一次算成的结果。',
    retry: '再试一次',
    known: (status) => (status === 'ok' ? '' : statuses[status]),
  },
  refusals: {
    title: '地址里有几个值用不了，先换成默认的：',
    item: (key, given, problem) => `${names[key]}（${key}=${given}）：${problems(problem)}`,
    close: '知道了',
  },
  names,
  problems,
  tensors,
  size: (dModel, heads) => `${dModel} = ${heads} × ${dModel / heads}`,
  head: (number) => `头 ${number}`,
  heads: {
    label: '选一个头',
    one: (number, heads) => `头 ${number}，共 ${heads} 个`,
    page: (first, last, heads) => `第 ${first}–${last} 个头，共 ${heads} 个`,
    previous: '前面的头',
    next: '后面的头',
    turnOff: (head) => `关掉头 ${head}`,
    turnOn: (head) => `打开头 ${head}`,
    off: '关掉',
    on: '打开',
  },
  settings: {
    open: '设置',
    title: '设置',
    sentence: '句子',
    sentenceHint: '自己切就用 | 隔开词元，不切就由我们切。1 到 32 个词元。',
    sizes: '大小',
    readable: '每个数都看得清',
    article: '文章里的大小',
    dModel: 'd，每个词元几个数',
    dModelHint: (max) => `这一页可以填 1 到 ${max}`,
    heads: 'h，几个头',
    headsHint: '要能整除 d',
    nearest: '最近能用的：',
    causal: '因果掩码',
    causalHint: '一个词元只看得见自己和前面的词元。',
    scaled: '除以 $√d_k$',
    scaledHint: '关掉：得分不缩小，直接进 softmax。',
    positions: '位置',
    positionsHint: '关掉：词元的先后就看不出来了。',
    padding: '末尾几个词元是填充',
    paddingHint: '填充不许当键来看。',
    signs: '显示正负号',
    signsHint: '负数的格子左下角有一短横，小格子画斜线。',
    seed: '种子',
    seedHint: '换一个种子，就换一套参数。',
  },
  check: {
    build: (build) => `这里的数由 C++ 算出，编译成 WebAssembly（${build === 'relaxed' ? 'relaxed SIMD' : 'SIMD'} 版），就在你的浏览器里运行。`,
    ask: '核对这些数',
    running: (done, total) => (total === 0 ? '正在取答案……' : `正在核对第 ${done + 1} 组，共 ${total} 组……`),
    good: (cases) => `PyTorch 用双精度算好的 ${cases} 组例子，在这里重算了一遍：每个数都在误差限以内。`,
    bad: '至少有一个数的偏差比舍入误差大。请先别相信这个浏览器里的数，并告诉我们。',
    caption: '每个张量里最接近误差限的那个数',
    tensor: '张量',
    error: '误差',
    bound: '误差限',
  },
  provenance: {
    seeded: (seed) => `随机种子 ${seed}`,
    meaning: '花纹还没有含义',
    detail: (seed) => `参数由随机种子 ${seed} 产生，没有训练过，所以花纹还没有含义。算法是真的。`,
  },
  figure: {
    asTable: '换成表格读',
    asPicture: '换回图',
    csv: '存成 CSV',
    csvOf: '存哪一张：',
    png: '存成图片',
    pngCaption: (size, source, names) => `d = h × k：${size} · ${source} · ${names}`,
    choose: '张量',
    window: (from, to, total) => `第 ${from}–${to} 列，共 ${total} 列`,
    rowWindow: (from, to, total) => `第 ${from}–${to} 行，共 ${total} 行`,
    earlierColumns: '前面的列',
    laterColumns: '后面的列',
    earlierRows: '前面的行',
    laterRows: '后面的行',
    rounded: (decimals) => `显示 ${decimals} 位小数，按完整的数计算`,
    binned: '像素比数少：每个像素显示绝对值最大的那个，符号不变。',
    legend: {
      diverging: (limit) => `色标：负 ${limit} 红，0，正 ${limit} 蓝黑`,
      sequential: '色标：0 浅，1 深',
      signed: (symbols) => `${symbols}：蓝黑为正，红为负`,
      weights: (symbols) => `${symbols}：注意力权重，总是 0 到 1`,
      masked: '不许看，记 −∞',
    },
    grid: (name, rows, columns) => `${name}，${rows} 行，${columns} 列`,
  },
  projector: {
    enter: '投影',
    hint: '一张图、一句话，字大；翻页笔也能翻。',
    leave: '退出投影（Esc）',
    blank: '空格：小于 0.05',
    provenance: (seed) => `随机种子 ${seed}，花纹没有含义`,
  },
  cell: {
    head: (number) => `头 ${number}`,
    pair: (query, key) => `${query} 问 ${key}`,
    place: (row, column) => `第 ${row} 行第 ${column} 列`,
    masked: '被遮住',
  },
  strip: {
    row: '这一行',
    up: (token) => `↑ ${token}`,
    down: (token) => `↓ ${token}`,
    upLabel: (token) => `上一行：${token}`,
    downLabel: (token) => `下一行：${token}`,
    hint: '点一格看怎么算',
  },
  explain,
  walk: {
    label: '计算的每一步',
    back: '上一步',
    next: '下一步',
    position: (stop, last) => `第 ${stop} 步，0 到 ${last}`,
    announce: (stop, title, shape) => `第 ${stop} 步，${title}。${shape}`,
    scrub: '拖着走：每一步之间怎么变',
    step: (stop, name, last) => `第 ${stop} 步，${name}，0 到 ${last}`,
    play: '自动播放',
    pause: '暂停',
    speed: (times) => `播放速度：${times} 倍`,
    atStart: '这是第一步。',
    atEnd: '这是最后一步。',
    keys: '按键：← → 换步，空格播放，1–8 换头，Esc 松开',
  },
}
