"""ThingPanel: the facts of what was chosen in the drawing of a machine."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.fact import Fact
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.machine.machine_facts import ThingFacts
from gpuexplorer.gui.widgets.painted import ChipRow

_LABEL = 126


class ThingPanel(QFrame):
    """Its rows are made once and shown again with other words."""

    open_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Facts"))
        self._shown: ThingFacts | None = None
        self._ends = ChipRow()
        self._title = label("", look().letters.title)
        self._title.setWordWrap(True)
        self._open = WordButton(Icon.NEXT, tr("Open card"))
        self._open.clicked.connect(self._on_open_asked)
        self._sentence = wrapped_label("", Tone.TEXT)
        self._rows: list[_FactRow] = []
        self._note = wrapped_label("", Tone.QUIET)
        self._note.setFont(look().letters.caption.font)
        head = row(self._ends, self._title, GROWS, self._open, gap=10)
        self._body = column(gap=0)
        parts = (head, self._sentence, self._body, self._note, FREE)
        column(*parts, within=self, margins=(16, 14, 16, 14))

    def show_facts(self, shown: ThingFacts) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        self._ends.show_chips(shown.ends)
        self._ends.setVisible(bool(shown.ends))
        self._title.setText(shown.title)
        self._open.show_words(tr("Open host") if shown.card == HOST_ID else tr("Open card"))
        self._open.setVisible(shown.card is not None)
        _say(self._sentence, shown.sentence, shown.tone)
        self._sentence.setVisible(bool(shown.sentence))
        say(self._note, shown.note)
        while len(self._rows) < len(shown.facts):
            self._rows.append(_FactRow())
            self._body.addWidget(self._rows[-1])
        for at, each in enumerate(self._rows):
            each.setVisible(at < len(shown.facts))
            if at < len(shown.facts):
                each.show_fact(shown.facts[at])

    def _on_open_asked(self) -> None:
        if self._shown is not None and self._shown.card is not None:
            self.open_asked.emit(self._shown.card)


class _FactRow(QWidget):
    """A label and what there is to say, over several lines where it is long."""

    def __init__(self) -> None:
        super().__init__()
        self._label = wrapped_label("", Tone.QUIET)
        self._label.setFixedWidth(_LABEL)
        self._value = wrapped_label("", Tone.TEXT)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 3, 0, 3)
        row.setSpacing(8)
        row.addWidget(self._label, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._value, 1, Qt.AlignmentFlag.AlignTop)

    def show_fact(self, fact: Fact) -> None:
        if fact.line != self.accessibleName() or fact.hint != self.toolTip():
            self._label.setText(fact.label)
            _say(self._value, fact.read, Tone.TEXT if fact.value else Tone.FAINT)
            self.setToolTip(fact.hint)
            self.setAccessibleName(fact.line)


def _say(label: QLabel, words: str, tone: Tone) -> None:
    label.setText(words)
    if label.property("tone") != tone.value:
        label.setProperty("tone", tone.value)
        label.style().polish(label)
