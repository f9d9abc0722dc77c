"""What the heat strip shows of very many cards: shares of what each could do, and the words."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import Then, holds_then
from gpuexplorer.gui.overview.attention import ranges
from gpuexplorer.gui.overview.plotted import Plotted, limit_of, value_of
from gpuexplorer.gui.overview.strip_history import StripHistory
from gpuexplorer.gui.overview.tiles.heat_strip import StripBoard, StripContent, StripMark
from gpuexplorer.gui.overview.tiles.tile_layout import BOARD
from gpuexplorer.gui.overview.words import gone_words
from gpuexplorer.gui.theme.palette import Tone

_LEAST_RATE = 1e9


def boards_of(cards: Sequence[CardFace]) -> list[list[CardFace]]:
    """By eights of the driver's order: what is on a board stays on it, however it is sorted."""
    boards: dict[int, list[CardFace]] = {}
    for each in cards:
        boards.setdefault(each.index // BOARD, []).append(each)
    return list(boards.values())


def strip_content(
    boards: Sequence[Sequence[CardFace]],
    plotted: Plotted,
    history: StripHistory,
    ticks: tuple[TimeTick, ...],
    units: Units,
    gone: Mapping[CardId, tuple[float, str]],
    then: Then,
) -> StripContent:
    """`gone` is when cards were lost, and that moment in words."""
    cards = [each for board in boards for each in board]
    tops = strip_tops(cards, plotted, history)
    reach = np.maximum(tops - plotted.lowest, 1e-9)[:, np.newaxis]
    shares = (history.values - plotted.lowest) / reach
    figures = [_mean(board, plotted, units) for board in boards]
    labels = [ranges([each.index for each in board]) for board in boards]
    return StripContent(
        shares=shares,
        start=history.start,
        end=history.end,
        cards=tuple(each.id for each in cards),
        boards=tuple(
            StripBoard(label, len(board), figure)
            for label, board, figure in zip(labels, boards, figures, strict=True)
        ),
        marks=_marks(cards, history, gone, then),
        ticks=ticks,
        said=". ".join(
            tr("Cards {numbers}: {figure}", numbers=label, figure=figure.spoken)
            for label, figure in zip(labels, figures, strict=True)
        ),
        began=then.began,
        following=not then.looking_back,
    )


def strip_tops(
    cards: Sequence[CardFace],
    plotted: Plotted,
    history: StripHistory,
) -> NDArray[np.float64]:
    """Where each card's shades end."""
    limits = [limit_of(each, plotted) for each in cards]
    told = [limit for limit in limits if limit is not None]
    finite = history.values[np.isfinite(history.values)]
    most = float(finite.max()) if finite.size else 0.0
    otherwise = max(told) if told else max(most, _LEAST_RATE if len(plotted.metrics) > 1 else 1)
    return np.array([otherwise if limit is None else limit for limit in limits])


def _mean(board: Sequence[CardFace], plotted: Plotted, units: Units) -> Figure:
    values = [value_of(each, plotted) for each in board if each.answers]
    told = [value for value in values if value is not None]
    if not told:
        hint = tr("None of these cards reports it.")
        return Figure(tr(plotted.title), absent=("–",), hint=hint)
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    hint = trn(
        "{metric} now, mean of {count} card",
        "{metric} now, mean of {count} cards",
        len(told),
        metric=tr(plotted.title),
    )
    return Figure(tr(plotted.title), number=read.number, unit=read.unit, hint=hint)


def _marks(
    cards: Sequence[CardFace],
    history: StripHistory,
    gone: Mapping[CardId, tuple[float, str]],
    then: Then,
) -> tuple[StripMark, ...]:
    marks = []
    asleep: list[tuple[int, CardFace]] = []
    for row, each in enumerate(cards):
        state = each.state
        went = state in (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
        # Of a card that was lost before it was ever read nobody knows the moment.
        at, moment = gone.get(each.id, (then.began, "")) if went else (None, "")
        if not holds_then(state, at, then):
            continue
        if went:
            marks.append(StripMark(row, at, gone_words(each, moment), Tone.BAD))
        elif state in (CardState.NO_ANSWER, CardState.REFUSED, CardState.NO_CONNECTION):
            ended = _ended(history, row)
            marks.append(StripMark(row, ended, gone_words(each, ""), Tone.WARN))
        elif state is CardState.ASLEEP:
            asleep.append((row, each))
    for place, (row, _each) in enumerate(asleep):
        # The words once, in the middle of those that sleep beside each other.
        run = _run(asleep, place)
        middle = run[len(run) // 2]
        words = ""
        if row == middle[0]:
            words = tr(
                "{numbers} asleep, not read", numbers=ranges([one.index for _, one in run])
            )
        marks.append(StripMark(row, _ended(history, row), words, Tone.FAINT))
    return tuple(marks)


def _run(rows: Sequence[tuple[int, CardFace]], place: int) -> Sequence[tuple[int, CardFace]]:
    first = last = place
    while first > 0 and rows[first - 1][0] == rows[first][0] - 1:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1][0] == rows[last][0] + 1:
        last += 1
    return rows[first : last + 1]


def _ended(history: StripHistory, row: int) -> float | None:
    """When its last figure came; None where there is none in this stretch."""
    there = np.flatnonzero(np.isfinite(history.values[row]))
    if there.size == 0:
        return None
    seconds = (history.end - history.start) / float(history.values.shape[1])
    return history.start + (int(there[-1]) + 1) * seconds
