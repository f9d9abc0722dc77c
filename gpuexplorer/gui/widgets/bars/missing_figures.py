"""Missing figures: what no card, or not every card, reports, for the line at the bottom."""

from collections.abc import Sequence

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.reasons import short_reasons

_WATCHED = (
    m.GPU_UTILIZATION,
    m.MEMORY_USED,
    m.POWER_DRAW,
    m.TEMPERATURE,
    m.FAN_SPEED,
    m.CLOCK_SM,
)
_MOST_NAMED = 4
_PASSING = frozenset({Absence.NOT_YET, Absence.NEEDS_TWO, Absence.TOO_SOON, Absence.NOT_ASKED})


def missing_figures(cards: Sequence[CardFace]) -> tuple[str, str]:
    """In a few words, and in full. Cards that do not answer say so themselves."""
    answering = [each for each in cards if each.answers]
    silent = [each for each in cards if not each.answers]
    lines = [_silent(silent)] if silent else []
    for metric in _WATCHED:
        lines += _lines(metric, answering)
    if not lines:
        return tr("Nothing missing"), tr("Every card answers with every figure shown.")
    if len(lines) == 1:
        return lines[0], lines[0]
    few = trn("{count} thing missing", "{count} things missing", len(lines))
    return few, "\n".join(lines)


def _lines(metric: MetricId, cards: Sequence[CardFace]) -> Sequence[str]:
    """One for each reason why it is missing."""
    reasons: dict[Absence, list[str]] = {}
    for each in cards:
        absence = each.reading.missing.get(metric)
        if absence is not None and absence not in _PASSING:
            reasons.setdefault(absence, []).append(each.number)
    label = tr(METRICS[metric].label)
    return [_line(label, absence, numbers, len(cards)) for absence, numbers in reasons.items()]


def _line(label: str, absence: Absence, numbers: Sequence[str], total: int) -> str:
    everywhere = len(numbers) == total
    if absence is Absence.NO_PART:
        if not everywhere:
            return tr("{label}: none on {cards}", label=label, cards=_these(numbers))
        return trn(
            "{label}: none on this card", "{label}: none on these cards", total, label=label
        )
    reason = short_reasons(absence)[0]
    if everywhere:
        return tr("{label}: {reason}", label=label, reason=reason)
    return tr("{label}: {reason} ({cards})", label=label, reason=reason, cards=_these(numbers))


def _these(numbers: Sequence[str]) -> str:
    if len(numbers) > _MOST_NAMED:
        return trn("{count} card", "{count} cards", len(numbers))
    return trn("card {numbers}", "cards {numbers}", len(numbers), numbers=", ".join(numbers))


# Above the figures that are missing of single cards.
_STATES = {
    CardState.LOST: mark("Lost: {cards}"),
    CardState.UNLISTED: mark("No longer listed: {cards}"),
    CardState.REFUSED: mark("No access: {cards}"),
    CardState.ASLEEP: mark("Asleep: {cards}"),
    CardState.NO_DRIVER: mark("Without a driver: {cards}"),
    CardState.NO_CONNECTION: mark("No connection: {cards}"),
    CardState.NO_ANSWER: mark("No answer: {cards}"),
    CardState.WORKING: mark("Not read yet: {cards}"),
}


def _silent(cards: Sequence[CardFace]) -> str:
    states: dict[CardState, list[str]] = {}
    for each in cards:
        states.setdefault(each.state, []).append(each.number)
    return "; ".join(
        tr(_STATES[state], cards=_these(numbers)) for state, numbers in states.items()
    )
