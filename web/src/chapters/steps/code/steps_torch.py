"""The eleven stops of the walk in PyTorch: one layer of multi-head attention, every tensor by its name on the page.

The page shows the marked lines; tests/snippets runs this very file against the C++ core's reference.
"""

import torch


def walk(ids, table, P, W_Q, W_K, W_V, W_O, h, allowed):
    """ids [n]: which row of table [words, d] a token is. allowed [n, n] bool: row may look at column."""
    n, d = P.shape
    d_k = d // h

    # --- excerpt: tokens
    E = torch.nn.functional.embedding(ids, table)  # a row for each token
    X = E + P
    # --- end excerpt

    # --- excerpt: project
    # nn.Linear keeps the transpose of these, [out, in].
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    # --- end excerpt

    # --- excerpt: split
    # Both steps give a view: shape and strides change, no number is copied.
    Q_heads = Q.view(n, h, d_k).transpose(0, 1)  # [h, n, d_k]
    K_heads = K.view(n, h, d_k).transpose(0, 1)
    V_heads = V.view(n, h, d_k).transpose(0, 1)
    # --- end excerpt

    # --- excerpt: score
    S = Q_heads @ K_heads.transpose(-2, -1)  # [h, n, n]: all heads at once
    # --- end excerpt

    # --- excerpt: scale
    S_scaled = S / d_k**0.5
    # --- end excerpt

    # --- excerpt: mask
    # Causal: allowed = torch.ones(n, n, dtype=torch.bool).tril()
    S_masked = S_scaled.masked_fill(~allowed, -torch.inf)
    # --- end excerpt

    # --- excerpt: softmax
    A = S_masked.softmax(dim=-1)  # every row adds up to 1
    # --- end excerpt

    # --- excerpt: mix
    Z_heads = A @ V_heads  # [h, n, d_k]
    # --- end excerpt

    # --- excerpt: concat
    # This reshape copies: in Z_heads each head lies in one piece. The page's
    # C++ writes every head into its columns of Z at once, so nothing moves.
    Z = Z_heads.transpose(0, 1).reshape(n, d)
    # --- end excerpt

    # --- excerpt: output
    Y = Z @ W_O

    # The same but for rounding: each head times its own rows of W_O, added up.
    C = [Z_heads[i] @ W_O[i * d_k : (i + 1) * d_k] for i in range(h)]
    Y_sum = sum(C)
    # --- end excerpt

    # --- excerpt: result
    # The whole walk, ready made. The module keeps its matrices as [out, in],
    # and its mask is True where a row may not look.
    layer = torch.nn.MultiheadAttention(d, h, bias=False)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_Q.T, W_K.T, W_V.T]))
        layer.out_proj.weight.copy_(W_O.T)
        Y_module, _ = layer(X, X, X, attn_mask=~allowed)
    assert Y_module.shape == Y.shape == X.shape  # the next layer can take it
    # --- end excerpt

    return locals()


def main():
    torch.manual_seed(0)
    words, n, d, h = 20, 11, 8, 2
    draw = torch.randn
    tensors = walk(torch.randint(words, (n,)), draw(words, d), draw(n, d), draw(d, d), draw(d, d), draw(d, d),
                   draw(d, d), h, allowed=torch.ones(n, n, dtype=torch.bool).tril())
    for name, tensor in tensors.items():
        if isinstance(tensor, torch.Tensor):
            print(f"{name:9} {list(tensor.shape)}")


if __name__ == "__main__":
    main()
