"""Copies beside a computation: each keeps the host waiting, or none does."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, paragraph, tr
from gpuexplorer.gui.wording.copies.comparisons.comparison import (
    NO_CARD,
    NOT_YET,
    Bar,
    Comparison,
    Found,
    Pair,
    Setup,
    Trial,
    host_pair,
    remark_of,
    set_up,
)
from gpuexplorer.lab.copy_job import CopyJob

_WHY = mark("Between cards PyTorch never keeps the host waiting, so the host is one side here.")
_NO_TIME = mark("it was not told how long the computation took")
_NONE = 0.1


def _set_up(pair: Pair) -> Setup:
    ends = host_pair(pair)
    if ends is None:
        return Setup(refusal=tr(NO_CARD))
    card = ends[1] if ends[0] == HOST else ends[0]
    code = f'x.to("{card}")' if ends[0] == HOST else "y.copy_(x)"
    aside = f"{code[:-1]}, non_blocking=True)"
    return set_up(
        [
            Trial(tr("blocking"), CopyJob(*ends, pair.size, "blocking", pinned=True), code),
            Trial(tr("non_blocking"), CopyJob(*ends, pair.size, "overlap", pinned=True), aside),
        ],
        remark_of(pair, ends, _WHY),
    )


@dataclass(frozen=True, slots=True)
class _Times:
    """Seconds for one copy, and for as much computing as goes with it."""

    computing: float
    copying: float
    together: float
    hidden: float  # the share of the copy that cost no time of its own


def _times(result: CopyResult | None) -> _Times | None:
    if result is None or result.measured is None or result.hidden is None:
        return None
    told = result.measured
    if told.alone_s is None or told.copying_s is None or told.together_s is None:
        return None
    loops = told.loops
    return _Times(
        told.alone_s / loops, told.copying_s / loops, told.together_s / loops, result.hidden
    )


def _bars(setup: Setup, found: Found) -> Sequence[Bar]:
    known = [_times(each) for each in found]
    told = [each for each in known if each is not None]
    longest = max((max(t.computing, t.copying, t.together) for t in told), default=0.0)
    first = known[0] if known else None
    bars = [
        _bar(tr("the computation alone"), None if first is None else first.computing, longest),
        _bar(tr("the copy alone"), None if first is None else first.copying, longest),
    ]
    for trial, result, times in zip(setup.trials, found, known, strict=True):
        words = tr("both, {way}", way=trial.words)
        if times is not None:
            bars.append(_bar(words, times.together, longest, trial))
            continue
        wrong = result is not None and result.wrong
        why = tr(NOT_YET)
        if wrong:
            why = tr("It arrives WRONG. A wrong copy has no time.")
        elif result is not None:
            why = tr(result.why or _NO_TIME)
        bars.append(
            Bar(
                words,
                trial.code,
                trouble=why,
                wrong=wrong,
                job=trial.job,
                awaited=result is None,
            )
        )
    return bars


def _bar(words: str, seconds: float | None, longest: float, trial: Trial | None = None) -> Bar:
    code = "" if trial is None else trial.code
    job = None if trial is None else trial.job
    if seconds is None:
        return Bar(words, code, trouble=tr(NOT_YET), job=job, awaited=True)
    return Bar(words, code, seconds / longest, second=duration(seconds), job=job)


def _conclude(found: Found) -> str:
    known = [_times(each) for each in found]
    if len(known) < 2:
        return ""
    blocking, overlap = known
    if blocking is None or overlap is None:
        return ""
    return paragraph([_blocking(blocking), _aside(overlap)])


def _costs(times: _Times) -> str:
    return str(duration(max(0.0, times.together - times.computing)))


def _blocking(times: _Times) -> str:
    if times.hidden <= _NONE:
        return tr(
            "A blocking copy adds {time} to the computation: nothing of it is hidden.",
            time=_costs(times),
        )
    return tr(
        "A blocking copy adds {time}: {share:.0f} % of it is hidden behind the computation.",
        time=_costs(times),
        share=times.hidden * 100,
    )


def _aside(times: _Times) -> str:
    if times.hidden <= _NONE:
        return tr(
            "With non_blocking it adds {time} to the computation: nothing of it is hidden.",
            time=_costs(times),
        )
    return tr(
        "With non_blocking it adds {time}: {share:.0f} % of it is hidden behind the "
        "computation.",
        time=_costs(times),
        share=times.hidden * 100,
    )


OVERLAP = Comparison(
    "overlap",
    mark("Blocking or beside a computation"),
    mark("Can the card compute while the bytes are under way?"),
    _set_up,
    _conclude,
    _bars,
)
