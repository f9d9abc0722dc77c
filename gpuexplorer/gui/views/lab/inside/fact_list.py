"""FactList: labels with their values, a hairline under each."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.device_badges import DeviceBadges, badges_of
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.inside.thing_facts import ThingFact

_HEIGHT = 27


class FactList(QWidget):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: list[_Row] = []
        self._facts: tuple[ThingFact, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_facts(
        self, facts: Sequence[ThingFact], devices: Sequence[BenchDevice] = ()
    ) -> None:
        if tuple(facts) == self._facts:
            return
        self._facts = tuple(facts)
        while len(self._rows) < len(facts):
            row = _Row(self._look)
            self._rows.append(row)
            self._column.addWidget(row)
        for number, row in enumerate(self._rows):
            row.setVisible(number < len(facts))
            if number < len(facts):
                row.show_fact(facts[number], devices, last=number == len(facts) - 1)


class _Row(QWidget):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._label = QLabel()
        self._label.setProperty("tone", "quiet")
        self._badges = DeviceBadges(look)
        self._badges.hide()
        self._words = _value_label(look.letters.body)
        self._code = _value_label(look.letters.mono)
        self._line = QFrame()
        self._line.setProperty("panel", "line")
        self._line.setFixedHeight(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._label)
        row.addStretch(1)
        row.addWidget(self._badges)
        row.addWidget(self._words)
        row.addWidget(self._code)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row, 1)
        column.addWidget(self._line)
        self.setFixedHeight(_HEIGHT)

    def show_fact(self, fact: ThingFact, devices: Sequence[BenchDevice], *, last: bool) -> None:
        letters = self._look.letters
        self._label.setFont((letters.mono if fact.named_as_code else letters.body).font)
        self._label.setText(fact.label)
        shown, other = (self._code, self._words) if fact.code else (self._words, self._code)
        shown.show_text(fact.value)
        shown.setAccessibleName(f"{fact.label}: {fact.value}")
        shown.show()
        other.hide()
        names = [fact.device] if fact.device else []
        self._badges.show_badges(badges_of(names, devices))
        self._line.setVisible(not last)


def _value_label(letters: Lettering) -> ElidedLabel:
    label = ElidedLabel(letters, Tone.TEXT)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label
