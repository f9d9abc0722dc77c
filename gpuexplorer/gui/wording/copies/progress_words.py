"""How far a measuring has got, in words."""

from gpuexplorer.copies.measuring import Progress
from gpuexplorer.core.words import tr

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
