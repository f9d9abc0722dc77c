"""Cost words: the figures of the diagnostics as a person reads them."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.units import USUAL, Units, memory

Line = tuple[str, str]
_UNKNOWN = "not measured yet"


def cost_lines(figures: Mapping[str, object], units: Units = USUAL) -> Sequence[Line]:
    """What each is, and what it is; the same figures as in the file."""
    frames, loop = _part(figures, "frames"), _part(figures, "event_loop")
    cpu, wall = _part(frames, "cpu_ms"), _part(frames, "wall_ms")
    beats, resident = _part(figures, "beats"), _part(figures, "resident_bytes")
    drawn = _number(frames, "drawn") or 0.0
    return [
        ("Running for", _said(_number(figures, "seconds"), ".0f", "s")),
        (
            "From the start to the first reading",
            _said(_number(figures, "first_reading_seconds"), ".2f", "s"),
        ),
        ("Frames drawn", f"{drawn:.0f}"),
        ("A frame, on the processor", _spread(cpu)),
        ("A frame, by the clock", _spread(wall)),
        (
            "Longest wait of the event loop",
            _said(_number(loop, "longest_wait_ms"), ".1f", "ms"),
        ),
        ("Readings", _beats(beats)),
        ("Processor time", _said(_number(figures, "cpu_seconds"), ".1f", "s")),
        ("Memory now", _memory(resident, "now", units)),
        ("Memory at the start", _memory(resident, "start", units)),
        ("Screen", _screen(figures)),
        ("Versions", _versions(figures)),
        ("System", _system(figures)),
        ("Cards", _cards(figures)),
    ]


def as_text(lines: Sequence[Line]) -> str:
    return "".join(f"{what}: {value}\n" for what, value in lines)


def _part(figures: Mapping[str, object], name: str) -> Mapping[str, object]:
    part = figures[name]
    return part if isinstance(part, Mapping) else {}


def _number(figures: Mapping[str, object], name: str) -> float | None:
    value = figures.get(name)
    return float(value) if isinstance(value, int | float) else None


def _said(value: float | None, form: str, unit: str) -> str:
    return _UNKNOWN if value is None else f"{value:{form}} {unit}"


def _spread(times: Mapping[str, object]) -> str:
    median, late, longest = (_number(times, name) for name in ("median", "p99", "longest"))
    if median is None or late is None or longest is None:
        return _UNKNOWN
    return f"{median:.1f} ms, 99 % within {late:.1f} ms, longest {longest:.1f} ms"


def _beats(beats: Mapping[str, object]) -> str:
    taken, missed = _number(beats, "taken"), _number(beats, "missed")
    interval = _number(beats, "interval_seconds")
    if taken is None or missed is None or interval is None:
        return "none: no card is read"
    return f"{taken:.0f} taken, {missed:.0f} missed, one every {interval:g} s"


def _memory(resident: Mapping[str, object], name: str, units: Units) -> str:
    value = _number(resident, name)
    return _UNKNOWN if value is None else str(memory(value, units))


def _screen(figures: Mapping[str, object]) -> str:
    window = figures["window"]
    size = " x ".join(map(str, window)) if isinstance(window, list) else ""
    scale = _number(figures, "scale") or 1.0
    return f"{figures['screen'] or 'none'}, {size} at {scale * 100:.0f} %"


def _versions(figures: Mapping[str, object]) -> str:
    named = ("GPU Explorer", "gpuexplorer"), ("Python", "python"), ("Qt", "qt")
    return ", ".join(f"{words} {figures[name]}" for words, name in named)


def _cards(figures: Mapping[str, object]) -> str:
    if figures["cards"] is None:
        return "none are read"
    source = str(figures["source"])
    return source.replace("Simulated", "SIMULATED") if figures["simulated"] else source


def _system(figures: Mapping[str, object]) -> str:
    name, release, *_ = [*str(figures["platform"]).split("-"), ""]
    return f"{name} {release}".strip() + f", drawn through {figures['window_system']}"
