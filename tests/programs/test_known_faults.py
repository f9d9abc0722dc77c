"""Training scripts with one fault each, watched on simulated cards: told of it alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gpuexplorer.copies.modelled import routes_of_simulated
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.simulated_cards import simulated_cards
from gpuexplorer.lab.start import Program, Start
from gpuexplorer.lab.wire import Run
from gpuexplorer.programs.findings import Finding, Matter, findings
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine
from tests.lab.processes import Worker, needs_torch

pytestmark = needs_torch

HEAD = """
import random, statistics, sys, time
from collections import deque

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

width, batches, epochs = map(int, sys.argv[1:])
torch.manual_seed(0)
random.seed(0)
device = torch.device("cuda")
batch = 128
labels = torch.randint(10, (batches * batch,)).to(device)
begin = time.perf_counter()
"""
NET = """
net = nn.Sequential(
    nn.Linear(784, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
"""
TOTAL = "        total += loss.detach()\n    print(f'epoch {epoch}: loss {total.item():.3f}')\n"
END = "torch.cuda.synchronize()\nprint(f'trained in {time.perf_counter() - begin:.3f} s')\n"


def stepping(loss: str) -> str:
    """A step of the training, within two loops."""
    lines = "optimizer.zero_grad()", f"loss = {loss}", "loss.backward()", "optimizer.step()"
    return "".join(f"        {each}\n" for each in lines)


@dataclass(frozen=True)
class Script:
    """Small sizes on a slow card: the processor that computes for it takes less long."""

    name: str
    text: str
    matter: Matter | None  # None: it is as it should be
    code: str = ""  # stands on the line that is named, and on no other
    other: str = ""  # of the second line that is named
    cure: str = ""  # how the cure begins
    cured_by: Mapping[str, str] = field(default_factory=dict)  # each is replaced in its text
    width: int = 64
    batches: int = 50
    epochs: int = 2
    flops: float = 1e11

    @property
    def cured(self) -> str:
        text = self.text
        for fault, cure in self.cured_by.items():
            assert fault in text
            text = text.replace(fault, cure)
        return text

    def line(self, code: str) -> int:
        """The number of the one line on which that stands."""
        lines = enumerate(self.text.split("\n"), 1)
        (number,) = [at for at, line in lines if code in line]
        return number

    def watched(self, folder: Path, text: str) -> ProgramRun:
        file = folder / f"{self.name}.py"
        file.write_text(text, encoding="utf-8")
        sizes = [str(each) for each in (self.width, self.batches, self.epochs)]
        spec = parse_machine("TitanRTX+idle")
        known, links = simulated_cards(Machine(spec))
        cards = [{**each, "flops": self.flops} for each in known]
        worker = Worker(Start(cards=cards, links=links, program=Program(file, sizes)))
        try:
            worker.listener.wait(lambda: bool(worker.listener.ends), 300.0)
        finally:
            worker.process.stop()
        ledger = Ledger()
        ledger.sent(Run(1, text, 1))
        for event in worker.listener.events:
            ledger.apply(event)
        route = routes_of_simulated(spec).route
        assert worker.process.status == 0
        return ProgramRun(file, ledger.cells, ledger.hello, 0, route, processors=4)


FAULTY = (
    Script(
        "log_per_minibatch",
        HEAD
        + NET
        + """
batch = 256
pictures = torch.randn(batches * batch, 784).to(device)
labels = torch.randint(10, (batches * batch,)).to(device)
recent = deque(maxlen=100)
for epoch in range(epochs):
    for start in range(0, len(pictures), batch):
        x, y = pictures[start : start + batch], labels[start : start + batch]
"""
        + stepping("F.cross_entropy(net(x), y)")
        + """
        recent.append(loss.item())
        smooth = statistics.fmean(recent)
        print(f"epoch {epoch}, picture {start}: {recent[-1]:.4f}, smooth {smooth:.4f}")
"""
        + END,
        Matter.READ,
        "loss.item()",
        cure="Keep the sum on the card and read it every 100 steps.",
        cured_by={
            "recent.append(loss.item())": "recent.append(loss.detach())",
            "smooth = statistics.fmean(recent)": (
                "if start // batch % 100 < 99:\n"
                "            continue\n"
                "        smooth = torch.stack([*recent]).mean().item()"
            ),
            "{recent[-1]:.4f}, smooth ": "",
        },
        batches=100,
        epochs=3,
    ),
    Script(
        "pageable_loader",
        HEAD
        + """
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
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
"""
        + stepping("F.cross_entropy(net(x), y)")
        + TOTAL
        + END,
        Matter.PAGEABLE,
        "x.to(device)",
        other="in loader:",
        cure="Give the loader of pageable_loader.py:",
        cured_by={
            "shuffle=True)": "shuffle=True, pin_memory=True)",
            "to(device)\n        ": "to(device, non_blocking=True)\n        ",
        },
    ),
    Script(
        "ping_pong",
        HEAD
        + """
batch, features = 2048, 128
samples = torch.randn(batches * batch, features).to(device)
labels = torch.randint(10, (batches * batch,)).to(device)
first = nn.Sequential(nn.Linear(features, width), nn.ReLU()).to(device)
second = nn.Linear(width, 10).to(device)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for start in range(0, len(samples), batch):
        x, y = samples[start : start + batch], labels[start : start + batch]
        hidden = first(x).cpu()
        hidden = hidden - hidden.mean()
"""
        + stepping("F.cross_entropy(second(hidden.to(device)), y)")
        + TOTAL
        + END,
        Matter.TRIP,
        "first(x).cpu()",
        other="hidden.to(device)",
        cure="Compute that on the card too, and keep it there.",
        cured_by={"first(x).cpu()": "first(x)", "hidden.to(device)": "hidden"},
        width=512,
        flops=3e11,
    ),
    Script(
        "small_copies",
        HEAD
        + NET
        + """
samples = [torch.randn(784) for _ in range(batches * batch)]
order = list(range(batches))
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    random.shuffle(order)
    for at in order:
        these = samples[at * batch : (at + 1) * batch]
        x = torch.stack([sample.to(device) for sample in these])
        y = labels[at * batch : (at + 1) * batch]
"""
        + stepping("F.cross_entropy(net(x), y)")
        + TOTAL
        + END,
        Matter.SMALL,
        "sample.to(device)",
        cure="Put them together there (torch.stack), and copy once.",
        cured_by={
            "torch.stack([sample.to(device) for sample in these])": (
                "torch.stack(these).to(device)"
            )
        },
        width=128,
        flops=5e10,
    ),
    Script(
        "host_work",
        HEAD
        + """
words = 200
texts = [[random.randrange(words) for _ in range(200_000)] for _ in range(4)]


def counted(text):
    counts = [0.0] * words
    for word in text:
        counts[word] += 1.0
    return counts


net = nn.Sequential(nn.Linear(words, width), nn.ReLU(), nn.Linear(width, 10)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
labels = labels[:batch]
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for step in range(batches):
        counts = counted(texts[step % len(texts)])
        logits = net(torch.ones(batch, words, device=device) * min(counts))
"""
        + stepping("F.cross_entropy(logits, labels)")
        + TOTAL
        + END,
        Matter.HOST,
        "counts[word] += 1.0",
        cure="Do it on the card, in the loader's workers, or only every 100 steps",
        cured_by={
            "labels[:batch]": "labels[:batch]\nall_counts = [counted(each) for each in texts]",
            "= counted(texts[step % len(texts)])": "= all_counts[step % len(texts)]",
        },
        width=256,
        flops=1e10,
    ),
)
CLEAN = Script(
    "clean",
    HEAD
    + NET
    + """
dataset = TensorDataset(torch.randn(batches * batch, 784), labels.cpu())
loader = DataLoader(dataset, batch_size=batch, shuffle=True, pin_memory=True)
for epoch in range(epochs):
    total = torch.zeros((), device=device)
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
"""
    + stepping("F.cross_entropy(net(x), y)")
    + TOTAL
    + END,
    None,
    width=256,
    epochs=1,
    flops=2e10,
)


def found_in(script: Script, folder: Path, text: str) -> list[Finding]:
    """Without the pauses of a computer that has other work, where they are not the fault."""
    found = findings(script.watched(folder, text))
    return [e for e in found if e.matter is not Matter.HOST or script.matter is Matter.HOST]


@pytest.mark.parametrize(
    "script",
    [FAULTY[0], *(pytest.param(each, marks=pytest.mark.long) for each in FAULTY[1:])],
    ids=[each.name for each in FAULTY],
)
def test_a_script_is_told_of_its_fault_and_of_nothing_else(
    script: Script, tmp_path: Path
) -> None:
    found = found_in(script, tmp_path, script.text)
    assert [each.matter for each in found] == [script.matter], found
    assert found[0].place == f"{script.name}.py:{script.line(script.code)}"
    assert script.code in found[0].sentence
    assert found[0].cure.startswith(script.cure)
    if script.other:
        assert found[0].other is not None
        assert found[0].other.line == script.line(script.other)


@pytest.mark.long
@pytest.mark.parametrize("script", FAULTY, ids=lambda each: each.name)
def test_a_script_that_was_cured_is_told_of_nothing(script: Script, tmp_path: Path) -> None:
    assert found_in(script, tmp_path, script.cured) == []


@pytest.mark.long
def test_a_script_without_a_fault_is_told_of_nothing(tmp_path: Path) -> None:
    run = CLEAN.watched(tmp_path, CLEAN.text)
    assert findings(run) == []
    (seen,) = [each for _, each in run.seen]
    assert (seen.step, seen.steps, seen.seen_steps) == ("optimizer", 50, 50)
