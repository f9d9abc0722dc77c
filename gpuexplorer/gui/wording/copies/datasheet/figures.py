"""Figures of a datasheet as people read them: a number, and the unit of its row."""

from gpuexplorer.copies.datasheet.figure import Figure, Unit, What
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import mark, tr

_TERA, _GIGA = 1e12, 1e9

TITLES = {
    What.MEMORY: mark("Memory bandwidth"),
    What.TO_CARD: mark("Host link"),
    What.FROM_CARD: mark("Host link, back"),
    What.PEER: mark("Peer link"),
    What.FP32: mark("FP32"),
    What.TF32: mark("TF32"),
    What.BF16: mark("BF16"),
    What.POWER: mark("Board power"),
}


def unit_of(what: What, *values: float | None) -> str:
    """The same for all of these, so that they can be compared at a glance."""
    match what.unit:
        case Unit.RATE:
            return "GB/s"
        case Unit.POWER:
            return "W"
        case Unit.COMPUTE:
            known = [value for value in values if value is not None]
            return "GFLOP/s" if known and max(known) < _TERA else "TFLOP/s"


def number_of(what: What, value: float | None, unit: str) -> str:
    """Empty where there is no value."""
    if value is None:
        return ""
    match what.unit:
        case Unit.RATE:
            return gigabytes_per_second(value)
        case Unit.POWER:
            return f"{value:.0f}" if value >= 10 else f"{value:.1f}"
        case Unit.COMPUTE:
            return short(value / (_GIGA if unit == "GFLOP/s" else _TERA))


def said_of(what: What, figure: Figure) -> str:
    """ "3352 GB/s", or why there is none."""
    if figure.value is None:
        return tr(figure.reason)
    unit = unit_of(what, figure.value)
    return f"{number_of(what, figure.value, unit)} {unit}"


def short(value: float) -> str:
    """Three digits that matter."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
