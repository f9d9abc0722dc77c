"""How far a measuring has got, in words."""

from gpuexplorer.copies.measuring import Progress

_MINUTE = 60


_SILENT = 30.0  # seconds: a large copy and PyTorch's start take less


def progress_words(progress: Progress | None, silent: float = 0.0) -> str:
    """`silent`: seconds since anything was told of it. Nobody but a person ends what hangs."""
    said = _progress_words(progress)
    if silent < _SILENT:
        return said
    return f"{said}: no answer for {_spoken(silent)}. Stop ends it"


def _progress_words(progress: Progress | None) -> str:
    if progress is None:
        return "Measuring begins"
    if progress.job is None:
        return f"{progress.of} of {progress.of} measured"
    said = f"Measuring {progress.done + 1} of {progress.of}"
    left = progress.seconds_left
    return said if left is None else f"{said}, about {_spoken(left)} left"


def _spoken(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / _MINUTE)} min"
