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
    Progressed,
    Transferred,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Complete, Peek, Run
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


def test_losses_are_followed_and_the_cell_is_not_charged_for_it(lab: Worker) -> None:
    code = """
losses = []
for step in range(20):
    losses.append(torch.ones((), device=device) * step)
    time.sleep(0.02)
"""
    command = ended(lab, code)
    said = [each for each in lab.said(Progressed, command) if isinstance(each, Progressed)]
    assert len(said) > 1
    assert [value for each in said for value in each.losses] == [*range(20)]
    assert lab.said(Transferred, command) == []


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


def test_a_cell_that_takes_up_the_state_of_chance_draws_the_same(lab: Worker) -> None:
    draw = "drawn = torch.rand(2, device=device).tolist() + [torch.rand(1).item()]"
    draw += "\ndrawn + [random.random()]"
    ended(lab, f"torch.manual_seed(3)\n{draw}")
    command = ended(lab, draw)
    began = first(lab, Began, command)
    assert isinstance(began, Began)
    assert began.random
    ended(lab, draw)
    again = lab.send(lambda number: Run(number, draw, number, random=began.random))
    assert isinstance(lab.listener.outcome(again), Finished)
    assert lab.printed(again, "value") == lab.printed(command, "value") != ""
