"""What window and worker say to each other, and what the ledger makes of it."""

import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Began,
    Event,
    Failed,
    Finished,
    Idle,
    Memory,
    Printed,
    Transferred,
    Trip,
    Watched,
    Why,
)
from gpuexplorer.lab.printed import MOST_PRINTED, Flow
from gpuexplorer.lab.wire import Command, Run, command_of, event_of, line_of
from tests.clocks import ManualClock
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session, Told


def test_the_session_runs_again_without_what_failed() -> None:
    told = Told("a = 1")
    assert told.run("a + b", failing="error").state == "failed"
    assert told.run("sleep()", failing="cancelled").state == "cancelled"
    told.run("b = 2")
    assert told.codes_again() == ["a = 1", "b = 2"]
    assert told.codes_again(upto=3) == ["a = 1"]
    told.ledger.start_over()
    assert told.codes_again() == []


def test_a_cell_that_did_not_get_its_turn_again_is_as_it_was() -> None:
    told = Told()
    done, failed = told.run("a = 1"), told.run("b", failing="error")
    for command, cell in ((8, done), (9, failed)):
        told.ledger.sent_again(Run(command, cell.code, cell.number), cell)
        told.ledger.apply(Failed(command, "worker lost", "", ""))
    assert (done.state, failed.state) == ("done", "failed")
    assert told.codes_again() == ["a = 1"]


def test_cells_that_worked_on_a_lost_card_are_left_out() -> None:
    told = Told("A = torch.ones(2).cuda(0)")
    told.run("B = torch.ones(2).cuda(1)", busy="cuda:1")
    told.ledger.sent(Run(3, "C = torch.empty(2).cuda(1)", 3))
    told.ledger.apply(Began(3))
    told.ledger.apply(Finished(3, 0.0, memory=(Memory("cuda:1", 512),)))
    told.ledger.leave_out(["cuda:1"])
    assert [each.state for each in told.ledger.cells[2:]] == ["failed", "failed"]
    assert told.codes_again() == ["A = torch.ones(2).cuda(0)"]
    failed = told.ledger.cells[2].failed
    assert failed is not None
    assert failed.sentence == "cuda:1 is lost, and what this cell made went with it."


def test_of_a_flood_the_newest_is_kept_and_the_rest_counted() -> None:
    cell = Told().run("…", *(Printed(1, "x" * 500_000) for _ in range(12)))
    kept = sum(len(each.text) for each in cell.outputs if isinstance(each, Printed))
    assert kept <= 4_000_000
    assert (cell.letters, cell.forgotten) == (6_000_000, 6_000_000 - kept)


@needs_torch
def test_it_knows_the_shelf_what_a_cell_cost_and_memory_that_nobody_named() -> None:
    session = Session()  # in which no cell has failed, since an error holds on to what it met
    cell = session.run("X = torch.ones(2, 3, device='cuda:0')", "Z = X.cuda(1)")
    (copy,) = cell.transfers
    assert (copy.source, copy.target, copy.bytes) == ("cuda:0", "cuda:1", 24)
    assert [cell.allocated_bytes(each) for each in ("cuda:1", "cuda:0")] == [512, 0]
    assert list(cell.placed) == ["Z"]
    session.run("del X", "Y = Z")
    known = {name: each.same_as for name, each in session.ledger.things.items()}
    assert known == {"Z": "", "Y": "Z"}
    session.run("W = torch.ones(1000, device='cuda:0', requires_grad=True)", "V = W[:10]")
    assert session.ledger.unnamed_bytes("cuda:0") == 0
    session.run("loss = (W.exp() * W).sum()")
    assert session.ledger.unnamed_bytes("cuda:0") == 4096
    session.run("loss.backward()")
    assert session.ledger.unnamed_bytes("cuda:0") == 0  # the gradient belongs to W
    session.stop()


def read(row: int, copies: int) -> Transferred:
    return Transferred(1, "cuda:0", "cpu", 4 * copies, 1e-6, copies=copies, row=row)


