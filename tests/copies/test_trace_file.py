"""The trace holds to the format's rules, so that viewers open it without warnings."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.copies.trace_file import trace_pieces
from gpuexplorer.lab.events import Span
from tests.copies.lines import MIB, Lines, moved, read

# Any: whatever stands in a file of JSON.
Events = Sequence[Mapping[str, Any]]
SLACK = 1e-6  # microseconds: numbers are written to the nanosecond, and read as floats


def busy_session() -> Lines:
    """Copies that overlap on one engine, waits, a loop, names with quotes, nothing to copy."""
    lines = Lines()
    lines.line("X = torch.load('a \"b\".pt')", moved(MIB, 1e-3, what='state["w"]'))
    lines.line(
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
    lines.line("print(1)", host_seconds=1e-4)
    return lines


def trace_of(lines: Lines, *, simulated: bool = True) -> tuple[Mapping[str, Any], Events]:
    book, timeline = CopyBook(), Timeline()
    book.take(lines.ledger)
    timeline.take(lines.ledger, book)
    names = {"cuda:0": "NVIDIA TITAN RTX"}
    pieces = trace_pieces(timeline, book, simulated=simulated, names=names)
    whole = json.loads(b"".join(pieces))
    return whole, whole["traceEvents"]


def of(events: Events, *phases: str) -> Events:
    return [each for each in events if each["ph"] in phases]


def test_every_event_is_of_a_kind_that_viewers_know() -> None:
    _, events = trace_of(busy_session())
    assert {each["ph"] for each in events} == {"M", "X", "s", "f"}
    for each in events:
        assert isinstance(each["pid"], int)
        assert isinstance(each["tid"], int)
        assert isinstance(each["ts"], int | float)
        assert each["ts"] >= 0
        assert each["name"]
    for each in of(events, "X"):
        assert each["dur"] >= 0


def test_events_come_in_the_order_of_their_time() -> None:
    _, events = trace_of(busy_session())
    times = [each["ts"] for each in events if each["ph"] != "M"]
    assert times == sorted(times)
    kinds = [each["ph"] == "M" for each in events]
    assert kinds == sorted(kinds, reverse=True)


def test_nothing_overlaps_on_a_row() -> None:
    _, events = trace_of(busy_session())
    rows = defaultdict(list)
    for each in of(events, "X"):
        rows[each["pid"], each["tid"]].append((each["ts"], each["ts"] + each["dur"]))
    assert len(rows) > 6
    for stretches in rows.values():
        for before, after in pairwise(stretches):
            assert before[1] <= after[0] + SLACK


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


def test_every_flow_has_its_two_ends_within_stretches() -> None:
    _, events = trace_of(busy_session())
    starts = {each["id"]: each for each in of(events, "s")}
    ends = {each["id"]: each for each in of(events, "f")}
    assert len(of(events, "s")) == len(starts)
    assert starts.keys() == ends.keys()
    assert len(starts) == 7
    for number, start in starts.items():
        assert start["ts"] <= ends[number]["ts"]
        assert ends[number]["bp"] == "e"
    for flow in (*starts.values(), *ends.values()):
        assert any(
            (e["pid"], e["tid"]) == (flow["pid"], flow["tid"])
            and e["ts"] - SLACK <= flow["ts"] <= e["ts"] + e["dur"] + SLACK
            for e in of(events, "X")
        )


def test_times_are_microseconds() -> None:
    _, events = trace_of(busy_session())
    first = next(e for e in of(events, "X") if e["cat"] == "copies")
    assert (first["ts"], first["dur"]) == (0, 1000)
    assert first["args"]["rate_gbs"] == pytest.approx(MIB / 1e-3 / 1e9)


def test_it_says_what_is_simulated_and_modelled() -> None:
    whole, _ = trace_of(busy_session())
    assert whole["otherData"]["simulated"] is True
    assert whole["otherData"]["modelled"] is True
    assert whole["otherData"]["note"] == "Times are modelled: no card was measured."
    assert trace_of(Lines(), simulated=False)[0]["otherData"]["simulated"] is False


def test_an_empty_session_is_a_trace_as_well() -> None:
    whole, events = trace_of(Lines(), simulated=False)
    assert list(events) == []
    assert whole["otherData"]["modelled"] is False


def test_the_stretches_say_what_they_are() -> None:
    _, events = trace_of(busy_session())
    said = {each["name"] for each in of(events, "X")}
    assert 'state["w"] to cuda:0' in said
    assert "X arrives" in said
    assert "waits for cuda:0: synchronize" in said
    assert "loss.item() to the host x800" in said
    assert "waits for cuda:0: pageable, blocking x800" in said
    assert "asks for X" in said


def test_a_large_trace_is_written_in_pieces() -> None:
    lines = Lines()
    for _ in range(100):
        lines.line("a loop", *(moved(MIB, 1e-4, begin=at * 1e-4) for at in range(200)))
    book, timeline = CopyBook(), Timeline()
    book.take(lines.ledger)
    timeline.take(lines.ledger, book)
    pieces = trace_pieces(timeline, book, simulated=True)
    size = largest = 0
    for piece in pieces:
        size, largest = size + len(piece), max(largest, len(piece))
    assert size > 10_000_000
    assert largest < 500_000


def opened(events: Events) -> tuple[list[str], dict[int, list[str]]]:
    """As a viewer reads it: in order of time, stretches on a pile for each row. What it would
    complain about, and between which stretches it draws which arrow.
    """
    complaints: list[str] = []
    arrows: dict[int, list[str]] = defaultdict(list)
    piles: dict[tuple[int, int], list[Mapping[str, Any]]] = defaultdict(list)
    for each in sorted(of(events, "X", "s", "f"), key=lambda event: event["ts"]):
        pile = piles[each["pid"], each["tid"]]
        while pile and nanoseconds(pile[-1]["ts"], pile[-1]["dur"]) <= nanoseconds(each["ts"]):
            pile.pop()
        if each["ph"] == "X":
            end = nanoseconds(each["ts"], each["dur"])
            if pile and end > nanoseconds(pile[-1]["ts"], pile[-1]["dur"]):
                complaints.append(f"{each['name']} sticks out of {pile[-1]['name']}")
            pile.append(each)
        elif not pile:
            complaints.append(f"no stretch is open for the arrow of {each['name']}")
        else:
            arrows[each["id"]].append(pile[-1]["name"])
    return complaints, arrows


def nanoseconds(*microseconds: float) -> int:
    return sum(round(each * 1000) for each in microseconds)


def test_a_viewer_finds_every_stretch_nested_and_every_arrow_between_its_own() -> None:
    _, events = trace_of(busy_session())
    complaints, arrows = opened(events)
    assert complaints == []
    assert len(arrows) == 7
    for ends in arrows.values():
        assert len(ends) == 2
        # Not with Python's own work, which may begin where a call ends.
        assert not {"a line", "print(1)"} & {*ends}


def test_an_arrow_leaves_its_call_and_not_what_python_did_next() -> None:
    lines = Lines()
    later = replace(moved(8 * MIB, 3e-3, begin=5e-3, blocking=False), asked_at=0.0)
    lines.line("Y = X.to(0, non_blocking=True); work()", later, host_seconds=0.02)
    complaints, arrows = opened(trace_of(lines)[1])
    assert complaints == []
    assert list(arrows.values()) == [["asks for X", "X to cuda:0"]]
