"""Everything that is known of one pair, as rows of words and figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.findings import wrong_in_words
from gpuexplorer.copies.notes import busy_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second
from gpuexplorer.gui.wording.copies.matrix.question import Question
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Measured

MODELLED = "modelled: no bytes were moved"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. Without a number, `words` says why there is none, or all there is to say."""

    label: str
    number: str = ""
    unit: str = ""
    words: str = ""

    @property
    def said(self) -> str:
        return f"{self.label}: {' '.join(filter(None, (self.number, self.unit, self.words)))}"


@dataclass(frozen=True, slots=True)
class Details:
    """Of one pair and one question."""

    rows: Sequence[Row]
    sentences: Sequence[str]  # below the figures
    bad: str = ""  # what went wrong, above everything
    hint: str = ""
    samples: Sequence[float] = ()  # GB/s or µs, in their order
    back_samples: Sequence[float] = ()
    limit: float | None = None
    theirs: float | None = None  # nvbandwidth's


def details_of(
    question: Question,
    job: CopyJob | None,
    result: CopyResult | None,
    route: Route | None,
    theirs: float | None = None,
    why_not: str = "",
) -> Details:
    """Without a result: what is promised, and why nothing is measured."""
    route = route if result is None or result.route is None else result.route
    if result is None:
        said = why_not or "Not measured yet."
        told = [said, *_why_no_limit(question, route)]
        return Details(_of_route(route, question), told, theirs=theirs)
    if result.measured is None:
        return Details(_of_route(route, question), (), result.failure, result.hint)
    measured = result.measured
    hidden = question.hides(direct_of(result), route)
    if hidden:
        return Details(_of_route(route, question), [hidden])
    bad = ""
    if result.wrong:
        bad = "What arrived is not what was sent. A wrong copy has no rate."
        for wrong in measured.wrong:
            bad = wrong_in_words(wrong, result.job.bytes)
    rows = [
        *_of_figures(question, result),
        *_of_both(result, measured),
        *_of_time(result, measured),
        *_of_route(route, question, result),
        *_beside(question, result, theirs),
    ]
    size = result.job.bytes
    right = not result.wrong
    return Details(
        rows,
        [*_notes(measured, route), *_why_no_limit(question, route)],
        bad,
        samples=_samples(question, size, measured.samples_s) if right else (),
        back_samples=_samples(question, size, measured.back_samples_s) if right else (),
        limit=None if question.latency or result.limit is None else result.limit / 1e9,
        theirs=None if question.latency else theirs,
    )


def _of_figures(question: Question, result: CopyResult) -> list[Row]:
    measured = result.measured
    if result.seconds is None or measured is None:
        return []
    samples = _samples(question, result.job.bytes, measured.samples_s)
    if question.latency:
        ends = f"{min(samples):.2f}, {max(samples):.2f}"
        rows = [
            Row("Median", f"{result.seconds * 1e6:.2f}", "µs"),
            Row("Shortest, longest", ends, "µs"),
        ]
    else:
        assert result.rate is not None
        low, high = (gigabytes_per_second(f(samples) * 1e9) for f in (min, max))
        rows = [
            Row("Median", gigabytes_per_second(result.rate), "GB/s"),
            Row("Slowest, fastest", f"{low}, {high}", "GB/s"),
        ]
        if result.traffic is not None:
            traffic = gigabytes_per_second(result.traffic)
            rows.append(Row("Memory traffic", traffic, "GB/s, read and written"))
    if result.variation is None:
        rows.append(Row("Spread", words="one sample has none"))
    else:
        rows.append(Row("Spread", f"{result.variation * 100:.2f}", "% of the mean"))
    count = len(measured.samples_s)
    loops = f"of {measured.loops} copies each" if measured.loops > 1 else "of one copy each"
    rows.append(Row("Samples", str(count), loops))
    return rows


def _of_both(result: CopyResult, measured: Measured) -> list[Row]:
    if not result.job.both_ways or result.wrong:
        return []
    if result.back_rate is None or result.rate is None:
        return [Row("The other way", words="was not measured")]
    both = result.rate + result.back_rate
    return [
        Row("The other way", gigabytes_per_second(result.back_rate), "GB/s at the same time"),
        Row("Both together", gigabytes_per_second(both), "GB/s"),
    ]


def _of_time(result: CopyResult, measured: Measured) -> list[Row]:
    rows = []
    if result.seconds is not None:
        by_host = result.job.source == "cpu" and result.job.local
        who = "of the host" if by_host else "of the device"
        rows.append(_timed("Time of one copy", result.seconds, who))
    rows.append(_timed("Time of the host", measured.host_s, "until it is done"))
    rows.append(_timed("Time to ask for it", measured.asked_s, ""))
    return rows


def _timed(label: str, seconds: float | None, more: str) -> Row:
    if seconds is None:
        return Row(label, words="was not measured")
    told: Quantity = duration(seconds)
    return Row(label, told.number, " ".join(filter(None, (told.unit, more))))


def _of_route(
    route: Route | None, question: Question, result: CopyResult | None = None
) -> list[Row]:
    if route is None:
        return [Row("Way", words="the driver has not told how these are wired")]
    rows = [Row("Way", words=route.words or "the driver has not told")]
    if question.latency:
        return rows
    if route.limit is None:
        rows.append(Row("Limit", words="not known" if route.limit_reason else "nobody tells"))
        return rows
    rows.append(Row("Limit", gigabytes_per_second(route.limit), f"GB/s: {route.limit_reason}"))
    if result is not None and result.share is not None:
        rows.append(Row("Of the limit", f"{result.share * 100:.0f}", "%"))
    return rows


def _why_no_limit(question: Question, route: Route | None) -> list[str]:
    """A sentence, for which a row has no room."""
    if question.latency or route is None or route.limit is not None or not route.limit_reason:
        return []
    return [f"No limit: {route.limit_reason}."]


def _beside(question: Question, result: CopyResult, theirs: float | None) -> list[Row]:
    if theirs is None or question.latency:
        return []
    ratio = ""
    if result.rate is not None:
        ratio = f", ours is {result.rate / 1e9 / theirs * 100:.1f} % of it"
    return [Row("nvbandwidth", gigabytes_per_second(theirs * 1e9), f"GB/s{ratio}")]


def _notes(measured: Measured, route: Route | None) -> list[str]:
    said = []
    if measured.modelled:
        said.append("Modelled: no bytes were moved, so none were compared.")
    elif measured.intact is True:
        said.append("What arrived was compared with what was sent: it is intact.")
    elif measured.intact is None:
        said.append("What arrived was not compared with what was sent.")
    if measured.gated is False:
        said.append("The queue ran dry between copies: the figure may be too low.")
    if route is not None and route.note:
        said.append(_sentence(route.note))
    for note in measured.notes:
        if note == MODELLED:
            continue
        busy = busy_of(note)
        said.append(_sentence(note if busy is None else f"{note}, so this may be too low"))
    return said


def _samples(question: Question, size: int, seconds: Sequence[float]) -> tuple[float, ...]:
    if question.latency:
        return tuple(each * 1e6 for each in seconds)
    return tuple(size / each / 1e9 for each in seconds)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""
