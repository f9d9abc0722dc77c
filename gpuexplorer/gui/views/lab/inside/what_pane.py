"""WhatPane: what a thing is, which lines made and read it, and how to make it again."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.fact_list import FactList
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.wording.lab.inside.thing_facts import recipe, thing_facts
from gpuexplorer.lab.events import Placed

_MOST_LINES, _FRAME, _INNER = 9, 34, 210.0
_SIMULATED = "# SIMULATED: the cards of this session are simulated."


class WhatPane(QWidget):
    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._asked: tuple[Placed | None, int] = (None, 0)
        heading = QLabel(tr("What it is"))
        heading.setFont(look.letters.strong.font)
        self._facts = FactList(look)
        self._recipe = RecipeBox(look)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for widget in (heading, self._facts, self._recipe):
            column.addWidget(widget)
        column.addStretch(1)

    def show_thing(self, name: str) -> None:
        ledger = self._lab.ledger
        thing = ledger.things.get(name)
        # Whom many lines read, it takes a while to ask.
        asked = (thing, sum(each.state == "done" for each in ledger.entries))
        if thing is None or asked == self._asked:
            return
        self._asked = asked
        self._facts.show_facts(thing_facts(ledger, thing), self._lab.devices())
        simulated = self._lab.machine.session.simulated
        self._recipe.show_recipe(recipe(ledger, name), simulated=simulated)


class RecipeBox(QWidget):
    """The lines that make a thing again, and a button that copies them."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._simulated = False
        heading = QLabel(tr("Recipe"))
        heading.setFont(look.letters.body.font)
        heading.setProperty("tone", "quiet")
        copy = WordButton(look, Icon.COPY, tr("Copy"))
        copy.setAccessibleName(tr("Copy the recipe"))
        copy.clicked.connect(self._on_copy_asked)
        self._text = QPlainTextEdit()
        self._text.setFont(look.letters.mono.font)
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._text.setAccessibleName(tr("Recipe"))
        head = QHBoxLayout()
        head.addWidget(heading)
        head.addStretch(1)
        head.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._text)

    def show_recipe(self, code: str, *, simulated: bool) -> None:
        self._simulated = simulated
        self.setVisible(bool(code))
        if code != self._text.toPlainText():
            self._text.setPlainText(code)
            metrics = self._look.letters.mono
            lines = sum(1 + int(metrics.width(each) / _INNER) for each in code.splitlines())
            height = round(min(lines, _MOST_LINES) * metrics.height) + _FRAME
            self._text.setFixedHeight(height)

    def _on_copy_asked(self) -> None:
        """Whatever leaves the window says what it is."""
        code = self._text.toPlainText()
        words = f"{_SIMULATED}\n{code}" if self._simulated else code
        QGuiApplication.clipboard().setText(words)
