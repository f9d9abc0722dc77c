"""Sizes and times that are chosen, not measured: without digits that say nothing."""

from gpuexplorer.core.units import duration, memory, plain


def size_words(size: float) -> str:
    """ "256 MiB", and "1 KiB" where measured figures would read "1.00 KiB"."""
    return _short(str(memory(size)))


def tick_words(seconds: float) -> str:
    """Of a scale: "10 ms"."""
    return _short(str(duration(seconds)))


def _short(words: str) -> str:
    number, _, unit = words.partition(" ")
    return f"{plain(float(number))} {unit}"
