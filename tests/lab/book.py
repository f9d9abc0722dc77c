# Cells of the shape that courses on GPUs have: devices, products and logs, and a training.
# After a cell, `#>` is what it displays; `#2>` on two cards, `#1>` on one, `#0>` on none.

# %%
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

# %%
torch.device("cpu"), torch.device("cuda"), torch.device("cuda:1")
#> (device(type='cpu'), device(type='cuda'), device(type='cuda', index=1))


# %%
def cpu():
    """The host."""
    return torch.device("cpu")


def gpu(i=0):
    """Card number i, whether it is there or not."""
    return torch.device(f"cuda:{i}")


def num_gpus():
    return torch.cuda.device_count()


cpu(), gpu(), gpu(1)
#> (device(type='cpu'), device(type='cuda', index=0), device(type='cuda', index=1))


# %%
def try_gpu(i=0):
    """gpu(i) where there is one, else the host."""
    if num_gpus() >= i + 1:
        return gpu(i)
    return cpu()


def try_all_gpus():
    """All cards; none is an empty list."""
    return [gpu(i) for i in range(num_gpus())]


try_gpu(), try_gpu(10), try_all_gpus()
#2> (device(type='cuda', index=0), device(type='cpu'), [device(type='cuda', index=0), device(type='cuda', index=1)])
#1> (device(type='cuda', index=0), device(type='cpu'), [device(type='cuda', index=0)])
#0> (device(type='cpu'), device(type='cpu'), [])

# %%
x = torch.tensor([1, 2, 3])
x.device
#> device(type='cpu')

# %%
X = torch.ones(2, 3, device=try_gpu())
X
#21> tensor([[1., 1., 1.],
#21>         [1., 1., 1.]], device='cuda:0')
#0> tensor([[1., 1., 1.],
#0>         [1., 1., 1.]])

# %%
Y = torch.rand(2, 3, device=try_gpu(1))
Y.device
#2> device(type='cuda', index=1)
#1> device(type='cpu')
#0> device(type='cpu')

# %%
(X + Y).shape
#0> torch.Size([2, 3])
#2! RuntimeError
#1! RuntimeError

# %%
Z = X.cuda(1)
print(X)
print(Z)
#2> tensor([[1., 1., 1.],
#2>         [1., 1., 1.]], device='cuda:0')
#2> tensor([[1., 1., 1.],
#2>         [1., 1., 1.]], device='cuda:1')
#1! AcceleratorError
#0! AssertionError

# %%
(Y + Z).device, Z.cuda(1) is Z
#2> (device(type='cuda', index=1), True)
#1! NameError
#0! NameError

# %%
gpu(2), torch.ones(1, device=gpu(2))
#2! AcceleratorError
#1! AcceleratorError
#0! AssertionError

# %%
net = nn.Sequential(nn.LazyLinear(1)).to(device=try_gpu())
net(X).shape, net(X).device == X.device, net[0].weight.data.device
#21> (torch.Size([2, 1]), True, device(type='cuda', index=0))
#0> (torch.Size([2, 1]), True, device(type='cpu'))

# %%
devices = try_all_gpus() or ["cpu"]
for size in (8, 256):
    for device in ["cpu", devices[0]]:
        a = torch.randn(size, size, device=device)
        began = time.time()
        for _ in range(10):
            b = a @ a
        if a.is_cuda:
            torch.cuda.synchronize(a.device)
        print(f"{size:>5} {a.device!s:>7} {time.time() - began > 0}")
#21>     8     cpu True
#21>     8  cuda:0 True
#21>   256     cpu True
#21>   256  cuda:0 True
#0>     8     cpu True
#0>     8     cpu True
#0>   256     cpu True
#0>   256     cpu True

# %%
log, kept = [], torch.zeros(100, device=devices[0])
for i in range(100):
    log.append(torch.linalg.norm(a @ a).cpu().numpy())
    kept[i] = torch.linalg.norm(a @ a)
close = (kept.cpu() - torch.tensor([float(each) for each in log])).abs().max() < 1e-3 * kept[0]
type(log[0]).__name__, bool(close)
#> ('ndarray', True)

# %%
torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self, inputs=20, hidden=32, classes=3):
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.out(self.drop(F.relu(self.hidden(x))))


net = Net().to(device)
torch.save(net.state_dict(), "net.params")
clone = Net()
clone.load_state_dict(torch.load("net.params", map_location="cpu"))
for name, parameter in net.named_parameters():
    print(f"{name:<13} {tuple(parameter.shape)!s:<10} {parameter.device}")
bool((clone.out.weight == net.out.weight.cpu()).all())
#21> hidden.weight (32, 20)   cuda:0
#21> hidden.bias   (32,)      cuda:0
#21> out.weight    (3, 32)    cuda:0
#21> out.bias      (3,)       cuda:0
#0> hidden.weight (32, 20)   cpu
#0> hidden.bias   (32,)      cpu
#0> out.weight    (3, 32)    cpu
#0> out.bias      (3,)       cpu
#> True

# %%
centres = torch.randn(3, 20) * 3
labels = torch.randint(0, 3, (300,))
points = centres[labels] + torch.randn(300, 20)
data = DataLoader(TensorDataset(points, labels), batch_size=30, shuffle=True)
len(data), next(iter(data))[0].shape
#> (10, torch.Size([30, 20]))


# %%
def accuracy(model):
    model.eval()
    with torch.no_grad():
        right = sum(
            (model(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in data
        )
    model.train()
    return right / len(data.dataset)


optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for epoch in range(4):
    for x, y in data:
        x, y = x.to(device), y.to(device)
        optimiser.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
print(f"{len(losses)} steps, accuracy above 0.9: {accuracy(net) > 0.9}")
#> 40 steps, accuracy above 0.9: True

# %%
several = nn.DataParallel(Net(), device_ids=list(range(torch.cuda.device_count())) or None)
several = several.to(device)
out = several(points.to(device))
with torch.autocast(device.type, dtype=torch.bfloat16):
    half = net(points.to(device))
out.shape, out.device.type == device.type, half.dtype
#> (torch.Size([300, 3]), True, torch.bfloat16)
