"""The trace holds to the format's rules, so that viewers open it without warnings."""

from collections.abc import Mapping
from typing import Any

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline, trace_pieces
from gpuexplorer.lab.events import Span
from tests.copies.cells import MIB, Cells, moved, read
from tests.trace_reader import Events, of, opened, whole_trace


def busy_session() -> Cells:
    """Copies that overlap on one engine, waits, a loop, names with quotes, nothing to copy."""
    cells = Cells()
    cells.cell("X = torch.load('a \"b\".pt')", moved(MIB, 1e-3, what='state["w"]'))
    cells.cell(
        "a line",
        moved(8 * MIB, 3e-3, begin=0.0, blocking=False),
        moved(8 * MIB, 3e-3, begin=1e-3, blocking=False),
        moved(8 * MIB, 3e-3, begin=2e-3, source="cuda:1", target="cuda:0", pinned=None),
        moved(8 * MIB, 3e-3, begin=4e-3, source="cuda:0", target="cpu", blocking=False),
        read(800, 0.01, begin=8e-3),
        read(1, 1e-5, begin=9e-3),
        host_seconds=0.02,
        spans=[
            Span("cuda:0", 0.0, 5e-3, 4e-3, 10),
            Span("cuda:1", 0.0, 2e-3, 2e-3, 1, "cuda:0", "copy"),
            Span("cpu", 0.018, 0.019, 1e-3, 1, "cuda:0", "synchronize"),
        ],
    )
    cells.cell("print(1)", host_seconds=1e-4)
    return cells


def trace_of(cells: Cells, *, simulated: bool = True) -> tuple[Mapping[str, Any], Events]:
    book, timeline = CopyBook(), Timeline()
    book.take(cells.ledger)
    timeline.take(cells.ledger, book)
    names = {"cuda:0": "NVIDIA TITAN RTX"}
    pieces = trace_pieces(timeline, book, simulated=simulated, names=names)
    whole = whole_trace(b"".join(pieces))
    return whole, whole["traceEvents"]


def test_every_row_has_its_name() -> None:
    _, events = trace_of(busy_session())
    named = {(e["pid"], e["tid"]) for e in of(events, "M") if e["name"] == "thread_name"}
    processes = {
        e["pid"]: e["args"]["name"] for e in of(events, "M") if e["name"] == "process_name"
    }
    assert {(e["pid"], e["tid"]) for e in of(events, "X", "s", "f")} <= named
    assert processes == {1: "host", 2: "cuda:0 NVIDIA TITAN RTX", 3: "cuda:1"}
    titles = {e["args"]["name"] for e in of(events, "M") if e["name"] == "thread_name"}
    assert {"Python", "compute", "copy in", "copy in (2)", "copy out", "wait"} <= titles


def test_it_says_what_is_simulated_and_modelled() -> None:
    about = trace_of(busy_session())[0]["otherData"]
    assert (about["simulated"], about["modelled"]) == (True, True)
    assert about["note"] == "Times are modelled: no card was measured."
    assert trace_of(Cells(), simulated=False)[0]["otherData"]["simulated"] is False


def test_the_stretches_lie_within_each_other_and_say_what_they_are() -> None:
    _, events = trace_of(busy_session())
    assert opened(events)[0] == []
    assert {each["name"] for each in of(events, "X")} >= {
        'state["w"] to cuda:0',
        "X arrives",
        "waits for cuda:0: synchronize",
        "loss.item() ×800 to the host",
        "waits for loss.item() ×800: pageable, blocking",
        "asks for X",
    }
