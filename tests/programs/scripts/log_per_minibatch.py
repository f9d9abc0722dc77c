"""Train a small classifier on random pictures, and log each minibatch."""

import statistics
import sys
import time
from collections import deque

import torch
from torch import nn
from torch.nn import functional as F

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
device = torch.device("cuda")
batch = 256
pictures = torch.randn(batches * batch, 784).to(device)
labels = torch.randint(10, (batches * batch,)).to(device)

net = nn.Sequential(
    nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

recent: deque[float] = deque(maxlen=100)
begin = time.perf_counter()
for epoch in range(epochs):
    for start in range(0, len(pictures), batch):
        x, y = pictures[start : start + batch], labels[start : start + batch]
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        recent.append(loss.item())
        smooth = statistics.fmean(recent)
        print(f"epoch {epoch}, picture {start}: {recent[-1]:.4f}, smooth {smooth:.4f}")
torch.cuda.synchronize()
print(f"trained in {time.perf_counter() - begin:.3f} s")
