"""From card to card: direct against staged through the host."""

from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.core.words import mark, tr
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

_WHY = mark("Only between two cards there is a choice.")


def _set_up(pair: Pair) -> Setup:
    ends = card_pair(pair)
    if ends is None:
        return Setup(refusal=tr(ONE_CARD))
    return set_up(
        [
            Trial(tr("as PyTorch copies"), CopyJob(*ends, pair.size), f'x.to("{ends[1]}")'),
            Trial(
                tr("staged by hand"),
                CopyJob(*ends, pair.size, "staged"),
                tr("piece by piece, pinned memory"),
            ),
        ],
        remark_of(pair, ends, _WHY),
    )


def _conclude(found: Found) -> str:
    plain, staged = rate_of(found, 0), rate_of(found, 1)
    first = found[0] if found else None
    if first is not None and first.wrong and staged is not None:
        return tr(
            "What PyTorch copies arrives WRONG; staged it goes on at {rate} GB/s.",
            rate=gbs(staged),
        )
    if plain is None or staged is None or first is None:
        return ""
    rates = {"plain": gbs(plain), "staged": gbs(staged)}
    if direct_of(first) is False:
        alike = max(plain, staged) < WORTH_TELLING * min(plain, staged)
        if alike:
            return tr(
                "There is no direct path between these two: the driver takes the bytes through "
                "the host as well, about as fast, at {rate} GB/s.",
                rate=gbs(plain),
            )
        return tr(
            "There is no direct path between these two: the driver takes the bytes through the "
            "host as well, {plain} against {staged} GB/s.",
            **rates,
        )
    if plain >= WORTH_TELLING * staged:
        return tr(
            "The direct path is {times} times as fast as the way through the host: {plain} "
            "against {staged} GB/s.",
            times=times_words(plain / staged),
            **rates,
        )
    if staged >= WORTH_TELLING * plain:
        return tr(
            "Direct is slower here: staged is {times} times as fast, {staged} against {plain} "
            "GB/s. PyTorch takes the direct path as soon as there is one.",
            times=times_words(staged / plain),
            **rates,
        )
    return tr("Both ways are about as fast: {plain} against {staged} GB/s.", **rates)


STAGED = Comparison(
    "staged",
    mark("Direct or through the host"),
    mark("Does a copy from card to card gain by not going through the host's memory?"),
    _set_up,
    _conclude,
)
