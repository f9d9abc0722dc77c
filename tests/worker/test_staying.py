"""Which lines surely stay on the processor, and need not be watched for copies."""

import pytest

pytest.importorskip("torch")

from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.wire import Train
from gpuexplorer.worker.staying import stays_on_host
from tests.worker.benches import Bench

SHELF = (
    "X = torch.ones(3)",
    "Z = torch.ones(3, device='cuda:0')",
    "net = nn.Linear(3, 2)",
    "far = nn.Linear(3, 2).cuda(1)",
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    "away = torch.optim.SGD(far.parameters(), lr=0.1)",
    "log = [X, 1.0, [X]]",
    "mixed = [X, [Z]]",
    "begin = torch.cuda.Event()",
)


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("Y = X @ X", True),
        ("for i in range(3): Y = net(X).sum().item()", True),
        ("opt.step()", True),
        ("log += [X]", True),
        ("Y = torch.ones(3)", True),
        ("Y = X + Z", False),
        ("Y = X.cuda()", False),
        ("Y = X.to('cuda')", False),
        ("Y = torch.ones(3, device='cuda')", False),
        ("Y = torch.ones(3, device=try_gpu())", False),
        ("with torch.device('cuda'): Y = torch.ones(3)", False),
        ("Y = torch.load('x.pt')", False),
        ("far.zero_grad()", False),
        ("away.step()", False),
        ("len(mixed)", False),
        ("begin.record()", False),
    ],
)
def test_only_what_surely_stays_is_not_watched(virtual: Bench, line: str, stays: bool) -> None:
    virtual.run(*SHELF)
    assert stays_on_host(read_line(line), virtual.things) is stays


def test_a_training_run_stays_where_its_things_are(virtual: Bench) -> None:
    virtual.run(*SHELF)
    train = Train(1, "net", "X", "X", "opt", "mse_loss", 1, 1)
    assert stays_on_host(train, virtual.things)
    train = Train(1, "net", "X", "Z", "opt", "mse_loss", 1, 1)
    assert not stays_on_host(train, virtual.things)
