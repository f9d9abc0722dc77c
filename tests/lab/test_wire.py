"""The wire: every message comes out of its line as it went in, and nothing else does."""

from typing import get_args

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import events
from gpuexplorer.lab.wire import (
    Command,
    Measure,
    Multiply,
    Peek,
    Run,
    Train,
    command_of,
    event_of,
    line_of,
)

NOTE = Message("{card} took {way}.", card="cuda:1", way=Message("{count} detours", count=2))
SAID: list[events.Event] = [
    events.Hello(
        1, "3.11", "2.13", "CPU", simulated=True, devices=(events.Device("cpu", "x"),), seed=3
    ),
    events.Began(1),
    events.Transferred(1, "cpu", "cuda:0", 24, 1e-5, modelled=True),
    events.Spans(1, (events.Span("cuda:0", 0.0, 1e-5, 9e-6, 3),), modelled=True),
    events.Placed(
        2,
        "X",
        "tensor",
        "cuda:0",
        "2×3",
        (2, 3),
        "float32",
        24,
        holds=(events.Held("a", "b", 1),),
    ),
    events.Freed(3, "X"),
    events.Printed(4, 'ä\n"quoted"'),
    events.Peeked(
        5,
        "X",
        "cpu",
        "float32",
        (1,),
        (0,),
        ((1.0, None),),
        1.0,
        2.0,
        None,
        0.0,
        0,
        (1, 2),
        2,
        8,
    ),
    events.Opened(
        6,
        "net",
        (
            events.Layer(
                "", "Linear", "t", (events.Part("w", (1,), "f", "cpu", 4, trained=True),)
            ),
        ),
    ),
    events.Progressed(7, 0, (0.5, 0.25), 9, 0.1),
    events.Sampled(7, 3, 7),
    events.Measured(
        7,
        (0.1, 0.2),
        0.3,
        0.01,
        (0.4, 0.5),
        ((0.6, 0.7), (0.8,)),
        loops=20,
        gated=True,
        intact=False,
        wrong=(events.Wrong(2, 7, 4096, 17, zeros=True),),
        direct=False,
        notes=(NOTE, Message("Two.")),
    ),
    events.Multiplied(
        7,
        (0.1, 0.2),
        0.3,
        5,
        gated=True,
        right=False,
        wrong_values=3,
        loaded_s=4.1,
        notes=(NOTE,),
    ),
    events.Finished(8, 0.1, 0.2, modelled=True, memory=(events.Memory("cpu", 1),), drew=True),
    events.Failed(9, "cancelled", "Cancelled", "", Message("Cancelled.")),
]
ASKED: list[Command] = [
    Run(1, "X = 1", (("cuda:0", 5),), ("cuda:1",)),
    Peek(2, "X", (1, 2), 4, 5),
    Train(3, "net", "X", "Y", "opt", "mse_loss", 4, 5),
    Measure(4, "cpu", "cuda:0", 1 << 20, pinned=True, beside=(("cpu", "cuda:1"),)),
    Multiply(5, "cuda:0", "tf32", 4096, samples=3, seconds=0.5),
]


@pytest.mark.parametrize("event", SAID, ids=lambda event: type(event).__name__)
def test_an_event_comes_out_as_it_went_in(event: events.Event) -> None:
    line = line_of(event)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert event_of(line) == event


def test_a_sentence_keeps_its_template_and_its_values_on_the_way() -> None:
    told = event_of(line_of(events.Failed(9, "bad request", "Trouble", "", NOTE)))
    assert isinstance(told, events.Failed)
    assert told.sentence == "cuda:1 took 2 detours."
    assert (told.sentence.template, told.sentence.values) == (NOTE.template, NOTE.values)
    assert isinstance(told.sentence.values["way"], Message)


def test_every_kind_of_event_is_tried_here() -> None:
    assert {type(each) for each in SAID} == set(get_args(events.Event))


@pytest.mark.parametrize("command", ASKED, ids=lambda command: type(command).__name__)
def test_a_command_comes_out_as_it_went_in(command: Command) -> None:
    assert command_of(line_of(command)) == command


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "[]",
        "3",
        "null",
        '{"is":"nothing"}',
        '{"is":[]}',
        '{"is":"run"}',
        '{"is":"run","id":1,"line":"x","more":1}',
        '{"is":"run","id":"one","line":"x"}',
        '{"is":"freed","id":1}',
        '{"is":"freed","id":1,"name":{"template":"{x}","many":"","values":{"y":1}}}',
        "[" * 100_000,
    ],
    ids=range(13),
)
def test_anything_else_is_refused_in_a_sentence(line: str) -> None:
    with pytest.raises(Trouble, match="said something that is no message"):
        event_of(line)
    with pytest.raises(Trouble, match="said something that is no message"):
        command_of(line)
