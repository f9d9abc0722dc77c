"""Train on samples of a list, of which each batch is brought to the card at once."""

import argparse
import random
import time

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=1024)
parser.add_argument("--batches", type=int, default=50)
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()

torch.manual_seed(0)
device = torch.device("cuda")
batch = 128
samples = [torch.randn(784) for _ in range(args.batches * batch)]
labels = torch.randint(10, (args.batches * batch,)).to(device)
order = list(range(args.batches))

net = nn.Sequential(
    nn.Linear(784, args.width),
    nn.ReLU(),
    nn.Linear(args.width, args.width),
    nn.ReLU(),
    nn.Linear(args.width, 10),
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

begin = time.perf_counter()
for epoch in range(args.epochs):
    total = torch.zeros((), device=device)
    random.shuffle(order)
    for at in order:
        these = samples[at * batch : (at + 1) * batch]
        x = torch.stack(these).to(device)
        y = labels[at * batch : (at + 1) * batch]
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / args.batches:.3f}")
print(f"trained in {time.perf_counter() - begin:.3f} s")