def test_a_row_that_was_said_again_takes_the_place_of_what_it_was() -> None:
    idle = [Idle(row, "cuda:0", Why.READ, row / 10, 1, row / 10) for row in (1, 3)]
    trips = [Trip(5, out, "cuda:0", 3, 300, changed=True) for out in (4, 6)]
    first = (read(1, 10), read(2, 1))
    cell = Told().run(
        "…",
        Watched(1, 1.0, 1.0, 10, copies=first, idle=(idle[0],), trips=(trips[0],)),
        Watched(1, 3.0, 2.0, 40, copies=(read(1, 20),), idle=(idle[1],)),
        Watched(1, 4.0, 2.0, 40, trips=(trips[1],), over=True),
    )
    seen = cell.seen
    assert seen is not None
    assert (list(seen.idle), list(seen.trips)) == (idle, trips)
    assert (seen.seconds, seen.steps, seen.over) == (4.0, 40, True)
    assert [(each.row, each.copies) for each in seen.copies] == [(1, 20), (2, 1)]
    assert cell.transfers == list(seen.copies)


NOTE = Message("{card} took {way}.", card="cuda:1", way=Message("{count} detours", count=2))
NO_MESSAGE = "said something that is no message"
_VALUES = {int: 3, float: 0.5, bool: True, str: 'ä\n"quoted"\u2028', Message: NOTE}


# Any: a declared type, and a value of it.
def filled(kind: Any) -> Any:
    """With a value in every field."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(filled(each) for each in (inside[:1] * 2 if inside[-1] is ... else inside))
    if origin is not None:  # such as "int | None"
        return filled(inside[0])
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        build: Any = kind
        return build(**{each.name: filled(hints[each.name]) for each in fields(kind)})
    return next(iter(kind)) if issubclass(kind, Enum) else _VALUES[kind]


SAID = [filled(each) for each in Event.__subclasses__()]
ASKED = [filled(each) for each in Command.__subclasses__()]


@pytest.mark.parametrize("message", [*SAID, *ASKED], ids=lambda each: type(each).__name__)
def test_a_message_comes_out_as_it_went_in_and_takes_nothing_else(message: Any) -> None:
    read = event_of if isinstance(message, Event) else command_of
    line = line_of(message)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert read(line) == message
    whole = json.loads(line)
    for each in fields(message):
        with pytest.raises(Trouble, match=NO_MESSAGE):
            read(json.dumps({**whole, each.name: {"no": "such thing"}}))
        if each.default is MISSING and each.default_factory is MISSING:
            left = {name: value for name, value in whole.items() if name != each.name}
            with pytest.raises(Trouble, match=NO_MESSAGE):
                read(json.dumps(left))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"is":"run"}',
        '{"is":"run","id":1,"code":"x","more":1}',
        '{"is":"run","id":1,"code":{"template":"{x}","many":"","values":{"y":1}}}',
        '{"is":"measure","id":1,"source":"cpu","target":"cpu","bytes":1.5}',
    ],
    ids=range(7),
)
def test_anything_else_is_refused_in_a_sentence(line: str) -> None:
    for read in (event_of, command_of):
        with pytest.raises(Trouble, match=NO_MESSAGE):
            read(line)


LINE = "x" * 99 + "\n"
CUT = "This prints faster than the lab shows: some is left out."


def test_a_flood_is_cut_and_goes_on_when_there_is_room() -> None:
    clock = ManualClock()
    flow = Flow(clock.now)
    shown, cut = flow.take(LINE * 3000)
    assert (len(shown), cut) == (MOST_PRINTED, CUT)
    assert not flow.take(LINE)
    clock.advance(2.0)
    assert flow.take(LINE) == [LINE]
    assert flow.take(LINE * 3000)[1:] == [CUT]
    assert flow.finish() == [LINE * 40]


def test_a_progress_bar_fills_nothing() -> None:
    flow = Flow(ManualClock().now)
    for _ in range(10_000):
        assert flow.take("\r" + "#" * 80) == ["\r" + "#" * 80]
