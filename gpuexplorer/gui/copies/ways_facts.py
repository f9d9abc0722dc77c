"""Rates of a way over many sizes; the same bytes copied in several ways, and what follows."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from gpuexplorer.copies.jobs import HOST, Kind, job_of, sweep_sizes
from gpuexplorer.copies.result import CopyResult, Curve, curve_of
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Quantity, bytes_words, duration, memory, rate, ratio
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.copies_page import factor_words
from gpuexplorer.gui.plots.curves import DASHES
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.wire import CopyJob

SIZES = sweep_sizes()
_HOW = {Kind.PAGEABLE: mark("pageable"), Kind.STAGED: mark("staged")}
# More bytes would hide what each beginning costs, and more pieces fill the card's queue.
_MOST_BYTES, _COUNTS = 16 << 20, (1, 64, 512)
_MOST_BESIDE = 15  # the host's memory holds the bytes of each
_WORTH_TELLING = 1.1  # so many times as fast, or it is the same
_KEPT, _NONE = 0.95, 0.1  # of its rate: then it shares nothing; of a copy: nothing is hidden
_COMPUTING, _COPYING, _TOGETHER = range(3)
_NOT_YET = mark("not measured yet")

Devices = Mapping[str, BenchDevice]
Results = Mapping[CopyJob, CopyResult]


@dataclass(frozen=True, slots=True)
class SweepWay:
    """From one device to another, "cpu" or "cuda:0", and how."""

    source: str
    target: str
    kind: Kind = Kind.ONE_WAY

    def job(self, size: int) -> CopyJob | None:
        return job_of(self.kind, self.source, self.target, size)

    def how(self, route: Route | None = None) -> str:
        """Empty where there is but one way, or nobody can tell which it is."""
        if self.kind is not Kind.ONE_WAY:
            return tr(_HOW[self.kind])
        if (self.source == HOST) != (self.target == HOST):
            return tr("pinned")
        return "" if self.source == self.target or route is None else tr(route.words)


RouteOf = Callable[[SweepWay], Route | None]


def jobs_of(ways: Sequence[SweepWay]) -> list[CopyJob]:
    """Small sizes first, so that all curves grow beside each other."""
    return [job for size in SIZES for way in ways if (job := way.job(size)) is not None]


def ways_between(source: str, target: str) -> list[SweepWay]:
    ways = [SweepWay(source, target, kind) for kind in (Kind.ONE_WAY, *_HOW)]
    return [way for way in ways if way.job(SIZES[-1]) is not None]


def proposed(devices: Sequence[str], route: RouteOf) -> list[SweepWay]:
    """A few that show what matters most on these devices."""
    cards = [each for each in devices if each != HOST]
    if not cards:
        return [SweepWay(each, each) for each in devices]
    first = cards[0]
    ways = [SweepWay(HOST, first), SweepWay(HOST, first, Kind.PAGEABLE)]
    if len(cards) == 1:
        return [*ways, SweepWay(first, HOST), SweepWay(first, first)]
    across, more = SweepWay(first, cards[1]), SweepWay(first, cards[1], Kind.STAGED)
    # Where the driver itself goes through the host, staging by hand would be the same again.
    if (there := route(across)) is not None and there.direct is False:
        more = SweepWay(first, HOST)
    return [*ways, across, more]


def ends_words(source: str, target: str, devices: Devices) -> str:
    """Such as "host to 0", by the devices' numbers in this window."""
    names = {name: each.chip for name, each in devices.items()} | {HOST: tr("host")}
    if source != target:
        ends = {"source": names.get(source, source), "target": names.get(target, target)}
        return tr("{source} to {target}", **ends)
    inside = mark("inside the host") if source == HOST else mark("inside {device}")
    return tr(inside, device=names.get(source, source))


