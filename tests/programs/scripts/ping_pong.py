"""Train a network in two parts, between which activations are centred by hand."""

import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

width, batches, epochs = map(int, sys.argv[1:])

torch.manual_seed(0)
device = torch.device("cuda")
batch, features = 2048, 128
samples = torch.randn(batches * batch, features).to(device)
labels = torch.randint(10, (batches * batch,)).to(device)

first = nn.Sequential(nn.Linear(features, width), nn.ReLU()).to(device)
second = nn.Linear(width, 10).to(device)
parameters = [*first.parameters(), *second.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.01)

begin = time.perf_counter()
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for start in range(0, len(samples), batch):
        x, y = samples[start : start + batch], labels[start : start + batch]
        optimizer.zero_grad()
        hidden = first(x).cpu()
        hidden = hidden - hidden.mean()
        loss = F.cross_entropy(second(hidden.to(device)), y)
        loss.backward()
        optimizer.step()
        total += loss.detach()
    print(f"epoch {epoch}: loss {total.item() / batches:.3f}")
print(f"trained in {time.perf_counter() - begin:.3f} s")
