"""Traces as Perfetto and Chrome open them: events as text, in the object form of their JSON.

Perfetto's reader takes letters as they are, and no escapes like \\u2026 outside of events; and
what begins with `ph` and `ts` can be read by its older ones too. Nothing may follow the end.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

# Any value of JSON.
_Value = object


def head(about: Mapping[str, _Value] | None = None) -> str:
    """What stands before the events. What is known only later may come with the end."""
    said = "" if about is None else f'"otherData":{_plain(about)},'
    return f'{{"displayTimeUnit":"ns",{said}"traceEvents":[\n'


def end(about: Mapping[str, _Value] | None = None) -> str:
    said = "" if about is None else f',"otherData":{_plain(about)}'
    return f"\n]{said}}}"


def joined(events: Sequence[str], *, begun: bool) -> bytes:
    """`begun`: others stand before them."""
    return ((",\n" if begun else "") + ",\n".join(events)).encode("utf-8", "replace")


def named_process(process: int, name: str) -> Iterator[str]:
    """Processes stand in the order of their numbers."""
    yield _named("process_name", process, 0, {"name": name})
    yield _named("process_sort_index", process, 0, {"sort_index": process})


def named_thread(process: int, thread: int, name: str) -> Iterator[str]:
    yield _named("thread_name", process, thread, {"name": name})
    yield _named("thread_sort_index", process, thread, {"sort_index": thread})


def slice_text(
    name: str,
    kind: str,
    place: tuple[int, int],
    begin: int,
    end: int,
    args: Mapping[str, _Value],
) -> str:
    """A stretch of time on a thread, by the numbers of process and thread; nanoseconds."""
    process, thread = place
    return (
        f'{{"ph":"X","ts":{microseconds(begin)},"dur":{microseconds(end - begin)},'
        f'"pid":{process},"tid":{thread},"name":{text(name)},"cat":{text(kind)},'
        f'"args":{text(args)}}}'
    )


def flow_text(
    phase: str, name: str, kind: str, number: int, place: tuple[int, int], at: int
) -> str:
    """One end of an arrow: it leaves ("s") or arrives ("f") within the stretch that is open."""
    process, thread = place
    bound = ',"bp":"e"' if phase == "f" else ""
    return (
        f'{{"ph":"{phase}","ts":{microseconds(at)},"pid":{process},"tid":{thread},'
        f'"id":{number},"name":{text(name)},"cat":{text(kind)}{bound}}}'
    )


def counter_text(name: str, unit: str, process: int, at: int, value: float) -> str:
    """What a viewer draws as a curve: it holds until the next one of that name and process."""
    return f'{{"ph":"C","ts":{microseconds(at)},{_curve(name, unit, process)}{value!r}}}}}'


def instant_text(
    name: str, kind: str, place: tuple[int, int], at: int, args: Mapping[str, _Value]
) -> str:
    """A moment on a thread."""
    process, thread = place
    return (
        f'{{"ph":"i","ts":{microseconds(at)},"pid":{process},"tid":{thread},"s":"t",'
        f'"name":{text(name)},"cat":{text(kind)},"args":{text(args)}}}'
    )


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


def microseconds(nanoseconds: int) -> str:
    """As the format wants them, to the nanosecond."""
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def text(value: _Value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def _curve(name: str, unit: str, process: int) -> str:
    """There are few of them, with very many values each."""
    return f'"pid":{process},"name":{text(name)},"args":{{{text(unit)}:'


def _named(what: str, process: int, thread: int, args: Mapping[str, _Value]) -> str:
    return text({"ph": "M", "ts": 0, "pid": process, "tid": thread, "name": what, "args": args})


def _plain(about: Mapping[str, _Value]) -> str:
    """Without letters that would have to be escaped."""
    return text({name: _printable(value) for name, value in about.items()})


def _printable(value: _Value) -> _Value:
    if not isinstance(value, str):
        return value
    return "".join(each if each.isprintable() else "?" for each in value)
