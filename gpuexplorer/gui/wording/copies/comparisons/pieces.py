"""One large copy against many small ones of the same sum."""

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    WORTH_TELLING,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    pinned_for,
    seconds_of,
    set_up,
    times_words,
)
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.lab.copy_job import CopyJob

# More bytes would hide what each beginning costs, and more pieces fill the card's queue.
_MOST_BYTES = 16 << 20
_COUNTS = (1, 64, 512)
_LESS = mark("Of fewer bytes here: with more, what each beginning costs would not show.")


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
