#include "cli/help.hpp"

#include "mha/shape.hpp"

namespace mha::cli {

std::string_view help_text() {
  return R"(mha - multi-head attention, the core of "Eight Meetings" without a browser

usage:
  mha forward OPTIONS     one pass from files, every intermediate tensor into a file
  mha help, mha --help    this text
  mha help forward        the part of it that is about forward; mha forward --help too
  mha --version
)";
}

static_assert(kMaxFloats == 268435456, "the text says this number");

std::string_view forward_help_text() {
  return R"(mha forward - one pass of multi-head attention, every intermediate tensor into a file

usage:
  mha forward --weights W.safetensors --input X.npy --heads H --out TRACE.safetensors
              [--context C.npy] [--kv-heads G] [--causal] [--mask M.npy] [--padding P]
              [--scale S|none]

An option's value follows it or stands behind '=' (--heads 8, --heads=8). Each option may be
given once. All numbers are float32, little endian, row-major.

sizes (read off the files, never given twice):
  n  tokens that ask, rows of X             1 to 512
  m  keys that are asked, rows of C; or n   1 to 512
  d  model dimension, rows of w_q           1 to 4096
  h  heads, --heads                         1 to 4096
  g  key/value heads, --kv-heads            divides h
  k  head dimension, columns of w_q / h     h*k at most 8192; d/h is usual, not required
Every tensor has at most 2^28 = 268435456 numbers: the scores, h*n*m, and the contributions,
h*n*d, are the largest.

options:
  --weights FILE   .safetensors with the tensors (dtype F32, [in, out], they multiply from
                   the right: q = x w_q + b_q; PyTorch's Linear.weight is the transpose):
                     w_q [d, h*k]   w_k [d, g*k]   w_v [d, g*k]   w_o [h*k, d]
                   and optionally, each on its own:
                     b_q [h*k]      b_k [g*k]      b_v [g*k]      b_o [d]
                   Head i owns columns i*k ... (i+1)*k-1 of w_q and these rows of w_o.
                   Other tensors in the file are not read.
  --input FILE     .npy, x [n, d]
  --context FILE   .npy, c [m, d]: keys and values come from it (cross-attention).
                   Without it they come from x.
  --heads H        number of heads
  --kv-heads G     number of key/value heads (default H). H/G neighbouring heads share one.
  --causal         row i sees the keys j <= i only (i and j count from 0)
  --mask FILE      .npy, [n, m], added to the scaled scores of every head; -inf forbids
  --padding P      the last P keys are padding: no row sees them (default 0)
  --scale S|none   the scores are multiplied by S before the mask and the softmax; none
                   is 1. Default: 1/sqrt(k).
  --out FILE       .safetensors with the result. Written completely or not at all.

A row that may see no key gets weights of 0, not NaN, and 1 in masked_rows.

keys of the result:
  q              [n, h*k]    x w_q + b_q
  k              [m, g*k]    c w_k + b_k
  v              [m, g*k]    c w_v + b_v
  raw_scores     [h, n, m]   q_i k_i^T of every head i
  scaled_scores  [h, n, m]   times the scale
  masked_scores  [h, n, m]   plus the mask; -inf where forbidden
  weights        [h, n, m]   softmax of each row
  heads          [h, n, k]   weights_i v_i
  concat         [n, h*k]    the heads side by side
  contributions  [h, n, d]   heads_i times its own rows of w_o; they and b_o add up to output
  output         [n, d]      concat w_o + b_o
  masked_rows    [n]         1 where a row may see no key, else 0
The sizes, the scale and the options are in the file's __metadata__.

exit codes:
  0  the result is written
  1  a file cannot be read or written, or its contents are refused (wrong shape, NaN,
     numbers too large for float32)
  2  the command line is wrong
A failure is one line on standard error; no result file is made and an older one is kept.

example:
  python3 - <<'PY'
  import numpy as np; from safetensors.numpy import save_file
  r = np.random.default_rng(0).standard_normal
  save_file({w: r((8, 8), "f") for w in ("w_q", "w_k", "w_v", "w_o")}, "w.safetensors")
  np.save("x.npy", r((5, 8), "f"))
  PY
  mha forward --weights w.safetensors --input x.npy --heads 2 --causal --out trace.safetensors
)";
}

}  // namespace mha::cli
