"""The peer of training_step.mjs: the same model in PyTorch on one thread, which answers a line with the time of so many
steps. Batches are made beforehand and do not count; every step reads another one.

    training_step.py SENTENCES WORDS D HEADS VOCABULARY SLOTS     then a number of steps per line; ms come back
"""

import sys
import time

import torch

sentences, words, d, heads, vocabulary, slots = map(int, sys.argv[1:])
torch.set_num_threads(1)
torch.manual_seed(1)


class Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.token = torch.nn.Embedding(vocabulary, d)
        self.place = torch.nn.Embedding(words, d)
        self.attention = torch.nn.MultiheadAttention(d, heads, bias=False, batch_first=True)
        self.read_out = torch.nn.Linear(d, slots * vocabulary, bias=False)

    def forward(self, tokens, asked):
        x = self.token(tokens) + self.place.weight
        y, _ = self.attention(x, x, x, need_weights=False)
        rows = y.reshape(-1, d)[asked]
        return self.read_out(rows).reshape(-1, vocabulary)


model = Reader()
adam = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_of = torch.nn.CrossEntropyLoss()
# Four words of a sentence ask, one of them in two slots: the other slots' logits are made and ignored.
asked = torch.arange(sentences * words).reshape(sentences, words)[:, :4].reshape(-1)
batches = [
    (torch.randint(vocabulary, (sentences, words)), torch.randint(vocabulary, (len(asked) * slots,))) for _ in range(16)
]
for line in sys.stdin:
    start = time.perf_counter()
    for step in range(int(line)):
        tokens, targets = batches[step % len(batches)]
        adam.zero_grad()
        loss = loss_of(model(tokens, asked), targets)
        loss.backward()
        adam.step()
    print(1000 * (time.perf_counter() - start), flush=True)
