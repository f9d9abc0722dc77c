"""Everything that is known of one pair, as rows of words and figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.findings import wrong_in_words
from gpuexplorer.copies.plan import Kind
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.copies.matrix.pair_cells import unit_words
from gpuexplorer.gui.copies.matrix.pair_question import MatrixQuestion
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob


@dataclass(frozen=True, slots=True)
class PairFact:
    """One figure. Without a number, `words` says why there is none, or all there is to say."""

    label: str
    number: str = ""
    unit: str = ""
    words: str = ""

    @property
    def said(self) -> str:
        figure = " ".join(filter(None, (self.number, self.unit, self.words)))
        return tr("{name}: {figure}", name=self.label, figure=figure)


@dataclass(frozen=True, slots=True)
class PairDetails:
    """Of one pair and one question."""

    rows: Sequence[PairFact]
    sentences: Sequence[str]  # below the figures
    bad: str = ""  # what went wrong, above everything
    hint: str = ""
    samples: Sequence[float] = ()  # GB/s or µs, in their order
    limit: float | None = None
    theirs: float | None = None  # nvbandwidth's


def details_of(
    question: MatrixQuestion,
    job: CopyJob | None,
    result: CopyResult | None,
    route: Route | None,
    theirs: float | None = None,
    why_not: str = "",
) -> PairDetails:
    """Without a result: what is promised, and why nothing is measured."""
    route = route if result is None or result.route is None else result.route
    if result is None:
        said = why_not or tr("Not measured yet.")
        told = [said, *_why_no_limit(question, route)]
        return PairDetails(_of_route(route, question), told, theirs=theirs)
    if result.measured is None:
        return PairDetails(_of_route(route, question), (), tr(result.failure), tr(result.hint))
    measured = result.measured
    hidden = question.hides(direct_of(result), route)
    if hidden:
        return PairDetails(_of_route(route, question), [hidden])
    bad = ""
    if result.wrong:
        bad = tr("What arrived is not what was sent. A wrong copy has no rate.")
        for wrong in measured.wrong:
            bad = tr(wrong_in_words(wrong, result.bytes))
    rows = [
        *_of_figures(question, result),
        *_of_both(result, measured),
        *_of_time(result, measured),
        *_of_route(route, question, result),
        *_beside(question, result, theirs),
    ]
    size = result.bytes
    right = not result.wrong
    return PairDetails(
        rows,
        [*_notes(result, measured, route), *_why_no_limit(question, route)],
        bad,
        samples=_samples(question, size, measured.samples_s) if right else (),
        limit=None if question.latency or result.limit is None else result.limit / 1e9,
        theirs=None if question.latency else theirs,
    )


def _of_figures(question: MatrixQuestion, result: CopyResult) -> list[PairFact]:
    measured = result.measured
    if result.seconds is None or measured is None:
        return []
    samples = _samples(question, result.bytes, measured.samples_s)
    if question.latency:
        ends = f"{min(samples):.2f}, {max(samples):.2f}"
        rows = [
            PairFact(tr("Median"), f"{result.seconds * 1e6:.2f}", "µs"),
            PairFact(tr("Shortest, longest"), ends, "µs"),
        ]
    else:
        assert result.rate is not None
        low, high = (gigabytes_per_second(f(samples) * 1e9) for f in (min, max))
        unit = unit_words(question, result)
        rows = [
            PairFact(tr("Median"), gigabytes_per_second(result.rate), unit),
            PairFact(tr("Slowest, fastest"), f"{low}, {high}", "GB/s"),
        ]
        if result.traffic is not None:
            traffic = gigabytes_per_second(result.traffic)
            rows.append(PairFact(tr("Memory traffic"), traffic, tr("GB/s, read and written")))
    if result.variation is None:
        rows.append(PairFact(tr("Spread"), words=tr("one sample has none")))
    else:
        rows.append(
            PairFact(tr("Spread"), f"{result.variation * 100:.2f}", tr("% of the mean"))
        )
    count = len(measured.samples_s)
    loops = trn("of one copy each", "of {count} copies each", measured.loops)
    rows.append(PairFact(tr("Samples"), str(count), loops))
    return rows


def _of_both(result: CopyResult, measured: Measured) -> list[PairFact]:
    if not result.job.both_ways or result.wrong:
        return []
    if result.back_rate is None or result.rate is None:
        return [PairFact(tr("The other way"), words=tr("was not measured"))]
    back = gigabytes_per_second(result.back_rate)
    if not result.at_once:
        share = (result.overlap or 0.0) * 100
        unit = tr("GB/s, {share:.0f} % of it at the same time", share=share)
        return [PairFact(tr("The other way"), back, unit)]
    both = result.rate + result.back_rate
    return [
        PairFact(tr("The other way"), back, tr("GB/s at the same time")),
        PairFact(tr("Both together"), gigabytes_per_second(both), tr("GB/s both ways")),
    ]


def _of_time(result: CopyResult, measured: Measured) -> list[PairFact]:
    rows = []
    if result.seconds is not None:
        by_host = result.job.source == "cpu" and result.job.local
        who = tr("of the host") if by_host else tr("of the device")
        rows.append(_timed(tr("Time of one copy"), result.seconds, who))
    rows.append(_timed(tr("Time of the host"), measured.host_s, tr("until it is done")))
    rows.append(_timed(tr("Time to ask for it"), measured.asked_s, ""))
    return rows


def _timed(label: str, seconds: float | None, more: str) -> PairFact:
    if seconds is None:
        return PairFact(label, words=tr("was not measured"))
    told: Quantity = duration(seconds)
    return PairFact(label, told.number, " ".join(filter(None, (told.unit, more))))


def _of_route(
    route: Route | None, question: MatrixQuestion, result: CopyResult | None = None
) -> list[PairFact]:
    if route is None:
        return [
            PairFact(tr("Way"), words=tr("the driver has not reported how these are wired"))
        ]
    rows = [PairFact(tr("Way"), words=tr(route.words) or tr("the driver has not reported it"))]
    if question.latency:
        return rows
    if route.limit is None:
        rows.append(PairFact(tr("Limit"), words=tr("not known")))
        return rows
    rows.append(
        PairFact(
            tr("Limit"),
            gigabytes_per_second(route.limit),
            _limit_words(question, route),
        )
    )
    if result is not None and result.share is not None:
        rows.append(PairFact(tr("Of the limit"), f"{result.share * 100:.0f}", "%"))
    return rows


def _limit_words(question: MatrixQuestion, route: Route) -> str:
    """Where the question is one way, its title says so."""
    if question.kind is Kind.BOTH_WAYS:
        return tr("GB/s one way: {reason}", reason=route.limit_reason)
    return tr("GB/s: {reason}", reason=route.limit_reason)


def _why_no_limit(question: MatrixQuestion, route: Route | None) -> list[str]:
    """A sentence, for which a row has no room."""
    if question.latency or route is None or route.limit is not None or not route.limit_reason:
        return []
    return [tr("No limit: {reason}.", reason=route.limit_reason)]


def _beside(
    question: MatrixQuestion, result: CopyResult, theirs: float | None
) -> list[PairFact]:
    if theirs is None or question.latency:
        return []
    unit = "GB/s"
    if result.rate is not None:
        share = result.rate / 1e9 / theirs * 100
        unit = tr("GB/s, ours is {share:.1f} % of it", share=share)
    return [PairFact("nvbandwidth", gigabytes_per_second(theirs * 1e9), unit)]


def _notes(result: CopyResult, measured: Measured, route: Route | None) -> list[str]:
    said = []
    if measured.modelled:
        said.append(tr("Modelled: no bytes were moved, so none were compared."))
    elif measured.intact is True:
        said.append(tr("What arrived is intact."))
    elif measured.intact is None:
        said.append(tr("What arrived was not compared with what was sent."))
    if result.compared:
        said.append(tr(result.compared))
    if measured.gated is False:
        said.append(tr("The queue ran dry between copies: the figure may be too low."))
    said += [tr(each) for each in (() if route is None else route.notes)]
    said += [tr(each) for each in measured.notes]
    said += [
        tr(
            "{device} was busy: {share:.0f} %, so this may be too low.",
            device=each.device,
            share=each.share * 100,
        )
        for each in result.busy
    ]
    return said


def _samples(
    question: MatrixQuestion, size: int, seconds: Sequence[float]
) -> tuple[float, ...]:
    if question.latency:
        return tuple(each * 1e6 for each in seconds)
    return tuple(size / each / 1e9 for each in seconds)
