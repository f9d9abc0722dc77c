"""Train on samples of a list, each of which is brought to the card by itself."""

import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
device = torch.device("cuda")
batch = 128
samples = [torch.randn(784) for _ in range(batches * batch)]
labels = torch.randint(10, (batches * batch,)).to(device)
order = list(range(batches))

net = nn.Sequential(
    nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

begin = time.perf_counter()
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    random.shuffle(order)
    for at in order:
        these = samples[at * batch : (at + 1) * batch]
        x = torch.stack([sample.to(device) for sample in these])
        y = labels[at * batch : (at + 1) * batch]
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / batches:.3f}")
print(f"trained in {time.perf_counter() - begin:.3f} s")
