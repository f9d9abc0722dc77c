"""Train a small classifier as one should: pinned batches, and a loss that stays on the card."""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
device = torch.device("cuda")
batch = 128
dataset = TensorDataset(
    torch.randn(batches * batch, 784), torch.randint(10, (batches * batch,))
)
loader = DataLoader(dataset, batch_size=batch, shuffle=True, pin_memory=True)

net = nn.Sequential(
    nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

begin = time.perf_counter()
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for step, (x, y) in enumerate(loader, 1):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        if step % 25 == 0:
            print(f"epoch {epoch}, batch {step}: loss {total.item() / step:.3f}")
torch.cuda.synchronize()
print(f"trained in {time.perf_counter() - begin:.3f} s")

net.eval()
with torch.no_grad():
    right = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        right += (net(x).argmax(1) == y).sum()
print(f"{right.item() / len(dataset):.1%} right")
