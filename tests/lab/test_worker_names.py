"""What the worker says of the names that its cells make, while they run and afterwards."""

from collections.abc import Iterator

import pytest

from gpuexplorer.lab.events import (
    Began,
    Completed,
    Event,
    Failed,
    Finished,
    Freed,
    Peeked,
    Placed,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Complete, Peek
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = [pytest.mark.long, needs_torch]


@pytest.fixture(scope="module", params=["processor", "simulated card"])
def lab(request: pytest.FixtureRequest) -> Iterator[Worker]:
    simulated = request.param == "simulated card"
    worker = Worker(Start(cards=[CARD]) if simulated else Start())
    device = "cuda:0" if simulated else "cpu"
    worker.run(f"import random, time, torch\nfrom torch import nn\ndevice = '{device}'")
    yield worker
    worker.process.stop()


def ended(lab: Worker, code: str) -> int:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished), outcome
    return outcome.id


def placed(lab: Worker, code: str) -> dict[str, Placed]:
    said = lab.said(Placed, ended(lab, code))
    return {each.name: each for each in said if isinstance(each, Placed)}


def first(lab: Worker, kind: type[Event], command: int) -> Event:
    lab.listener.wait(lambda: bool(lab.said(kind, command)))
    return lab.said(kind, command)[0]


def test_a_cell_says_what_its_names_stand_for(lab: Worker) -> None:
    said = placed(lab, "nets = [nn.Linear(2, 1).to(device)]\nX = torch.ones(3, device=device)")
    assert said["nets"].kind == "container"
    assert [each.path for each in said["nets"].elements] == ["nets[0]"]
    assert said["X"].shape == (3,)
    assert lab.said(Freed, ended(lab, "del X"))


def test_a_repr_that_never_comes_back_does_not_hold_up_the_shelf(lab: Worker) -> None:
    code = "class Slow:\n def __repr__(self):\n  while True: pass\nslow = [Slow()]"
    assert placed(lab, code)["slow"].text == "[<Slow object>]"
    ended(lab, "del slow")


def test_half_typed_code_is_answered_while_a_cell_runs(lab: Worker) -> None:
    busy = lab.begin("go_on = True\nwhile go_on: time.sleep(0.01)")
    first(lab, Began, busy)
    asked = lab.send(lambda number: Complete(number, "torch.ones_l", 12))
    said = first(lab, Completed, asked)
    assert isinstance(said, Completed)
    assert said.words == ("ones_like",)
    assert lab.said(Finished, busy) == []
    lab.process.cancel(busy)
    assert isinstance(lab.listener.outcome(busy), Failed)


def test_a_part_of_a_container_can_be_looked_into(lab: Worker) -> None:
    ended(lab, "parts = {'a': torch.ones(2, 3, device=device)}")
    look = lab.send(lambda number: Peek(number, "parts['a']"))
    assert isinstance(lab.listener.outcome(look), Finished)
    seen = first(lab, Peeked, look)
    assert isinstance(seen, Peeked)
    assert list(seen.rows) == [(1, 1, 1), (1, 1, 1)]
    refused = lab.listener.outcome(lab.send(lambda number: Peek(number, "parts.clear()")))
    assert isinstance(refused, Failed)
    assert "A look runs no code" in refused.sentence
