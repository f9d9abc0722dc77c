"""Pinned against pageable memory, fresh and used."""

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.core.units import duration
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NO_CARD,
    WORTH_TELLING,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    gbs,
    host_pair,
    rate_of,
    remark_of,
    seconds_of,
    set_up,
    times_words,
)
from gpuexplorer.lab.copy_job import CopyJob

_WHY = "Only the host's memory can be pinned, so it is one side here."


def _set_up(pair: Pair) -> Setup:
    ends = host_pair(pair)
    if ends is None:
        return Setup(refusal=NO_CARD)
    down = ends[0] == HOST
    card = ends[1] if down else ends[0]
    pinned = f'x_pinned.to("{card}")' if down else "y_pinned.copy_(x)"
    plain = f'x.to("{card}")' if down else "y.copy_(x)"
    fresh = f'torch.empty(n).to("{card}")' if down else "x.cpu()"
    return set_up(
        [
            Trial("pinned, used again", CopyJob(*ends, pair.size, pinned=True), pinned),
            Trial("pageable, used again", CopyJob(*ends, pair.size, pinned=False), plain),
            Trial("pageable, fresh", CopyJob(*ends, pair.size, "fresh", pinned=False), fresh),
        ],
        remark_of(pair, ends, _WHY),
    )


def _conclude(found: Found) -> str:
    pinned, pageable = rate_of(found, 0), rate_of(found, 1)
    used, fresh = seconds_of(found, 1), seconds_of(found, 2)
    told = []
    if pinned is not None and pageable is not None:
        both = f"{gbs(pinned)} against {gbs(pageable)} GB/s"
        if pinned >= WORTH_TELLING * pageable:
            times = times_words(pinned / pageable)
            told.append(f"Pinned memory is {times} as fast as pageable: {both}.")
        elif pageable >= WORTH_TELLING * pinned:
            times = times_words(pageable / pinned)
            told.append(f"Pageable memory is {times} as fast as pinned here: {both}.")
        else:
            told.append(f"Pinning makes no difference worth telling here: {both}.")
    if used is not None and fresh is not None:
        if fresh >= WORTH_TELLING * used:
            told.append(
                f"Memory that nobody has touched costs {duration(fresh - used)} more: the "
                "system hands it out page by page."
            )
        else:
            told.append("Whether the memory was touched before makes no difference.")
    return " ".join(told)


PINNED = Comparison(
    "pinned",
    "Pinned or pageable",
    "May the card fetch the bytes itself, or are they copied aside for it first?",
    _set_up,
    _conclude,
)
