"""Keys that parts of the screen of copies take by themselves, and what they do, for F1."""

from collections.abc import Sequence

from gpuexplorer.copies.measuring import Progress
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.key_words import KeyGroup

MOVING_KEYS: Sequence[KeyGroup] = (
    (
        mark("Table of copies"),
        (
            ("Up Down PgUp PgDown", mark("To another copy")),
            ("Esc", mark("Choose none, and follow the newest")),
        ),
    ),
    (
        mark("Timeline of copies"),
        (
            ("Left Right", mark("Move the moment")),
            ("Ctrl+Left Ctrl+Right", mark("Move what is seen")),
            ("+ -", mark("Zoom in or out")),
            ("Up Down", mark("Scroll the rows")),
            ("Home End", mark("To the beginning, or the end")),
        ),
    ),
)
MATRIX_KEYS: Sequence[KeyGroup] = (
    (
        mark("Cells of the matrix"),
        (
            ("Arrows", mark("To another cell")),
            ("PgUp PgDown", mark("Eight rows on")),
            ("Home End", mark("To the ends of the row")),
            ("Enter Space", mark("To the button that measures it")),
            ("Esc", mark("Choose none")),
        ),
    ),
)
SWEEP_KEYS: Sequence[KeyGroup] = (
    (
        mark("Rates over size"),
        (
            ("Left Right Home End", mark("To another size")),
            ("Up Down", mark("To another way")),
            ("Esc", mark("No size")),
        ),
    ),
    (
        mark("Table of ways"),
        (("Up Down Home End", mark("To another way")), ("Del", mark("Take the way away"))),
    ),
    (
        mark("Slider of the guess"),
        (
            ("Arrows PgUp PgDown Home End", mark("Another size")),
            ("Enter Space", mark("Measure it")),
        ),
    ),
)
_MINUTE = 60


_SILENT = 30.0  # seconds: a large copy and PyTorch's start take less


def progress_words(progress: Progress | None, silent: float = 0.0) -> str:
    """`silent`: seconds since anything was told of it. Nobody but a person ends what hangs."""
    said = _progress_words(progress)
    if silent < _SILENT:
        return said
    return tr(
        "{progress}: no answer for {time}. Stop ends it", progress=said, time=_spoken(silent)
    )


def _progress_words(progress: Progress | None) -> str:
    if progress is None:
        return tr("Measuring begins")
    if progress.job is None:
        return tr("{all} of {all} measured", all=progress.of)
    number, left = progress.done + 1, progress.seconds_left
    if left is None:
        return tr("Measuring {number} of {all}", number=number, all=progress.of)
    return tr(
        "Measuring {number} of {all}, about {time} left",
        number=number,
        all=progress.of,
        time=_spoken(left),
    )


def _spoken(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / _MINUTE)} min"
