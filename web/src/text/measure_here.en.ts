// How fast the reader's machine is. The type of this file is the type of measure_here.zh.ts.
export const measureHere = {
  intro:
    'For about two seconds two things take turns on one core of your machine: passes of an attention layer, and a loop that does nothing but multiply and add numbers the processor has at hand. What the loop reaches is called the peak: nothing that one core computes in this browser gets beyond it.',
  run: 'Measure here',
  stop: 'Stop',
  progress: 'Measured so far',
  stopped: 'Stopped. Nothing is left of it.',
  columns: { what: 'what ran', ms: 'one pass', speed: 'speed', ofPeak: 'of the peak' },
  size: (tokens: number, modelDim: number, heads: number) => `n\u00a0=\u00a0${tokens}, d\u00a0=\u00a0${modelDim}, h\u00a0=\u00a0${heads}`,
  onThePage: 'on the page',
  peak: 'multiply and add only',
  done: (tokens: number, time: string, ofPeak: string) =>
    `Here, the pass on the page, over ${tokens === 1 ? '1 token' : `${tokens} tokens`}, takes ${time}: ${ofPeak} of the peak.`,
  build: {
    relaxed: 'The “relaxed” build ran: to multiply and add is one instruction.',
    simd: 'The “simd” build ran: to multiply and to add are two instructions, and the peak is what these two reach.',
  },
  meaning:
    'FLOP/s: multiplications and additions of the matrix products in a second; 1 GFLOP/s is a billion of them. A tiny pass spends most of its time on what surrounds the arithmetic: the call, the checks, moving numbers about. The larger its matrices, the closer it gets to the peak. Of twenty rounds the fastest counts; a busy machine, a battery or heat can make even that one slower.',
}

export type MeasureHereText = typeof measureHere
