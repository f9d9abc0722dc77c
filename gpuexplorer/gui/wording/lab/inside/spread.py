"""What is said of all values of a tensor together: their spread, and what looking cost."""

import math
from collections.abc import Sequence

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.inside.values import (
    bytes_text,
    count_of,
    grouped,
    rounded_text,
)
from gpuexplorer.lab.events import Finished, Peeked

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LEAST_REACH = 1e-300  # a step of less could not be told from none


def heading(peeked: Peeked) -> str:
    whole = count_of(peeked.shape)
    if whole == 1:
        return tr("One value")
    if peeked.looked_at < whole:
        seen = grouped(peeked.looked_at)
        return tr("Spread of {seen} of {count} values", seen=seen, count=grouped(whole))
    return tr("Spread of {count} values", count=grouped(whole))


def partly(peeked: Peeked) -> str:
    """Empty where all values were looked at."""
    if peeked.looked_at >= count_of(peeked.shape):
        return ""
    return tr("Least and greatest are of all values; the rest is of evenly chosen ones.")


def rows(peeked: Peeked) -> Sequence[tuple[str, str]]:
    dtype = peeked.dtype
    return (
        (tr("Least"), rounded_text(peeked.least, dtype)),
        (tr("Greatest"), rounded_text(peeked.most, dtype)),
        (tr("Mean"), rounded_text(peeked.mean)),
        (tr("Deviation"), rounded_text(peeked.deviation)),
        (tr("Not finite"), grouped(peeked.not_finite)),
    )


def nothing(peeked: Peeked) -> str:
    """Why there is no spread to draw; empty where there is one."""
    if not count_of(peeked.shape):
        return tr("A tensor without values has no spread.")
    if peeked.least is None:
        return tr("None of its values is a finite number.")
    if peeked.least == peeked.most:
        alike = rounded_text(peeked.least, peeked.dtype)
        if count_of(peeked.shape) == 1:
            return tr("It is {value}.", value=alike)
        return tr("All are {value}.", value=alike)
    return ""


def looked(peeked: Peeked, cost: Finished | None) -> str:
    """Looking is not free where the values lie on a card."""
    if not peeked.moved_bytes:
        return tr("Looking copied nothing: the values are on the host.")
    size = bytes_text(peeked.moved_bytes)
    if cost is None:
        return tr("Looking copied {size} to the host.", size=size)
    time = duration(cost.host_seconds)
    if cost.modelled:
        return tr("Looking copied {size} to the host: {time}, modelled.", size=size, time=time)
    return tr("Looking copied {size} to the host: {time}.", size=size, time=time)


def round_steps(least: float, most: float, at_most: int) -> Sequence[float]:
    """Values people count in, from least to most."""
    if not _LEAST_REACH < most - least < math.inf:
        return ()
    rough = (most - least) / max(1, at_most)
    size = 10.0 ** math.floor(math.log10(rough))
    step = size * next(each for each in _STEPS if each * size >= rough * (1 - 1e-9))
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return [each * step for each in range(first, last + 1)]
