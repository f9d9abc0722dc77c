"""Figures of a datasheet as text."""

from gpuexplorer.copies.datasheet.figure import Unit, What
from gpuexplorer.core.units import rate, watts

_TERA, _GIGA = 1e12, 1e9


def in_words(what: What, value: float) -> str:
    match what.unit:
        case Unit.RATE:
            return str(rate(value))
        case Unit.POWER:
            return str(watts(value))
        case Unit.COMPUTE:
            size, name = (_TERA, "TFLOP/s") if value >= _TERA else (_GIGA, "GFLOP/s")
            return f"{value / size:.{_digits(value / size)}f} {name}"


def _digits(value: float) -> int:
    """Three that matter."""
    return 0 if value >= 100 else 1 if value >= 10 else 2
