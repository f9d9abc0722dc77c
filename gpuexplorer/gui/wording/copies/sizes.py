"""Sizes and times that are chosen, not measured: without digits that say nothing."""

from gpuexplorer.core.units import Quantity, duration, memory, plain


def size_words(size: float) -> str:
    """ "256 MiB", and "1 KiB" where measured figures would read "1.00 KiB"."""
    return _short(memory(size))


def tick_words(seconds: float) -> str:
    """Of a scale: "10 ms"."""
    return _short(duration(seconds))


def _short(told: Quantity) -> str:
    return f"{plain(float(told.number))} {told.unit}"
