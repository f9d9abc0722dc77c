"""EventsPanel: the last few things that took place, the newest on top."""

import time
from collections.abc import Mapping, Sequence
from typing import assert_never

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.gui.paint.icons import Icon
from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.event_row import EventFace, EventRow
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.faces import Shown
from gpuexplorer.gui.wording.reasons import ORDINARY
from gpuexplorer.telemetry.happenings import Happening, Kind

ROWS = 10
_ORDINARY = tuple(METRICS[metric].label for metric in ORDINARY)


class EventsPanel(Panel):
    """As many rows as there are, up to the number that is still taken in at a glance."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Events", "Newest first", parent)
        self._nothing = wrapped_label(
            look,
            "Nothing yet. Lost cards, throttling, memory errors and programs that come and go "
            "are told here.",
            Tone.QUIET,
        )
        self.body.addWidget(self._nothing)
        self._rows = [EventRow(look) for _ in range(ROWS)]
        for row in self._rows:
            row.hide()
            self.body.addWidget(row)
        self.body.addStretch(1)

    def show_happenings(
        self, happenings: Sequence[Happening], cards: Mapping[CardId, Shown]
    ) -> None:
        newest = list(happenings[-ROWS:])[::-1]
        self._nothing.setVisible(not newest)
        for position, row in enumerate(self._rows):
            row.setVisible(position < len(newest))
            if position < len(newest):
                row.show_face(_face(newest[position], cards))


def _face(happening: Happening, cards: Mapping[CardId, Shown]) -> EventFace:
    icon, tone = _sign(happening)
    shown = None if happening.card is None else cards.get(happening.card)
    # A card that is no longer listed keeps its place in the log under its lasting name.
    unlisted = happening.card or ""
    return EventFace(
        time=time.strftime("%H:%M:%S", time.localtime(happening.wall)),
        icon=icon,
        tone=tone,
        card=unlisted if shown is None else shown.number,
        colour=None if shown is None else shown.colour,
        sentence=happening.sentence,
    )


def _sign(happening: Happening) -> tuple[Icon, Tone]:
    match happening.kind:
        case Kind.CARD_LOST | Kind.DRIVER_GONE | Kind.XID | Kind.MEMORY_ERROR:
            return Icon.LOST, Tone.BAD
        case Kind.NO_ANSWER:
            return Icon.SILENT, Tone.WARN
        case Kind.THROTTLING_BEGAN if happening.sentence.startswith(_ORDINARY):
            return Icon.NOTE, Tone.QUIET
        case Kind.THROTTLING_BEGAN | Kind.SLOW_LINK:
            return Icon.WARNING, Tone.WARN
        case Kind.ASLEEP:
            return Icon.ASLEEP, Tone.QUIET
        case Kind.PROCESS_APPEARED | Kind.PROCESS_ENDED:
            return Icon.PROCESS, Tone.QUIET
        case (
            Kind.CARD_BACK
            | Kind.ANSWERS_AGAIN
            | Kind.DRIVER_BACK
            | Kind.AWAKE
            | Kind.THROTTLING_ENDED
        ):
            return Icon.THERE, Tone.QUIET
        case _:
            assert_never(happening.kind)
