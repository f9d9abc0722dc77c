# What a program learns of the devices, and helpers that fall back to the host.
# After a cell, `#>` is what it displays; `#2>` on two cards, `#1>` on one, `#0>` on none.

# %%
import time

import torch
from torch import nn

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


cpu(), gpu(), gpu(1)
#> (device(type='cpu'), device(type='cuda', index=0), device(type='cuda', index=1))


# %%
def num_gpus():
    return torch.cuda.device_count()


num_gpus()
#2> 2
#1> 1
#0> 0


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
def try_all_gpus():
    """All cards; where there is none, the host."""
    devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())]
    return devices if devices else [torch.device("cpu")]


try_all_gpus()
#2> [device(type='cuda', index=0), device(type='cuda', index=1)]
#1> [device(type='cuda', index=0)]
#0> [device(type='cpu')]

# %%
x = torch.tensor([1, 2, 3])
x.device
#> device(type='cpu')

# %%
X = torch.ones(2, 3, device=try_gpu())
X
#2> tensor([[1., 1., 1.],
#2>         [1., 1., 1.]], device='cuda:0')
#1> tensor([[1., 1., 1.],
#1>         [1., 1., 1.]], device='cuda:0')
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
net = nn.Sequential(nn.Linear(3, 1))
net = net.to(device=try_gpu())
net(X).shape, net[0].weight.data.device
#2> (torch.Size([2, 1]), device(type='cuda', index=0))
#1> (torch.Size([2, 1]), device(type='cuda', index=0))
#0> (torch.Size([2, 1]), device(type='cpu'))

# %%
lazy = nn.Sequential(nn.LazyLinear(1)).to(device=try_gpu())
lazy(X).device == X.device, lazy[0].weight.shape
#> (True, torch.Size([1, 3]))
