"""TextPage: an optimiser or a plain value, as PyTorch prints it, and what it is."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.views.lab.inside.what_pane import WhatPane
from gpuexplorer.gui.wording.lab.bench.bench_blocks import text_of

_SIDE = 288


class TextPage(QFrame):
    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._lab = lab
        self._name = ""
        self._head = ThingHead(look, lab)
        self._what = WhatPane(look, lab)
        self._what.setFixedWidth(_SIDE)
        self._text = QPlainTextEdit()
        self._text.setFont(look.letters.mono.font)
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName(tr("As PyTorch prints it"))
        left = QVBoxLayout()
        left.setSpacing(10)
        left.addWidget(self._head)
        left.addWidget(self._text, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 14, 16, 12)
        row.setSpacing(28)
        row.addLayout(left, 1)
        row.addWidget(self._what, 0, Qt.AlignmentFlag.AlignTop)

    def show_thing(self, name: str) -> None:
        self._name = name
        self.show_facts()

    def show_facts(self) -> None:
        thing = self._lab.ledger.things.get(self._name)
        self._head.show_thing(self._name)
        self._what.show_thing(self._name)
        text = "" if thing is None else text_of(thing)
        if text and text != self._text.toPlainText():
            self._text.setPlainText(text)

    def forget(self) -> None:
        self._name = ""