@dataclass(frozen=True)
class SweepRow:
    """`colour` is the card's whose data it is. No two of a colour have the same `dash`."""

    way: SweepWay
    words: str
    results: Sequence[CopyResult]
    route: Route | None
    colour: int | None
    dash: int

    @cached_property
    def curve(self) -> Curve | None:
        return curve_of(self.results)

    @cached_property
    def times(self) -> Mapping[int, float]:
        return {r.job.bytes: r.seconds for r in self.results if r.seconds is not None}

    @property
    def wrong(self) -> bool:
        return any(each.wrong for each in self.results)

    @property
    def trouble(self) -> str:
        """What was not measured, and why."""
        bad = next((each for each in self.results if each.wrong or each.failure), None)
        if bad is None:
            return ""
        why = tr("arrives WRONG. A wrong copy has no rate.") if bad.wrong else bad.why
        return tr("{size}: {why}", size=bytes_words(bad.job.bytes), why=why)

    @property
    def figures(self) -> Sequence[Quantity | str]:
        """Rate, share of the limit, half-rate size and floor; or why there is none."""
        curve = self.curve
        if curve is None:
            return [self.trouble or tr(_NOT_YET)] * 4
        # Nobody knows what half of the rate is before all sizes were tried.
        half = curve.half_rate_bytes if len(self.results) == len(SIZES) else None
        shares = [each.share for each in self.results if each.share is not None]
        no_share = tr("no limit is known, or all of it fits into the card's cache")
        no_half = tr("no size was below half of the rate, or larger ones are not measured yet")
        no_floor = tr("no size that was measured is small enough")
        return [
            Quantity(gbs(curve.top), "GB/s"),
            ratio(max(shares)) if shares else no_share,
            no_half if half is None else memory(half),
            no_floor if curve.floor is None else duration(curve.floor),
        ]

    def said_at(self, size: int) -> str:
        if size not in self.times:
            return tr("{way} not measured", way=self.words)
        took = self.times[size]
        return f"{self.words} {rate(size / took)}, {duration(took)}"


def rows_of(
    ways: Sequence[SweepWay], results: Results, devices: Devices, route: RouteOf
) -> list[SweepRow]:
    """The fastest first."""
    rows = []
    for at, way in enumerate(ways):
        own = [results[job] for job in jobs_of([way]) if job in results]
        there, words = route(way), ends_words(way.source, way.target, devices)
        how = way.how(there)
        words = tr("{ends}, {how}", ends=words, how=how) if how else words
        colour = devices[way.source].colour if way.source in devices else None
        dash = sum(each.source == way.source for each in ways[:at]) % DASHES
        rows.append(SweepRow(way, words, own, there, colour, dash))
    return sorted(rows, key=lambda row: -row.curve.points[-1].rate if row.curve else 0.0)


class Pair(NamedTuple):
    """What somebody chose to compare, and the cards that there are."""

    source: str
    target: str
    size: int
    cards: Sequence[str]

    @property
    def with_host(self) -> tuple[str, str]:
        """The pair itself, if the host is on one side, or the host and one of its cards."""
        cards = [each for each in (self.target, *self.cards) if each != HOST]
        if not cards:
            raise Trouble("There is no card here to copy to.")
        return self[:2] if (self.source == HOST) != (self.target == HOST) else (HOST, cards[0])

    @property
    def of_cards(self) -> tuple[str, str]:
        """The pair itself, if it is two cards, or one of them with another card."""
        cards = [each for each in dict.fromkeys((*self[:2], *self.cards)) if each != HOST]
        if len(cards) < 2:
            raise Trouble("This takes two cards, and there is no other one here.")
        return cards[0], cards[1]


@dataclass(frozen=True, slots=True)
class Trial:
    """One of the ways that are compared, how it is written in PyTorch, and what it came to."""

    words: str
    job: CopyJob
    code: str = ""
    part: int | None = None  # of a copy beside a computation: which of its times
    result: CopyResult | None = None

    @property
    def wrong(self) -> bool:
        return self.part in (None, _TOGETHER) and bool(self.result and self.result.wrong)

    @property
    def seconds(self) -> float | None:
        if self.result is None or self.part is None:
            return None if self.result is None else self.result.seconds
        return self.result.beside_work and self.result.beside_work[self.part]

    @property
    def rate(self) -> float | None:
        return None if self.result is None or self.part is not None else self.result.rate

    @property
    def trouble(self) -> str:
        """Why it has no time."""
        if self.wrong:
            return tr("It arrives WRONG.")
        return "" if self.seconds else tr((self.result and self.result.why) or _NOT_YET)


