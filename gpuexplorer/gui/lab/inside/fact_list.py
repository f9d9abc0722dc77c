"""FactList: labels with their values, a hairline between them; WhatPane: what a thing is."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.device_chips import DeviceChips
from gpuexplorer.gui.lab.inside.words import ThingFact, thing_called, thing_facts
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, add, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.lab.events import Placed

_HEIGHT = 26


class FactList(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._facts: Sequence[ThingFact] = ()
        self._column = column(within=self, gap=0)

    def show_facts(
        self, facts: Sequence[ThingFact], devices: Sequence[BenchDevice] = ()
    ) -> None:
        if facts == self._facts:
            return
        self._facts = facts
        for gone in self.findChildren(QWidget):
            gone.hide()
            gone.deleteLater()
        for fact in facts:
            line = QFrame()
            line.setProperty("panel", "line")
            line.setFixedHeight(1)
            shown = self._row(fact, devices)
            add(self._column, line, shown)
            line.setVisible(fact is not facts[0])
            shown.show()  # a layout would do so later

    def _row(self, fact: ThingFact, devices: Sequence[BenchDevice]) -> QWidget:
        letters = look().letters
        name = label(
            fact.label, letters.mono if fact.named_as_code else letters.body, Tone.QUIET
        )
        chips = DeviceChips()
        value = ElidedLabel(letters.mono if fact.code else letters.body, Tone.TEXT, fact.value)
        value.setAccessibleName(f"{fact.label}: {fact.value}")
        whole = QWidget()
        whole.setFixedHeight(_HEIGHT)
        row(name, FREE, chips, value, within=whole)
        chips.show_devices(fact.device, devices)
        return whole


class WhatPane(QWidget):
    """Which cells made and read a thing, too."""

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._lab = lab
        self._asked: tuple[Placed | None, int] = (None, 0)
        self._facts = FactList()
        heading = label(tr("What it is"), look().letters.strong)
        column(heading, self._facts, FREE, within=self, gap=6)

    def show_thing(self, name: str) -> None:
        ledger = self._lab.ledger
        thing = thing_called(ledger, name)
        # Where it was read by many cells, asking takes a while.
        asked = (thing, sum(each.state == "done" for each in ledger.cells))
        if thing is not None and asked != self._asked:
            self._asked = asked
            self._facts.show_facts(thing_facts(ledger, thing), self._lab.devices())
