"""The matrix as text for the clipboard, and a report of copies that arrived wrong."""

from collections.abc import Mapping, Sequence

from gpuexplorer.copies.findings import findings
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.words import pair_words
from gpuexplorer.gui.widgets.pair_grid import Pair, PairCell
from gpuexplorer.lab.wire import CopyJob

SIMULATED = mark("SIMULATED: these cards do not exist, all figures are modelled.")
HEADINGS = mark("from \\ to")


def matrix_text(
    title: str, heads: Sequence[Head], cells: Mapping[Pair, PairCell], *, simulated: bool
) -> str:
    """With tabs between columns, so that a spreadsheet takes it; what is empty stays so."""
    lines = [tr(SIMULATED)] if simulated else []
    lines += [title, "\t".join([tr(HEADINGS), *(each.name for each in heads)])]
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
    lines = [tr("Copies that arrived wrong"), ""]
    if simulated:
        lines += [tr(SIMULATED), ""]
    lines += [
        tr("Computer: {machine}", machine=machine),
        tr("Written: {moment}", moment=moment),
        "",
    ]
    for result in wrong:
        job = result.job
        lines.append(
            f"{pair_words(by_name, job.source, job.target)} ({job.source}, {job.target})"
        )
        lines.append(f"  {_copied(job, bytes_too=True)}")
        if result.route is not None:
            way = result.route.words or Message("not reported by the driver")
            lines.append(tr("  Way: {way}", way=way))
        measured = result.measured
        for each in () if measured is None else measured.wrong:
            lines.append(
                tr(
                    "  Wrong in {rounds} of {checked} rounds that were checked",
                    rounds=each.rounds,
                    checked=each.checked,
                )
            )
            zeros = tr("all of them zeros") if each.zeros else tr("not only zeros")
            lines.append(
                tr(
                    "  At most {bytes} bytes, the first at {first}; {zeros}",
                    bytes=each.bytes,
                    first=each.first,
                    zeros=zeros,
                )
            )
        for note in () if measured is None else measured.notes:
            lines.append(tr("  Note: {note}", note=note))
        lines += _same_pair(result, around)
        lines.append("")
    hints = {tr(each.hint) for each in findings(wrong) if each.hint}
    return "\n".join([*lines, *sorted(hints)]) + "\n"


def _same_pair(result: CopyResult, around: Sequence[CopyResult]) -> list[str]:
    pair = result.job.source, result.job.target
    lines = []
    for other in around:
        ends = other.job.source, other.job.target
        if other.wrong or other.rate is None or {*ends} != {*pair}:
            continue
        said = mark("  Not wrong: the way back, {copied}: {rate} {unit}")
        if ends == pair:
            said = mark("  Not wrong: the same way, {copied}: {rate} {unit}")
        rate = f"{other.rate / 1e9:.2f}"
        lines.append(tr(said, copied=_copied(other.job), rate=rate, unit=tr(other.unit)))
    return lines


def _copied(job: CopyJob, *, bytes_too: bool = False) -> str:
    size = str(memory(job.bytes))
    if bytes_too:
        size = tr("{size} ({bytes} bytes)", size=size, bytes=job.bytes)
    if job.both_ways:
        return tr("{size}, mode {mode}, both ways at once", size=size, mode=job.mode)
    return tr("{size}, mode {mode}", size=size, mode=job.mode)
