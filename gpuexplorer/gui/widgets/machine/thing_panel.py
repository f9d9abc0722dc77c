"""ThingPanel: the facts of what was chosen in the drawing of a machine."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.facts.fact import Fact
from gpuexplorer.gui.wording.machine.machine_facts import End, ThingFacts

NOTHING_CHOSEN = mark(
    "Click a card or a wire, or a cell of the matrix: what is known of it stands here."
)
_LABEL = 126
_CHIP, _BETWEEN = 20.0, 6.0


class ThingPanel(QFrame):
    """Its rows are made once and shown again with other words."""

    open_asked = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Facts"))
        self._look = look
        self._shown: ThingFacts | None = None
        self._card: CardId | None = None
        self._ends = _Ends(look)
        self._title = QLabel()
        self._title.setFont(look.letters.title.font)
        self._title.setWordWrap(True)
        self._open = WordButton(look, Icon.NEXT, tr("Open card"))
        self._open.clicked.connect(self._on_open_asked)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._rows: list[_Row] = []
        self._note = wrapped_label(look, "", Tone.QUIET)
        self._note.setFont(look.letters.caption.font)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._ends)
        head.addWidget(self._title, 1)
        head.addWidget(self._open)
        self._body = QVBoxLayout()
        self._body.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._sentence)
        column.addLayout(self._body)
        column.addWidget(self._note)
        column.addStretch(1)
        self.show_nothing()

    def show_nothing(self) -> None:
        self._shown = self._card = None
        self._title.setText(tr("Nothing chosen"))
        self._sentence.setText(NOTHING_CHOSEN)
        self._say_tone(Tone.QUIET)
        for widget in (self._ends, self._open, self._note):
            widget.hide()
        self._sentence.show()
        self._show_rows(())

    def show_facts(self, facts: ThingFacts) -> None:
        if facts == self._shown:
            return
        self._shown, self._card = facts, facts.card
        self._ends.show_ends(facts.ends)
        self._ends.setVisible(bool(facts.ends))
        self._title.setText(facts.title)
        self._open.show_words(tr("Open host") if facts.card == HOST_ID else tr("Open card"))
        self._open.setVisible(facts.card is not None)
        self._sentence.setText(facts.sentence)
        self._sentence.setVisible(bool(facts.sentence))
        self._say_tone(facts.tone)
        self._note.setText(facts.note)
        self._note.setVisible(bool(facts.note))
        self._show_rows(facts.facts)

    def _show_rows(self, facts: Sequence[Fact]) -> None:
        while len(self._rows) < len(facts):
            self._rows.append(_Row(self._look))
            self._body.addWidget(self._rows[-1])
        for at, row in enumerate(self._rows):
            row.setVisible(at < len(facts))
            if at < len(facts):
                row.show_fact(facts[at])

    def _say_tone(self, tone: Tone) -> None:
        if self._sentence.property("tone") != tone.value:
            self._sentence.setProperty("tone", tone.value)
            style = self._sentence.style()
            style.unpolish(self._sentence)
            style.polish(self._sentence)

    def _on_open_asked(self) -> None:
        if self._card is not None:
            self.open_asked.emit(self._card)


class _Row(QWidget):
    """A label and what there is to say, over several lines where it is long."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fact: Fact | None = None
        self._label = wrapped_label(look, "", Tone.QUIET)
        self._label.setFixedWidth(_LABEL)
        self._value = wrapped_label(look, "", Tone.TEXT)
        self._absent = wrapped_label(look, "", Tone.FAINT)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 3, 0, 3)
        row.setSpacing(8)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self._label, 0, top)
        row.addWidget(self._value, 1, top)
        row.addWidget(self._absent, 1, top)

    def show_fact(self, fact: Fact) -> None:
        if fact == self._fact:
            return
        self._fact = fact
        self._label.setText(fact.label)
        self._value.setText(fact.read if fact.value else "")
        self._value.setVisible(bool(fact.value))
        self._absent.setText("" if fact.value else fact.read)
        self._absent.setVisible(not fact.value)
        self.setToolTip(fact.hint)
        self.setAccessibleName(fact.line)


class _Ends(Painted):
    """The chips of the cards that it is about."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shown: tuple[End, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_ends(self, ends: tuple[End, ...]) -> None:
        if ends != self._shown:
            self._shown = ends
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        x = 0.0
        for end in self._shown:
            wide = self._width(end)
            fill = None if end.colour is None else drawing.theme.card(end.colour)
            chip = QRectF(x, (self.height() - _CHIP) / 2, wide, _CHIP)
            drawing.chip(chip, end.number, drawing.letters.strong, fill)
            x += wide + _BETWEEN

    def _width(self, end: End) -> float:
        return max(_CHIP, self.look.letters.strong.width(end.number) + 10)

    def sizeHint(self) -> QSize:
        wide = sum(self._width(end) + _BETWEEN for end in self._shown) - _BETWEEN
        return QSize(round(max(0.0, wide)), int(_CHIP))
