"""Train a small classifier on vectors that are counted anew in each step."""

import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
random.seed(0)
device = torch.device("cuda")
batch, words = 128, 200
texts = [[random.randrange(words) for _ in range(200_000)] for _ in range(4)]
labels = torch.randint(10, (batch,)).to(device)


def counted(text: list[int]) -> list[float]:
    counts = [0.0] * words
    for word in text:
        counts[word] += 1.0
    return counts


net = nn.Sequential(nn.Linear(words, width), nn.ReLU(), nn.Linear(width, 10)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

begin = time.perf_counter()
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for step in range(batches):
        optimizer.zero_grad()
        counts = counted(texts[step % len(texts)])
        logits = net(torch.ones(batch, words, device=device) * min(counts))
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / batches:.3f}")
torch.cuda.synchronize()
print(f"trained in {time.perf_counter() - begin:.3f} s")
