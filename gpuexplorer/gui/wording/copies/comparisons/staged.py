"""From card to card: direct against staged through the host."""

from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    ONE_CARD,
    WORTH_TELLING,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    card_pair,
    gbs,
    rate_of,
    remark_of,
    set_up,
    times_words,
)
from gpuexplorer.lab.copy_job import CopyJob

_WHY = "Only between two cards there is a choice."


def _set_up(pair: Pair) -> Setup:
    ends = card_pair(pair)
    if ends is None:
        return Setup(refusal=ONE_CARD)
    return set_up(
        [
            Trial("as PyTorch copies", CopyJob(*ends, pair.size), f'x.to("{ends[1]}")'),
            Trial(
                "staged by hand",
                CopyJob(*ends, pair.size, "staged"),
                "piece by piece, pinned memory",
            ),
        ],
        remark_of(pair, ends, _WHY),
    )


def _conclude(found: Found) -> str:
    plain, staged = rate_of(found, 0), rate_of(found, 1)
    first = found[0] if found else None
    if first is not None and first.wrong and staged is not None:
        return f"What PyTorch copies arrives WRONG; staged it goes on at {gbs(staged)} GB/s."
    if plain is None or staged is None or first is None:
        return ""
    both = f"{gbs(plain)} against {gbs(staged)} GB/s"
    if direct_of(first) is False:
        alike = max(plain, staged) < WORTH_TELLING * min(plain, staged)
        rates = f"about as fast, at {gbs(plain)} GB/s" if alike else both
        return (
            "There is no direct path between these two: the driver takes the bytes through "
            f"the host as well, {rates}."
        )
    if plain >= WORTH_TELLING * staged:
        times = times_words(plain / staged)
        return f"The direct path is {times} as fast as the way through the host: {both}."
    if staged >= WORTH_TELLING * plain:
        times = times_words(staged / plain)
        return (
            f"Direct is slower here: staged is {times} as fast, {gbs(staged)} against "
            f"{gbs(plain)} GB/s. PyTorch takes the direct path as soon as there is one."
        )
    return f"Both ways are about as fast: {both}."


STAGED = Comparison(
    "staged",
    "Direct or through the host",
    "Does a copy from card to card gain by not going through the host's memory?",
    _set_up,
    _conclude,
)
