"""CardFace: all that screens show of one card as it is now. Equal faces look the same."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QListView

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, remedy, short_name
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.figure import (
    Figure,
    MemoryFace,
    busier_way,
    figure,
    memory_face,
    pcie_figure,
)
from gpuexplorer.gui.cards.reasons import REASONS, StateMark, state_mark, throttle_mark
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import Index, plain_tip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.telemetry.card_course import why_no_figures
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.pcie_link import at_work, lanes_missing
from gpuexplorer.telemetry.session import card_numbers

DEVICE = Qt.ItemDataRole.UserRole
_NEARLY_FULL = 0.95
_PCIE, _NVLINK = (m.PCIE_RECEIVE, m.PCIE_TRANSMIT), (m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT)


class CardNow(NamedTuple):
    """What the session knows of one card at this moment."""

    reading: Reading | None
    silence: float | None  # seconds without an answer
    slow: bool = False  # the reading is of a moment ago, since no newer one came in time

    @property
    def state(self) -> CardState:
        if self.silence is not None:
            return CardState.NO_ANSWER
        return CardState.WORKING if self.reading is None else self.reading.state


class Shown(NamedTuple):
    """A card, or the computer itself, with its place among the others."""

    card: Card
    number: str
    colour: int | None  # which of the card colours; None where there are too many cards
    instances: tuple["Shown", ...] = ()

    @property
    def host(self) -> bool:
        return self.card.kind is CardKind.HOST

    @property
    def title(self) -> str:
        if self.host:
            return tr("The computer, {name}", name=self.card.name)
        if self.card.nameless:
            return tr("Card {number}", number=self.number)
        return tr("Card {number}, {name}", number=self.number, name=self.card.name)


def arrange(cards: Sequence[Card]) -> Sequence[Shown]:
    """Instances under their card; one whose card is not listed stands by itself."""
    numbers, below = card_numbers(cards), defaultdict[CardId | None, list[Shown]](list)
    for card in cards:
        below[card.parent].append(Shown(card, numbers[card.id], None))
    tops = [e for e in cards if e.parent not in numbers and e.kind is not CardKind.HOST]
    coloured = MOST_COLOURED_CARDS if len(tops) <= MOST_COLOURED_CARDS else 0

    def colour(card: Card) -> int | None:
        return card.index if card.index < coloured else None

    return [Shown(e, numbers[e.id], colour(e), tuple(below[e.id])) for e in tops]


def told(happening: Happening, shown: Shown | None) -> str:
    """ "Card 1: The card is lost"; one that is not listed goes by its lasting name."""
    sentence, card = tr(happening.sentence), happening.card if shown is None else shown.number
    return tr("Card {card}: {sentence}", card=card, sentence=sentence) if card else sentence


class CardBadge(NamedTuple):
    """What a card is besides: "MIG", "display". Unlike a mark it rarely changes."""

    word: str
    hint: str
    minor: bool = False  # said elsewhere too, and so left out on a small tile


@dataclass(frozen=True)
class CardFace:
    """What never changes comes first. Faces are not compared by their small figures."""

    id: CardId
    index: int  # in the driver's order
    number: str
    colour: int | None
    title: str  # which card it is, for screen readers and for tooltips
    name: str  # empty where the driver does not report it
    short_name: str
    cuda: str  # "cuda:0", or that there is no such number
    cuda_reason: str  # why not, as a sentence
    badges: tuple[CardBadge, ...]
    mark: StateMark | None
    sentence: str  # in place of the figures; empty where there are some
    more: str  # a second, quieter sentence
    dimmed: bool  # the figures are of a moment ago
    busy: Figure
    busy_share: float | None
    memory: MemoryFace
    instances: tuple["CardFace", ...]
    reading: Reading = field(compare=False, repr=False)
    units: Units
    nvlinks: bool
    state: CardState
    word: str  # "lost": in the place of how busy it is, where that is not known
    word_tone: Tone
    warning: Icon | None  # beside the name of a card that answers, where something is wrong
    host: bool  # the computer itself

    @cached_property
    def _first(self) -> tuple[Figure, ...]:
        """Five that every tile shows. Made on asking: of very many cards nobody sees them."""
        reading, units = self.reading, self.units
        return (
            figure(reading, m.POWER_DRAW, units, brief=tr("power")),
            figure(reading, m.TEMPERATURE, units, brief=tr("temp.")),
            figure(reading, m.CLOCK_SM, units, brief=tr("clock")),
            figure(reading, m.FAN_SPEED, units, short_label=tr("fan")),
            pcie_figure(reading, units),
        )

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The small ones; of the computer its swap, where it has some."""
        reading, units = self.reading, self.units
        if self.host:
            none = reading.missing.get(m.SWAP_USED) is Absence.NO_SWAP
            return () if none else (figure(reading, m.SWAP_USED, units, tr("Swap")),)
        more = {
            **dict.fromkeys((*_PCIE, *(_NVLINK if self.nvlinks else ())), ""),
            m.MEMORY_TEMPERATURE: tr("Memory temp."),
            m.CLOCK_MEMORY: "",
            m.MEMORY_UTILIZATION: tr("Memory ctrl"),
            m.PERFORMANCE_STATE: "",
            m.ENERGY: "",
        }
        return (*self._first, *(figure(reading, e, units, label) for e, label in more.items()))

    @cached_property
    def brief_figures(self) -> tuple[Figure, ...]:
        """Six, for a tile without captions."""
        *first, fan, link = self._first
        # A card without a fan has wires that say more.
        if self.nvlinks and not fan.known:
            fan = busier_way(self.reading, self.units, _NVLINK, tr("NVLink"))
        return (*first, fan, link, busier_way(self.reading, self.units, _PCIE, tr("traffic")))

    @property
    def answers(self) -> bool:
        return not self.sentence

    @property
    def summary(self) -> str:
        """What a tile says that has no small figures."""
        return " ".join(self._sentences(()))

    @property
    def spoken_briefly(self) -> str:
        return " ".join(self._sentences(self._first))

    @property
    def spoken(self) -> str:
        return " ".join(self._sentences(self.figures))

    @property
    def hint(self) -> str:
        return "\n".join([self.title, *self._sentences(self.figures)])

    def _sentences(self, figures: Sequence[Figure]) -> list[str]:
        said = [] if self.mark is None else [f"{self.mark.word}."]
        if self.sentence:
            said += [self.sentence, self.more]
        else:
            said += [f"{each.spoken}." for each in (self.busy, self.memory.figure, *figures)]
        for each in self.instances:
            what = each.sentence or f"{each.memory.figure.spoken}."
            instance = tr("Instance {number}", number=each.number), each.name, each.cuda
            said.append(tr("{card}: {figures}", card=", ".join(instance), figures=what))
        said += [*(badge.hint for badge in self.badges), self.cuda_reason]
        return [*filter(None, said)]


