"""A figure beside its goal, and how figures are taken on a noisy machine."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Turns = Sequence[tuple[float, float]]  # ours and theirs, one after the other


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, what came out, and what it should stay under."""

    what: str
    value: str
    goal: str = ""
    met: bool | None = None


def at_most(what: str, value: float, most: float, unit: str, said: str = "") -> Figure:
    """`said`: what is shown where there is more to say than the value."""
    shown = said or f"{value:.3g} {unit}"
    return Figure(what, shown, f"at most {most:g} {unit}", value <= most)


def beside(what: str, turns: Turns, unit: str, most: float | None = None) -> Figure:
    """The ratio is taken turn by turn, since machines drift."""
    ours, theirs = (statistics.median(each) for each in zip(*turns, strict=True))
    ratio = statistics.median(a / b for a, b in turns)
    shown = f"{ours:.3g} / {theirs:.3g} {unit} = {ratio:.2f}"
    if most is None:
        return Figure(what, shown)
    return Figure(what, shown, f"at most {most:g}", ratio <= most)


def in_turns(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> list[tuple[float, float]]:
    """Less the first time of each, which fills caches and compiles what is imported."""
    return [(ours(), theirs()) for _ in range(rounds + 1)][1:]


def seconds_each(call: Callable[[], object], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


def show(subject: str, figures: Iterable[Figure]) -> None:
    for each in figures:
        verdict = {True: "met", False: "MISSED", None: ""}[each.met]
        row = f"{subject:10} {each.what:84} {each.value:>28}  {each.goal:20} {verdict}"
        print(row.rstrip(), flush=True)
