"""A program's run as other programs read it: the JSON, and a trace that holds to the format."""

import io
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gpuexplorer.lab.events import (
    Device,
    Failed,
    Finished,
    Frame,
    Hello,
    Idle,
    Loader,
    Printed,
    Traced,
    Transferred,
    Watched,
    Why,
)
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.programs.trace import TraceFile
from tests.programs.made import FILE, idle, program, read, seen
from tests.trace_reader import of, opened, whole_trace

DONE = Finished(1, 41.0)


# Any: as json reads it.
def told(*events: Watched | Finished | Failed, status: int | None = 0) -> dict[str, Any]:
    run = program(*events, status=status)
    run.cells[0].outputs.append(Printed(1, "loss 0.3\n"))
    read_back: dict[str, Any] = json.loads(json.dumps(as_json(run), allow_nan=False))
    return read_back


def test_what_is_not_known_is_null_and_says_why() -> None:
    cell = told(Failed(1, "worker lost", "", ""), status=-9)["cells"][0]
    assert cell["seen"] is None
    assert cell["missing"] == {
        "host_seconds": "it did not come to an end",
        "seen": "it was not watched",
    }
    copy = told(seen(copies=[read()]), DONE)["cells"][0]["copies"][0]
    assert (copy["rate"], copy["missing"]["rate"]) == (None, "all latency")


def test_an_error_has_its_type_its_text_and_its_lines() -> None:
    failed = Failed(1, "error", "KeyError", "'x'", frames=(Frame(0, 12, file=str(FILE)),))
    error = told(failed, status=1)["cells"][0]["error"]
    assert (error["type"], error["text"], error["sentence"]) == ("KeyError", "'x'", None)
    assert (error["frames"][0]["file"], error["frames"][0]["line"]) == (str(FILE), 12)


def test_findings_have_their_place_their_figures_and_what_a_cure_gives_back() -> None:
    found = told(seen(copies=[read()], idle=[idle(Why.READ, 3.1)]), DONE)["findings"][0]
    about = [found[each] for each in ("matter", "file", "line", "expression")]
    assert about == ["read", str(FILE), 84, "loss.item()"]
    assert found["figures"] == {"times": 12_000, "seconds": 3.1, "bytes": 48_000}
    assert found["sentence"].startswith("train.py:84 `loss.item()` 12\u202f000 times")


PATH = "/home/ada/code/train.py"
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
            1, "cpu", "cuda:0", 8_000_000, 0.002, modelled=True, row=1, file=PATH, line=12,
            what="x.to(0)", pinned=False, blocking=True, copies=2,
        ),
        Transferred(
            1, "cuda:0", "cpu", 4, 1e-5, modelled=True, row=2, file=PATH, line=84,
            what="loss.item()", asked=False,
        ),
    ),
    idle=(Idle(1, "cuda:0", Why.READ, 0.01, 2, 0.006, PATH, 0, 84, "loss.item()"),),
    devices=(Device("cpu", "the host"), Device("cuda:0", "TITAN RTX"), Device("cuda:1", "T4")),
    loaders=(Loader(1, 2, 0.1, workers=2, pins=False, file=PATH, line=10, what="loader"),),
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


def test_a_viewer_sees_what_lines_did_when_and_what_was_left_out() -> None:
    out = io.BytesIO()
    trace = TraceFile(out, "train.py", ProgramRun(Path(PATH), ()).place)
    for event in (HELLO, ROWS, Traced(1, STRETCHES, 7), Traced(1, (), 5)):
        trace.apply(event)
    trace.close()
    whole = whole_trace(out.getvalue())
    events = whole["traceEvents"]
    assert opened(events)[0] == []
    about = {"seconds": 2.0, "seen_seconds": 1.5, "steps": 40, "seen_steps": 30}
    assert whole["otherData"] == about | {
        "program": "train.py",
        "simulated": True,
        "modelled": True,
        "left_out": 12,
        "note": "Times are modelled: no card was measured.",
    }
    processes, threads = (
        {(e["pid"], e["tid"]): e["args"]["name"] for e in of(events, "M") if name in e["name"]}
        for name in ("process_name", "thread_name")
    )
    assert list(processes.values()) == ["host train.py", "cuda:0 TITAN RTX"]
    assert {(threads[e["pid"], e["tid"]], e["name"]) for e in of(events, "X")} == {
        ("steps", "step"),
        ("waits for batches", "train.py:10 loader"),
        ("waits for cards", "train.py:84 loss.item()"),
        ("copies in", "train.py:12 x.to(0)"),
        ("copies in (2)", "train.py:12 x.to(0)"),
        ("computing", "computing"),
        ("copies out", "train.py:84 loss.item()"),
        ("idle", "train.py:84 loss.item()"),
    }
    first = next(e for e in of(events, "X") if e["cat"] == "copy")
    assert (first["ts"], first["dur"]) == (50_000, 1000)
    assert first["args"] == {
        "file": PATH,
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


def test_it_is_written_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    sizes = []
    with path.open("wb", buffering=0) as file:
        trace = TraceFile(file, "x.py", ProgramRun(Path("x.py"), ()).place)
        for at in range(20):
            steps = (at + i / 1000 for i in range(1000))
            trace.apply(Traced(1, tuple(("step", "cpu", each, each, 0, 0) for each in steps)))
            sizes.append(path.stat().st_size)
        trace.close()
    assert all(later - before > 50_000 for before, later in pairwise(sizes))
    assert len(of(whole_trace(path.read_bytes())["traceEvents"], "X")) == 20_000
