// The lines of PyTorch in which each mistake is made, and how they must read.
import type { Mistake } from '../../core/broken'

export const mistakeCode: Readonly<Record<Mistake, { wrong: string; right: string }>> = {
  wrong_reshape: { wrong: 'q.reshape(h, n, d_k)', right: 'q.reshape(n, h, d_k).transpose(0, 1)' },
  no_scale: { wrong: '(q @ k.transpose(1, 2)).softmax(-1)', right: '(q @ k.transpose(1, 2) / d_k**0.5).softmax(-1)' },
  mask_after_softmax: { wrong: 's.softmax(-1) * allowed', right: 's.masked_fill(~allowed, -inf).softmax(-1)' },
  split_first: {
    wrong: 'x.reshape(n, h, d_k).transpose(0, 1) @ W_Q_small',
    right: '(x @ W_Q).reshape(n, h, d_k).transpose(0, 1)',
  },
  no_output_projection: { wrong: 'y = z.transpose(0, 1).reshape(n, d)', right: 'y = z.transpose(0, 1).reshape(n, d) @ W_O' },
  shared_projection: { wrong: '(x @ W_Q[:, :d_k]).expand(h, n, d_k)', right: '(x @ W_Q).reshape(n, h, d_k).transpose(0, 1)' },
}

export const mistakeNames = Object.keys(mistakeCode) as readonly Mistake[]
