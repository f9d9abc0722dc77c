"""Values: how the numbers of a tensor are written, in its cells and by themselves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE

NOT_A_NUMBER = "NaN"
_MINUS = "\N{MINUS SIGN}"
_WHOLE = ("int", "uint")
_EXACT = {"float64": 15, "float32": 7, "float16": 4, "bfloat16": 3}
_GROUPED_BELOW = 1 << 20


class Notation(StrEnum):
    """What sort of values a tensor holds."""

    TRUTH = "truth"
    WHOLE = "whole"
    FIXED = "fixed"  # so many digits behind the point
    POWER = "power"  # too far apart for that: 1.2e-9


@dataclass(frozen=True, slots=True)
class Writing:
    """The same for all cells of a tensor, so that they can be compared."""

    kind: Notation
    decimals: int = 0

    def text(self, value: float | None) -> str:
        if value is None:
            return NOT_A_NUMBER
        if math.isinf(value):
            return f"{_MINUS if value < 0 else ''}inf"
        match self.kind:
            case Notation.TRUTH:
                return "True" if value else "False"
            case Notation.WHOLE:
                text = f"{value:.0f}"
            case Notation.FIXED:
                text = f"{value:.{self.decimals}f}"
            case Notation.POWER:
                text = _short_power(f"{value:.{self.decimals}e}")
        return text.replace("-", _MINUS)


def writing_of(dtype: str, least: float | None, most: float | None) -> Writing:
    """By the largest there is: small values keep the digits that tell them apart."""
    if dtype == "bool":
        return Writing(Notation.TRUTH)
    if dtype.startswith(_WHOLE):
        return Writing(Notation.WHOLE)
    reach = max(abs(least or 0.0), abs(most or 0.0))
    if reach == 0 or 1 <= reach < 1e3:
        return Writing(Notation.FIXED, 2)
    if reach >= 1e6 or reach < 1e-3:
        return Writing(Notation.POWER, 1)
    if reach >= 1e3:
        return Writing(Notation.FIXED, 1 if reach < 1e4 else 0)
    return Writing(Notation.FIXED, 1 - math.floor(math.log10(reach)) + (reach >= 0.1))


def exact_text(value: float | None, dtype: str) -> str:
    """With all the digits that a value of this type has."""
    if value is None or math.isinf(value) or dtype == "bool" or dtype.startswith(_WHOLE):
        return writing_of(dtype, None, None).text(value)
    text = f"{value:.{_EXACT.get(dtype, 7)}g}"
    return _short_power(text).replace("-", _MINUS)


def rounded_text(value: float | None, dtype: str = "") -> str:
    """For a mean or an end: what a person reads at a glance."""
    if value is None:
        return tr("none")
    if math.isinf(value) or dtype == "bool" or dtype.startswith(_WHOLE):
        return writing_of(dtype, None, None).text(value)
    size = abs(value)
    if size == 0 or 1e-3 <= size < 1e5:
        text = f"{value:.4f}"
    else:
        text = f"{value:.0f}" if 1e5 <= size < 1e9 else f"{value:.4g}"
    return _short_power(text).replace("-", _MINUS)


def place_text(what: str, indices: Sequence[int], dimensions: int) -> str:
    """As one would ask for it: W[8, 11]. `indices` may have more than the tensor has."""
    if dimensions == 0:
        return what
    return f"{what}[{', '.join(str(each) for each in indices[-dimensions:])}]"


def shape_text(shape: Sequence[int]) -> str:
    thin = f"{THIN_SPACE}×{THIN_SPACE}"
    return thin.join(str(size) for size in shape) if shape else tr("one number")


def grouped(number: int) -> str:
    return f"{number:,}".replace(",", THIN_SPACE)


def bytes_text(count: int, units: Units = USUAL) -> str:
    """To the byte as long as people can read it."""
    if count < _GROUPED_BELOW:
        return f"{grouped(count)} B"
    return str(memory(count, units))


def count_of(shape: Sequence[int]) -> int:
    return math.prod(shape)


def _short_power(text: str) -> str:
    """1.2e-09 as 1.2e-9, 1.2e+05 as 1.2e5."""
    number, power, exponent = text.partition("e")
    return f"{number}e{int(exponent)}" if power else text
