"""One copy at a time against several at once: who shares a wire with whom."""

import statistics

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.words import mark, paragraph, tr, trn
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
_WHY = mark("A copy has two ends here.")


def _set_up(pair: Pair) -> Setup:
    ends = two_ends(pair)
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    pinned = pinned_for(*ends)
    trials = [
        Trial(tr("alone"), CopyJob(*ends, pair.size, pinned=pinned)),
        Trial(
            tr("both ways at once"), CopyJob(*ends, pair.size, pinned=pinned, both_ways=True)
        ),
    ]
    beside = _beside(pair, *ends)
    if beside:
        many = len(beside)
        words = trn(
            "beside copies to another card", "beside copies to {count} other cards", many
        )
        if ends[1] == HOST:
            words = trn(
                "beside copies from another card",
                "beside copies from {count} other cards",
                many,
            )
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
    if both is not None and not both.at_once:
        told.append(_apart(both))
    elif both is not None and both.rate is not None and both.back_rate is not None:
        share = both.rate / alone
        sums = gbs(both.rate + both.back_rate)
        if share >= _KEPT:
            told.append(tr("The way back costs nothing: {sum} GB/s there and back.", sum=sums))
        else:
            told.append(
                tr(
                    "Both ways at once it keeps {share:.0f} %: {sum} GB/s there and back.",
                    share=share * 100,
                    sum=sums,
                )
            )
    many = found[2] if len(found) > 2 else None
    if many is not None and not many.at_once:
        told.append(_apart(many))
    elif many is not None and many.rate is not None:
        told.append(_crowded(many, many.rate, alone))
    return paragraph(told)


def _apart(result: CopyResult) -> str:
    share = (result.overlap or 0.0) * 100
    if result.job.both_ways:
        return tr(
            "There and back were under way together for {share:.0f} % of the shorter only, so "
            "nothing follows from their rates.",
            share=share,
        )
    return tr(
        "It and the others were under way together for {share:.0f} % of the shortest only, so "
        "nothing follows from their rates.",
        share=share,
    )


def _crowded(many: CopyResult, rate: float, alone: float) -> str:
    total = rate + _rate_beside(many)
    share = rate / alone
    count = len(many.job.beside) + 1
    kept = tr("Beside the others it keeps its rate: they share no wire.")
    if share < _KEPT:
        kept = tr(
            "Beside the others it keeps {share:.0f} %: they share a wire.", share=share * 100
        )
    together = tr("Both together reach {total} GB/s.", total=gbs(total))
    if count > 2:
        together = tr("All {count} together reach {total} GB/s.", count=count, total=gbs(total))
    return paragraph((kept, together))


def _rate_beside(result: CopyResult) -> float:
    lanes = () if result.measured is None else result.measured.beside_samples_s
    return sum(result.bytes / statistics.median(each) for each in lanes if each)


CROWD = Comparison(
    "crowd",
    mark("One at a time or all at once"),
    mark("What is left of the rate when other copies use the same wires?"),
    _set_up,
    _conclude,
)