class Comparison:
    """`instead`: why another pair, or another size, than was chosen."""

    title = question = instead = ""

    def trials(self, pair: Pair) -> Sequence[Trial]:
        """Raises Trouble where there is nothing to compare."""
        raise NotImplementedError

    def conclude(self, trials: Sequence[Trial]) -> str:
        """Of two rates; empty where too little was measured."""
        low, high = sorted(trials, key=lambda each: each.rate or 0.0)
        if low.rate is None or high.rate is None:
            return ""
        words = mark("The faster way is {high}: {times} times the rate of {low}, {rates}.")
        if high.rate < _WORTH_TELLING * low.rate:
            words = mark("It makes no difference worth mentioning here: {rates}.")
        rates = tr("{high} against {low} GB/s", high=gbs(high.rate), low=gbs(low.rate))
        times = factor_words(high.rate / low.rate)
        return tr(words, high=high.words, low=low.words, times=times, rates=rates)

    def follows(self, trials: Sequence[Trial]) -> str:
        """Of what was measured; or why nothing follows yet."""
        found = {each.job: each.result for each in trials if each.result}.values()
        if not found:
            return tr("Nothing has been measured yet.")
        why = mark("Too little was measured to say what follows.")
        why = next((each.why for each in found if each.failure), why)
        if any(each.wrong for each in found):
            why = mark("A copy arrives WRONG, so there is nothing to compare.")
        return self.conclude(trials) or tr(why)


def _job(ends: tuple[str, str], size: int, mode: str = "copy", **more: Any) -> CopyJob:
    """Pinned where the host and a card take part."""
    pinned = ends[0] != ends[1] if HOST in ends else None
    return CopyJob(*ends, size, mode, **{"pinned": pinned, **more})


class Pinned(Comparison):
    title = mark("Pinned or pageable")
    question = mark("Does the card fetch the bytes itself, or are they put in a buffer first?")
    instead = mark("Only the host's memory can be pinned, so it is one side here.")

    def trials(self, pair: Pair) -> Sequence[Trial]:
        ends, size = pair.with_host, pair.size
        codes = "y_pinned.copy_(x)", "y.copy_(x)"
        if ends[0] == HOST:
            codes = f'x_pinned.to("{ends[1]}")', f'x.to("{ends[1]}")'
        return [
            Trial(tr("pinned"), _job(ends, size), codes[0]),
            Trial(tr("pageable"), _job(ends, size, pinned=False), codes[1]),
        ]


class Staged(Comparison):
    title = mark("Direct or through the host")
    question = mark("Does a copy from card to card gain by not going through the host?")
    instead = mark("There is a choice only between two cards.")

    def trials(self, pair: Pair) -> Sequence[Trial]:
        ends, by_hand = pair.of_cards, tr("piece by piece, pinned memory")
        return [
            Trial(tr("PyTorch's own copy"), _job(ends, pair.size), f'x.to("{ends[1]}")'),
            Trial(tr("staged by hand"), _job(ends, pair.size, "staged"), by_hand),
        ]

    def conclude(self, trials: Sequence[Trial]) -> str:
        plain, staged = trials
        if plain.wrong and staged.rate is not None:
            words = mark("What PyTorch copies arrives WRONG; staged it reaches {rate} GB/s.")
            return tr(words, rate=gbs(staged.rate))
        more = mark("There is no direct path here: the driver goes through the host as well.")
        if plain.result is None or plain.result.direct is not False:
            slower = (plain.rate or 0.0) < (staged.rate or 0.0)
            more = mark("PyTorch takes a direct path all the same.") if slower else ""
        said = super().conclude(trials)
        return paragraph((said, tr(more))) if said else ""