def card_face(
    shown: Shown,
    known: Mapping[CardId, CardNow],
    units: Units = USUAL,
    since: str = "",
    *,
    simulated: bool = False,
) -> CardFace:
    """`since`: when it began not to work; `simulated`: the cards beside the computer are."""
    card, now, host = shown.card, known[shown.card.id], shown.host
    reading = now.reading or Reading(card.id, 0.0, {})
    sentence, more = _no_figures(now, since)
    word = tr("not yet") if now.state is CardState.WORKING else tr(now.state.word)
    metric = m.CPU_UTILIZATION if host else m.GPU_UTILIZATION
    busy = figure(reading, metric, units, "" if host else tr("GPU busy"))
    memory = memory_face(reading, card.memory_bytes, units)
    if host and (memory.used or 0.0) >= _NEARLY_FULL:
        memory = memory._replace(figure=replace(memory.figure, tone=Tone.WARN))
    instances = (
        replace(
            card_face(each, known, units=units),
            name=each.card.name.removeprefix(card.name).lstrip(" ,") or each.card.name,
        )
        for each in shown.instances
    )
    name, cuda, reason = "" if card.nameless else card.name, f"cuda:{card.cuda_index}", ""
    if card.cuda_index is None:
        cuda, reason = "" if host else tr("no CUDA number"), tr(card.cuda_reason)
    mark = _mark(now, reading, sentence, units)
    wrong = mark if mark is not None and mark.tone is not Tone.QUIET else None
    return CardFace(
        *(card.id, card.index, shown.number, shown.colour),
        title=", ".join(filter(None, (shown.title, cuda))),
        name=name,
        short_name=tr("Host") if host else short_name(name) or shown.title,
        cuda=cuda,
        cuda_reason=tr("No CUDA number: {reason}.", reason=reason) if reason else "",
        badges=tuple(_badges(shown, reading, simulated=simulated)),
        mark=mark,
        sentence=sentence,
        more=more,
        dimmed=now.slow,
        busy=busy,
        busy_share=None if sentence else reading.values.get(metric),
        memory=memory,
        instances=tuple(instances),
        reading=reading,
        units=units,
        nvlinks=bool(card.nvlinks),
        state=now.state,
        word=word if sentence else "".join(busy.absent),
        word_tone=wrong.tone if wrong and sentence else Tone.FAINT,
        warning=wrong.icon if wrong and not sentence else None,
        host=host,
    )


