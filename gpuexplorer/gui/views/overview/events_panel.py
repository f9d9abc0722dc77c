"""EventsPanel: the last few things that took place, the newest on top."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.rows.pressable_row import SIDE, PressableRow
from gpuexplorer.gui.widgets.rows.row_list import RowList
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.gui.wording.events.event_words import EventBook, EventFace, event_face
from gpuexplorer.telemetry.happenings import Happening

_ROWS = 24
HEIGHT = 28
_ICON = 16.0
_LEAST_SENTENCE = 120.0


class EventsPanel(Panel):
    """As many rows as there is room for. A row leads to its moment."""

    chosen = Signal(object)  # the happening of a row
    all_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("Events"), parent=parent)
        self._book = EventBook()
        self._last: Happening | None = None
        self._cards: Mapping[CardId, Shown] = {}
        self._fitting = 0
        link = QPushButton(tr("All events"))
        link.setProperty("kind", "link")
        link.setFont(look.letters.body.font)
        link.clicked.connect(self.all_asked)
        self.head.addWidget(link)
        self._nothing = wrapped_label(
            look,
            tr(
                "Nothing yet. Lost cards, throttling, memory errors and programs that come and "
                "go are listed here."
            ),
            Tone.QUIET,
        )
        self.body.addWidget(self._nothing)
        self._rows = [EventRow(look) for _ in range(_ROWS)]
        for row in self._rows:
            row.chosen.connect(self.chosen)
        self._list = RowList(self._rows, HEIGHT)
        self._list.setContentsMargins(0, 0, 0, 0)
        self.body.setContentsMargins(16 - SIDE, 14, 16 - SIDE, 12)
        self.head.setContentsMargins(SIDE, 0, SIDE, 0)
        self._nothing.setContentsMargins(SIDE, 0, SIDE, 0)
        self.body.addWidget(self._list, 1)
        self._keys = ArrowKeys(self, sideways=False)
        self._keys.take(self._rows)

    def show_happenings(
        self, happenings: Sequence[Happening], cards: Mapping[CardId, Shown]
    ) -> None:
        self._book.take(happenings)
        fitting = self._list.fitting()
        last = happenings[-1] if happenings else None
        same = last is self._last and cards is self._cards and fitting == self._fitting
        if same and self._nothing.isHidden() is bool(happenings):
            return
        self._last, self._cards, self._fitting = last, cards, fitting
        newest = list(happenings[-fitting:])[::-1] if fitting else []
        self._nothing.setVisible(not happenings)
        for row, happening in zip(self._rows, newest, strict=False):
            shown = None if happening.card is None else cards.get(happening.card)
            face = event_face(happening, shown, self._book.result(happening))
            row.show_face(face, happening)
        self._list.show_count(len(newest))


class EventRow(PressableRow):
    """Rows are made once and shown again with other content."""

    chosen = Signal(object)  # what it shows

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._face: EventFace | None = None
        self._happening: Happening | None = None
        self.pressed.connect(self._on_pressed)

    def show_face(self, face: EventFace, happening: Happening | None = None) -> None:
        self._happening = happening
        if face != self._face:
            self._face = face
            self.setAccessibleName(face.spoken)
            self.update()

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        face = self._face
        if face is None:
            return
        theme, letters = drawing.theme, drawing.letters
        middle = place.center().y()
        baseline = middle + letters.body.cap_height / 2
        time = Run(face.time, letters.body, theme.quiet)
        x = drawing.text(place.left(), baseline, time) + 12
        drawing.icon(face.icon, QRectF(x, middle - 8, _ICON, _ICON), theme.tone(face.tone))
        x += _ICON + 10
        if face.card:
            wide = max(20.0, letters.caption.width(face.card) + 10)
            fill = None if face.colour is None else theme.card(face.colour)
            chip = QRectF(x, middle - 10, wide, 20)
            drawing.chip(chip, face.card, letters.caption, fill)
            x += wide + 10
        sentence = Run(face.sentence, letters.body, theme.text)
        right = place.right()
        result = Run(face.result, letters.body, theme.quiet)
        if face.result and right - result.width - x >= _LEAST_SENTENCE:
            right = drawing.runs_right(right, baseline, [result]) - 12
        drawing.elided(x, baseline, sentence, right - x, face.spoken)

    def _on_pressed(self) -> None:
        if self._happening is not None:
            self.chosen.emit(self._happening)

    def sizeHint(self) -> QSize:
        return QSize(300, HEIGHT)
