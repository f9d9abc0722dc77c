"""A figure beside its goal, and how figures are taken on a noisy machine."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, what came out, and what it should stay under."""

    what: str
    value: str
    goal: str = ""
    met: bool | None = None


def show(title: str, figures: list[Figure]) -> None:
    print(f"\n{title}")  # noqa: T201 - this program is here to print
    wide = max(len(figure.what) for figure in figures)
    for figure in figures:
        verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
        print(f"  {figure.what:{wide}}  {figure.value:>22}  {figure.goal:24} {verdict}")  # noqa: T201


def seconds_each(call: Callable[[], object], times: int) -> float:
    """Processor seconds of one call, over many."""
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


def paired(
    ours: Callable[[], object], theirs: Callable[[], object], times: int, rounds: int = 9
) -> tuple[float, float, float]:
    """Median of ours, of theirs, and of the ratio taken pair by pair, since machines drift."""
    ours(), theirs()
    pairs = [(seconds_each(ours, times), seconds_each(theirs, times)) for _ in range(rounds)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )
