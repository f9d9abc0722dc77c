# Exercises that compare devices: products, logs, and two cards at once.
# After a cell, `#>` is what it displays; `#2>` on two cards, `#1>` on one, `#0>` on none.

# %%
import time

import torch
from torch import nn

devices = [torch.device(f"cuda:{i}") for i in range(torch.cuda.device_count())] or ["cpu"]


# %%
class Timer:
    """Seconds of many runs."""

    def __init__(self):
        self.times = []

    def start(self):
        self.began = time.time()

    def stop(self):
        self.times.append(time.time() - self.began)
        return self.times[-1]


timer = Timer()
for size in (8, 256):
    for device in ["cpu", devices[0]]:
        a = torch.randn(size, size, device=device)
        timer.start()
        for _ in range(10):
            b = a @ a
        if a.is_cuda:
            torch.cuda.synchronize(a.device)
        print(f"{size:>5} {a.device!s:>7} {timer.stop() > 0}")
#2>     8     cpu True
#2>     8  cuda:0 True
#2>   256     cpu True
#2>   256  cuda:0 True
#1>     8     cpu True
#1>     8  cuda:0 True
#1>   256     cpu True
#1>   256  cuda:0 True
#0>     8     cpu True
#0>     8     cpu True
#0>   256     cpu True
#0>   256     cpu True

# %%
products = 100
a = torch.randn(100, 100, device=devices[0])
log = []
for i in range(products):
    log.append(torch.linalg.norm(a @ a).cpu().numpy())
len(log), type(log[0]).__name__
#> (100, 'ndarray')

# %%
kept = torch.zeros(products, device=devices[0])
for i in range(products):
    kept[i] = torch.linalg.norm(a @ a)
bool((kept.cpu() - torch.tensor([float(each) for each in log])).abs().max() < 1e-3)
#> True


# %%
def run(x, times=20):
    return [x.mm(x) for _ in range(times)]


def synchronize_all():
    for each in devices:
        if torch.device(each).type == "cuda":
            torch.cuda.synchronize(each)


x = {each: torch.rand(200, 200, device=each) for each in devices}
for each in devices:
    run(x[each])
synchronize_all()
began = time.time()
outcomes = [run(x[each]) for each in devices]
synchronize_all()
together = time.time() - began
[len(each) for each in outcomes], together > 0
#2> ([20, 20], True)
#1> ([20], True)
#0> ([20], True)

# %%
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10)).to(
    devices[0]
)
for name, parameter in net.named_parameters():
    print(f"{name:<10} {tuple(parameter.shape)!s:<10} {parameter.device}")
torch.save(net.state_dict(), "net.params")
clone = nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
clone.load_state_dict(torch.load("net.params", map_location="cpu"))
bool((clone[1].weight == net[1].weight.cpu()).all())
#2> 1.weight   (32, 784)  cuda:0
#2> 1.bias     (32,)      cuda:0
#2> 3.weight   (10, 32)   cuda:0
#2> 3.bias     (10,)      cuda:0
#2> True
#1> 1.weight   (32, 784)  cuda:0
#1> 1.bias     (32,)      cuda:0
#1> 3.weight   (10, 32)   cuda:0
#1> 3.bias     (10,)      cuda:0
#1> True
#0> 1.weight   (32, 784)  cpu
#0> 1.bias     (32,)      cpu
#0> 3.weight   (10, 32)   cpu
#0> 3.bias     (10,)      cpu
#0> True
