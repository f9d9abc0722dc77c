"""Faces: what the tile of a card says, out of the card and the newest that is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import CPU_UTILIZATION, DISPLAY_ACTIVE, GPU_UTILIZATION, MIG_MODE
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import CardBadge, CardFace, InstanceFace
from gpuexplorer.gui.cards.figures import figure, host_memory, memory_face
from gpuexplorer.gui.cards.pcie import slow_link
from gpuexplorer.gui.cards.reasons import (
    HARMFUL,
    ORDINARY,
    Matter,
    StateMark,
    no_figures_mark,
    short_reasons,
    slow_mark,
    state_mark,
    tells_nothing,
    throttle_mark,
)
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import card_numbers


@dataclass(frozen=True, slots=True)
class CardNow:
    """What the session knows of one card at this moment."""

    reading: Reading | None
    silence: float | None  # seconds without an answer
    slow: bool = False  # the reading is of a moment ago, since no newer one came in time

    @property
    def state(self) -> CardState:
        if self.silence is not None:
            return CardState.NO_ANSWER
        return CardState.WORKING if self.reading is None else self.reading.state

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

    @property
    def host(self) -> bool:
        """The computer itself, which opens as a card does."""
        return self.card.kind is CardKind.HOST

    @property
    def title(self) -> str:
        """ "Card 0, NVIDIA TITAN RTX"; of a nameless one its number alone."""
        if self.host:
            return tr("The computer, {name}", name=self.card.name)
        if self.card.nameless:
            return tr("Card {number}", number=self.number)
        return tr("Card {number}, {name}", number=self.number, name=self.card.name)


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
    known: Mapping[CardId, CardNow],
    another_answers: bool,
    units: Units,
    since: str = "",
) -> CardFace:
    """`since` is when a card that does not work began to be so; or empty."""
    card = shown.card
    now = known[card.id]
    reading = now.reading or _nothing(card.id)
    still = _still(now, another_answers, since)
    silent = bool(still.sentence)
    busy = figure(reading, GPU_UTILIZATION, units, tr("GPU busy"))
    return CardFace(
        id=card.id,
        index=card.index,
        number=shown.number,
        colour=shown.colour,
        name="" if card.nameless else card.name,
        cuda=_cuda(card),
        cuda_reason=_cuda_reason(card),
        badges=_badges(shown, reading),
        mark=still.mark if silent else slow_mark() if now.slow else _remarkable(reading),
        sentence=still.sentence,
        more=still.more,
        dimmed=now.slow,
        busy=busy,
        busy_share=None if silent else reading.values.get(GPU_UTILIZATION),
        memory=memory_face(reading, card.memory_bytes, units),
        instances=tuple(
            _instance(each, card, known[each.card.id], units) for each in shown.instances
        ),
        reading=reading,
        units=units,
        nvlinks=bool(card.nvlinks),
        silence=now.silence,
        since=since,
        word=short_reasons(still.absence)[-1] if silent else _last(busy.absent),
        detail=still.detail if silent else tells_nothing(reading),
    )


def host_face(host: Shown, reading: Reading, units: Units) -> CardFace:
    busy = figure(reading, CPU_UTILIZATION, units, tr("Processor"))
    return CardFace(
        id=host.card.id,
        index=host.card.index,
        number=host.number,
        colour=None,
        name=host.card.name,
        cuda="",
        cuda_reason="",
        badges=(),
        mark=None,
        sentence="",
        more="",
        dimmed=False,
        busy=busy,
        busy_share=reading.values.get(CPU_UTILIZATION),
        memory=host_memory(reading, units),
        instances=(),
        reading=reading,
        units=units,
        word=_last(busy.absent),
        host=True,
    )


def _instance(shown: Shown, parent: Card, now: CardNow, units: Units) -> InstanceFace:
    reading = now.reading or _nothing(shown.card.id)
    return InstanceFace(
        number=shown.number,
        name=shown.card.name.removeprefix(parent.name).lstrip(" ,") or shown.card.name,
        cuda=_cuda(shown.card),
        cuda_reason=_cuda_reason(shown.card),
        memory=memory_face(reading, shown.card.memory_bytes, units),
        sentence=_still(now, another_answers=False, since="").sentence,
    )


@dataclass(frozen=True, slots=True)
class _Still:
    """Why a card has no figures to show; without a sentence it has some."""

    sentence: str = ""
    more: str = ""
    detail: str = ""
    mark: StateMark | None = None
    absence: Absence = Absence.NOT_YET


def _still(now: CardNow, another_answers: bool, since: str) -> _Still:
    if now.silence is not None:
        return _unanswered(now.silence, another_answers)
    if now.reading is None:
        return _Still(tr("Not read yet."))
    state = now.reading.state
    mark = state_mark(state)
    match state:
        case CardState.WORKING:
            return _Still()
        case CardState.LOST:
            sentence, detail = tr("It no longer answers the driver."), tr("No longer answers")
            if since:
                sentence = tr(
                    "No longer answers since {moment}; its history is kept.", moment=since
                )
                detail = tr("No longer answers since {moment}", moment=since)
            more = tr("Often only a restart brings it back.")
            return _Still(sentence, more, detail, mark, Absence.LOST)
        case CardState.UNLISTED:
            sentence, detail = tr("The driver no longer lists it."), tr("No longer listed")
            if since:
                sentence = tr("Not listed since {moment}; its history is kept.", moment=since)
                detail = tr("Not listed since {moment}", moment=since)
            more = tr("It is looked for again and again.")
            return _Still(sentence, more, detail, mark, Absence.UNLISTED)
        case CardState.REFUSED:
            return _refused(now.reading, mark)
        case CardState.ASLEEP:
            sentence = tr(
                "Asleep, or left alone so that it can fall asleep; not woken to be read."
            )
            if since:
                sentence = tr("Not read since {moment}.", moment=since)
            more = tr("It is left asleep until something uses it; nvidia-smi wakes it too.")
            return _Still(sentence, more, "", mark, Absence.ASLEEP)
        case CardState.NO_DRIVER:
            sentence = tr("The driver is gone; it is looked for again and again.")
            detail = tr("The driver is gone")
            if since:
                sentence = tr(
                    "The driver has been gone since {moment}; it is looked for again and "
                    "again.",
                    moment=since,
                )
                detail = tr("The driver has been gone since {moment}", moment=since)
            return _Still(sentence, "", detail, mark, Absence.NO_DRIVER)
        case CardState.NO_CONNECTION:
            sentence = tr("There is no connection to its computer.")
            if since:
                sentence = tr(
                    "There has been no connection to its computer since {moment}; the history "
                    "is kept.",
                    moment=since,
                )
            more = tr("GPU Explorer goes on trying to connect.")
            return _Still(sentence, more, "", mark, Absence.NO_CONNECTION)
        case CardState.NO_ANSWER:
            sentence = tr("The driver has not answered for this card yet.")
            more = _waited(another_answers)
            return _Still(sentence, more, "", mark, Absence.NO_ANSWER)
        case _:
            assert_never(state)


def _refused(reading: Reading, mark: StateMark | None) -> _Still:
    absence = next(iter(reading.missing.values()), Absence.REFUSED)
    match absence:
        case Absence.NO_PERMISSION:
            sentence = tr("This user, container or job has no permission for it.")
            more = tr("Look at the rights to /dev/nvidia*, at --gpus, or at the Slurm job.")
        case Absence.NOT_SUPPORTED:
            sentence = tr("The driver says that it does not support this card.")
            more = tr("It may be too new or too old for this driver.")
        case _:
            sentence = tr("The driver gives no access to it and does not say why.")
            more = tr("On its computer, “sudo dmesg” may say more.")
    return _Still(sentence, more, short_reasons(absence)[0], mark, absence)


def _unanswered(seconds: float, another_answers: bool) -> _Still:
    return _Still(
        tr("No answer for {seconds:.0f} s.", seconds=seconds),
        _waited(another_answers),
        tr("for {seconds:.0f} s", seconds=seconds),
        state_mark(CardState.NO_ANSWER),
        Absence.NO_ANSWER,
    )


def _waited(another_answers: bool) -> str:
    if another_answers:
        return tr("The driver was asked and is waited for; other cards are still read.")
    return tr("The driver was asked and is waited for.")


def _badges(shown: Shown, reading: Reading) -> tuple[CardBadge, ...]:
    badges = []
    if shown.instances or reading.values.get(MIG_MODE):
        hint = tr("MIG is on, but the card has no instance.")
        if shown.instances:
            hint = trn(
                "MIG is on: the card is cut into {count} instance.",
                "MIG is on: the card is cut into {count} instances.",
                len(shown.instances),
            )
        badges.append(CardBadge(tr("MIG"), hint))
    if reading.values.get(DISPLAY_ACTIVE):
        badges.append(CardBadge(tr("display"), tr("A display is attached to this card.")))
    if shown.card.simulated:
        badges.append(CardBadge(tr("simulated"), tr("This card is simulated."), minor=True))
    return tuple(badges)


def _remarkable(reading: Reading) -> StateMark | None:
    for metric in HARMFUL:
        if reading.values.get(metric):
            return throttle_mark(metric, Tone.WARN, Icon.WARNING)
    slow = slow_link(reading)
    if slow is not None:
        return StateMark(
            tr("PCIe ×{lanes} of ×{most}", lanes=slow[0], most=slow[1]),
            Tone.WARN,
            Icon.WARNING,
            matter=Matter.LINK,
        )
    for metric in ORDINARY:
        if reading.values.get(metric):
            return throttle_mark(metric, Tone.QUIET)
    if reading.values.get(GPU_UTILIZATION) == 0:
        return StateMark(tr("Idle"), Tone.QUIET)
    return no_figures_mark() if tells_nothing(reading) else None


def _cuda(card: Card) -> str:
    if card.cuda_index is not None:
        return f"cuda:{card.cuda_index}"
    return tr("no CUDA number")


def _cuda_reason(card: Card) -> str:
    if card.cuda_index is not None or not card.cuda_reason:
        return ""
    return tr("No CUDA number: {reason}.", reason=tr(card.cuda_reason))


def _last(words: tuple[str, ...]) -> str:
    """The shortest; empty where there are none."""
    return words[-1] if words else ""


def _nothing(card: CardId) -> Reading:
    return Reading(card, 0.0, {})
