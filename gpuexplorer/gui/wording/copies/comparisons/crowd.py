"""One copy at a time against several at once: who shares a wire with whom."""

import statistics

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NO_CARD,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    gbs,
    pinned_for,
    rate_of,
    remark_of,
    set_up,
    two_ends,
)
from gpuexplorer.lab.copy_job import CopyJob

_MOST_BESIDE = 15  # the host's memory holds the bytes of each
_KEPT = 0.95  # of its rate: then it shares nothing
_WHY = "A copy has two ends here."


def _set_up(pair: Pair) -> Setup:
    ends = two_ends(pair)
    if ends is None:
        return Setup(refusal=NO_CARD)
    pinned = pinned_for(*ends)
    trials = [
        Trial("alone", CopyJob(*ends, pair.size, pinned=pinned)),
        Trial("both ways at once", CopyJob(*ends, pair.size, pinned=pinned, both_ways=True)),
    ]
    beside = _beside(pair, *ends)
    if beside:
        many = len(beside)
        others = "another card" if many == 1 else f"{many} other cards"
        into = ends[1] == HOST
        words = f"beside copies {'from' if into else 'to'} {others}"
        job = CopyJob(*ends, pair.size, pinned=pinned, beside=beside)
        trials.append(Trial(words, job))
    return set_up(trials, remark_of(pair, ends, _WHY))


def _beside(pair: Pair, source: str, target: str) -> tuple[tuple[str, str], ...]:
    """The same with all other cards: into the host from each, or from the source to each."""
    others = [each for each in pair.cards if each not in (source, target)][:_MOST_BESIDE]
    if target == HOST:
        return tuple((each, HOST) for each in others)
    return tuple((source, each) for each in others)


def _conclude(found: Found) -> str:
    alone = rate_of(found, 0)
    if alone is None:
        return ""
    told = []
    both = found[1] if len(found) > 1 else None
    if both is not None and both.rate is not None and both.back_rate is not None:
        share = both.rate / alone
        sums = f"{gbs(both.rate + both.back_rate)} GB/s there and back"
        if share >= _KEPT:
            told.append(f"The way back costs nothing: {sums}.")
        else:
            told.append(f"Both ways at once it keeps {share * 100:.0f} %: {sums}.")
    many = found[2] if len(found) > 2 else None
    if many is not None and many.rate is not None:
        told.append(_crowded(many, many.rate, alone))
    return " ".join(told)


def _crowded(many: CopyResult, rate: float, alone: float) -> str:
    total = rate + _rate_beside(many)
    share = rate / alone
    count = len(many.job.beside) + 1
    all_of_them = "both" if count == 2 else f"all {count}"
    together = f"{all_of_them} together reach {gbs(total)} GB/s"
    if share >= _KEPT:
        return f"Beside the others it keeps its rate: they share no wire, and {together}."
    return f"Beside the others it keeps {share * 100:.0f} %: they share a wire; {together}."


def _rate_beside(result: CopyResult) -> float:
    lanes = () if result.measured is None else result.measured.beside_samples_s
    return sum(result.job.bytes / statistics.median(each) for each in lanes if each)


CROWD = Comparison(
    "crowd",
    "One at a time or all at once",
    "What is left of the rate when other copies use the same wires?",
    _set_up,
    _conclude,
)