class Overlap(Comparison):
    title = mark("Blocking or beside a computation")
    question = mark("Can the card compute while the bytes are under way?")
    instead = mark("Between cards PyTorch never keeps the host waiting: it is one side here.")

    def trials(self, pair: Pair) -> Sequence[Trial]:
        ends, size = pair.with_host, pair.size
        blocking, overlap = _job(ends, size, "blocking"), _job(ends, size, "overlap")
        code = f'x.to("{ends[1]}")' if ends[0] == HOST else "y.copy_(x)"
        free = f"{code[:-1]}, non_blocking=True)"
        return [
            Trial(tr("the computation alone"), blocking, part=_COMPUTING),
            Trial(tr("the copy alone"), blocking, part=_COPYING),
            Trial(tr("both, blocking"), blocking, code, _TOGETHER),
            Trial(tr("both, non_blocking"), overlap, free, _TOGETHER),
        ]

    def conclude(self, trials: Sequence[Trial]) -> str:
        told, names = [], (mark("A blocking copy"), mark("With non_blocking it"))
        for name, result in zip(names, (each.result for each in trials[2:]), strict=True):
            if result is None or result.beside_work is None or result.hidden is None:
                return ""
            added = max(0.0, result.beside_work[_TOGETHER] - result.beside_work[_COMPUTING])
            words = mark("{copy} adds {time} to the computation: nothing of it is hidden.")
            if result.hidden > _NONE:
                words = mark("{copy} adds {time}: the computation hides {share:.0f} % of it.")
            values = {"copy": tr(name), "time": duration(added), "share": result.hidden * 100}
            told.append(tr(words, **values))
        return paragraph(told)


class Crowd(Comparison):
    """The same with all other cards: into the host from each, or from the source to each."""

    title = mark("One at a time or all at once")
    question = mark("What is left of the rate when other copies use the same wires?")
    instead = mark("A copy has two ends here.")

    def trials(self, pair: Pair) -> Sequence[Trial]:
        ends, size = pair.with_host if pair.source == pair.target else pair[:2], pair.size
        both = tr("both ways at once, each way")
        trials = [
            Trial(tr("alone"), _job(ends, size)),
            Trial(both, _job(ends, size, both_ways=True)),
        ]
        others = [each for each in pair.cards if each not in ends][:_MOST_BESIDE]
        if others:
            into = ends[1] == HOST
            beside = tuple((each, HOST) if into else (ends[0], each) for each in others)
            words = trn("beside another card", "beside {count} other cards", len(others))
            trials.append(Trial(words, _job(ends, size, beside=beside)))
        return trials

    def conclude(self, trials: Sequence[Trial]) -> str:
        told = []
        for trial in trials[1:]:
            result, rate, alone = trial.result, trial.rate, trials[0].rate
            if result is None or rate is None or alone is None:
                continue
            lanes = (result.seen.back_samples_s, *result.seen.beside_samples_s)
            total = rate + sum(result.bytes / statistics.median(each) for each in lanes if each)
            words = mark("On a wire with others it keeps {kept:.0f} %: {total} GB/s in all.")
            if not result.at_once:
                words = mark("{way}: at once for {share:.0f} % only, so nothing follows.")
            elif result.job.both_ways:
                words = mark("Both ways at once it keeps {kept:.0f} %: {total} GB/s in all.")
            elif rate >= _KEPT * alone:
                words = mark("It shares no wire with the others: {total} GB/s in all.")
            kept, share = rate / alone * 100, (result.overlap or 0.0) * 100
            told.append(tr(words, way=trial.words, kept=kept, share=share, total=gbs(total)))
        return paragraph(told)


class Pieces(Comparison):
    title = mark("One large or many small")
    question = mark("Is it worth putting small tensors together before they are copied?")
    instead = mark("Fewer bytes: with more, the cost of starting each copy would not show.")

    def trials(self, pair: Pair) -> Sequence[Trial]:
        size, trials = min(pair.size, _MOST_BYTES), []
        for count in _COUNTS:
            each = bytes_words(size // count)
            words = trn("{count} piece of {size}", "{count} pieces of {size}", count, size=each)
            code = "" if count > 1 else "y.copy_(x)"
            trials.append(Trial(words, _job(pair[:2], size, pieces=count), code))
        return trials

    def conclude(self, trials: Sequence[Trial]) -> str:
        whole = trials[0].seconds
        cut = [(each.job.pieces, each.seconds) for each in trials[1:] if each.seconds]
        if whole is None or not cut:
            return ""
        count, seconds = max(cut)
        words = mark(
            "In {count} pieces the same bytes take {times} times as long: each further piece "
            "costs {each}, however small it is."
        )
        if seconds < _WORTH_TELLING * whole:
            words = mark("Cutting it into {count} pieces makes no difference worth mentioning.")
        each, times = duration((seconds - whole) / (count - 1)), factor_words(seconds / whole)
        return tr(words, count=count, times=times, each=each)


COMPARISONS = Pinned(), Staged(), Overlap(), Crowd(), Pieces()
