"""What is said of all values of a tensor together: their spread, and what looking cost."""

import math
from collections.abc import Sequence

from gpuexplorer.core.units import duration
from gpuexplorer.gui.wording.lab.inside.values import (
    bytes_text,
    count_of,
    grouped,
    rounded_text,
)
from gpuexplorer.lab.events import Finished, Peeked

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def heading(peeked: Peeked) -> str:
    whole = count_of(peeked.shape)
    if whole == 1:
        return "One value"
    if peeked.looked_at < whole:
        return f"Spread of {grouped(peeked.looked_at)} of {grouped(whole)} values"
    return f"Spread of {grouped(whole)} values"


def partly(peeked: Peeked) -> str:
    """Empty where all values were looked at."""
    if peeked.looked_at >= count_of(peeked.shape):
        return ""
    return "Least and greatest are of all values; the rest is of evenly chosen ones."


def rows(peeked: Peeked) -> Sequence[tuple[str, str]]:
    dtype = peeked.dtype
    return (
        ("Least", rounded_text(peeked.least, dtype)),
        ("Greatest", rounded_text(peeked.most, dtype)),
        ("Mean", rounded_text(peeked.mean)),
        ("Deviation", rounded_text(peeked.deviation)),
        ("Not finite", grouped(peeked.not_finite)),
    )


def nothing(peeked: Peeked) -> str:
    """Why there is no spread to draw; empty where there is one."""
    if not count_of(peeked.shape):
        return "A tensor without values has no spread."
    if peeked.least is None:
        return "None of its values is a finite number."
    if peeked.least == peeked.most:
        alike = rounded_text(peeked.least, peeked.dtype)
        return f"It is {alike}." if count_of(peeked.shape) == 1 else f"All are {alike}."
    return ""


def looked(peeked: Peeked, cost: Finished | None) -> str:
    """Looking is not free where the values lie on a card."""
    if not peeked.moved_bytes:
        return "Looking copied nothing: the values are on the host."
    words = f"Looking copied {bytes_text(peeked.moved_bytes)} to the host"
    if cost is None:
        return f"{words}."
    time = str(duration(cost.host_seconds))
    modelled = ", modelled" if cost.modelled else ""
    return f"{words}: {time}{modelled}."


def round_steps(least: float, most: float, at_most: int) -> Sequence[float]:
    """Values people count in, from least to most."""
    if not (math.isfinite(least) and math.isfinite(most)) or most <= least:
        return ()
    rough = (most - least) / max(1, at_most)
    size = 10.0 ** math.floor(math.log10(rough))
    step = size * next(each for each in _STEPS if each * size >= rough * (1 - 1e-9))
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return [each * step for each in range(first, last + 1)]
