"""How far a measuring has got, in words."""

from gpuexplorer.copies.measuring import Progress

_MINUTE = 60


def progress_words(progress: Progress | None) -> str:
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
