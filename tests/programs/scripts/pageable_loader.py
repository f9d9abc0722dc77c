"""Train on pictures that a DataLoader takes from the memory of the host."""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=256)
parser.add_argument("--batches", type=int, default=50)
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()

torch.manual_seed(0)
device = torch.device("cuda")
batch, side = 16, 224
pictures = torch.randn(args.batches, batch, 3, side, side)
labels = torch.randint(10, (args.batches, batch))
loader = DataLoader(TensorDataset(pictures, labels), batch_size=None, shuffle=True)

net = nn.Sequential(
    nn.Conv2d(3, args.width, 16, stride=16),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(args.width * (side // 16) ** 2, 10),
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)

begin = time.perf_counter()
for epoch in range(args.epochs):
    total = torch.zeros((), device=device)
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / args.batches:.3f}")
print(f"trained in {time.perf_counter() - begin:.3f} s")
