"""Sentences and captions around the matrix of copies."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from gpuexplorer.copies.findings import Finding, wrong_in_words
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import gigabytes_per_second, memory
from gpuexplorer.gui.wording.copies.matrix.cells import figure_of, figure_words
from gpuexplorer.gui.wording.copies.matrix.question import Question, Way

_MOST_KINDS = 3


def title_words(question: Question) -> str:
    """What is asked, in full: for captions, pictures and the clipboard."""
    match question.kind:
        case Kind.LATENCY:
            return "Latency of 16 bytes, µs"
        case Kind.BOTH_WAYS:
            return f"Both ways at once, {memory(question.bytes)}, GB/s each way"
    way = {
        Way.PYTORCH: "as PyTorch takes it",
        Way.DIRECT: "direct",
        Way.STAGED: "staged through host memory",
    }[question.way]
    pinned = "" if question.pinned else ", host memory not pinned"
    return f"One way, {way}, {memory(question.bytes)}{pinned}, GB/s"


def diagonal_words(question: Question) -> str:
    if question.kind is Kind.BOTH_WAYS:
        return "Diagonal: within one device there is only one way"
    if question.chooses_way and question.way is not Way.PYTORCH:
        return "Only copies from one card to another"
    return "Diagonal: copied inside one device, bytes counted once"


def caption_words(question: Question, shown: Iterable[CopyResult], *, modelled: bool) -> str:
    counts = {len(each.measured.samples_s) for each in shown if each.measured is not None}
    said = question.caption
    if len(counts) == 1 and (count := counts.pop()) > 1:
        said += f", median of {count}"
    return f"Modelled {said}" if modelled else said


def cell_words(
    question: Question, result: CopyResult | None, why_not: str, theirs: float | None
) -> str:
    """What one is told of a cell by pointing at it."""
    if why_not or result is None:
        said = why_not or "Not measured yet."
    elif result.wrong:
        said = "It arrives WRONG."
        for wrong in () if result.measured is None else result.measured.wrong:
            said += f" {wrong_in_words(wrong, result.job.bytes)}"
    elif (value := figure_of(question, result)) is None:
        said = f"Not measured: {result.failure} {result.hint}".strip()
    elif question.latency:
        said = f"{figure_words(question, value)} µs"
    else:
        said = f"{figure_words(question, value)} GB/s"
        if result.share is not None and result.limit is not None:
            limit = gigabytes_per_second(result.limit)
            said += f", {result.share * 100:.0f} % of {limit} GB/s"
        if result.route is not None and result.route.words:
            said += f". {_sentence(result.route.words)}"
    if theirs is not None:
        said += f"\nnvbandwidth: {gigabytes_per_second(theirs * 1e9)} GB/s"
    return said


def promised_words(route: Route | None) -> str:
    if route is None:
        return "The driver has not told how these are wired."
    if route.limit is None:
        why = route.limit_reason or "nobody tells how fast this is"
        return f"Nothing is promised: {why}."
    return (
        f"{gigabytes_per_second(route.limit)} GB/s: {route.limit_reason}. {route.words}".strip()
    )


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


def begin_words(question: Question, count: int, cards: int) -> str:
    """Before anything is measured."""
    if cards < 1:
        return (
            "No card is there to copy to or from: only the host's own memory can be measured."
        )
    size = "16 bytes" if question.latency else str(memory(question.bytes))
    return (
        f"Nothing is measured yet. Measure all copies {size} between every two devices, one "
        f"after another: {count} measurements. Or choose a cell and measure that one."
    )


def found_words(found: Sequence[Finding], *, running: bool) -> str:
    if found:
        return ""
    if running:
        return "Nothing stands out so far."
    return "Nothing stands out: every way is as fast as others of its kind."


def count_words(shown: Sequence[CopyResult], *, modelled: bool) -> str:
    if not shown:
        return ""
    wrong = sum(each.wrong for each in shown)
    intact = sum(each.measured is not None and each.measured.intact is True for each in shown)
    there = sum(each.measured is not None for each in shown)
    if wrong and not intact:
        return f"{wrong} of {len(shown)} WRONG"
    if intact:
        return f"{intact} of {there} intact"
    return f"{there} {'modelled' if modelled else 'measured'}"


def when_words(began: float, ended: float) -> str:
    """Wall clock; 0 where it has not been."""
    if not began or not ended:
        return ""
    start = datetime.fromtimestamp(began).astimezone()
    end = datetime.fromtimestamp(ended).astimezone()
    return f"Measured {start:%H:%M:%S} to {end:%H:%M:%S}"


def moment_words(wall: float) -> str:
    return f"{datetime.fromtimestamp(wall).astimezone():%Y-%m-%d %H:%M:%S}"


def _wire(route: Route) -> str:
    told = [leg for leg in route.legs if leg.rate == route.limit and leg.words]
    return told[0].words if told else route.limit_reason


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
