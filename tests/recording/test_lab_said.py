"""What lab and copies said comes back from a recording as it was; what nobody of ours would
have written does not come back at all.
"""

import base64
import struct
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.copies.result import Busy, CopyResult
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.events import (
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Measured,
    Placed,
    Printed,
    Span,
    Spans,
    Transferred,
    Watched,
    Wrong,
)
from gpuexplorer.lab.wire import MODES, CopyJob
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
from tests.copies.made import routes

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


seconds = st.floats(1e-9, 1e6)
several = st.lists(seconds, min_size=1, max_size=9).map(tuple)
sentence = st.just(NOTHING) | st.builds(
    lambda it: Message("No {it}.", it=it), st.text(max_size=20)
)
jobs = st.builds(
    CopyJob,
    st.sampled_from(["cpu", "cuda:0"]),
    st.sampled_from(["cpu", "cuda:1"]),
    st.integers(1, 1 << 40),
    st.sampled_from(sorted(MODES)),
    pinned=...,
    both_ways=...,
    pieces=st.integers(1, 64),
    beside=st.just(()) | st.just((("cpu", "cuda:3"),)),
    fit=...,
)
measurements = st.builds(
    Measured,
    st.integers(0, 9),
    several,
    back_samples_s=st.just(()) | several,
    host_s=st.none() | seconds,
    loops=st.integers(1, 99),
    gated=...,
    overlap=st.none() | st.floats(0, 1),
    intact=...,
    wrong=st.just(()) | st.just((Wrong(1, 2, 3, 4, zeros=True),)),
    modelled=...,
    fewer_bytes=st.none() | st.integers(1, 1 << 30),
    notes=st.lists(sentence, max_size=2).map(tuple),
)
results = st.builds(
    CopyResult,
    jobs,
    st.none() | measurements,
    st.none() | st.just(routes("2xH100").route("cpu", "cuda:0")),
    sentence,
    st.just(NOTHING),
    st.lists(st.builds(Busy, st.just("cuda:0"), st.floats(0, 1)), max_size=2).map(tuple),
)


@settings(max_examples=200, deadline=None)
@given(results)
def test_any_copy_that_was_measured_comes_back_as_it_was(result: CopyResult) -> None:
    assert again(result) == result


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
