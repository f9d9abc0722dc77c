"""MatrixNow: what is asked between every two devices, and what is known of each pair: its cell,
its figures and its sentences.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gpuexplorer.copies.findings import Finding, Kin, Matter, findings, the_rest, wrong_in_words
from gpuexplorer.copies.jobs import HOST, USUAL_BYTES, Kind, job_of, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.units import duration, memory
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import Message, mark, paragraph, tr, trn
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.widgets.machine.machine_faces import HUB_WORDS, JUNCTION_WORDS
from gpuexplorer.gui.widgets.pair_grid import (
    MOST_CHIPS,
    NONE,
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairHead,
)
from gpuexplorer.lab.wire import LATENCY_BYTES, CopyJob
from gpuexplorer.telemetry.topology import MachineShape

MOST_SAID = 12
NOT_YET = mark("Not measured yet.")
WRONG = mark("What arrived is not what was sent. A wrong copy has no rate.")
_MOST_NUMBERS = 2  # on the cells of one finding: a whole row of them would say nothing
_LEAST_SPAN = 4.0  # a hair's difference must not look like day and night
EMPTY, FAILED = PairCell(CellState.EMPTY), PairCell(CellState.FAILED, "–")
Found = tuple[Sequence[Finding], Sequence[Kin]]


class AskedPath(Enum):
    """Between cards: which way the bytes are to go."""

    PYTORCH = mark("As PyTorch takes it")
    DIRECT = mark("Direct")
    STAGED = mark("Staged")


@dataclass(frozen=True, slots=True)
class Head(PairHead):
    """One row and one column."""

    words: str = ""  # "host", "card 3"
    gone: str = ""  # why nothing can be copied to or from it now; sentences


Heads = Mapping[str, Head]


class PairFact(NamedTuple):
    """One figure with its unit; or, without a number, what there is to say."""

    label: str
    number: str = ""
    rest: str = ""

    @property
    def said(self) -> str:
        figure = " ".join(filter(None, self[1:]))
        return tr("{name}: {figure}", name=self.label, figure=figure)


@dataclass(frozen=True, slots=True)
class PairDetails:
    """Of one pair and one question. `bad`, what went wrong, stands above everything."""

    rows: Sequence[PairFact] = ()
    sentences: Sequence[str] = ()  # below the figures
    bad: str = ""
    hint: str = ""

    @property
    def said(self) -> str:
        """What one is told of it by pointing, a line each."""
        figures = (each.said for each in self.rows)
        return "\n".join(filter(None, (self.bad, self.hint, *figures, *self.sentences)))


class Callout(NamedTuple):
    """One finding under its number."""

    number: int
    finding: Finding
    cells: Sequence[Pair]  # those that carry the number

    @property
    def wrong(self) -> bool:
        return self.finding.matter is Matter.WRONG


@dataclass(frozen=True, slots=True)
class MatrixQuestion:
    """Way and pinned memory are choices of one direction alone: nobody measures them else."""

    kind: Kind = Kind.ONE_WAY
    way: AskedPath = AskedPath.PYTORCH
    pinned: bool = True
    bytes: int = USUAL_BYTES

    @property
    def one_way(self) -> bool:
        return self.kind is Kind.ONE_WAY

    @property
    def latency(self) -> bool:
        return self.kind is Kind.LATENCY

    @property
    def unit(self) -> str:
        return "µs" if self.latency else "GB/s"

    @property
    def caption(self) -> str:
        """The unit of the cells. The size stands beside it, where it is chosen."""
        if self.latency:
            return tr("µs for 16 bytes")
        return tr("GB/s one way") if self.one_way else tr("GB/s each way at once")

    @property
    def title(self) -> str:
        """What is asked, in full."""
        size, way = memory(self.bytes), tr(self.way.value)
        if not self.one_way:
            title = mark("Latency, {unit}") if self.latency else mark("{size}, {unit}")
        elif self.pinned:
            title = mark("{size}, {unit}: {way}")
        else:
            title = mark("{size}, {unit}: {way}, host memory not pinned")
        return tr(title, unit=self.caption, size=size, way=way)

    def job(self, source: str, target: str) -> CopyJob | None:
        """None where it makes no sense between these two; `why_not` says why."""
        kind, between = self.kind, HOST not in (source, target) and source != target
        if self.one_way and self.way is not AskedPath.PYTORCH:
            if not between:
                return None
            kind = Kind.STAGED if self.way is AskedPath.STAGED else kind
        elif self.one_way and not self.pinned and (source == HOST) != (target == HOST):
            kind = Kind.PAGEABLE
        return job_of(kind, source, target, self.bytes, fit=self.bytes == USUAL_BYTES)

    def jobs(self, devices: Sequence[str]) -> Mapping[Pair, CopyJob]:
        """Every ordered pair that can be asked, row by row."""
        asked = {(one, other): self.job(one, other) for one in devices for other in devices}
        return {pair: job for pair, job in asked.items() if job is not None}

    @property
    def why_not(self) -> str:
        """Why some pairs have no such copy."""
        if not self.one_way:
            return tr("A copy within one device has only one way.")
        if self.way is AskedPath.STAGED:
            return tr("Only copies from one card to another can be staged.")
        return tr("Only copies from one card to another can go directly.")

    def hides(self, result: CopyResult) -> str:
        """Why a result does not belong here: empty where it does."""
        if not self.one_way or self.way is not AskedPath.DIRECT or result.direct is not False:
            return ""
        notes = () if result.route is None else result.route.notes
        return paragraph((tr("There is no direct way: it goes through host memory."), *notes))

    def value(self, seconds: float, size: int) -> float:
        """GB/s, or µs where latency is asked."""
        return seconds * 1e6 if self.latency else size / seconds / 1e9


def heads_of(devices: Sequence[BenchDevice]) -> tuple[Head, ...]:
    return tuple(map(_head, devices))


def _head(device: BenchDevice) -> Head:
    gone, words = "", tr("host") if device.is_host else tr("card {chip}", chip=device.chip)
    if not device.usable:
        gone = paragraph((device.reason, device.way_out)) or tr("It cannot be used.")
    titled = tr("Host") if device.is_host else tr("Card {chip}", chip=device.chip)
    colour = None if gone else device.colour
    return Head(device.name, device.chip, colour, titled, words=words, gone=gone)


def pair_words(heads: Heads, source: str, target: str) -> str:
    """ "Card 6 to card 1", "Inside card 2"."""
    here, there = heads.get(source), heads.get(target)
    if source == target:
        inside = tr("the host") if source == HOST else here.words if here else source
        return tr("Inside {device}", device=inside)
    begin, end = here.titled if here else source, there.words if there else target
    return tr("{source} to {target}", source=begin, target=end)


def wrong_cell() -> PairCell:
    return PairCell(CellState.WRONG, tr("WRONG"))


def figure_cell(
    value: float, *, latency: bool = False, local: bool = False, below: str = ""
) -> PairCell:
    """GB/s, or µs of latency. What is inside one device has no shade."""
    small = f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    state = CellState.LOCAL if local else CellState.FIGURE
    return PairCell(state, small if latency else gbs(value * 1e9), value, below)


def measured_cell(question: MatrixQuestion, result: CopyResult) -> PairCell:
    if question.hides(result):
        return NONE
    if result.wrong:
        return wrong_cell()
    if (seconds := result.seconds) is None:
        return FAILED
    value = question.value(seconds, result.bytes)
    return figure_cell(value, latency=question.latency, local=result.job.local)


def promised_cell(route: Route | None) -> PairCell:
    """What the narrowest wire could carry."""
    if route is None or route.limit is None:
        return NONE if route is None else FAILED
    return figure_cell(route.limit / 1e9, local=route.source == route.target)


def share_cell(result: CopyResult | None) -> PairCell:
    """Measured, of what is promised, in percent."""
    if result is None or result.wrong:
        return EMPTY if result is None else wrong_cell()
    if result.share is None:
        return FAILED
    state = CellState.LOCAL if result.job.local else CellState.FIGURE
    return PairCell(state, f"{result.share * 100:.0f}", result.share * 100)


def scale_of(cells: Iterable[PairCell]) -> HeatScale | None:
    """Over all that has a shade; None where nothing has."""
    values = (each.value or 0.0 for each in cells if each.state is CellState.FIGURE)
    told = [each for each in values if 0 < each < math.inf]
    if not told:
        return None
    # The least of them still stands out of the ground.
    below = 2.0 ** math.floor(math.log2(min(told)) - 1)
    return HeatScale(min(below, max(told) / _LEAST_SPAN), max(told))


class MatrixNow:
    """Asks the state when `look` is called; what has not changed stays as it was made."""

    def __init__(self, copies: CopiesState) -> None:
        self._copies = copies
        self.question = MatrixQuestion()
        self.heads: tuple[Head, ...] = ()
        self.by_name: Heads = {}
        self.jobs: Mapping[Pair, CopyJob] = {}
        self.cells: Mapping[Pair, PairCell] = {}
        self.results: dict[Pair, CopyResult] = {}
        self._made_for: object = None

    @property
    def crowded(self) -> bool:
        """So many that looking through all of them takes its time."""
        return len(self.heads) > MOST_CHIPS + 1

    def look(self) -> None:
        self.heads, results = heads_of(self._copies.known_devices()), self._copies.results
        made_for = self.heads, self.question
        if made_for != self._made_for or len(results) < len(self.results):
            self._made_for = made_for
            self.by_name = {head.name: head for head in self.heads}
            self.jobs, self.results = self.question.jobs(list(self.by_name)), {}
            gone, jobs = {head.name for head in self.heads if head.gone}, self.jobs
            self.cells = {
                pair: NONE if pair not in jobs else EMPTY if gone.isdisjoint(pair) else FAILED
                for pair in ((one, other) for one in self.by_name for other in self.by_name)
            }
        fresh = {}
        for job, result in results.items():
            pair = job.source, job.target
            if self.results.get(pair) is not result and self.jobs.get(pair) == job:
                fresh[pair] = result
        if fresh:
            self.results |= fresh
            cells = {pair: measured_cell(self.question, each) for pair, each in fresh.items()}
            self.cells = {**self.cells, **cells}

    def route(self, pair: Pair) -> Route | None:
        result, ways, question = self.results.get(pair), self._copies.ways, self.question
        if result is not None and result.route is not None:
            return result.route
        staged = question.one_way and question.way is AskedPath.STAGED and pair in self.jobs
        return ways.staged(*pair) if staged else ways.route(*pair)

    def gone(self, pair: Pair) -> str:
        """Why nothing can be measured between the two just now."""
        heads = [self.by_name[each] for each in dict.fromkeys(pair) if self.by_name[each].gone]
        return " ".join(tr("{device}: {why}", device=e.titled, why=e.gone) for e in heads)

    def able(self, pair: Pair | None) -> bool:
        """Whether it can be measured just now."""
        return pair is not None and pair in self.jobs and not self.gone(pair)

    def details(self, pair: Pair) -> PairDetails:
        result, gone, question = self.results.get(pair), self.gone(pair), self.question
        if pair not in self.jobs:
            gone = question.why_not
        return details_of(question, result, self.route(pair), gone)

    def promised(self, *, ratio: bool) -> Mapping[Pair, PairCell]:
        """What could be reached; or, as a `ratio`, how much of it was."""
        cells = dict.fromkeys(self.cells, NONE)
        for pair in () if ratio and self.question.latency else self.jobs:
            result = self.results.get(pair)
            cells[pair] = share_cell(result) if ratio else promised_cell(self.route(pair))
        return cells

    @property
    def shown(self) -> list[CopyResult]:
        """What stands in the cells."""
        return [each for pair, each in self.results.items() if self.cells[pair] is not NONE]

    @property
    def all(self) -> list[CopyResult]:
        """Whatever was measured that this page can ask for."""
        sizes = {"latency": LATENCY_BYTES}
        return [
            each
            for job, each in self._copies.results.items()
            if job.pieces == 1 and not job.beside
            if job.bytes == sizes.get(job.mode, self.question.bytes)
        ]

    def wrong(self, pair: Pair | None = None) -> list[CopyResult]:
        """What arrived wrong between the two, in the order in which it was measured."""
        wrong = [each for each in self.all if each.wrong]
        return [each for each in wrong if pair in (None, (each.job.source, each.job.target))]

    def telling(self) -> Callable[[], Found]:
        """What finds all that stands out, and sums up the rest; in any thread."""
        shown, beside = self.shown, set[Kind]()
        if self.question.one_way:
            beside = {Kind.STAGED} if self.question.pinned else {Kind.STAGED, Kind.ONE_WAY}
        known = {each.job: each for each in shown}
        known |= {e.job: e for e in self.all if e.wrong or kind_of(e.job) in beside}

        def tell() -> Found:
            found = findings(known.values())
            return found, the_rest(shown, found)

        return tell

    def to_measure(self) -> list[CopyJob]:
        """All that is shown; and staged beside it what goes directly, to be compared."""
        jobs = {pair: job for pair, job in self.jobs.items() if self.able(pair)}
        plain = self.question.one_way and self.question.way is AskedPath.PYTORCH
        if not plain or self.crowded:
            return [*jobs.values()]
        routes = {pair: self.route(pair) for pair in jobs}
        direct = [at for at, way in routes.items() if way is None or way.direct is not False]
        return [*jobs.values(), *staged_of(jobs[at] for at in direct)]


def staged_of(jobs: Iterable[CopyJob]) -> list[CopyJob]:
    """The same bytes between the same cards, through host memory."""
    staged = (job_of(Kind.STAGED, e.source, e.target, e.bytes, fit=e.fit) for e in jobs)
    return [job for job in staged if job is not None]


def callouts_of(found: Iterable[Finding]) -> list[Callout]:
    """The gravest are told; beyond a dozen nobody reads on."""
    taken: set[Pair] = set()
    told = []
    for number, finding in enumerate([*found][:MOST_SAID], 1):
        free = [cell for cell in finding.cells if cell not in taken]
        # What is about a card shows best on its way from and to the host.
        free.sort(key=lambda cell: not finding.devices or HOST not in cell)
        told.append(Callout(number, finding, free[:_MOST_NUMBERS]))
        taken |= {*free[:_MOST_NUMBERS]}
    return told


def wrong_words(result: CopyResult) -> str:
    worst = [wrong_in_words(each, result.bytes) for each in result.seen.wrong]
    return paragraph([tr("It arrives WRONG."), *(worst or [Message(WRONG)])])


def details_of(
    question: MatrixQuestion, result: CopyResult | None, route: Route | None, why_not: str = ""
) -> PairDetails:
    """Without a result: what is promised, and why nothing is measured."""
    way = facts_of(route if result is None or result.route is None else result.route, question)
    if result is None:
        return PairDetails(way, [why_not or tr(NOT_YET)])
    if result.measured is None:
        return PairDetails(way, (), tr(result.failure), why_not or tr(result.hint))
    if hidden := question.hides(result):
        return PairDetails(way, [hidden], hint=why_not)
    said, seen = [], result.seen
    if seen.intact is not False and not result.modelled:
        intact = mark("What arrived is intact.")
        untold = mark("What arrived was not compared with what was sent.")
        said.append(tr(intact if seen.intact else untold))
    if seen.gated is False:
        said.append(tr("The queue ran dry between copies: the figure may be too low."))
    figures = [] if result.seconds is None else _of_figures(question, result)
    if result.share is not None and not question.latency:
        way.append(PairFact(tr("Of the limit"), f"{result.share * 100:.0f}", "%"))
    return PairDetails(
        [*figures, *_of_time(result), *way],
        [*said, *map(tr, result.notes)],
        wrong_words(result) if result.wrong else "",
        why_not,
    )


def _of_figures(question: MatrixQuestion, result: CopyResult) -> list[PairFact]:
    unit, back, rate, seen = question.unit, result.back_rate, result.rate, result.seen

    def figure(seconds: float) -> str:
        value = question.value(seconds, result.bytes)
        return f"{value:.2f}" if question.latency else gbs(value * 1e9)

    median, samples = figure(result.seconds or 0.0), seen.samples_s
    each_one = ", ".join(f"{question.value(each, result.bytes):.4g}" for each in samples)
    ends = f"{figure(max(samples))}, {figure(min(samples))}"
    loops = trn("of one copy each", "of {count} copies each", seen.loops)
    spread = "" if result.variation is None else f"{result.variation * 100:.2f}"
    of_mean = tr("% of the mean") if spread else tr("one sample has none")
    rows = [
        PairFact(tr("Median"), median, unit if question.latency else tr(result.unit)),
        PairFact(tr("Slowest, fastest"), ends, unit),
        PairFact(tr("Spread"), spread, of_mean),
        PairFact(tr("Samples"), str(len(samples)), loops),
        PairFact(tr("One by one"), "", f"{each_one} {unit}"),
    ]
    if not result.job.both_ways:
        return rows
    other = tr("The other way")
    if back is None or rate is None:
        return [*rows, PairFact(other, "", tr("was not measured"))]
    if result.at_once:
        both = PairFact(tr("Both together"), gbs(rate + back), tr("GB/s both ways"))
        return [*rows, PairFact(other, gbs(back), tr("GB/s at the same time")), both]
    share = (result.overlap or 0.0) * 100
    unit = tr("GB/s, {share:.0f} % of it at the same time", share=share)
    return [*rows, PairFact(other, gbs(back), unit)]


def _of_time(result: CopyResult) -> list[PairFact]:
    by_host = result.job.source == HOST and result.job.local
    who = tr("of the host") if by_host else tr("of the device")
    rows = []
    for label, seconds, more in (
        (tr("Time of one copy"), result.seconds, who),
        (tr("Time of the host"), result.seen.host_s, tr("until it is done")),
        (tr("Time to ask for it"), result.seen.asked_s, ""),
    ):
        told = None if seconds is None else duration(seconds)
        if told is not None:
            rows.append(PairFact(label, told.number, f"{told.unit} {more}".strip()))
        elif not result.wrong:
            rows.append(PairFact(label, "", tr("was not measured")))
    return rows


def facts_of(route: Route | None, question: MatrixQuestion) -> list[PairFact]:
    """Of a way and what it could carry."""
    words = "" if route is None else tr(route.words)
    rows = [PairFact(tr("Way"), "", words or tr("the driver has not reported it"))]
    if route is None or question.latency:
        return rows
    label, reason = tr("Limit"), route.limit_reason
    if route.limit is None:
        return [*rows, PairFact(label, "", tr(reason or mark("not known")))]
    local = route.source == route.target
    unit = mark("GB/s: {reason}") if local else mark("GB/s one way: {reason}")
    return [*rows, PairFact(label, gbs(route.limit), tr(unit, reason=reason))]


def path_words(route: Route | None, shape: MachineShape | None, heads: Heads) -> str:
    """From place to place; empty where nothing is known, or nothing is crossed."""
    if route is None or route.source == route.target:
        return ""

    def place(name: str) -> str:
        kind, _, at = name.partition(" ")
        if name in heads:
            return heads[name].words
        if kind == "junction" and shape is not None and int(at) < len(shape.junctions):
            return tr(JUNCTION_WORDS[shape.junctions[int(at)].kind][-1])
        if kind == "hub" and shape is not None and int(at) < len(shape.hubs):
            return tr(HUB_WORDS[shape.hubs[int(at)].kind][-1])
        known = {"memory": tr("host memory"), "socket": tr("processor {number}", number=at)}
        return known.get(kind, name)

    # Of a card of which only its link is known, no place lies between.
    legs = [leg for leg in route.legs if leg.begins and leg.ends]
    told = [place(legs[0].begins)] if legs else []
    for leg in legs:
        rate = "" if leg.rate is None else gbs(leg.rate)
        by = mark("by {wire} ({rate} GB/s one way) to {place}")
        by = by if rate else mark("by {wire} to {place}")
        told.append(tr(by, wire=leg.words, rate=rate, place=place(leg.ends)))
    return tr("The path of the bytes: {path}.", path=", ".join(told)) if told else ""
