"""COMPARISONS: all that are offered, in the order in which they are shown."""

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NO_CARD,
    ONE_CARD,
    WORTH_TELLING,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    card_pair,
    gbs,
    host_pair,
    pinned_for,
    rate_of,
    remark_of,
    seconds_of,
    set_up,
    times_words,
)
from gpuexplorer.gui.wording.copies.comparisons.crowd import CROWD
from gpuexplorer.gui.wording.copies.comparisons.overlap import OVERLAP
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.lab.copy_job import CopyJob

# More bytes would hide what each beginning costs, and more pieces fill the card's queue.
_MOST_BYTES = 16 << 20
_COUNTS = (1, 64, 512)
_LESS = mark("Of fewer bytes here: with more, what each beginning costs would not show.")
_WHY = mark("Only between two cards there is a choice.")
_PINNED_WHY = mark("Only the host's memory can be pinned, so it is one side here.")


def _pinned_set_up(pair: Pair) -> Setup:
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
        remark_of(pair, ends, _PINNED_WHY),
    )


def _pinned_conclude(found: Found) -> str:
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
    _pinned_set_up,
    _pinned_conclude,
)


def _staged_set_up(pair: Pair) -> Setup:
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


def _staged_conclude(found: Found) -> str:
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
    _staged_set_up,
    _staged_conclude,
)


def _layout_set_up(pair: Pair) -> Setup:
    ends, size = (pair.source, pair.target), pair.size
    pinned = pinned_for(*ends)
    plain, strided, converted = _code(*ends)
    return set_up(
        [
            Trial(tr("contiguous"), CopyJob(*ends, size, pinned=pinned), plain),
            Trial(tr("every other row"), CopyJob(*ends, size, "strided", pinned), strided),
            Trial(
                tr("float32 into float16"), CopyJob(*ends, size, "converted", pinned), converted
            ),
        ]
    )


def _code(source: str, target: str) -> tuple[str, str, str]:
    """What is there already, `to` does not copy."""
    if source == target:
        return "y.copy_(x)", "y.copy_(x[::2])", "y_half.copy_(x)"
    to = f'"{target}"'
    return f"x.to({to})", f"x[::2].to({to})", f"x.to({to}, torch.float16)"


def _layout_conclude(found: Found) -> str:
    whole, strided, converted = (seconds_of(found, at) for at in range(3))
    if whole is None:
        return ""
    told = []
    if strided is not None:
        if strided >= WORTH_TELLING * whole:
            times = times_words(strided / whole)
            told.append(
                tr(
                    "Every other row takes {times} times as long as the same bytes in one "
                    "piece.",
                    times=times,
                )
            )
        else:
            told.append(tr("Every other row costs nothing more than one piece."))
    if converted is not None:
        if converted >= WORTH_TELLING * whole:
            times = times_words(converted / whole)
            told.append(
                tr(
                    "As float16 it takes {times} times as long, although half as many bytes "
                    "arrive.",
                    times=times,
                )
            )
        elif whole >= WORTH_TELLING * converted:
            times = times_words(whole / converted)
            told.append(
                tr(
                    "As float16 it is {times} times as fast: half as many bytes arrive.",
                    times=times,
                )
            )
        else:
            told.append(tr("As float16 it takes about as long, and half as many bytes arrive."))
    return paragraph(told)


LAYOUT = Comparison(
    "layout",
    mark("Contiguous, strided, converted"),
    mark("What does it cost when the bytes do not lie in one piece, or become other numbers?"),
    _layout_set_up,
    _layout_conclude,
)


def _set_up(pair: Pair) -> Setup:
    ends = (pair.source, pair.target)
    size = min(pair.size, _MOST_BYTES)
    return set_up(
        [
            Trial(
                _words(size, count),
                CopyJob(*ends, size, pinned=pinned_for(*ends), pieces=count),
                "" if count > 1 else "y.copy_(x)",
            )
            for count in _COUNTS
            if count <= size
        ],
        "" if size == pair.size else tr(_LESS),
    )


def _words(size: int, count: int) -> str:
    each = size_words(size // count)
    return trn("{count} piece of {size}", "{count} pieces of {size}", count, size=each)


def _conclude(found: Found) -> str:
    whole = seconds_of(found, 0)
    cut = [each for each in found[1:] if each is not None and each.seconds is not None]
    if whole is None or not cut:
        return ""
    most = max(cut, key=lambda each: each.job.pieces)
    seconds, count = most.seconds, most.job.pieces
    assert seconds is not None
    if seconds < WORTH_TELLING * whole:
        return tr(
            "Cutting it into {count} pieces makes no difference worth mentioning.", count=count
        )
    each_costs = duration((seconds - whole) / (count - 1))
    return tr(
        "In {count} pieces the same bytes take {times} times as long: each further piece costs "
        "{each}, however small it is.",
        count=count,
        times=times_words(seconds / whole),
        each=str(each_costs),
    )


PIECES = Comparison(
    "pieces",
    mark("One large or many small"),
    mark("Is it worth putting small tensors together before they are copied?"),
    _set_up,
    _conclude,
)


COMPARISONS = (PINNED, STAGED, OVERLAP, CROWD, PIECES, LAYOUT)
