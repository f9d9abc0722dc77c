"""Missing figures: what no card, or not every card, reports, for the line at the bottom."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.catalogue import clocks, memory, utilization
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.reasons import short_reasons

_WATCHED = (
    utilization.GPU_UTILIZATION,
    memory.MEMORY_USED,
    heat.POWER_DRAW,
    heat.TEMPERATURE,
    heat.FAN_SPEED,
    clocks.CLOCK_SM,
)
_SHORT = {heat.FAN_SPEED: "Fan", heat.POWER_DRAW: "Power"}
_PASSING = frozenset({Absence.NOT_YET, Absence.NEEDS_TWO, Absence.NOT_ASKED})


def missing_figures(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> tuple[str, str]:
    """In a few words, and in full. Cards that do not answer say so themselves."""
    answering = [each for each in cards if known[each.card.id].answers]
    silent = len(cards) - len(answering)
    lines = []
    for metric in _WATCHED:
        line = _line(metric, answering, known)
        if line:
            lines.append(line)
    if silent:
        lines.insert(0, _silent(cards, known))
    if not lines:
        return "Nothing missing", "Every card answers with every figure shown."
    if len(lines) == 1:
        return lines[0], lines[0]
    return f"{len(lines)} things missing", "\n".join(lines)


def _line(metric: MetricId, cards: Sequence[Shown], known: Mapping[CardId, Known]) -> str:
    reasons: dict[Absence, list[str]] = {}
    for each in cards:
        reading = known[each.card.id].reading
        absence = None if reading is None else reading.missing.get(metric)
        if absence is not None and absence not in _PASSING:
            reasons.setdefault(absence, []).append(each.number)
    label = _SHORT.get(metric, METRICS[metric].label)
    parts = []
    for absence, numbers in reasons.items():
        everywhere = len(numbers) == len(cards)
        if absence is Absence.NO_PART:
            parts.append("none on " + _these(numbers, len(cards)))
        elif everywhere:
            parts.append(short_reasons(absence)[0])
        else:
            parts.append(f"{short_reasons(absence)[0]} ({_these(numbers, len(cards))})")
    return f"{label}: {'; '.join(parts)}" if parts else ""


def _these(numbers: Sequence[str], total: int) -> str:
    if len(numbers) == total:
        return "this card" if total == 1 else "these cards"
    if len(numbers) > 4:
        return f"{len(numbers)} cards"
    word = "card" if len(numbers) == 1 else "cards"
    return f"{word} {', '.join(numbers)}"


def _silent(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> str:
    words = {
        CardState.LOST: "lost",
        CardState.ASLEEP: "asleep",
        CardState.NO_DRIVER: "without driver",
    }
    states: dict[str, list[str]] = {}
    for each in cards:
        now = known[each.card.id]
        if now.answers:
            continue
        word = "no answer"
        if now.silence is None and now.reading is None:
            word = "not read yet"
        elif now.silence is None and now.reading is not None:
            word = words.get(now.reading.state, "no answer")
        states.setdefault(word, []).append(each.number)
    parts = [f"{_these(numbers, 0)} {word}" for word, numbers in states.items()]
    said = ", ".join(parts)
    return said[:1].upper() + said[1:]
