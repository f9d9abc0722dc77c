"""Bytes in one piece of memory against every other row, and against another kind of number."""

from gpuexplorer.core.words import mark, paragraph, tr
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
from gpuexplorer.lab.copy_job import CopyJob


def _set_up(pair: Pair) -> Setup:
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


def _conclude(found: Found) -> str:
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
    _set_up,
    _conclude,
)
