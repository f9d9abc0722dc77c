"""Traces as Perfetto and Chrome open them, in the object form of their JSON. Outside of events
Perfetto takes no escapes like \\u2026; its older readers want `ph` and `ts` first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from gpuexplorer.core.harmless import clean

About = Mapping[str, object]  # any values of JSON
Place = tuple[int, int]  # the numbers of process and thread
# `json.dumps` would make one for each of very many events.
_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def head(about: About | None = None) -> str:
    """What stands before the events. What is known only later may come with the end."""
    said = "" if about is None else f"{_other_data(about)},"
    return f'{{"displayTimeUnit":"ns",{said}"traceEvents":[\n'


def end(about: About | None = None) -> str:
    return f"\n]{'' if about is None else f',{_other_data(about)}'}}}"


def joined(events: Sequence[str], *, begun: bool) -> bytes:
    """`begun`: others stand before them."""
    return ((",\n" if begun else "") + ",\n".join(events)).encode("utf-8", "replace")


def named_process(process: int, name: str) -> Iterator[str]:
    return named_thread(process, 0, name, "process")


def named_thread(process: int, thread: int, name: str, what: str = "thread") -> Iterator[str]:
    """They stand in the order of their numbers."""
    place, order = (process, thread), {"sort_index": thread or process}
    yield _event("M", 0, place, name=f"{what}_name", args={"name": name})
    yield _event("M", 0, place, name=f"{what}_sort_index", args=order)


def slice_text(name: str, kind: str, place: Place, begin: int, end: int, args: About) -> str:
    """A stretch of time on a thread; nanoseconds."""
    return _event("X", begin, place, dur=(end - begin) / 1000, name=name, cat=kind, args=args)


def curve_text(name: str, process: int, at: int, values: Mapping[str, float]) -> str:
    """What a viewer draws as a curve: it holds until the next one of that name and process."""
    return _event("C", at, (process, 0), name=name, args=values)


def moment_text(name: str, kind: str, place: Place, at: int, args: About) -> str:
    return _event("i", at, place, s="t", name=name, cat=kind, args=args)


class FreeRows:
    """Stretches of one kind never overlap on a row: which row takes the next."""

    def __init__(self) -> None:
        self._free: list[int] = []  # when each row's last stretch is over

    def __len__(self) -> int:
        return len(self._free)

    def row(self, begin: int, end: int) -> int:
        row = next((at for at, until in enumerate(self._free) if until <= begin), len(self))
        self._free[row : row + 1] = [end]
        return row


def nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _event(phase: str, at: int, place: Place, **more: object) -> str:
    """The format counts in microseconds."""
    process, thread = place
    return _text({"ph": phase, "ts": at / 1000, "pid": process, "tid": thread, **more})


def _other_data(about: About) -> str:
    """Without letters that would have to be escaped."""
    plain = {name: clean(e) if isinstance(e, str) else e for name, e in about.items()}
    return f'"otherData":{_text(plain)}'
