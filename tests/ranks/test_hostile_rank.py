"""What a host makes up about its rank ends in a sentence, and in no figure that cannot be."""

import math
import time
from collections.abc import Sequence

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.ranks import company
from gpuexplorer.ranks.company import Company
from gpuexplorer.ranks.measuring import _together
from gpuexplorer.ranks.meeting import Path
from gpuexplorer.ranks.wire import Address, Alive, Begun, Expects, Failed, Here, Taken, Told
from tests.ranks.hosts import Course, member, saying


class Chatting(Company):
    """Its rank is never silent."""

    def __init__(self, *told: Told) -> None:
        super().__init__([member("a"), member("b")])
        self._told = list(told)

    def _next(self) -> tuple[int, Told]:
        return 1, self._told.pop(0) if self._told else Alive()


def test_a_host_that_never_stops_talking_is_not_waited_for() -> None:
    with pytest.raises(Trouble, match="Nobody joined"):
        Chatting().answers(Begun, [0], 0.2, "Nobody joined.")


def test_who_was_not_asked_answers_nothing() -> None:
    with pytest.raises(Trouble, match="Nobody joined"):
        Chatting(Begun()).answers(Begun, [0], 0.2, "Nobody joined.")


def test_a_time_that_a_host_expects_is_heard_and_then_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(company, "PATIENCE", 0.2)
    monkeypatch.setattr(company, "LONGEST", 0.1)
    began = time.monotonic()
    with pytest.raises(Trouble, match="Nobody joined"):
        Chatting(Expects(1e300), Expects(-1e300)).answers(Begun, [0], 0.1, "Nobody joined.")
    assert time.monotonic() - began >= 0.5


@pytest.mark.parametrize(
    "why",
    [
        Message("{host:.0f} gave up.", host=5.0),
        Message("{many} gave up.", many=Message("{host:d}", host=1)),
    ],
)
def test_a_reason_that_no_rank_would_give_is_told_as_it_came(why: Message) -> None:
    trouble = Course().run(saying("a", Failed(why)), saying("b"))
    assert trouble is not None
    assert trouble.sentence == str(why)


_HERE = Here("2.9.0", "", (), (Address("127.0.0.1", "lo"),), (), 1, "word")


@pytest.mark.parametrize(
    "told",
    [
        _HERE._replace(port=-1),
        _HERE._replace(addresses=(Address("10.0.0.1", "eth0", 1e308),)),
        Taken([math.nan], intact=True),
        Taken([-1.0], intact=True),
        Expects(1e308),
    ],
)
def test_figures_that_cannot_be_are_told_at_once_and_blame_no_firewall(told: Told) -> None:
    trouble = Course().run(saying("a", told), saying("b"))
    assert trouble is not None
    assert trouble.sentence.startswith("What a told cannot be")
    assert not trouble.hint


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ([Taken([1e-320, 0.5, 0.0, 1e300, 2.0], intact=True)], [0.5, 2.0]),
        ([Taken([0.5, 0.25], intact=True), Taken([0.25, 0.5], intact=True)], [0.5, 0.5]),
    ],
)
def test_times_that_cannot_be_are_none(told: Sequence[Taken], seconds: Sequence[float]) -> None:
    assert _together(told) == seconds


@pytest.mark.parametrize("seconds", [[], [1e-320, -1.0, 0.0, 1e300, 1.0]])
def test_no_figure_comes_of_times_that_cannot_be(seconds: Sequence[float]) -> None:
    with pytest.raises(Trouble, match="no times that could be used"):
        _together([Taken(seconds, intact=True)])


def test_a_wire_that_carries_nothing_promises_nothing() -> None:
    ends = Address("10.0.0.1", "eth0", 0.0), Address("10.0.0.2", "eth0", 125e6)
    assert Path(*ends).promised is None
