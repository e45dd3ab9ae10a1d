import type { MeasureHereText } from './measure_here.en'

export const measureHere: MeasureHereText = {
  intro:
    '大约两秒钟里，两件事轮流占用你这台机器的一个核：一个注意力层的计算，和一个只把手边的数相乘、相加的循环。循环达到的速度叫峰值：在这个浏览器里，一个核无论算什么，都快不过它。',
  run: '在这里测',
  stop: '停',
  progress: '测了多少',
  stopped: '停了，什么都没有留下。',
  columns: { what: '跑的是什么', ms: '一遍用时', speed: '速度', ofPeak: '占峰值' },
  size: (tokens, modelDim, heads) => `n\u00a0=\u00a0${tokens}，d\u00a0=\u00a0${modelDim}，h\u00a0=\u00a0${heads}`,
  onThePage: '页面上的',
  peak: '只做乘和加',
  done: (tokens, time, ofPeak) => `在这台机器上，页面上的 ${tokens} 个词元算一遍要 ${time}，速度是峰值的 ${ofPeak}。`,
  build: {
    relaxed: '跑的是 relaxed 版：一乘一加是一条指令。',
    simd: '跑的是 simd 版：乘和加是两条指令，峰值也是这两条指令的峰值。',
  },
  meaning:
    'FLOP/s 是每秒做的乘法和加法，只数矩阵乘法里的；1 GFLOP/s 是每秒十亿次。很小的一遍，时间大多花在计算以外：调用、检查、搬数。矩阵越大，越接近峰值。每样测二十轮，取最快的一轮；机器太忙、用电池、太热，最快的一轮也会变慢。',
}
