"""Comparison: the same bytes in several ways beside each other, and what follows from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST, refusal
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.wording.copies.sweep.ways import between_words, inside_words
from gpuexplorer.lab.copy_job import CopyJob

NO_CARD = mark("There is no card here to copy to.")
ONE_CARD = mark("This takes two cards, and there is one here.")
NOT_YET = mark("not measured yet")
NOTHING = mark("Nothing was measured yet.")
WORTH_TELLING = 1.1  # so many times as fast, or it is the same


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
        if source == target:
            return inside_words(source, self.chips)
        return between_words(source, target, self.chips)


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
class Bar:
    """`share` of the longest; None: there is none, and `trouble` says why."""

    words: str
    code: str = ""
    share: float | None = None
    limit: float | None = None  # where the wire ends, on the same scale
    limit_words: str = ""
    first: Quantity | None = None
    second: Quantity | None = None
    trouble: str = ""
    wrong: bool = False
    job: CopyJob | None = None
    awaited: bool = False  # it was not measured yet

    @property
    def said(self) -> str:
        """For whoever does not see it."""
        told = [str(each) for each in (self.first, self.second) if each is not None]
        if self.wrong:
            told.append(tr("WRONG"))
        figures = ", ".join(told) or self.trouble
        return tr("{way}: {figures}", way=self.words, figures=figures)


# One for each trial, in their order; None was not measured yet.
Found = Sequence[CopyResult | None]


def rate_bars(setup: Setup, found: Found) -> list[Bar]:
    """GB/s, and the time that it takes."""
    rates = [each.rate for each in found if each is not None and each.rate is not None]
    limits = [each.limit for each in found if each is not None and each.limit is not None]
    longest = max([*rates, *limits], default=0.0)
    return [_rate_bar(*each, longest) for each in zip(setup.trials, found, strict=True)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`conclude` gives "" where too little was measured to say anything."""

    name: str
    title: str
    question: str
    set_up: Callable[[Pair], Setup]
    conclude: Callable[[Found], str]
    bars: Callable[[Setup, Found], Sequence[Bar]] = rate_bars


def unsaid(found: Found) -> str:
    """Why nothing follows yet."""
    wrong = sum(each is not None and each.wrong for each in found)
    if wrong:
        return trn(
            "One copy arrives WRONG, so there is nothing to compare.",
            "{count} copies arrive WRONG, so there is nothing to compare.",
            wrong,
        )
    failed = next((each for each in found if each is not None and each.failure), None)
    if failed is not None:
        return tr(failed.why)
    return tr("Too little was measured to say what follows.")


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


def two_ends(pair: Pair) -> tuple[str, str] | None:
    """The pair itself, if it has two ends."""
    if pair.source != pair.target:
        return pair.source, pair.target
    return host_pair(pair)


def remark_of(pair: Pair, used: tuple[str, str], why: str) -> str:
    return "" if used == (pair.source, pair.target) else tr(why)


def pinned_for(source: str, target: str) -> bool | None:
    """Pinned where the host and a card take part."""
    if HOST not in (source, target):
        return None
    return source != target


def seconds_of(found: Found, at: int) -> float | None:
    result = found[at] if at < len(found) else None
    return None if result is None else result.seconds


def rate_of(found: Found, at: int) -> float | None:
    result = found[at] if at < len(found) else None
    return None if result is None else result.rate


def times_words(factor: float) -> str:
    """How many times; without the word."""
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:.0f}"


def gbs(rate: float) -> str:
    return gigabytes_per_second(rate)


def _rate_bar(trial: Trial, result: CopyResult | None, longest: float) -> Bar:
    if result is None:
        return Bar(trial.words, trial.code, trouble=tr(NOT_YET), job=trial.job, awaited=True)
    if result.rate is None or result.seconds is None:
        why = tr(result.why)
        if result.wrong:
            why = tr("It arrives WRONG. A wrong copy has no rate.")
        return Bar(trial.words, trial.code, trouble=why, wrong=result.wrong, job=trial.job)
    limit = None if result.limit is None else result.limit / longest
    words = ""
    if result.route is not None and result.limit is not None:
        words = tr(
            "{reason}, {rate} GB/s", reason=result.route.limit_reason, rate=gbs(result.limit)
        )
    return Bar(
        trial.words,
        trial.code,
        result.rate / longest,
        limit,
        words,
        Quantity(gbs(result.rate), "GB/s"),
        duration(result.seconds),
        job=trial.job,
    )
