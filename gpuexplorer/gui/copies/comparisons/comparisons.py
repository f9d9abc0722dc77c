"""COMPARISONS: all that are offered, in the order in which they are shown."""

from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.comparisons.model import (
    NO_CARD,
    NOT_YET,
    ComparedWay,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    card_pair,
    host_pair,
    pinned_for,
    remark_of,
    set_up,
)
from gpuexplorer.gui.copies.comparisons.words import (
    of_crowd,
    of_overlap,
    of_pieces,
    of_pinned,
    of_staged,
)
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.lab.wire import CopyJob

# More bytes would hide what each beginning costs, and more pieces fill the card's queue.
_MOST_BYTES = 16 << 20
_COUNTS = (1, 64, 512)
_MOST_BESIDE = 15  # the host's memory holds the bytes of each
ONE_CARD = mark("This takes two cards, and there is one here.")
_NO_TIME = mark("how long the computation took was not reported")
# Why it is not the pair, or not the size, that was chosen.
_BETWEEN_CARDS = mark("There is a choice only between two cards.")
_HOST_SIDE = mark("Only the host's memory can be pinned, so it is one side here.")
_TWO_ENDS = mark("A copy has two ends here.")
_WITH_HOST = mark(
    "Between cards PyTorch never keeps the host waiting, so the host is one side here."
)
_LESS = mark("Fewer bytes here: with more, the cost of starting each copy would not show.")


def _pinned_set_up(pair: Pair) -> Setup:
    ends, size = host_pair(pair), pair.size
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    pinned, plain = "y_pinned.copy_(x)", "y.copy_(x)"
    if ends[0] == HOST:
        to = f'to("{ends[1]}")'
        pinned, plain = f"x_pinned.{to}", f"x.{to}"
    return set_up(
        [
            Trial(tr("pinned"), CopyJob(*ends, size, pinned=True), pinned),
            Trial(tr("pageable"), CopyJob(*ends, size, pinned=False), plain),
        ],
        remark_of(pair, ends, _HOST_SIDE),
    )


PINNED = Comparison(
    "pinned",
    mark("Pinned or pageable"),
    mark("Does the card fetch the bytes itself, or are they copied to a buffer first?"),
    _pinned_set_up,
    of_pinned,
)


def _staged_set_up(pair: Pair) -> Setup:
    ends = card_pair(pair)
    if ends is None:
        return Setup(refusal=tr(ONE_CARD))
    plain, staged = CopyJob(*ends, pair.size), CopyJob(*ends, pair.size, "staged")
    return set_up(
        [
            Trial(tr("as PyTorch copies"), plain, f'x.to("{ends[1]}")'),
            Trial(tr("staged by hand"), staged, tr("piece by piece, pinned memory")),
        ],
        remark_of(pair, ends, _BETWEEN_CARDS),
    )


STAGED = Comparison(
    "staged",
    mark("Direct or through the host"),
    mark("Does a copy from card to card gain by not going through the host's memory?"),
    _staged_set_up,
    of_staged,
)


def _pieces_set_up(pair: Pair) -> Setup:
    ends, size = (pair.source, pair.target), min(pair.size, _MOST_BYTES)
    trials = []
    for count in _COUNTS:
        if count <= size:
            each = size_words(size // count)
            words = trn("{count} piece of {size}", "{count} pieces of {size}", count, size=each)
            job = CopyJob(*ends, size, pinned=pinned_for(*ends), pieces=count)
            trials.append(Trial(words, job, "" if count > 1 else "y.copy_(x)"))
    return set_up(trials, "" if size == pair.size else tr(_LESS))


PIECES = Comparison(
    "pieces",
    mark("One large or many small"),
    mark("Is it worth putting small tensors together before they are copied?"),
    _pieces_set_up,
    of_pieces,
)


def _crowd_set_up(pair: Pair) -> Setup:
    same = pair.source == pair.target
    ends = host_pair(pair) if same else (pair.source, pair.target)
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    size, pinned = pair.size, pinned_for(*ends)
    both = CopyJob(*ends, size, pinned=pinned, both_ways=True)
    trials = [
        Trial(tr("alone"), CopyJob(*ends, size, pinned=pinned)),
        Trial(tr("both ways at once, each way"), both),
    ]
    # The same with all other cards: into the host from each, or from the source to each.
    others = [each for each in pair.cards if each not in ends][:_MOST_BESIDE]
    if others:
        beside = tuple((ends[0], each) for each in others)
        words = trn(
            "beside copies to another card", "beside copies to {count} other cards", len(others)
        )
        if ends[1] == HOST:
            beside = tuple((each, HOST) for each in others)
            words = trn(
                "beside copies from another card",
                "beside copies from {count} other cards",
                len(others),
            )
        trials.append(Trial(words, CopyJob(*ends, size, pinned=pinned, beside=beside)))
    return set_up(trials, remark_of(pair, ends, _TWO_ENDS))


CROWD = Comparison(
    "crowd",
    mark("One at a time or all at once"),
    mark("What is left of the rate when other copies use the same wires?"),
    _crowd_set_up,
    of_crowd,
)


def _overlap_set_up(pair: Pair) -> Setup:
    ends = host_pair(pair)
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    code = f'x.to("{ends[1]}")' if ends[0] == HOST else "y.copy_(x)"
    aside = f"{code[:-1]}, non_blocking=True)"
    blocking = CopyJob(*ends, pair.size, "blocking", pinned=True)
    overlap = CopyJob(*ends, pair.size, "overlap", pinned=True)
    return set_up(
        [Trial(tr("blocking"), blocking, code), Trial(tr("non_blocking"), overlap, aside)],
        remark_of(pair, ends, _WITH_HOST),
    )


def _overlap_bars(setup: Setup, found: Found) -> Sequence[ComparedWay]:
    known = [None if each is None else each.beside_work for each in found]
    longest = max((max(each) for each in known if each is not None), default=0.0)
    computing, copying, _ = known[0] or (None, None, None)

    def bar(way: ComparedWay, seconds: float | None) -> ComparedWay:
        if seconds is None:
            return replace(way, trouble=tr(NOT_YET))
        return replace(way, share=seconds / longest, second=duration(seconds))

    bars = [
        bar(ComparedWay(tr("the computation alone")), computing),
        bar(ComparedWay(tr("the copy alone")), copying),
    ]
    for trial, result, times in zip(setup.trials, found, known, strict=True):
        way = ComparedWay(tr("both, {way}", way=trial.words), trial.code, trial.job)
        if times is not None or result is None:
            bars.append(bar(way, times[2] if times else None))
        elif result.wrong:
            why = tr("It arrives WRONG. A wrong copy has no time.")
            bars.append(replace(way, trouble=why, wrong=True))
        else:
            bars.append(replace(way, trouble=tr(result.why or _NO_TIME)))
    return bars


OVERLAP = Comparison(
    "overlap",
    mark("Blocking or beside a computation"),
    mark("Can the card compute while the bytes are under way?"),
    _overlap_set_up,
    of_overlap,
    _overlap_bars,
)

COMPARISONS = (PINNED, STAGED, OVERLAP, CROWD, PIECES)
