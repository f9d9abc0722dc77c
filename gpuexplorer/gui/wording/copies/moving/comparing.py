"""Two copies side by side: what differs, and by how much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Units, duration, rate
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.copies.moving.slowly import factor_words
from gpuexplorer.gui.wording.lab.amounts import bytes_words


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact of both. `ratio` is empty where there is none."""

    caption: str
    one: str
    other: str
    ratio: str = ""

    @property
    def differs(self) -> bool:
        return self.one != self.other


def differences(one: Moved, other: Moved, units: Units = USUAL) -> Sequence[Difference]:
    """The figures first, and then what explains them."""
    a, b = one.row, other.row
    return [
        _figure("Size", a.bytes, b.bytes, lambda value: bytes_words(value, units)),
        _figure("Copies", a.copies, b.copies, lambda value: f"{value:.0f}"),
        _figure("Device", a.device_seconds, b.device_seconds, _duration),
        _figure("Host", a.host_seconds, b.host_seconds, _duration),
        _figure("Rate", a.rate, b.rate, lambda value: str(rate(value)), a.no_rate, b.no_rate),
        _figure("Of its limit", a.share, b.share, lambda value: f"{value * 100:.0f} %"),
        Difference("From, to", _way(one), _way(other)),
        Difference("Path", a.path or "not told", b.path or "not told"),
        Difference("Host side", a.host_side or "no part", b.host_side or "no part"),
        Difference("Python waited", _yes(a.transfer.blocking), _yes(b.transfer.blocking)),
        Difference("Asked for", _yes(a.asked), _yes(b.asked)),
        Difference("Arrived intact", _intact(one), _intact(other)),
    ]


def heading(one: Moved, other: Moved) -> str:
    """The one thing to take along."""
    a, b = one.row, other.row
    if a.rate is not None and b.rate is not None:
        return _faster(one, other, a.rate, b.rate)
    mine, theirs = one.each_seconds, other.each_seconds
    if mine and theirs:
        return _faster(one, other, 1 / mine, 1 / theirs, "each copy of ")
    return "They cannot be compared by their rates: one has none."


def _faster(one: Moved, other: Moved, mine: float, theirs: float, of: str = "") -> str:
    first, second = (one, other) if mine >= theirs else (other, one)
    factor = max(mine, theirs) / min(mine, theirs)
    if factor < 1.02:
        return "Both went as fast."
    times = f"{factor:.1f} times" if factor < 100 else f"{factor:.0f} times"
    begin = f"{of[:1].upper()}{of[1:]}"
    return f"{begin}{_called(first)} went {times} as fast as {of}{_called(second)}."


def _called(moved: Moved) -> str:
    return f"{moved.what} of line {moved.row.line}"


def _figure(
    caption: str,
    one: float | None,
    other: float | None,
    words: Callable[[float], str],
    no_one: str = "",
    no_other: str = "",
) -> Difference:
    ratio = ""
    if one and other:
        factor = one / other
        turned = 1 / factor
        ratio = f"×{factor_words(factor)}" if factor >= 1 else f"÷{factor_words(turned)}"
        if abs(factor - 1) < 0.005:
            ratio = "the same"
    said = [
        words(value) if value is not None else why or "not told"
        for value, why in ((one, no_one), (other, no_other))
    ]
    return Difference(caption, said[0], said[1], ratio)


def _duration(seconds: float) -> str:
    return str(duration(seconds))


def _way(moved: Moved) -> str:
    return f"{called(moved.row.source)} to {called(moved.row.target)}"


def _yes(value: bool | None) -> str:
    return "not told" if value is None else "yes" if value else "no"


def _intact(moved: Moved) -> str:
    if moved.row.wrong:
        return "WRONG"
    return "not checked" if moved.row.intact is None else "yes"
