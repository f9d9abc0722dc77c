"""What in a program keeps its cards waiting, as sentences with figures and cures."""

from collections.abc import Sequence

from gpuexplorer.programs.finding import Finding, Matter
from gpuexplorer.programs.look import Look
from gpuexplorer.programs.program_run import ProgramRun
from gpuexplorer.programs.waits import hosts, loaders, reads
from gpuexplorer.programs.wires import blocking, pageable, small, trips

__all__ = ["Finding", "Matter", "findings"]


def findings(run: ProgramRun) -> Sequence[Finding]:
    """Those first that can give back most. Empty where nothing is worth a change."""
    found = [each for cell, seen in run.seen for each in _of_cell(Look(run, cell, seen))]
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), each.spot))


def _of_cell(look: Look) -> Sequence[Finding]:
    """What is said of a copy is said once: by what takes the copy away rather than by what
    makes it cheaper.
    """
    found: list[Finding] = []
    said: set[int] = set()
    for kind in (trips, small, reads, pageable, blocking):
        new = [each for each in kind(look) if not each.rows & said]
        found += new
        said |= {row for each in new for row in each.rows}
    small_ones = {each.spot for each in found if each.matter is Matter.SMALL}
    there = {each.spot for each in found if each.matter is Matter.TRIP}
    return [*found, *loaders(look), *hosts(look, small_ones, there)]
