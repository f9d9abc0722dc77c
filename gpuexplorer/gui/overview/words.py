"""What the overview says of all its cards, and of those that give no figures."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import Quantity, Units, energy, quantity, ratio
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.programs import on_how_many
from gpuexplorer.gui.cards.reasons import (
    NOTHING_THEN,
    NOTHING_YET,
    StateMark,
    Then,
    span_words,
)
from gpuexplorer.gui.cards.throttling import EnergyTogether, time_covered
from gpuexplorer.gui.overview.plotted import Plotted
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.processes import NamedProcess

NOBODY = mark("No program uses a card.")
UNTOLD = mark("It is not known who uses the cards.")
_ENDS = {"utilisation": mark("{high} busy"), "memory": mark("{high} used")}
_UNREAD = {
    CardState.ASLEEP: mark("not read"),
    CardState.NO_ANSWER: mark("no answer"),
    CardState.NO_CONNECTION: mark("no connection"),
    CardState.REFUSED: mark("no access"),
}


def hidden_words(count: int) -> str:
    """Empty where none is."""
    if not count:
        return ""
    return trn("{count} card hidden: show all", "{count} cards hidden: show all", count)


def answering_words(answering: int, count: int) -> str:
    return tr("{answering} of {count} cards answer", answering=answering, count=count)


def energy_together(
    used: EnergyTogether | None,
    span: float,
    count: int | None = None,
    *,
    following: bool = True,
) -> Figure:
    """In the seconds that are shown, as far as the past reaches; `count` is of all cards.
    It says so where what stands beside it is of another time.
    """
    if used is None:
        label = tr("Energy, {span}", span=span_words(span))
        return Figure(label, absent=(tr("with the next readings"), tr("soon")))
    read = energy(used.joules)
    words = span_words(time_covered(used.seconds, span))
    if not following:
        words = tr("the {span} shown", span=words)
    label, short = tr("Energy, {span}", span=words), tr("in {span}", span=words)
    if count is not None and used.cards < count:
        cards = {"told": used.cards, "count": count}
        label = tr("{label} ({told} of {count} cards)", label=label, **cards)
        short = tr("in {span} on {told} of {count} cards", span=words, **cards)
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=trn(
            "What {count} card used in the time that is shown, as far as it was read.",
            "What {count} cards used in the time that is shown, as far as it was read.",
            used.cards,
        ),
        short_label=short,
    )


def remark_on(
    processes: Sequence[NamedProcess], owner: Mapping[CardId, CardId], *, recorded: bool
) -> str:
    """How many there are, and whether this window is among them: of a recording it is not."""
    words = on_how_many(processes, owner)
    if not words or recorded or any(named.ours for named in processes):
        return words
    return tr("{processes}; this window holds no card memory", processes=words)


def copied_words(shown: Shown) -> str:
    """Name and UUID; of a simulated card it is said that it is one."""
    card: Card = shown.card
    words = f"{tr('Card {number}', number=shown.number)}: {card.name}, {card.id}"
    return tr("SIMULATED. {card}", card=words) if card.simulated else words


def more_of(found: StateMark, face: CardFace, count: int) -> str:
    """What is said below a mark of so many cards; `face` is the first of them."""
    return found.more if count == 1 or face.state is CardState.ASLEEP else ""


def unread_words(state: CardState, *, gone: bool, read: bool, then: Then) -> str:
    """Why nothing is on a tile's trace; `read`: some of it was."""
    if then.nothing_yet:
        return tr(NOTHING_YET)
    if not read and (gone or not then.following):
        return tr(NOTHING_THEN)
    return tr(_UNREAD.get(state, "")) if then.following else ""


def average_words(share: float) -> str:
    return tr("average {share}", share=ratio(share))


def ends_in_words(plotted: Plotted, tops: NDArray[np.float64], units: Units) -> tuple[str, str]:
    """Of the legend; "own limit" where the cards differ in it."""
    metric = METRICS[plotted.metrics[0]]
    low = quantity(metric, plotted.lowest, units)
    same = tops.size > 0 and np.allclose(tops, tops[0], rtol=0.01)
    if not same:
        return low.number, tr("own limit")
    high = str(quantity(metric, float(tops[0]), units))
    return low.number, tr(_ENDS.get(plotted.name, "{high}"), high=high)


def value_in_words(plotted: Plotted, value: float, units: Units) -> Quantity | None:
    if not np.isfinite(value):
        return None
    return quantity(METRICS[plotted.metrics[0]], value, units)


def pointed_words(number: str, value: Quantity | None, at: float, window: TimeWindow) -> str:
    """ "Card 21: 72 % at 14:05:10"."""
    moment = window.moment(at)
    if at < window.began:
        return tr("Nothing read yet at {moment}", moment=moment)
    if value is None:
        return tr("Card {number}: not read at {moment}", number=number, moment=moment)
    return tr("Card {number}: {value} at {moment}", number=number, value=value, moment=moment)


def gone_words(face: CardFace, moment: str) -> str:
    """ "13 lost at 14:03:21"; without the moment where nobody saw it."""
    word = tr(face.state.word)
    if moment:
        word = tr("{state} at {moment}", state=word, moment=moment)
    return f"{face.number} {word}"
