"""WhatPane: what a thing is, which lines made and read it, and how to make it again."""

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.fact_list import FactList
from gpuexplorer.gui.views.lab.inside.recipe_box import RecipeBox
from gpuexplorer.gui.wording.lab.inside.thing_facts import recipe, thing_facts
from gpuexplorer.lab.events import Placed


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
