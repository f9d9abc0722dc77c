"""Comparison: the same bytes in several ways beside each other, and what follows from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.copies.jobs import HOST, refusal
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import Quantity, duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.sweep_ways import ends_words
from gpuexplorer.lab.wire import CopyJob

NO_CARD = mark("There is no card here to copy to.")
NOT_YET = mark("not measured yet")
# One for each trial, in their order; None was not measured yet.
Found = Sequence[CopyResult | None]


@dataclass(frozen=True, slots=True)
class Pair:
    """What somebody chose to compare, and what else there is."""

    source: str
    target: str
    size: int
    devices: Sequence[str]
    chips: Mapping[str, str]

    @property
    def cards(self) -> Sequence[str]:
        return [each for each in self.devices if each != HOST]

    def words(self, source: str, target: str) -> str:
        return ends_words(source, target, self.chips)


@dataclass(frozen=True, slots=True)
class Trial:
    """One of the ways; `code` is how it is written in PyTorch."""

    words: str
    job: CopyJob
    code: str = ""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is measured for a pair, or the sentence why nothing can be."""

    trials: Sequence[Trial] = ()
    refusal: str = ""
    remark: str = ""  # why it is not the pair that was chosen

    @property
    def source(self) -> str:
        return self.trials[0].job.source if self.trials else ""

    @property
    def target(self) -> str:
        return self.trials[0].job.target if self.trials else ""

    @property
    def jobs(self) -> Sequence[CopyJob]:
        return [trial.job for trial in self.trials]


@dataclass(frozen=True, slots=True)
class ComparedWay:
    """`share` of the longest; None: there is none, and `trouble` says why."""

    words: str
    code: str = ""
    job: CopyJob | None = None
    share: float | None = None
    limit: float | None = None  # where the wire ends, on the same scale
    limit_words: str = ""
    first: Quantity | None = None
    second: Quantity | None = None
    trouble: str = ""
    wrong: bool = False

    @property
    def said(self) -> str:
        """For whoever does not see it."""
        told = [str(each) for each in (self.first, self.second) if each is not None]
        if self.wrong:
            told.append(tr("WRONG"))
        figures = ", ".join(told) or self.trouble
        return tr("{way}: {figures}", way=self.words, figures=figures)


def rate_bars(setup: Setup, found: Found) -> list[ComparedWay]:
    """GB/s, and the time that it takes."""
    limits = [each.limit for each in found if each is not None]
    longest = max(
        (rate for rate in (*rates_of(found), *limits) if rate),
        default=0.0,
    )
    return [_rate_bar(*each, longest) for each in zip(setup.trials, found, strict=True)]


def _rate_bar(trial: Trial, result: CopyResult | None, longest: float) -> ComparedWay:
    way = ComparedWay(trial.words, trial.code, trial.job)
    if result is None:
        return replace(way, trouble=tr(NOT_YET))
    if result.wrong:
        why = tr("It arrives WRONG. A wrong copy has no rate.")
        return replace(way, trouble=why, wrong=True)
    if result.rate is None or result.seconds is None:
        return replace(way, trouble=tr(result.why))
    words, limit = "", result.limit
    if result.route is not None and limit is not None:
        reason = result.route.limit_reason
        words = tr("{reason}, {rate} GB/s", reason=reason, rate=gbs(limit))
    return replace(
        way,
        share=result.rate / longest,
        limit=None if limit is None else limit / longest,
        limit_words=words,
        first=Quantity(gbs(result.rate), "GB/s"),
        second=duration(result.seconds),
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """`conclude` gives "" where too little was measured to say anything."""

    name: str
    title: str
    question: str
    set_up: Callable[[Pair], Setup]
    conclude: Callable[[Found], str]
    bars: Callable[[Setup, Found], Sequence[ComparedWay]] = rate_bars


def set_up(trials: Sequence[Trial], remark: str = "") -> Setup:
    """Where fewer than two of them can be asked for, why there is nothing to compare."""
    refused = [why for each in trials if (why := refusal(each.job))]
    if len(trials) - len(refused) > 1:
        return Setup(trials, remark=remark)
    return Setup(refusal=tr(refused[0] if refused else NO_CARD))


def host_pair(pair: Pair) -> tuple[str, str] | None:
    """The pair itself, if the host is on one side, or the host and one of its cards."""
    if (pair.source == HOST) != (pair.target == HOST):
        return pair.source, pair.target
    if pair.target != HOST:
        return HOST, pair.target
    return (HOST, pair.cards[0]) if pair.cards else None


def card_pair(pair: Pair) -> tuple[str, str] | None:
    """The pair itself, if it is two cards, or one of them with another card."""
    chosen = [each for each in dict.fromkeys((pair.source, pair.target)) if each != HOST]
    if len(chosen) == 2:
        return chosen[0], chosen[1]
    others = [each for each in pair.cards if each not in chosen]
    if not chosen and len(others) > 1:
        return others[0], others[1]
    if not chosen or not others:
        return None
    return (others[0], chosen[0]) if pair.target == chosen[0] else (chosen[0], others[0])


def remark_of(pair: Pair, used: tuple[str, str], why: str) -> str:
    return "" if used == (pair.source, pair.target) else tr(why)


def pinned_for(source: str, target: str) -> bool | None:
    """Pinned where the host and a card take part."""
    return source != target if HOST in (source, target) else None


def seconds_of(found: Found) -> list[float | None]:
    return [None if each is None else each.seconds for each in found]


def rates_of(found: Found) -> list[float | None]:
    return [None if each is None else each.rate for each in found]
