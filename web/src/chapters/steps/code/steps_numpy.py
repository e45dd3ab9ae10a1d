"""The eleven stops of the walk in NumPy: one layer of multi-head attention, every tensor by its name on the page.

The page shows the marked lines; tests/snippets runs this very file against the C++ core's reference.
"""

import numpy as np


def walk(ids, table, P, W_Q, W_K, W_V, W_O, h, allowed):
    """ids [n]: which row of table [words, d] a token is. allowed [n, n] bool: row may look at column."""
    n, d = P.shape
    d_k = d // h

    # --- excerpt: tokens
    E = table[ids]  # a row for each token
    X = E + P
    # --- end excerpt

    # --- excerpt: project
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    # --- end excerpt

    # --- excerpt: split
    # Both steps give a view: shape and strides change, no number is copied.
    Q_heads = Q.reshape(n, h, d_k).transpose(1, 0, 2)  # [h, n, d_k]
    K_heads = K.reshape(n, h, d_k).transpose(1, 0, 2)
    V_heads = V.reshape(n, h, d_k).transpose(1, 0, 2)
    # --- end excerpt

    # --- excerpt: score
    S = Q_heads @ K_heads.transpose(0, 2, 1)  # [h, n, n]: all heads at once
    # --- end excerpt

    # --- excerpt: scale
    S_scaled = S / d_k**0.5
    # --- end excerpt

    # --- excerpt: mask
    # Causal: allowed = np.tril(np.ones((n, n), dtype=bool))
    S_masked = np.where(allowed, S_scaled, -np.inf)
    # --- end excerpt

    # --- excerpt: softmax
    # Without the largest, exp cannot overflow; the result is the same.
    A = np.exp(S_masked - S_masked.max(axis=-1, keepdims=True))
    A /= A.sum(axis=-1, keepdims=True)  # every row adds up to 1
    # --- end excerpt

    # --- excerpt: mix
    Z_heads = A @ V_heads  # [h, n, d_k]
    # --- end excerpt

    # --- excerpt: concat
    # This reshape copies: in Z_heads each head lies in one piece. The page's
    # C++ writes every head into its columns of Z at once, so nothing moves.
    Z = Z_heads.transpose(1, 0, 2).reshape(n, d)
    # --- end excerpt

    # --- excerpt: output
    Y = Z @ W_O

    # The same but for rounding: each head times its own rows of W_O, added up.
    C = [Z_heads[i] @ W_O[i * d_k : (i + 1) * d_k] for i in range(h)]
    Y_sum = sum(C)
    # --- end excerpt

    # --- excerpt: result
    assert Y.shape == X.shape  # the next layer can take it

    # From the attention weights on, one sum over heads h, keys m and columns k.
    W_O_heads = W_O.reshape(h, d_k, d)
    Y_einsum = np.einsum("hnm,hmk,hkd->nd", A, V_heads, W_O_heads, optimize=True)
    # --- end excerpt

    return locals()


def main():
    random = np.random.default_rng(0)
    words, n, d, h = 20, 11, 8, 2
    draw = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    tensors = walk(random.integers(words, size=n), draw(words, d), draw(n, d), draw(d, d), draw(d, d), draw(d, d),
                   draw(d, d), h, allowed=np.tril(np.ones((n, n), dtype=bool)))
    for name, tensor in tensors.items():
        if isinstance(tensor, np.ndarray):
            print(f"{name:9} {tensor.shape}")


if __name__ == "__main__":
    main()
