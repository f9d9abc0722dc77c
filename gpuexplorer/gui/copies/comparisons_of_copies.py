"""COMPARISONS: the same bytes in several ways beside each other, and what follows from it."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuexplorer.copies.jobs import HOST, refusal
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.shared_parts import factor_words, size_words
from gpuexplorer.lab.wire import CopyJob

# More bytes would hide what each beginning costs, and more pieces fill the card's queue.
_MOST_BYTES, _COUNTS = 16 << 20, (1, 64, 512)
_MOST_BESIDE = 15  # the host's memory holds the bytes of each
_WORTH_TELLING = 1.1  # so many times as fast, or it is the same
_KEPT, _NONE = 0.95, 0.1  # of its rate: then it shares nothing; of a copy: nothing is hidden
NO_CARD = mark("There is no card here to copy to.")
ONE_CARD = mark("This takes two cards, and there is one here.")
NOT_YET = mark("not measured yet")

Found = Sequence[CopyResult | None]  # one for each trial; None was not measured yet


@dataclass(frozen=True, slots=True)
class Pair:
    """What somebody chose to compare, and the cards that there are."""

    source: str
    target: str
    size: int
    cards: Sequence[str]

    @property
    def with_host(self) -> tuple[str, str]:
        """The pair itself, if the host is on one side, or the host and one of its cards."""
        if (self.source == HOST) != (self.target == HOST):
            return self.source, self.target
        card = next((each for each in (self.target, *self.cards) if each != HOST), None)
        if card is None:
            raise Trouble(NO_CARD)
        return HOST, card

    @property
    def of_cards(self) -> tuple[str, str]:
        """The pair itself, if it is two cards, or one of them with another card."""
        chosen = [each for each in dict.fromkeys((self.source, self.target)) if each != HOST]
        both = (*chosen, *(each for each in self.cards if each not in chosen))[:2]
        if len(both) < 2:
            raise Trouble(ONE_CARD)
        turned = self.source == HOST and len(chosen) == 1
        return (both[1], both[0]) if turned else (both[0], both[1])


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
    remark: str = ""  # why it is not what was chosen

    @property
    def jobs(self) -> Sequence[CopyJob]:
        return [trial.job for trial in self.trials]


@dataclass(frozen=True, slots=True)
class WayBar:
    """Without seconds there is the reason: it arrived wrong, or `trouble`."""

    trial: Trial
    result: CopyResult | None = None
    seconds: float | None = None
    trouble: str = ""

    @property
    def rate(self) -> float | None:
        return None if self.result is None else self.result.rate

    @property
    def wrong(self) -> bool:
        return self.result is not None and self.result.wrong

    @property
    def said(self) -> str:
        """For whoever does not see it."""
        told = [f"{gbs(self.rate)} GB/s"] if self.rate else []
        told += [str(duration(self.seconds))] if self.seconds else []
        figures = ", ".join(told) or (tr("WRONG") if self.wrong else self.trouble)
        return tr("{way}: {figures}", way=self.trial.words, figures=figures)


def bars_of(trials: Sequence[Trial], found: Found) -> list[WayBar]:
    return [_bar(*each) for each in zip(trials, found, strict=True)]


def _bar(trial: Trial, result: CopyResult | None, seconds: float | None = None) -> WayBar:
    if result is None:
        return WayBar(trial, None, None, tr(NOT_YET))
    seconds = seconds or result.seconds
    why = tr("It arrives WRONG.") if result.wrong else "" if seconds else tr(result.why)
    return WayBar(trial, result, None if result.wrong else seconds, why)


@dataclass(frozen=True, slots=True)
class Comparison:
    """`trials` raises Trouble where there is nothing to compare; `conclude` gives "" where too
    little was measured; `instead`: why another pair, or another size, than was chosen.
    """

    name: str
    title: str
    question: str
    trials: Callable[[Pair], Sequence[Trial]]
    conclude: Callable[[Found], str]
    instead: str = ""
    bars: Callable[[Sequence[Trial], Found], Sequence[WayBar]] = bars_of

    def set_up(self, pair: Pair) -> Setup:
        try:
            trials = self.trials(pair)
        except Trouble as trouble:
            return Setup(refusal=trouble.told)
        refused = [why for each in trials if (why := refusal(each.job))]
        if len(trials) - len(refused) < 2:
            return Setup(refusal=tr(refused[0] if refused else NO_CARD))
        job = trials[0].job
        same = (job.source, job.target, job.bytes) == (pair.source, pair.target, pair.size)
        return Setup(trials, remark="" if same else tr(self.instead))


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
    too_little = tr("Too little was measured to say what follows.")
    return too_little if failed is None else tr(failed.why)


def _job(ends: tuple[str, str], size: int, mode: str = "copy", **more: Any) -> CopyJob:
    """Pinned where the host and a card take part."""
    pinned = ends[0] != ends[1] if HOST in ends else None
    return CopyJob(*ends, size, mode, **{"pinned": pinned, **more})


def _rates(found: Found) -> list[float | None]:
    return [None if each is None else each.rate for each in found]


def _times(found: Found) -> list[float | None]:
    return [None if each is None else each.seconds for each in found]


def _pinned_trials(pair: Pair) -> Sequence[Trial]:
    ends, size = pair.with_host, pair.size
    codes = "y_pinned.copy_(x)", "y.copy_(x)"
    if ends[0] == HOST:
        codes = f'x_pinned.to("{ends[1]}")', f'x.to("{ends[1]}")'
    return [
        Trial(tr("pinned"), _job(ends, size), codes[0]),
        Trial(tr("pageable"), _job(ends, size, pinned=False), codes[1]),
    ]


def _of_pinned(found: Found) -> str:
    pinned, pageable = _rates(found)
    rates = {"pinned": gbs(pinned or 0.0), "pageable": gbs(pageable or 0.0)}
    return _compared(
        pinned,
        pageable,
        mark("Pinned memory is {times} times as fast as pageable: {figures}."),
        mark("Pageable memory is {times} times as fast as pinned here: {figures}."),
        mark("Pinning makes no difference worth mentioning here: {figures}."),
        figures=tr("{pinned} against {pageable} GB/s", **rates),
    )


def _staged_trials(pair: Pair) -> Sequence[Trial]:
    ends = pair.of_cards
    by_hand = tr("piece by piece, pinned memory")
    return [
        Trial(tr("as PyTorch copies"), _job(ends, pair.size), f'x.to("{ends[1]}")'),
        Trial(tr("staged by hand"), _job(ends, pair.size, "staged"), by_hand),
    ]


def _of_staged(found: Found) -> str:
    (plain, staged), first = _rates(found), found[0]
    if first is not None and first.wrong and staged is not None:
        goes_on = mark("What PyTorch copies arrives WRONG; staged it goes on at {rate} GB/s.")
        return tr(goes_on, rate=gbs(staged))
    if plain is None or staged is None or first is None:
        return ""
    rates = {"plain": gbs(plain), "staged": gbs(staged)}
    if first.direct is False:
        through = mark(
            "There is no direct path between these two: the driver takes the bytes through the "
            "host as well, {plain} against {staged} GB/s."
        )
        return tr(through, **rates)
    return _compared(
        plain,
        staged,
        mark(
            "The direct path is {times} times as fast as the way through the host: {plain} "
            "against {staged} GB/s."
        ),
        mark(
            "Direct is slower here: staged is {times} times as fast, {staged} against {plain} "
            "GB/s. PyTorch takes the direct path as soon as there is one."
        ),
        mark("Both ways are about as fast: {plain} against {staged} GB/s."),
        **rates,
    )


def _pieces_trials(pair: Pair) -> Sequence[Trial]:
    ends, size = (pair.source, pair.target), min(pair.size, _MOST_BYTES)
    trials = []
    for count in _COUNTS:
        if count <= size:
            each = size_words(size // count)
            words = trn("{count} piece of {size}", "{count} pieces of {size}", count, size=each)
            code = "" if count > 1 else "y.copy_(x)"
            trials.append(Trial(words, _job(ends, size, pieces=count), code))
    return trials


def _of_pieces(found: Found) -> str:
    whole = _times(found)[0]
    cut = [(each.job.pieces, each.seconds) for each in found[1:] if each and each.seconds]
    if whole is None or not cut:
        return ""
    count, seconds = max(cut)
    if seconds < _WORTH_TELLING * whole:
        alike = mark("Cutting it into {count} pieces makes no difference worth mentioning.")
        return tr(alike, count=count)
    return tr(
        "In {count} pieces the same bytes take {times} times as long: each further piece costs "
        "{each}, however small it is.",
        count=count,
        times=factor_words(seconds / whole),
        each=str(duration((seconds - whole) / (count - 1))),
    )


def _crowd_trials(pair: Pair) -> Sequence[Trial]:
    """The same with all other cards: into the host from each, or from the source to each."""
    ends, size = (pair.source, pair.target), pair.size
    ends = pair.with_host if pair.source == pair.target else ends
    trials = [
        Trial(tr("alone"), _job(ends, size)),
        Trial(tr("both ways at once, each way"), _job(ends, size, both_ways=True)),
    ]
    others = [each for each in pair.cards if each not in ends][:_MOST_BESIDE]
    if others:
        into = ends[1] == HOST
        beside = tuple((each, HOST) if into else (ends[0], each) for each in others)
        words = trn("beside a copy of another card", "beside {count} other cards", len(others))
        trials.append(Trial(words, _job(ends, size, beside=beside)))
    return trials


def _of_crowd(found: Found) -> str:
    alone, told = _rates(found)[0], []
    for each in found[1:] if alone else ():
        if each is None:
            continue
        if not each.at_once:
            told.append(_apart(each))
        elif each.rate is not None and alone and not each.job.both_ways:
            told.append(_crowded(each, each.rate, each.rate / alone))
        elif each.rate is not None and alone and each.back_rate is not None:
            rates = {"share": each.rate / alone * 100, "sum": gbs(each.rate + each.back_rate)}
            free = mark("The way back costs nothing: {sum} GB/s there and back.")
            kept = mark("Both ways at once it keeps {share:.0f} %: {sum} GB/s there and back.")
            told.append(tr(free if each.rate / alone >= _KEPT else kept, **rates))
    return paragraph(told)


def _apart(result: CopyResult) -> str:
    words = mark(
        "It and the others were under way together for {share:.0f} % of the shortest only, so "
        "nothing follows from their rates."
    )
    if result.job.both_ways:
        words = mark(
            "There and back were under way together for {share:.0f} % of the shorter only, so "
            "nothing follows from their rates."
        )
    return tr(words, share=(result.overlap or 0.0) * 100)


def _crowded(many: CopyResult, rate: float, share: float) -> str:
    lanes = () if many.measured is None else many.measured.beside_samples_s
    total = gbs(rate + sum(many.bytes / statistics.median(each) for each in lanes if each))
    kept = tr("Beside the others it keeps its rate: they share no wire.")
    if share < _KEPT:
        shares = mark("Beside the others it keeps {share:.0f} %: they share a wire.")
        kept = tr(shares, share=share * 100)
    both = mark("Both together reach {total} GB/s.")
    everyone = mark("All {count} together reach {total} GB/s.")
    count = len(many.job.beside) + 1
    return paragraph((kept, tr(everyone if count > 2 else both, count=count, total=total)))


def _overlap_trials(pair: Pair) -> Sequence[Trial]:
    ends = pair.with_host
    code = f'x.to("{ends[1]}")' if ends[0] == HOST else "y.copy_(x)"
    return [
        Trial(tr("blocking"), _job(ends, pair.size, "blocking"), code),
        Trial(
            tr("non_blocking"),
            _job(ends, pair.size, "overlap"),
            f"{code[:-1]}, non_blocking=True)",
        ),
    ]


def _overlap_bars(trials: Sequence[Trial], found: Found) -> Sequence[WayBar]:
    first = found[0] and found[0].beside_work
    alone = tr("the computation alone"), tr("the copy alone")
    parts = [
        WayBar(Trial(words, trials[0].job), None, seconds, tr(NOT_YET))
        for words, seconds in zip(alone, (first or (None, None))[:2], strict=True)
    ]
    for trial, result in zip(trials, found, strict=True):
        both = Trial(tr("both, {way}", way=trial.words), trial.job, trial.code)
        times = None if result is None else result.beside_work
        bar = _bar(both, result, times[2] if times else None)
        parts.append(WayBar(both, result if bar.wrong else None, bar.seconds, bar.trouble))
    return parts


def _of_overlap(found: Found) -> str:
    names = mark("A blocking copy"), mark("With non_blocking it")
    told = []
    for name, result in zip(names, found, strict=True):
        if result is None or result.beside_work is None or result.hidden is None:
            return ""
        computing, _, together = result.beside_work
        adds = mark("{copy} adds {time} to the computation: nothing of it is hidden.")
        if result.hidden > _NONE:
            adds = mark(
                "{copy} adds {time}: {share:.0f} % of it is hidden behind the computation."
            )
        added = str(duration(max(0.0, together - computing)))
        told.append(tr(adds, copy=tr(name), time=added, share=result.hidden * 100))
    return paragraph(told)


def _compared(
    one: float | None, other: float | None, more: str, less: str, alike: str, **values: str
) -> str:
    """Which of three sentences follows from two figures; none where one of them is missing.
    `{times}` is how many times the larger is as large.
    """
    if one is None or other is None:
        return ""
    if max(one, other) < _WORTH_TELLING * min(one, other):
        return tr(alike, **values)
    times = factor_words(max(one, other) / min(one, other))
    return tr(more if one > other else less, times=times, **values)


PINNED = Comparison(
    "pinned",
    mark("Pinned or pageable"),
    mark("Does the card fetch the bytes itself, or are they copied to a buffer first?"),
    _pinned_trials,
    _of_pinned,
    mark("Only the host's memory can be pinned, so it is one side here."),
)
STAGED = Comparison(
    "staged",
    mark("Direct or through the host"),
    mark("Does a copy from card to card gain by not going through the host's memory?"),
    _staged_trials,
    _of_staged,
    mark("There is a choice only between two cards."),
)
OVERLAP = Comparison(
    "overlap",
    mark("Blocking or beside a computation"),
    mark("Can the card compute while the bytes are under way?"),
    _overlap_trials,
    _of_overlap,
    mark("Between cards PyTorch never keeps the host waiting, so the host is one side here."),
    _overlap_bars,
)
CROWD = Comparison(
    "crowd",
    mark("One at a time or all at once"),
    mark("What is left of the rate when other copies use the same wires?"),
    _crowd_trials,
    _of_crowd,
    mark("A copy has two ends here."),
)
PIECES = Comparison(
    "pieces",
    mark("One large or many small"),
    mark("Is it worth putting small tensors together before they are copied?"),
    _pieces_trials,
    _of_pieces,
    mark("Fewer bytes here: with more, the cost of starting each copy would not show."),
)
COMPARISONS = (PINNED, STAGED, OVERLAP, CROWD, PIECES)