def _no_figures(now: CardNow, since: str) -> tuple[str, str]:
    """Why a card has no figures to show, and what to do; empty where it has some."""
    if now.silence is not None:
        silent = tr("No answer for {seconds:.0f} s.", seconds=now.silence)
        return silent, tr("The driver was asked and is waited for.")
    if now.reading is None:
        return tr("Not read yet."), ""
    if now.state is CardState.WORKING:
        return "", ""
    words, cure = tr(now.state.sentence), ""
    if now.state in (CardState.LOST, CardState.UNLISTED, CardState.REFUSED):
        why = next(iter(now.reading.missing.values()), Absence[now.state.name])
        cure = tr(remedy(why)).replace("`", "")
    timed = tr("Since {moment}: {sentence}.", moment=since, sentence=words)
    return timed if since else f"{words[:1].upper()}{words[1:]}.", cure


def _mark(now: CardNow, reading: Reading, sentence: str, units: Units) -> StateMark | None:
    """What is remarkable about it, the gravest first."""
    if sentence:
        return state_mark(now.state, sentence)
    if now.slow:
        return StateMark(tr("Slow to answer"), Tone.WARN, Icon.SILENT)
    held = next((each for each in REASONS if reading.values.get(each)), None)
    if held in m.GRAVE:
        heat = figure(reading, m.TEMPERATURE, units)
        return throttle_mark(held, heat.value if "thermal" in held else "")
    if at_work(reading.values) and (slow := lanes_missing(reading)):
        word = tr("PCIe ×{lanes} of ×{most}", lanes=slow[0], most=slow[1])
        more = tr("the link is slower than it could be")
        return StateMark(word, Tone.WARN, Icon.WARNING, more=more)
    if held is not None:
        return throttle_mark(held)
    if reading.values.get(m.GPU_UTILIZATION) == 0:
        return StateMark(tr("Idle"), Tone.QUIET)
    if why := why_no_figures(reading.values, reading.missing):
        words = tr("No usable figure"), tr(why.sentence)
        return StateMark(tr("Gives no usable figure"), Tone.WARN, Icon.WARNING, *words)
    return None


def _badges(shown: Shown, reading: Reading, *, simulated: bool) -> Iterator[CardBadge]:
    card, count = shown.card, len(shown.instances)
    if shown.host and simulated:
        hint = tr(
            "These figures are the computer's own and real; only the cards are simulated."
        )
        yield CardBadge(tr("real, not simulated"), hint)
    if card.kind is CardKind.MIG:
        yield CardBadge(tr("MIG instance"), tr("A part of another card."))
    elif count or reading.values.get(m.MIG_MODE):
        hint = trn(
            "MIG is on: the card is cut into {count} instance.",
            "MIG is on: the card is cut into {count} instances.",
            count,
        )
        yield CardBadge(tr("MIG"), hint)
    if reading.values.get(m.DISPLAY_ACTIVE):
        yield CardBadge(tr("display"), tr("A display is attached to this card."))
    if card.simulated:
        yield CardBadge(tr("simulated"), tr("This card is simulated."), minor=True)


def face_of_now(face: CardFace) -> CardFace:
    """Beside a curve that shows an earlier time: state and figures are not of then."""
    if face.mark is None:
        hint = tr("Figures and state are current. The curve shows an earlier time.")
        return replace(face, badges=(CardBadge(tr("now"), hint), *face.badges))
    word = tr("Now: {state}", state=face.mark.brief or face.mark.word)
    return replace(face, mark=face.mark._replace(word=word, brief=""))


class DeviceList(QAbstractListModel):
    """Cards, and the computer, as the rail and the small window list them."""

    faces: Sequence[CardFace] = ()

    def show_faces(self, faces: Sequence[CardFace]) -> bool:
        """Whether there are others than before, or more or fewer."""
        before, self.faces = self.faces, faces
        if [each.id for each in before] != [each.id for each in faces]:
            self.beginResetModel()
            self.endResetModel()
            return True
        for row, (old, new) in enumerate(zip(before, faces, strict=True)):
            if old != new:
                self.dataChanged.emit(self.index(row), self.index(row))
        return False

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.faces)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        face = self.faces[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return face.title
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return face.summary
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(face.hint)
        return face if role == DEVICE else None


class DeviceView(QListView):
    """Draws a device anew that looks different. Qt would lay all of them out again."""

    @guarded
    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, first, last, roles)
