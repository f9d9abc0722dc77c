"""Faces: what the tile of a card says, out of the card and the newest that is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.catalogue import health, utilization
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.wording.cards.card_face import Badge, CardFace, InstanceFace, Mark
from gpuexplorer.gui.wording.cards.host_face import HostFace
from gpuexplorer.gui.wording.figures import (
    busy_figure,
    card_figures,
    figure,
    host_memory,
    host_swap,
    memory_face,
)
from gpuexplorer.gui.wording.machine.wires import slow_link_mark
from gpuexplorer.gui.wording.reasons import (
    HARMFUL,
    NO_FIGURES,
    ORDINARY,
    SLOW,
    as_sentence,
    state_mark,
    tells_nothing,
    throttle_mark,
)
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.session import card_numbers


@dataclass(frozen=True, slots=True)
class Known:
    """What the session tells of one card at this moment."""

    reading: Reading | None
    silence: float | None  # seconds without an answer
    state_sentence: str
    slow: bool = False  # the reading is of a moment ago, since no newer one came in time

    @property
    def answers(self) -> bool:
        reading = self.reading
        return (
            self.silence is None and reading is not None and reading.state is CardState.WORKING
        )


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


def card_face(
    shown: Shown,
    known: Mapping[CardId, Known],
    another_answers: bool,
    units: Units = USUAL,
    since: str = "",
) -> CardFace:
    """`since` is when a card that does not work began to be so: "since 14:03:21"."""
    card = shown.card
    now = known[card.id]
    reading = now.reading or _nothing(card.id)
    mark, sentence, more = _state(now, another_answers, since)
    return CardFace(
        number=shown.number,
        colour=shown.colour,
        name="" if card.nameless else card.name,
        cuda=_cuda(card),
        cuda_reason=_cuda_reason(card),
        badges=_badges(shown, reading),
        mark=mark if sentence else SLOW if now.slow else _remarkable(reading),
        sentence=sentence,
        more=more,
        dimmed=now.slow,
        busy=busy_figure(reading),
        busy_share=reading.values.get(utilization.GPU_UTILIZATION),
        memory=memory_face(reading, card.memory_bytes, units),
        instances=tuple(
            _instance(each, card, known[each.card.id], units) for each in shown.instances
        ),
        make_figures=partial(card_figures, reading, units, bool(card.nvlinks)),
    )


def host_face(host: Card, reading: Reading, units: Units = USUAL) -> HostFace:
    memory, share = host_memory(reading, units)
    return HostFace(
        name=host.name,
        busy=figure(reading, utilization.CPU_UTILIZATION, "Processor"),
        busy_share=reading.values.get(utilization.CPU_UTILIZATION),
        memory=memory,
        memory_share=share,
        swap=host_swap(reading, units),
    )


def _instance(shown: Shown, parent: Card, now: Known, units: Units) -> InstanceFace:
    reading = now.reading or _nothing(shown.card.id)
    _, sentence, _ = _state(now, another_answers=False, since="")
    return InstanceFace(
        number=shown.number,
        name=shown.card.name.removeprefix(parent.name).lstrip(" ,") or shown.card.name,
        cuda=_cuda(shown.card),
        cuda_reason=_cuda_reason(shown.card),
        memory=memory_face(reading, shown.card.memory_bytes, units),
        sentence=sentence,
    )


def _state(now: Known, another_answers: bool, since: str) -> tuple[Mark | None, str, str]:
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
    if since:
        words = _with_moment(state, since) or words
    waited = "The driver was asked and is waited for"
    more = {
        CardState.LOST: "Often only a restart brings it back.",
        CardState.NO_ANSWER: (
            f"{waited}; other cards are read on." if another_answers else f"{waited}."
        ),
        CardState.ASLEEP: "It is left asleep until something uses it; nvidia-smi wakes it too.",
    }
    return mark, as_sentence(words), more.get(state, "")


def _with_moment(state: CardState, since: str) -> str:
    """Empty where the moment is told otherwise."""
    match state:
        case CardState.LOST:
            return f"no longer answers {since}; its history is kept"
        case CardState.ASLEEP:
            return f"not read {since}"
        case CardState.NO_DRIVER:
            return f"the driver is gone {since}; it is looked for again and again"
        case CardState.NO_ANSWER | CardState.WORKING:
            return ""
        case _:
            assert_never(state)


def _badges(shown: Shown, reading: Reading) -> tuple[Badge, ...]:
    badges = []
    if shown.instances or reading.values.get(health.MIG_MODE):
        instances = _counted(len(shown.instances), "instance")
        badges.append(Badge("MIG", f"MIG is on: the card is cut into {instances}."))
    if reading.values.get(health.DISPLAY_ACTIVE):
        badges.append(Badge("display", "A display is attached to this card."))
    if shown.card.simulated:
        badges.append(Badge("simulated", "This card is simulated.", minor=True))
    return tuple(badges)


def _remarkable(reading: Reading) -> Mark | None:
    for metric in HARMFUL:
        if reading.values.get(metric):
            return throttle_mark(metric, Tone.WARN, Icon.WARNING)
    slow = slow_link_mark(reading)
    if slow is not None:
        return Mark(slow, Tone.WARN, Icon.WARNING)
    for metric in ORDINARY:
        if reading.values.get(metric):
            return throttle_mark(metric, Tone.QUIET)
    if reading.values.get(utilization.GPU_UTILIZATION) == 0:
        return Mark("Idle", Tone.QUIET)
    return NO_FIGURES if tells_nothing(reading) else None


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'s' if count != 1 else ''}"


def _cuda(card: Card) -> str:
    if card.cuda_index is not None:
        return f"cuda:{card.cuda_index}"
    return "no CUDA number"


def _cuda_reason(card: Card) -> str:
    if card.cuda_index is not None or not card.cuda_reason:
        return ""
    return f"No CUDA number: {card.cuda_reason.rstrip('.')}"


def _nothing(card: CardId) -> Reading:
    return Reading(card, 0.0, CardState.WORKING, {}, {})
