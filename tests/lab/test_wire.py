"""The wire: every message comes out of its line as it went in, and nothing else does."""

import json
from dataclasses import MISSING, Field, fields
from typing import get_args

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import events
from gpuexplorer.lab.wire import (
    Answer,
    Cancel,
    Command,
    Complete,
    Evaluate,
    Garbled,
    Measure,
    Multiply,
    Peek,
    Run,
    command_of,
    event_of,
    line_of,
)

NOTE = Message("{card} took {way}.", card="cuda:1", way=Message("{count} detours", count=2))
IDLE = events.Idle(1, "cuda:0", events.Why.READ, 3.1, 12, 0.5, "/a/b.py", 0, 84, "x.item()")
SAID: list[events.Event] = [
    events.Hello(
        1, "3.11", "2.13", "CPU", simulated=True, devices=(events.Device("cpu", "x"),), seed=3
    ),
    events.Began(1, "abc="),
    events.Transferred(
        1,
        "cpu",
        "cuda:0",
        24,
        1e-5,
        modelled=True,
        what="net(X)",
        asked=False,
        cell=3,
        line=2,
        within="torch.nn.parallel",
        thread="autograd",
    ),
    events.Spans(1, (events.Span("cuda:0", 0.0, 1e-5, 9e-6, 3),), modelled=True),
    events.Placed(
        2,
        "X",
        "container",
        "cuda:0",
        "2×3",
        (2, 3),
        "float32",
        24,
        holds=(events.Held("a", "b", 1),),
        elements=(events.Element("X[0]", "tensor", "cpu", "2", 8),),
        more=5,
    ),
    events.Freed(3, "X"),
    events.Printed(4, 'ä\n"quoted"\u2028', "warning", cell=2, line=7),
    events.Pictured(4, "iVBORw0KGgo="),
    events.Asked(4, "input", "Your name? "),
    events.Completed(5, 3, ("ones", "ones_like"), "(size)", "A tensor of ones."),
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
    events.Evaluated(
        5,
        (events.Worth(truth=True, number=2.5, text="2.5"), events.Worth(error=NOTE)),
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
    events.Progressed(7, 0, (0.5, 0.25), 0.1),
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
    events.Watched(
        1,
        41.0,
        40.5,
        steps=12,
        copies=(events.Transferred(1, "cpu", "cuda:0", 24, 1e-5, row=3, file="/a/b.py"),),
        idle=(IDLE,),
        loaders=(events.Loader(1, 12, 0.5, 2, pins=True),),
        trips=(events.Trip(4, 3, "cuda:0", 2, 24, changed=True),),
        busy=(("cuda:0", 1.0),),
        children=(("loader", 2),),
        memory=(events.Memory("cuda:0", 24),),
    ),
    events.Traced(1, (("copy", "cuda:0", 0.5, 0.75, 3, 24),)),
    events.Finished(
        8,
        0.1,
        0.2,
        modelled=True,
        memory=(events.Memory("cpu", 1),),
        watched=False,
        busy=(("cuda:0", 0.1),),
    ),
    events.Failed(
        9,
        "cancelled",
        "KeyboardInterrupt",
        "",
        Message("Cancelled."),
        frames=(events.Frame(3, 2, "try_gpu", 4, 9), events.Frame(4, 1)),
        host_seconds=0.5,
    ),
]
ASKED: list[Command] = [
    Run(
        1,
        "X = 1\nX",
        3,
        watched=False,
        random="abc=",
        others=(("cuda:0", 5),),
        lost=("cuda:1",),
    ),
    Peek(2, "X", (1, 2), 4, 5),
    Evaluate(3, ("X > 1", "y"), '{"y":1}', 0.5, lost=("cuda:0",)),
    Complete(3, "torch.on", 8),
    Answer(1, "Ada"),
    Answer(1),
    Measure(4, "cpu", "cuda:0", 1 << 20, pinned=True, beside=(("cpu", "cuda:1"),)),
    Multiply(5, "cuda:0", "tf32", 4096, samples=3, seconds=0.5),
    Cancel(1),
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


def test_every_kind_of_command_is_tried_here() -> None:
    assert {type(each) for each in ASKED} == set(get_args(Command))


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
        "[" * 100_000,
    ],
    ids=range(8),
)
def test_anything_else_is_refused_in_a_sentence(line: str) -> None:
    with pytest.raises(Trouble, match="said something that is no message"):
        event_of(line)
    with pytest.raises(Trouble, match="said something that is no message"):
        command_of(line)


@pytest.mark.parametrize("event", SAID, ids=lambda event: type(event).__name__)
def test_no_field_of_an_event_takes_what_it_is_not_declared_for(event: events.Event) -> None:
    whole = json.loads(line_of(event))
    needed = {each.name for each in fields(event) if is_needed(each)}
    for name in whole.keys() - {"is"}:
        with pytest.raises(Garbled):
            event_of(json.dumps({**whole, name: {"no": "such thing"}}))
    for name in needed:
        with pytest.raises(Garbled):
            event_of(json.dumps({each: value for each, value in whole.items() if each != name}))


def is_needed(field: "Field[object]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@pytest.mark.parametrize(
    "line",
    [
        '{"is":"run"}',
        '{"is":"run","id":1,"code":"x","more":1}',
        '{"is":"run","id":"one","code":"x"}',
        '{"is":"run","id":true,"code":"x"}',
        '{"is":"run","id":1,"code":"x","others":[["cuda:0",1,2]]}',
        '{"is":"run","id":1,"code":{"template":"{x}","many":"","values":{"y":1}}}',
        '{"is":"run","id":1,"code":{"template":3,"many":"","values":{}}}',
        '{"is":"measure","id":1,"source":"cpu","target":"cpu","bytes":1.5}',
    ],
)
def test_no_field_of_a_command_takes_what_it_is_not_declared_for(line: str) -> None:
    with pytest.raises(Garbled, match="A message of the window lacks something"):
        command_of(line)


def test_a_reason_nobody_knows_is_refused() -> None:
    line = line_of(events.Watched(1, 41.0, 40.5, idle=(IDLE,)))
    assert event_of(line).idle == (IDLE,)  # type: ignore[union-attr]  # it is a Watched
    with pytest.raises(Garbled):
        event_of(line.replace('"read"', '"bored"'))
