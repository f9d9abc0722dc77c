"""The matrix as text for the clipboard, and a report of copies that arrived wrong."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.findings import findings
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import memory
from gpuexplorer.gui.wording.copies.matrix.cells import PairCell
from gpuexplorer.gui.wording.copies.matrix.devices import Head, pair_words
from gpuexplorer.gui.wording.copies.matrix.question import Pair

SIMULATED = "SIMULATED: these cards do not exist, all figures are modelled."
HEADINGS = "from \\ to"


def matrix_text(
    title: str, heads: Sequence[Head], cells: Mapping[Pair, PairCell], *, simulated: bool
) -> str:
    """With tabs between columns, so that a spreadsheet takes it; what is empty stays so."""
    lines = [SIMULATED] if simulated else []
    lines += [title, "\t".join([HEADINGS, *(each.name for each in heads)])]
    for row in heads:
        told = (cells.get((row.name, column.name)) for column in heads)
        lines.append("\t".join([row.name, *("" if it is None else it.text for it in told)]))
    return "\n".join(lines) + "\n"


def wrong_report(
    machine: str,
    moment: str,
    heads: Sequence[Head],
    wrong: Sequence[CopyResult],
    around: Sequence[CopyResult],
    *,
    simulated: bool,
) -> str:
    """For whoever is to mend the computer. `around` is what else was measured."""
    by_name = {each.name: each for each in heads}
    lines = ["Copies that arrived wrong", ""]
    if simulated:
        lines += [SIMULATED, ""]
    lines += [f"Computer: {machine}", f"Written: {moment}", ""]
    for result in wrong:
        job = result.job
        lines.append(
            f"{pair_words(by_name, job.source, job.target)} ({job.source}, {job.target})"
        )
        both = ", both ways at once" if job.both_ways else ""
        lines.append(f"  {memory(job.bytes)} ({job.bytes} bytes), mode {job.mode}{both}")
        if result.route is not None:
            lines.append(f"  Way: {result.route.words or 'not told by the driver'}")
        measured = result.measured
        for each in () if measured is None else measured.wrong:
            zeros = "all of them zeros" if each.zeros else "not only zeros"
            lines.append(f"  Wrong in {each.rounds} of {each.checked} rounds that were checked")
            lines.append(f"  At most {each.bytes} bytes, the first at {each.first}; {zeros}")
        for note in () if measured is None else measured.notes:
            lines.append(f"  Note: {note}")
        lines += _same_pair(result, around)
        lines.append("")
    hints = {each.hint for each in findings(wrong) if each.hint}
    return "\n".join([*lines, *sorted(hints)]) + "\n"


def _same_pair(result: CopyResult, around: Sequence[CopyResult]) -> list[str]:
    pair = result.job.source, result.job.target
    lines = []
    for other in around:
        ends = other.job.source, other.job.target
        if other.wrong or other.rate is None or {*ends} != {*pair}:
            continue
        way = "the same way" if ends == pair else "the way back"
        both = ", both ways" if other.job.both_ways else ""
        told = f"{other.rate / 1e9:.2f} GB/s"
        what = f"{memory(other.job.bytes)}, mode {other.job.mode}{both}"
        lines.append(f"  Not wrong: {way}, {what}: {told}")
    return lines
