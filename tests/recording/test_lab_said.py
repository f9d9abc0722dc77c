"""What lab and copies said comes back from a recording as it was; what nobody of ours would
have written does not come back at all.
"""

import base64
import struct
from collections.abc import Sequence
from dataclasses import replace

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Placed,
    Printed,
    Span,
    Spans,
    Transferred,
    Watched,
)
from gpuexplorer.recording.lab_said import (
    LAST_PRINTED,
    MOST_PRINTED,
    Answered,
    Forgot,
    Gone,
    LabBounds,
    Noted,
    OfProgram,
    ProgramChosen,
    ProgramStands,
    Sent,
    StartedOver,
    line_of,
    noted_of,
)

COPY = Transferred(1, "cpu", "cuda:0", 8, 1e-6, what="X.cuda()", line=1, cell=1)
SAID: Sequence[Noted] = (
    Sent(3, "X = 1", 2, cures=1, by_form=True, outside="a.py", again=True),
    Answered(3),
    Gone(Message("It ended with {signal}.", signal="SIGKILL"), ("cuda:1",)),
    StartedOver(),
    Hello(0, "3.12", "2.9", "CPU", simulated=True, devices=(Device("cuda:0", "H100", "U"),)),
    COPY,
    Spans(1, (Span("cuda:0", 0.0, 1.0, 0.5),)),
    Placed(1, "X", "tensor", "cuda:0", "2×3", (2, 3), "float32", 24),
    Printed(1, "שלום\n\x1b[1m<b>bold</b>\0"),
    Finished(1, 0.1, busy=(("cuda:0", 0.05),)),
    Failed(1, "out of memory", "RuntimeError", "no", Message("{n} B", n=1)),
    Forgot(),
    OfProgram(ProgramChosen("/home/ada/train.py", "import torch\n", ("--epochs", "3"))),
    OfProgram(ProgramStands("killed", -9, Message("It was killed."))),
    OfProgram(Watched(1, 2.0, 1.0, copies=(COPY,))),
)


def again(noted: Noted) -> Noted:
    line = line_of(noted)
    assert line is not None
    return noted_of(*line)


@pytest.mark.parametrize("noted", SAID, ids=lambda each: type(each).__name__)
def test_what_was_said_comes_back_as_it_was(noted: Noted) -> None:
    assert again(noted) == noted


def png(width: int, height: int) -> str:
    head = struct.pack(">I4sII", 13, b"IHDR", width, height)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + head + bytes(9)).decode()


def test_of_a_flood_the_beginning_and_the_end_are_kept_and_what_is_missing_is_said() -> None:
    bounds, kept = LabBounds(), list[Event]()
    for number in range(100_000):
        kept += bounds.take(Printed(1, f"step {number}\n"), number)
    kept += bounds.take(Finished(1, 1.0), 0.0)
    printed = [each.text for each in kept if isinstance(each, Printed)]
    assert sum(map(len, printed)) < MOST_PRINTED + LAST_PRINTED + 200
    assert printed[0] == "step 0\n"
    assert printed[-1].endswith("step 99999\n")
    [left_out] = [each for each in printed if "Left out" in each]
    whole = sum(len(f"step {number}\n") for number in range(100_000))
    letters = whole - sum(map(len, printed)) + len(left_out)
    assert f"{letters:,} letters" in left_out
    assert isinstance(kept[-1], Finished)


def test_what_is_watched_for_hours_is_kept_every_few_seconds_and_whole_at_its_end() -> None:
    bounds, kept = LabBounds(), list[Event]()
    for number in range(1, 101):
        seen = Watched(1, number / 2, 1.0, copies=(replace(COPY, row=number),))
        kept += bounds.take(seen, number / 2)
    kept += bounds.take(Finished(1, 50.0), 50.0)
    watched = [each for each in kept if isinstance(each, Watched)]
    assert len(watched) < 15
    assert watched[-1].seconds == 50.0
    assert [copy.row for each in watched for copy in each.copies] == [*range(1, 101)]
