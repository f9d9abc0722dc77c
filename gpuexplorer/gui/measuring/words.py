"""Cost words: the figures of the diagnostics as a person reads them."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import Message, mark, tr

Line = tuple[str, str]
_UNKNOWN = mark("not measured yet")


def cost_lines(figures: Mapping[str, object], units: Units = USUAL) -> Sequence[Line]:
    """What each is, and what it is; the same figures as in the file."""
    frames, loop = _part(figures, "frames"), _part(figures, "event_loop")
    cpu, wall = _part(frames, "cpu_ms"), _part(frames, "wall_ms")
    beats, resident = _part(figures, "beats"), _part(figures, "resident_bytes")
    drawn = _number(frames, "drawn") or 0.0
    return [
        (tr("Running for"), _said(_number(figures, "seconds"), ".0f", "s")),
        (
            tr("From the start to the first reading"),
            _said(_number(figures, "first_reading_seconds"), ".2f", "s"),
        ),
        (tr("Frames drawn"), f"{drawn:.0f}"),
        (tr("A frame, on the processor"), _spread(cpu)),
        (tr("A frame, by the clock"), _spread(wall)),
        (
            tr("Longest wait of the event loop"),
            _said(_number(loop, "longest_wait_ms"), ".1f", "ms"),
        ),
        (tr("Readings"), _beats(beats)),
        (tr("Processor time"), _said(_number(figures, "cpu_seconds"), ".1f", "s")),
        (tr("Memory now"), _memory(resident, "now", units)),
        (tr("Memory at the start"), _memory(resident, "start", units)),
        (tr("Screen"), _screen(figures)),
        (tr("Versions"), _versions(figures)),
        (tr("System"), _system(figures)),
        (tr("Cards"), _cards(figures)),
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
    return tr(_UNKNOWN) if value is None else f"{value:{form}} {unit}"


def _spread(times: Mapping[str, object]) -> str:
    median, late, longest = (_number(times, name) for name in ("median", "p99", "longest"))
    if median is None or late is None or longest is None:
        return tr(_UNKNOWN)
    return tr(
        "{median:.1f} ms, 99 % within {late:.1f} ms, longest {longest:.1f} ms",
        median=median,
        late=late,
        longest=longest,
    )


def _beats(beats: Mapping[str, object]) -> str:
    taken, missed = _number(beats, "taken"), _number(beats, "missed")
    interval = _number(beats, "interval_seconds")
    if taken is None or missed is None or interval is None:
        return tr("none: no card is read")
    return tr(
        "{taken:.0f} taken, {missed:.0f} missed, one every {interval:g} s",
        taken=taken,
        missed=missed,
        interval=interval,
    )


def _memory(resident: Mapping[str, object], name: str, units: Units) -> str:
    value = _number(resident, name)
    return tr(_UNKNOWN) if value is None else str(memory(value, units))


def _screen(figures: Mapping[str, object]) -> str:
    window = figures["window"]
    size = " x ".join(map(str, window)) if isinstance(window, list) else ""
    scale = _number(figures, "scale") or 1.0
    screen = figures["screen"] or tr("none")
    share = f"{scale * 100:.0f}"
    return tr("{screen}, {size} at {share} %", screen=screen, size=size, share=share)


def _versions(figures: Mapping[str, object]) -> str:
    named = ("GPU Explorer", "gpuexplorer"), ("Python", "python"), ("Qt", "qt")
    return ", ".join(f"{words} {figures[name]}" for words, name in named)


def _cards(figures: Mapping[str, object]) -> str:
    if figures["cards"] is None:
        return tr("none are read")
    source = figures["source"]
    if not isinstance(source, Message):
        return str(source)
    if not figures["simulated"]:
        return tr(source)
    return tr("SIMULATED: {title}", title=source.values.get("cards", source))


def _system(figures: Mapping[str, object]) -> str:
    name, release, *_ = [*str(figures["platform"]).split("-"), ""]
    system, through = f"{name} {release}".strip(), figures["window_system"]
    return tr("{system}, drawn through {through}", system=system, through=through)
