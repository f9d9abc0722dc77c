"""Two copies side by side: what differs, and by how much."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.units import USUAL, Units, duration, rate
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.copies.moving.time_frame import factor_words
from gpuexplorer.gui.wording.lab.amounts import bytes_words

_UNKNOWN = mark("not known")


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
        _figure(tr("Size"), a.bytes, b.bytes, lambda value: bytes_words(value, units)),
        _figure(tr("Copies"), a.copies, b.copies, lambda value: f"{value:.0f}"),
        _figure(tr("Device"), a.device_seconds, b.device_seconds, _duration),
        _figure(tr("Host"), a.host_seconds, b.host_seconds, _duration),
        _figure(
            tr("Rate"), a.rate, b.rate, lambda value: str(rate(value)), _no_rate(a), _no_rate(b)
        ),
        _figure(tr("Of its limit"), a.share, b.share, lambda value: f"{value * 100:.0f} %"),
        Difference(tr("From, to"), _way(one), _way(other)),
        Difference(tr("Path"), tr(a.path or _UNKNOWN), tr(b.path or _UNKNOWN)),
        Difference(tr("Host side"), _side(a), _side(b)),
        Difference(tr("Python waited"), _yes(a.transfer.blocking), _yes(b.transfer.blocking)),
        Difference(tr("Asked for"), _yes(a.asked), _yes(b.asked)),
        Difference(tr("Arrived intact"), _intact(one), _intact(other)),
    ]


def heading(one: Moved, other: Moved) -> str:
    """The one thing to take along."""
    a, b = one.row, other.row
    if a.rate is not None and b.rate is not None:
        return _faster(one, other, a.rate, b.rate)
    mine, theirs = one.each_seconds, other.each_seconds
    if mine and theirs:
        return _faster(one, other, 1 / mine, 1 / theirs, each=True)
    return tr("They cannot be compared by their rates: one has none.")


def _faster(one: Moved, other: Moved, mine: float, theirs: float, *, each: bool = False) -> str:
    first, second = (one, other) if mine >= theirs else (other, one)
    factor = max(mine, theirs) / min(mine, theirs)
    if factor < 1.02:
        return tr("Both went as fast.")
    values = {
        "times": f"{factor:.1f}" if factor < 100 else f"{factor:.0f}",
        "first": _called(first),
        "second": _called(second),
    }
    if each:
        return tr(
            "Each copy of {first} went {times} times as fast as each copy of {second}.",
            **values,
        )
    return tr("{first} went {times} times as fast as {second}.", **values)


def _called(moved: Moved) -> str:
    return tr("{what} of line {line}", what=moved.what, line=moved.row.line)


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
            ratio = tr("the same")
    said = [
        words(value) if value is not None else why or tr(_UNKNOWN)
        for value, why in ((one, no_one), (other, no_other))
    ]
    return Difference(caption, said[0], said[1], ratio)


def _duration(seconds: float) -> str:
    return str(duration(seconds))


def _way(moved: Moved) -> str:
    return tr(
        "{source} to {target}",
        source=called(moved.row.source),
        target=called(moved.row.target),
    )


def _yes(value: bool | None) -> str:
    if value is None:
        return tr(_UNKNOWN)
    return tr("yes") if value else tr("no")


def _no_rate(row: CopyRow) -> str:
    return "" if row.no_rate is None else tr(row.no_rate.words)


def _side(row: CopyRow) -> str:
    return tr(row.host_side) or tr("no part")


def _intact(moved: Moved) -> str:
    if moved.row.wrong:
        return tr("WRONG")
    return tr("not checked") if moved.row.intact is None else tr("yes")
