"""Sentences and captions around the matrix of copies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gpuexplorer.copies.findings import Cell, Finding, Matter, wrong_in_words
from gpuexplorer.copies.jobs import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.units import gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr, trn
from gpuexplorer.gui.copies.matrix.pair_cells import figure_of, figure_words, unit_words
from gpuexplorer.gui.copies.matrix.pair_question import AskedPath, Head, MatrixQuestion
from gpuexplorer.lab.wire import CopyJob

_MOST_KINDS = 3
_WAYS = {
    AskedPath.PYTORCH: mark("as PyTorch takes it"),
    AskedPath.DIRECT: mark("direct"),
    AskedPath.STAGED: mark("staged through host memory"),
}
_MOST_NUMBERS = 2  # on the cells of one finding: a whole row of them would say nothing
MOST_SAID = 12


def title_words(question: MatrixQuestion) -> str:
    """What is asked, in full: for captions, pictures and the clipboard."""
    size = str(memory(question.bytes))
    match question.kind:
        case Kind.LATENCY:
            return tr("Latency of 16 bytes, µs")
        case Kind.BOTH_WAYS:
            return tr("Both ways at once, {size}, GB/s each way", size=size)
    way = tr(_WAYS[question.way])
    if question.pinned:
        return tr("One way, {way}, {size}, GB/s", way=way, size=size)
    return tr("One way, {way}, {size}, host memory not pinned, GB/s", way=way, size=size)


def diagonal_words(question: MatrixQuestion) -> str:
    if question.kind is Kind.BOTH_WAYS:
        return tr("Diagonal: within one device there is only one way")
    if question.chooses_way and question.way is not AskedPath.PYTORCH:
        return tr("Only copies from one card to another")
    return tr("Diagonal: copied inside one device, bytes counted once")


def caption_words(
    question: MatrixQuestion, shown: Iterable[CopyResult], *, modelled: bool
) -> str:
    counts = {len(each.measured.samples_s) for each in shown if each.measured is not None}
    said = question.caption
    if len(counts) == 1 and (count := counts.pop()) > 1:
        said = tr("{caption}, median of {count}", caption=said, count=count)
    return tr("Modelled {caption}", caption=said) if modelled else said


def cell_words(question: MatrixQuestion, result: CopyResult | None, why_not: str) -> str:
    """What one is told of a cell by pointing at it."""
    if why_not or result is None:
        said = why_not or tr("Not measured yet.")
    elif result.wrong:
        wrong = () if result.measured is None else result.measured.wrong
        worst = [wrong_in_words(each, result.bytes) for each in wrong]
        said = paragraph((tr("It arrives WRONG."), *worst))
    elif (value := figure_of(question, result)) is None:
        said = tr("Not measured: {why}", why=result.why)
    elif question.latency:
        said = f"{figure_words(question, value)} µs"
    else:
        said = f"{figure_words(question, value)} {unit_words(question, result)}"
        if result.share is not None and result.limit is not None:
            said = tr(
                "{rate}, {share:.0f} % of {limit} GB/s",
                rate=said,
                share=result.share * 100,
                limit=gigabytes_per_second(result.limit),
            )
        if result.route is not None and result.route.words:
            said = tr("{rate}. Way: {way}", rate=said, way=result.route.words)
    return said


def promised_words(route: Route | None) -> str:
    if route is None:
        return tr("The driver has not reported how these are wired.")
    if route.limit is None:
        why = route.limit_reason or Message("it is not known how fast this is")
        return tr("Nothing is promised: {why}.", why=why)
    limit = gigabytes_per_second(route.limit)
    promised = tr("{rate} GB/s one way: {reason}.", rate=limit, reason=route.limit_reason)
    return paragraph((promised, route.words))


def promised_kinds(routes: Iterable[Route]) -> str:
    """The commonest kinds of wires with what they could carry."""
    counts: dict[tuple[str, str], int] = {}
    for route in routes:
        if route.limit is None or route.source == route.target:
            continue
        told = _wire(route), gigabytes_per_second(route.limit)
        counts[told] = counts.get(told, 0) + 1
    most = sorted(counts, key=lambda each: -counts[each])[:_MOST_KINDS]
    return "   ".join(f"{wire}: {rate}" for wire, rate in most)


def begin_words(question: MatrixQuestion, jobs: Sequence[CopyJob], cards: int) -> str:
    """Before anything is measured."""
    if cards < 1:
        return tr(
            "No card is there to copy to or from: only the host's own memory can be measured."
        )
    size = tr("16 bytes") if question.latency else str(memory(question.bytes))
    pairs = len({(job.source, job.target) for job in jobs})
    if len(jobs) > pairs:
        return tr(
            "Nothing is measured yet. Measure all copies {size} between every two devices, one "
            "after another: {pairs} pairs, {more} of them through host memory as well. Or "
            "choose a cell and measure that one.",
            size=size,
            pairs=pairs,
            more=len(jobs) - pairs,
        )
    return tr(
        "Nothing is measured yet. Measure all copies {size} between every two devices, one "
        "after another: {count} measurements. Or choose a cell and measure that one.",
        size=size,
        count=pairs,
    )


def found_words(found: Sequence[Finding], *, running: bool) -> str:
    if found:
        return ""
    if running:
        return tr("Nothing stands out so far.")
    return tr("Nothing stands out: every path is as fast as others of its kind.")


def count_words(shown: Sequence[CopyResult], *, modelled: bool) -> str:
    if not shown:
        return ""
    wrong = sum(each.wrong for each in shown)
    intact = sum(each.measured is not None and each.measured.intact is True for each in shown)
    there = sum(each.measured is not None for each in shown)
    if wrong and not intact:
        return tr("{wrong} of {all} WRONG", wrong=wrong, all=len(shown))
    if intact:
        return tr("{intact} of {all} intact", intact=intact, all=there)
    if modelled:
        return tr("{number} modelled", number=there)
    return tr("{number} measured", number=there)


def when_words(began: float, ended: float) -> str:
    """Wall clock; 0 where it has not been."""
    if not began or not ended:
        return ""
    start = datetime.fromtimestamp(began).astimezone()
    end = datetime.fromtimestamp(ended).astimezone()
    return tr("Measured {start:%H:%M:%S} to {end:%H:%M:%S}", start=start, end=end)


def moment_words(wall: float) -> str:
    return f"{datetime.fromtimestamp(wall).astimezone():%Y-%m-%d %H:%M:%S}"


def _wire(route: Route) -> str:
    told = [leg for leg in route.legs if leg.rate == route.limit and leg.words]
    return tr(told[0].words if told else route.limit_reason)


@dataclass(frozen=True, slots=True)
class Callout:
    """One finding under its number."""

    number: int
    finding: Finding
    cells: Sequence[Cell]  # those that carry the number

    @property
    def wrong(self) -> bool:
        return self.finding.matter is Matter.WRONG


def callouts_of(found: Iterable[Finding]) -> list[Callout]:
    """The gravest are told; beyond a dozen nobody reads on."""
    taken: set[Cell] = set()
    told = []
    for number, finding in enumerate(list(found)[:MOST_SAID], 1):
        cells = _numbered(finding, taken)
        taken |= set(cells)
        told.append(Callout(number, finding, cells))
    return told


def by_cell(callouts: Iterable[Callout]) -> Mapping[Cell, Callout]:
    return {cell: each for each in callouts for cell in each.cells}


def _numbered(finding: Finding, taken: set[Cell]) -> Sequence[Cell]:
    free = [cell for cell in finding.cells if cell not in taken]
    # What is about a card shows best on its way from and to the host.
    free.sort(key=lambda cell: not finding.devices or "cpu" not in cell)
    return tuple(free[:_MOST_NUMBERS])


def gone_words(heads: Sequence[Head]) -> str:
    """Of all that cannot be measured; empty where all can."""
    gone = [head.titled for head in heads if head.gone]
    if not gone:
        return ""
    return trn(
        "{device} cannot be measured now; its cells say why",
        "{count} cards cannot be measured now; their cells say why",
        len(gone),
        device=gone[0],
    )


def pair_words(heads: Mapping[str, Head], source: str, target: str) -> str:
    """ "Card 6 to card 1", "Inside card 2"."""
    here, there = heads.get(source), heads.get(target)
    begin = source if here is None else here.titled
    if source == target:
        if source == "cpu":
            return tr("Inside the host")
        return tr("Inside {device}", device=source if here is None else here.words)
    end = target if there is None else there.words
    return tr("{source} to {target}", source=begin, target=end)
