"""What follows from a comparison, and why it is not, or not yet, known."""

import statistics

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import duration
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.copies.comparisons.model import Found, rates_of, seconds_of
from gpuexplorer.gui.copies.shared_parts import factor_words

_WORTH_TELLING = 1.1  # so many times as fast, or it is the same
_KEPT = 0.95  # of its rate: then it shares nothing
_NONE = 0.1
_ADDS = (
    mark("A blocking copy adds {time} to the computation: nothing of it is hidden."),
    mark("With non_blocking it adds {time} to the computation: nothing of it is hidden."),
)
_HIDES = (
    mark("A blocking copy adds {time}: {share:.0f} % of it is hidden behind the computation."),
    mark(
        "With non_blocking it adds {time}: {share:.0f} % of it is hidden behind the "
        "computation."
    ),
)


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


def of_pinned(found: Found) -> str:
    pinned, pageable = rates_of(found)
    return _compared(
        pinned,
        pageable,
        mark(
            "Pinned memory is {times} times as fast as pageable: {pinned} against "
            "{pageable} GB/s."
        ),
        mark(
            "Pageable memory is {times} times as fast as pinned here: {pinned} against "
            "{pageable} GB/s."
        ),
        mark(
            "Pinning makes no difference worth mentioning here: {pinned} against "
            "{pageable} GB/s."
        ),
        pinned=gbs(pinned or 0.0),
        pageable=gbs(pageable or 0.0),
    )


def of_staged(found: Found) -> str:
    (plain, staged), first = rates_of(found), found[0]
    if first is not None and first.wrong and staged is not None:
        return tr(
            "What PyTorch copies arrives WRONG; staged it goes on at {rate} GB/s.",
            rate=gbs(staged),
        )
    if plain is None or staged is None or first is None:
        return ""
    rates = {"plain": gbs(plain), "staged": gbs(staged)}
    if first.direct is False:
        through = mark(
            "There is no direct path between these two: the driver takes the bytes through the "
            "host as well, {plain} against {staged} GB/s."
        )
        alike = mark(
            "There is no direct path between these two: the driver takes the bytes through the "
            "host as well, about as fast, at {plain} GB/s."
        )
        return _compared(plain, staged, through, through, alike, **rates)
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


def of_pieces(found: Found) -> str:
    whole = seconds_of(found)[0]
    cut = [(each.job.pieces, each.seconds) for each in found[1:] if each and each.seconds]
    if whole is None or not cut:
        return ""
    count, seconds = max(cut)
    if seconds < _WORTH_TELLING * whole:
        return tr(
            "Cutting it into {count} pieces makes no difference worth mentioning.", count=count
        )
    return tr(
        "In {count} pieces the same bytes take {times} times as long: each further piece costs "
        "{each}, however small it is.",
        count=count,
        times=factor_words(seconds / whole),
        each=str(duration((seconds - whole) / (count - 1))),
    )


def of_crowd(found: Found) -> str:
    alone = rates_of(found)[0]
    if alone is None:
        return ""
    told = []
    for result in found[1:]:
        if result is not None and not result.at_once:
            told.append(_apart(result))
        elif result is not None and result.rate is not None:
            share = result.rate / alone
            if not result.job.both_ways:
                told.append(_crowded(result, result.rate, share))
            elif result.back_rate is not None:
                told.append(_there_and_back(result.rate + result.back_rate, share))
    return paragraph(told)


def of_overlap(found: Found) -> str:
    told = []
    for result, adds, hides in zip(found, _ADDS, _HIDES, strict=True):
        if result is None or result.beside_work is None or result.hidden is None:
            return ""
        computing, _, together = result.beside_work
        added = str(duration(max(0.0, together - computing)))
        said = adds if result.hidden <= _NONE else hides
        told.append(tr(said, time=added, share=result.hidden * 100))
    return paragraph(told)


def _there_and_back(rate: float, share: float) -> str:
    if share >= _KEPT:
        return tr("The way back costs nothing: {sum} GB/s there and back.", sum=gbs(rate))
    return tr(
        "Both ways at once it keeps {share:.0f} %: {sum} GB/s there and back.",
        share=share * 100,
        sum=gbs(rate),
    )


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
    total = rate + sum(many.bytes / statistics.median(each) for each in lanes if each)
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
