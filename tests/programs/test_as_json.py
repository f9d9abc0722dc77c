"""A program's run as other programs read it."""

import json
from dataclasses import fields, is_dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.commands.program_report import report
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Failed,
    Finished,
    Frame,
    Printed,
    Watched,
    Why,
)
from gpuexplorer.programs.as_json import as_json
from tests.programs.made import FILE, MIB, idle, moved, program, read, seen

DONE = Finished(1, 41.0)


# Any: as json reads it.
def told(*events: Watched | Finished | Failed, status: int | None = 0) -> "dict[str, object]":
    run = program(*events, status=status)
    run.cells[0].outputs.append(Printed(1, "loss 0.3\n"))
    read_back: dict[str, object] = json.loads(json.dumps(as_json(run), allow_nan=False))
    return read_back


def at(value: object, *path: str | int) -> object:
    for each in path:
        assert isinstance(value, dict | list)
        value = value[each]  # type: ignore[index]  # whichever of the two it is
    return value


def test_a_cell_has_its_text_its_output_its_copies_and_how_long_the_host_took() -> None:
    cell = at(told(seen(copies=[moved()]), DONE), "cells", 0)
    assert at(cell, "number") == 1
    assert at(cell, "text") == "import torch\n"
    assert at(cell, "output") == [{"stream": "out", "text": "loss 0.3\n"}]
    assert at(cell, "error") is None
    assert at(cell, "host_seconds") == 41.0
    copy = at(cell, "copies", 0)
    for name, value in {
        "source": "cpu",
        "target": "cuda:0",
        "bytes": 12_000 * MIB,
        "copies": 12_000,
        "asked": True,
        "file": str(FILE),
        "line": 30,
        "expression": 'x.to("cuda")',
        "pinned": False,
        "limit": 15.75e9,
    }.items():
        assert at(copy, name) == value


def test_output_that_is_not_kept_is_counted() -> None:
    run = program(DONE, status=0)
    for _ in range(120):
        run.cells[0].say(Printed(1, "x" * 99_999 + "\n"))
    output = at(json.loads(json.dumps(as_json(run))), "cells", 0, "output")
    assert at(output, 0, "text") == "8,000,000 letters before this are not kept."
    assert at(output, 1, "text") == ("x" * 99_999 + "\n") * 10
    assert at(output, 0, "stream") == "note"


def test_what_is_not_known_is_null_and_says_why() -> None:
    cell = at(told(Failed(1, "worker lost", "", ""), status=-9), "cells", 0)
    assert at(cell, "seen") is None
    assert at(cell, "missing") == {
        "host_seconds": "it did not come to an end",
        "seen": "it was not watched",
    }
    copy = at(told(seen(copies=[read()]), DONE), "cells", 0, "copies", 0)
    assert at(copy, "rate") is None
    assert at(copy, "missing", "rate") == "all latency"


def test_an_error_has_its_type_its_text_and_its_lines() -> None:
    failed = Failed(
        1, "error", "KeyError", "'x'", frames=(Frame(0, 12, "load", file=str(FILE)),)
    )
    assert at(told(failed, status=1), "cells", 0, "error") == {
        "type": "KeyError",
        "text": "'x'",
        "cause": "error",
        "sentence": None,
        "frames": [{"file": str(FILE), "cell": None, "line": 12, "name": "load"}],
    }


def test_findings_have_their_place_their_figures_and_what_a_cure_gives_back() -> None:
    found = at(told(seen(copies=[read()], idle=[idle(Why.READ, 3.1)]), DONE), "findings", 0)
    assert at(found, "matter") == "read"
    assert (at(found, "file"), at(found, "line")) == (str(FILE), 84)
    assert at(found, "expression") == "loss.item()"
    assert at(found, "figures") == {
        "times": 12_000,
        "card_waited_s": 3.1,
        "host_waited_s": 8.0,
    }
    assert str(at(found, "sentence")).startswith("train.py:84 `loss.item()` 12\u202f000 times")


WORDS = ("", "cpu", "cuda:0", "to", "item", "if", "batch", str(FILE), "/b/\u00e9\U0001f600.py")


# Any: a declared type, and values of it.
def of(kind: Any) -> "st.SearchStrategy[Any]":
    """Whatever such a field can hold, as far as a clock or a counter can give it."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple and inside[-1] is not ...:
        return st.tuples(*map(of, inside))
    if origin is tuple:
        return st.lists(of(inside[0]), max_size=4).map(tuple)
    if origin is not None:  # such as "int | None"
        return st.none() | of(inside[0])
    if is_dataclass(kind):
        hints, build = get_type_hints(kind), cast("Any", kind)
        return st.builds(build, **{each.name: of(hints[each.name]) for each in fields(kind)})
    simple: dict[Any, st.SearchStrategy[Any]] = {
        int: st.integers(1, 6) | st.integers(1, 10**9),
        float: st.floats(1e-9, 1e6),
        bool: st.booleans(),
        str: st.sampled_from(WORDS),
        Message: st.just(Message("why")),
    }
    return simple[kind] if kind in simple else st.sampled_from(kind)


@settings(max_examples=60, deadline=None)
@given(st.lists(of(Watched), max_size=3), st.sampled_from([40, 80, 100, 200]))
def test_whatever_was_watched_is_told_in_text_and_in_json(
    events: list[Watched], width: int
) -> None:
    run = program(*events, DONE, cards=2)
    lines = report(run, width).split("\n")
    assert len(lines) <= 80
    assert json.loads(json.dumps(as_json(run), allow_nan=False))["schema"] == 1
