"""A program's trace holds to the format's rules, and says what lines did when."""

import io
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gpuexplorer.lab.events import (
    Device,
    Hello,
    Idle,
    Loader,
    Traced,
    Transferred,
    Watched,
    Why,
)
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.programs.trace import TraceFile
from tests.trace_reader import Events, of, opened, whole_trace

FILE = "/home/ada/code/train.py"
HELLO = Hello(0, "3.12.3", "2.10.0", "CPU", simulated=True)
ROWS = Watched(
    1,
    2.0,
    1.5,
    steps=40,
    seen_steps=30,
    step="optimizer",
    modelled=True,
    copies=(
        Transferred(
            1, "cpu", "cuda:0", 8_000_000, 0.002, modelled=True, row=1, file=FILE, line=12,
            what="x.to(0)", pinned=False, blocking=True, copies=2,
        ),
        Transferred(
            1, "cuda:0", "cpu", 4, 1e-5, modelled=True, row=2, file=FILE, line=84,
            what="loss.item()", asked=False,
        ),
    ),
    idle=(Idle(1, "cuda:0", Why.READ, 0.01, 2, 0.006, FILE, 0, 84, "loss.item()"),),
    devices=(Device("cpu", "the host"), Device("cuda:0", "TITAN RTX"), Device("cuda:1", "T4")),
    loaders=(Loader(1, 2, 0.1, workers=2, pins=False, file=FILE, line=10, what="loader"),),
)  # fmt: skip
STRETCHES = (
    ("loader", "cpu", 0.0, 0.05, 1, 0),
    ("copy", "cuda:0", 0.05, 0.051, 1, 4_000_000),
    ("copy", "cuda:0", 0.0505, 0.0515, 1, 4_000_000),
    ("compute", "cuda:0", 0.0515, 0.09, 0, 0),
    ("wait", "cuda:0", 0.06, 0.09001, 2, 0),
    ("copy", "cuda:0", 0.09, 0.09001, 2, 4),
    ("idle", "cuda:0", 0.09001, 0.096, 1, 0),
    ("step", "cpu", 0.0, 0.096, 0, 0),
)


def traced(*stretches: tuple[str, str, float, float, int, int], left_out: int = 0) -> Traced:
    return Traced(1, stretches, left_out)


def trace_of(*events: Hello | Watched | Traced) -> tuple[Mapping[str, Any], Events]:
    out = io.BytesIO()
    trace = TraceFile(out, "train.py", ProgramRun(Path(FILE), ()).place)
    for event in events:
        trace.apply(event)
    trace.close()
    whole = whole_trace(out.getvalue())
    return whole, whole["traceEvents"]


def test_a_viewer_finds_nothing_to_complain_of() -> None:
    _, events = trace_of(HELLO, ROWS, traced(*STRETCHES))
    assert opened(events)[0] == []
    named = {(e["pid"], e["tid"]) for e in of(events, "M") if e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in of(events, "X")} == named


def test_stretches_are_called_by_their_lines() -> None:
    _, events = trace_of(HELLO, ROWS, traced(*STRETCHES))
    threads = {
        (e["pid"], e["tid"]): e["args"]["name"]
        for e in of(events, "M")
        if e["name"] == "thread_name"
    }
    said = {(threads[e["pid"], e["tid"]], e["name"]) for e in of(events, "X")}
    assert said == {
        ("steps", "step"),
        ("waits for batches", "train.py:10 loader"),
        ("waits for cards", "train.py:84 loss.item()"),
        ("copies in", "train.py:12 x.to(0)"),
        ("copies in (2)", "train.py:12 x.to(0)"),
        ("computing", "computing"),
        ("copies out", "train.py:84 loss.item()"),
        ("idle", "train.py:84 loss.item()"),
    }


def test_cards_have_their_names_and_the_host_stands_first() -> None:
    _, events = trace_of(HELLO, ROWS, traced(*STRETCHES))
    named = {
        e["pid"]: e["args"]["name"] for e in of(events, "M") if "process_name" in e["name"]
    }
    assert named == {1: "host train.py", 2: "cuda:0 TITAN RTX"}


def test_a_copy_says_its_bytes_its_way_and_its_rate() -> None:
    _, events = trace_of(HELLO, ROWS, traced(*STRETCHES))
    first = next(e for e in of(events, "X") if e["cat"] == "copy")
    assert (first["ts"], first["dur"]) == (50_000, 1000)
    assert first["args"] == {
        "file": FILE,
        "line": 12,
        "from": "cpu",
        "to": "cuda:0",
        "bytes": 4_000_000,
        "asked_for": True,
        "modelled": True,
        "rate_gbs": pytest.approx(4.0),
        "pinned": False,
        "blocking": True,
    }
    idle = next(e for e in of(events, "X") if e["cat"] == "idle")
    assert idle["args"] == {
        "why": "the host had waited for the card, and asked it for nothing further"
    }


def test_it_says_what_is_modelled_and_what_was_left_out() -> None:
    whole, _ = trace_of(HELLO, ROWS, traced(*STRETCHES, left_out=7), traced(left_out=5))
    assert whole["otherData"] == {
        "program": "train.py",
        "simulated": True,
        "modelled": True,
        "left_out": 12,
        "seconds": 2.0,
        "seen_seconds": 1.5,
        "steps": 40,
        "seen_steps": 30,
        "note": "Times are modelled: no card was measured.",
    }


def test_what_comes_late_stands_on_a_row_of_its_own() -> None:
    _, events = trace_of(
        HELLO,
        ROWS,
        traced(("copy", "cuda:1", 0.5, 0.6, 9, 10)),
        traced(("copy", "cuda:1", 0.1, 0.2, 9, 10), ("compute", "cuda:7", 0.1, 0.2, 0, 0)),
    )
    assert opened(events)[0] == []
    assert [each["name"] for each in of(events, "X")] == ["copy", "copy", "computing"]


def test_odd_names_of_files_do_no_harm() -> None:
    row = Transferred(1, "cpu", "cuda:0", 8, 1e-6, row=1, file="/a/größe\n\udcff.py", line=1)
    out = io.BytesIO()
    trace = TraceFile(out, 'größe\n"\udcff.py', ProgramRun(Path("/a/x.py"), ()).place)
    for event in (Watched(1, 1, 1, copies=(row,)), traced(("copy", "cuda:0", 0, 1e-6, 1, 8))):
        trace.apply(event)
    trace.close()
    whole = whole_trace(out.getvalue())
    assert whole["otherData"]["program"] == 'größe?"?.py'
    assert of(whole["traceEvents"], "X")[0]["name"] == "größe\n?.py:1"


def test_it_is_written_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    sizes = []
    with path.open("wb", buffering=0) as file:
        trace = TraceFile(file, "x.py", ProgramRun(Path("x.py"), ()).place)
        for at in range(20):
            steps = (at + i / 1000 for i in range(1000))
            trace.apply(traced(*(("step", "cpu", each, each, 0, 0) for each in steps)))
            sizes.append(path.stat().st_size)
        trace.close()
    assert all(later - before > 50_000 for before, later in pairwise(sizes))
    assert len(of(whole_trace(path.read_bytes())["traceEvents"], "X")) == 20_000
