"""Ordering faults in words, and what is said about words that are wrong."""

import math

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.simulation.faults import Fault, FaultKind, parse_faults


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("lost:1@20s", Fault(FaultKind.LOST, 1, 20.0, math.inf)),
        ("lost:1@20s-40s", Fault(FaultKind.LOST, 1, 20.0, 40.0)),
        ("unlisted:1@20s", Fault(FaultKind.UNLISTED, 1, 20.0)),
        ("refused:1@0s", Fault(FaultKind.REFUSED, 1, 0.0)),
        ("slow:0@10", Fault(FaultKind.SLOW, 0, 10.0)),
        ("Hung : 1 @ 1.5s - 2m", Fault(FaultKind.HUNG, 1, 1.5, 120.0)),
        ("driver@30s", Fault(FaultKind.DRIVER, None, 30.0, 40.0)),
        ("driver@30s-31s", Fault(FaultKind.DRIVER, None, 30.0, 31.0)),
        ("garbage:2@15s", Fault(FaultKind.GARBAGE, 2, 15.0)),
        ("wrong:3>1", Fault(FaultKind.WRONG, 3, 0.0, to=1)),
        ("wrong: 3 > 1 @20s-40s", Fault(FaultKind.WRONG, 3, 20.0, 40.0, to=1)),
    ],
)
def test_a_fault_can_be_ordered_in_words(text: str, fault: Fault) -> None:
    assert parse_faults(text, 4) == (fault,)


@pytest.mark.parametrize(
    ("text", "wrong", "hint"),
    [
        ("lots:1@2s", "names a fault that is not known: 'lots'.", "Did you mean lost? Faults"),
        ("lost:4@1s", "names card 4, which is not there.", "The last card is number 3."),
        ("lost:1@40s-20s", "ends before it has begun.", "lost:1@20s-40s"),
        *(
            (text, "is not how this fault is written.", "Faults are ")
            for text in (
                *(
                    "lost:1@2s,",
                    "lost@20s",
                    "lost:x@20s",
                    "lost:1",
                    "lost:1@soon",
                    "lost:1>0@2s",
                ),
                *("driver:0@20s", "wrong:1", "wrong:1>1"),
            )
        ),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_wrong_and_what_is_right(
    text: str, wrong: str, hint: str
) -> None:
    with pytest.raises(Trouble) as refused:
        parse_faults(text, 4)
    assert refused.value.sentence == f"'{text}' {wrong}"
    assert hint in refused.value.hint
