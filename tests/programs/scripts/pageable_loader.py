"""Train on pictures that a DataLoader takes from the memory of the host."""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
device = torch.device("cuda")
batch, side = 16, 224
pictures = torch.randn(batches, batch, 3, side, side)
labels = torch.randint(10, (batches, batch))
loader = DataLoader(TensorDataset(pictures, labels), batch_size=None, shuffle=True)

net = nn.Sequential(
    nn.Conv2d(3, width, 16, stride=16),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(width * (side // 16) ** 2, 10),
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)

begin = time.perf_counter()
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / batches:.3f}")
print(f"trained in {time.perf_counter() - begin:.3f} s")
