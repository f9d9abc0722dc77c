"""EventRows: the rows of the list, the newest on top, and what stands in their columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Cell, Chip
from gpuexplorer.gui.tables.cell_drawing import chips_width
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.events.event_choice import EventChoice
from gpuexplorer.gui.wording.events.event_words import (
    EventBook,
    EventFace,
    EventMoment,
    event_face,
    gathered,
    result_of,
    stem,
)
from gpuexplorer.telemetry.happenings import Happening

TIME, CARD = "time", "card"
CHIPS = 4  # of so many cards at once; of more it is said how many more
_MOST_TOLD = 16


@dataclass(frozen=True, slots=True)
class Told:
    """An event with what people call its card, and how it came out."""

    happening: Happening
    number: str
    result: str


class EventRows:
    """`moments` are those that are chosen. What a row says is made only when it is seen."""

    def __init__(self, machine: MachineState) -> None:
        self._machine = machine
        self._book = EventBook()
        self.log: Sequence[Happening] = ()  # all there are, the oldest first
        self.choice = EventChoice()
        self.moments: list[EventMoment] = []

    @property
    def listed(self) -> Sequence[Happening]:
        """Those that are chosen, the newest first."""
        return [each for moment in self.moments for each in reversed(moment.happenings)]

    def show_log(self, log: Sequence[Happening]) -> bool:
        """Takes in what is new; True if there was anything."""
        added = self._book.take(log)
        self.log = log
        if not added:
            return False
        # The oldest make room for the newest: a row goes when all of it is gone.
        while self.moments and self.moments[-1].happenings[-1].at < log[0].at:
            del self.moments[-1]
        new, _ = gathered(self._chosen_of(added), self.moments)
        self.moments[0:0] = new
        return True

    def choose(self, choice: EventChoice) -> None:
        self.choice = choice
        self.moments, _ = gathered(self._chosen_of(self.log))

    def told(self, happenings: Sequence[Happening]) -> list[Told]:
        """For a file: ten thousand in a few milliseconds."""
        numbers, result = self._numbers(), self._book.result
        return [
            Told(each, numbers.get(each.card, each.card) if each.card else "", result(each))
            for each in happenings
        ]

    def columns(self) -> list[Column[EventMoment]]:
        return [
            Column(
                TIME,
                tr("Time"),
                lambda moment: Cell(self._face(moment.first).time, tone=Tone.QUIET),
                spoken=self._spoken,
            ),
            Column("sign", "", self._sign, width=32, spoken=self._spoken),
            Column(
                CARD,
                tr("Card"),
                self._card,
                width=round(chips_width(CHIPS)),
                kept=2,
                spoken=self._spoken,
            ),
            Column(
                "sentence",
                tr("What happened"),
                lambda moment: Cell(
                    self._moment_face(moment).sentence, hint=self._hint(moment)
                ),
                width=180,
                stretches=True,
                share=0.25,
                spoken=self._spoken,
            ),
            Column(
                "result",
                tr("Result"),
                lambda moment: Cell(self._moment_face(moment).result, tone=Tone.QUIET),
                width=190,
                right=True,
                kept=1,
                spoken=self._spoken,
            ),
        ]

    def _sign(self, moment: EventMoment) -> Cell:
        face = self._face(moment.first)
        return Cell(icon=face.icon, tone=face.tone, hint=tr(moment.first.kind.value))

    def _card(self, moment: EventMoment) -> Cell:
        faces = [self._face(each) for each in moment.happenings]
        chips = tuple(Chip(each.card, each.colour) for each in faces if each.card)
        return Cell(chips=chips, hint=self._hint(moment))

    def _spoken(self, moment: EventMoment) -> str:
        return self._moment_face(moment).spoken

    def _hint(self, moment: EventMoment) -> str:
        """Each of its events on a line of its own."""
        faces = [self._face(each) for each in moment.happenings[:_MOST_TOLD]]
        return "\n".join(_line(each) for each in faces)

    def _moment_face(self, moment: EventMoment) -> EventFace:
        """For one or several cards, of which `card` names all."""
        face = self._face(moment.first)
        if len(moment.happenings) == 1:
            return face
        return replace(
            face,
            card=", ".join(self._face(each).card for each in moment.happenings),
            sentence=tr(stem(moment.first)),
            result=result_of(moment, self._book.result),
            cards=len(moment.happenings),
        )

    def _face(self, happening: Happening) -> EventFace:
        now = self._machine.session.clock.wall()
        shown = self._machine.shown(happening.card)
        return event_face(happening, shown, self._book.result(happening), now)

    def _chosen_of(self, happenings: Sequence[Happening]) -> list[Happening]:
        """The oldest first."""
        numbers = self._numbers()
        return [each for each in happenings if self.choice.takes(each, numbers)]

    def _numbers(self) -> Mapping[CardId, str]:
        return {
            each.card.id: each.number
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        }


def _line(face: EventFace) -> str:
    if not face.result:
        return face.told
    return tr("{text} ({mark})", text=face.told, mark=face.result)
