"""Reads a trace as strictly as Perfetto's own reader does."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

# Any: whatever stands in a file of JSON.
Events = Sequence[Mapping[str, Any]]
_MOST = 1 << 32  # numbers of processes and threads


def whole_trace(content: bytes) -> Mapping[str, Any]:
    """Fails where Perfetto would say "Failure parsing JSON", or leave an event out."""
    text = content.decode("utf-8")
    assert text.startswith('{"displayTimeUnit":"ns"'), "it is read only at the beginning"
    assert text.endswith("}"), "nothing may follow the end"
    outside, _, rest = text.partition('"traceEvents":[')
    inside, _, after = rest.rpartition("\n]")
    assert "\\u" not in outside + after, "escapes are taken within events alone"
    assert all(each.isprintable() for each in outside + after)
    for line in filter(None, inside.split("\n")):
        assert line.startswith('{"ph":"')
        assert line.split(",")[1].startswith('"ts":'), "older readers look for it there"
    whole: Mapping[str, Any] = json.loads(text)
    for each in whole["traceEvents"]:
        assert each["ph"] in ("M", "X", "s", "f", "C", "i")
        assert 0 < each["pid"] < _MOST
        assert each["ph"] in ("M", "C") or 0 < each["tid"] < _MOST
        if each["ph"] == "C":
            assert all(isinstance(value, int | float) for value in each["args"].values())
        assert each["ts"] >= 0
        assert each.get("dur", 0) >= 0
        assert each["name"]
    return whole


def of(events: Events, *phases: str) -> Events:
    return [each for each in events if each["ph"] in phases]


def opened(events: Events) -> tuple[list[str], dict[int, list[str]]]:
    """In order of time, stretches on a pile for each row. What a viewer would complain about,
    and between which stretches it draws which arrow.
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
