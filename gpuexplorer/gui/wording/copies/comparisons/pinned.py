"""Pinned against pageable memory, fresh and used."""

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, paragraph, tr
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

_WHY = mark("Only the host's memory can be pinned, so it is one side here.")


def _set_up(pair: Pair) -> Setup:
    ends = host_pair(pair)
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    down = ends[0] == HOST
    card = ends[1] if down else ends[0]
    pinned = f'x_pinned.to("{card}")' if down else "y_pinned.copy_(x)"
    plain = f'x.to("{card}")' if down else "y.copy_(x)"
    fresh = f'torch.empty(n).to("{card}")' if down else "x.cpu()"
    return set_up(
        [
            Trial(tr("pinned, used again"), CopyJob(*ends, pair.size, pinned=True), pinned),
            Trial(tr("pageable, used again"), CopyJob(*ends, pair.size, pinned=False), plain),
            Trial(
                tr("pageable, fresh"), CopyJob(*ends, pair.size, "fresh", pinned=False), fresh
            ),
        ],
        remark_of(pair, ends, _WHY),
    )


def _conclude(found: Found) -> str:
    pinned, pageable = rate_of(found, 0), rate_of(found, 1)
    used, fresh = seconds_of(found, 1), seconds_of(found, 2)
    told = []
    if pinned is not None and pageable is not None:
        rates = {"pinned": gbs(pinned), "pageable": gbs(pageable)}
        if pinned >= WORTH_TELLING * pageable:
            told.append(
                tr(
                    "Pinned memory is {times} times as fast as pageable: {pinned} against "
                    "{pageable} GB/s.",
                    times=times_words(pinned / pageable),
                    **rates,
                )
            )
        elif pageable >= WORTH_TELLING * pinned:
            told.append(
                tr(
                    "Pageable memory is {times} times as fast as pinned here: {pinned} against "
                    "{pageable} GB/s.",
                    times=times_words(pageable / pinned),
                    **rates,
                )
            )
        else:
            told.append(
                tr(
                    "Pinning makes no difference worth mentioning here: {pinned} against "
                    "{pageable} GB/s.",
                    **rates,
                )
            )
    if used is not None and fresh is not None:
        if fresh >= WORTH_TELLING * used:
            told.append(
                tr(
                    "Memory that nobody has touched costs {time} more: the system hands it out "
                    "page by page.",
                    time=str(duration(fresh - used)),
                )
            )
        else:
            told.append(tr("Whether the memory was touched before makes no difference."))
    return paragraph(told)


PINNED = Comparison(
    "pinned",
    mark("Pinned or pageable"),
    mark("May the card fetch the bytes itself, or are they copied aside for it first?"),
    _set_up,
    _conclude,
)
