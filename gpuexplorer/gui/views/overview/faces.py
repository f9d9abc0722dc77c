"""Faces: what the tile of a card says, out of the card and the newest that is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.catalogue import clocks, utilization
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.theme import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.views.overview.figures import (
    busy_figure,
    card_figures,
    figure,
    host_memory,
    host_swap,
    memory_face,
    slow_link_mark,
)
from gpuexplorer.gui.views.overview.reasons import as_sentence, state_mark
from gpuexplorer.gui.widgets.card_face import CardFace, InstanceFace, Mark
from gpuexplorer.gui.widgets.host_strip import HostFace
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.session import card_numbers

# The gravest first: one of them stands beside the name.
_HARMFUL = tuple(
    METRICS[clocks.throttle(reason)]
    for reason in (
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "hw_slowdown",
        "sw_thermal_slowdown",
        "sw_power_cap",
        "sync_boost",
    )
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the session tells of one card at this moment."""

    reading: Reading | None
    silence: float | None  # seconds without an answer
    state_sentence: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A card with its place among the others, and its MIG instances."""

    card: Card
    number: str
    colour: int | None
    instances: tuple["Shown", ...] = ()


def arrange(cards: Sequence[Card]) -> Sequence[Shown]:
    """Instances under their card; one whose card is not listed stands by itself."""
    numbers = card_numbers(cards)
    ids = {card.id for card in cards}
    below: dict[CardId, list[Shown]] = {}
    tops = []
    for card in cards:
        if card.parent is not None and card.parent in ids:
            below.setdefault(card.parent, []).append(Shown(card, numbers[card.id], None))
        elif card.kind is not CardKind.HOST:
            tops.append(card)
    coloured = len(tops) <= MOST_COLOURED_CARDS
    return [
        Shown(
            card,
            numbers[card.id],
            card.index if coloured and card.index < MOST_COLOURED_CARDS else None,
            tuple(below.get(card.id, ())),
        )
        for card in tops
    ]


def card_face(shown: Shown, known: Mapping[CardId, Known]) -> CardFace:
    card = shown.card
    now = known[card.id]
    reading = now.reading or _nothing(card.id)
    mark, sentence, more = _state(now)
    return CardFace(
        number=shown.number,
        colour=shown.colour,
        name=card.name,
        cuda=_cuda(card),
        has_cuda=card.cuda_index is not None,
        mark=mark if sentence else _remarkable(reading),
        sentence=sentence,
        more=more,
        busy=busy_figure(reading),
        busy_share=reading.values.get(utilization.GPU_UTILIZATION),
        memory=memory_face(reading, card.memory_bytes),
        figures=card_figures(reading),
        instances=tuple(_instance(each, known[each.card.id]) for each in shown.instances),
    )


def host_face(host: Card, reading: Reading) -> HostFace:
    memory, share = host_memory(reading)
    return HostFace(
        name=host.name,
        busy=figure(reading, utilization.CPU_UTILIZATION, "Processor"),
        busy_share=reading.values.get(utilization.CPU_UTILIZATION),
        memory=memory,
        memory_share=share,
        swap=host_swap(reading),
    )


def _instance(shown: Shown, now: Known) -> InstanceFace:
    reading = now.reading or _nothing(shown.card.id)
    _, sentence, _ = _state(now)
    return InstanceFace(
        number=shown.number,
        name=shown.card.name,
        cuda=_cuda(shown.card),
        memory=memory_face(reading, shown.card.memory_bytes),
        sentence=sentence,
    )


def _state(now: Known) -> tuple[Mark | None, str, str]:
    """How a card is that has no figures to show; empty where it has some."""
    if now.reading is None and now.silence is None:
        return None, as_sentence(now.state_sentence), ""
    state = CardState.NO_ANSWER if now.silence is not None else CardState.WORKING
    if now.reading is not None and state is CardState.WORKING:
        state = now.reading.state
    mark = state_mark(state)
    if mark is None:
        return None, "", ""
    # The mark has said the word already.
    words = now.state_sentence.removeprefix(f"{state.value}: ")
    more = {
        CardState.LOST: "Its figures ended there. Often only a restart brings it back.",
        CardState.NO_ANSWER: "The driver was asked and is waited for; other cards are read on.",
        CardState.ASLEEP: "It is read again as soon as something uses it.",
    }
    return mark, as_sentence(words), more.get(state, "")


def _remarkable(reading: Reading) -> Mark | None:
    for metric in _HARMFUL:
        if reading.values.get(metric.id):
            return Mark(metric.label, Tone.WARN, Icon.WARNING)
    slow = slow_link_mark(reading)
    if slow is not None:
        return Mark(slow, Tone.WARN, Icon.WARNING)
    if reading.values.get(utilization.GPU_UTILIZATION) == 0:
        return Mark("Idle", Tone.QUIET)
    return None


def _cuda(card: Card) -> str:
    if card.cuda_index is not None:
        return f"cuda:{card.cuda_index}"
    return card.cuda_reason or "no number in CUDA"


def _nothing(card: CardId) -> Reading:
    return Reading(card, 0.0, CardState.WORKING, {}, {})
