"""Expressions are worked out beside the session's names, and leave no trace in the session."""

import json
from collections.abc import Iterator

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Evaluated, Finished, Freed, Placed, Transferred, Worth
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Evaluate
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = needs_torch
LACKS = Message("Power of card 0 is missing: this card does not report it.")
CARDS = [
    {"is": "card 0", "has": {"index": 0, "used": 512}, "lacks": {"power": LACKS.as_json()}}
]


@pytest.fixture(scope="module")
def lab() -> Iterator[Worker]:
    worker = Worker(Start(cards=[CARD]))
    worker.run("import torch\nX = torch.ones(2, 3, device='cuda:0')\nX.sum()")
    yield worker
    worker.process.stop()


def asked(lab: Worker, *sources: str, seconds: float = 10.0, **values: object) -> int:
    told = json.dumps(values)
    return lab.send(lambda number: Evaluate(number, sources, told, seconds))


def answered(lab: Worker, command: int) -> list[Worth]:
    lab.listener.outcome(command)
    said = lab.said(Evaluated, command)
    return [worth for each in said for worth in each.worths]


def worths(lab: Worker, *sources: str, **values: object) -> list[Worth]:
    return answered(lab, asked(lab, *sources, seconds=10.0, **values))


def test_each_expression_gives_a_truth_a_number_or_a_text(lab: Worker) -> None:
    said = worths(
        lab, "cards[0].used == 512", "cards[0].used / MiB", "'a' + 'b'", "X.sum()", "X.numel()",
        "torch.tensor(True)", "[]", cards=CARDS, MiB=1024,
    )  # fmt: skip
    assert [each.number for each in said] == [1.0, 0.5, None, 6.0, 6.0, 1.0, None]
    assert [each.truth for each in said] == [True, True, True, True, True, True, False]
    assert said[2].text == "ab"


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("cards[0].power > 3", LACKS),
        ("cards[0].use", "There is no use in card 0. There is: index, power, used."),
        ("Y", "Python says: NameError: name 'Y' is not defined."),
        ("float('nan')", "It gives nan, which is no number."),
    ],
)
def test_what_gives_nothing_says_why_and_the_next_is_worked_out(
    lab: Worker, source: str, error: str
) -> None:
    said, used = worths(lab, source, "cards[0].used", cards=CARDS, copies=[])
    assert (said.error, used.number) == (error, 512.0)


def test_nothing_in_the_session_is_another_afterwards(lab: Worker) -> None:
    command = asked(lab, "(X := X + 1).sum().item()", "(Z := 3)", "print('heard')", "_ == 6")
    assert [each.number for each in answered(lab, command)] == [12.0, 3.0, None, 1.0]
    for kind in (Transferred, Placed, Freed):
        assert lab.said(kind, command) == []
    assert lab.value("'Z' in globals(), X.sum().item()") == "(False, 6.0)"
    assert "heard" not in str(lab.listener.events)


def test_one_that_does_not_come_back_is_stopped_and_says_so(lab: Worker) -> None:
    command = asked(lab, "1", "[0 for i in iter(int, 1)]", "2", seconds=0.3)
    said = answered(lab, command)
    assert [each.number for each in said] == [1.0, None]
    assert said[1].error == "It took longer than 0.3 seconds and was stopped."
    assert isinstance(lab.listener.outcome(command), Finished)
    assert lab.value("1 + 1") == "2"
