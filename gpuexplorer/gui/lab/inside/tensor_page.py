"""TensorPage: the values of a tensor, how they are spread, and what it is."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.fact_list import WhatPane
from gpuexplorer.gui.lab.inside.spread_pane import SpreadPane
from gpuexplorer.gui.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.lab.inside.value_pane import ValuePane
from gpuexplorer.gui.lab.inside.words import thing_called
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row
from gpuexplorer.gui.widgets.live_view import scrolled

_SIDE, _GAP = 288, 28
_WIDE, _HIGH = 1120, 760  # wider, and not as high: everything stands side by side
_VALUES, _GRADIENT = "values", "gradient"


class TensorPage(QFrame):
    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self._lab = lab
        self._name, self._shown = "", _VALUES
        self._head = ThingHead(lab)
        self._switch = Segmented(
            tr("What is shown"), [(_VALUES, tr("Values")), (_GRADIENT, tr("Gradient"))]
        )
        self._switch.show_choice(_VALUES)
        self._switch.chosen.connect(self._on_switched)
        self._head.add(self._switch)
        self._values = ValuePane(lab)
        self._spread = SpreadPane(self._values)
        self._what = WhatPane(lab)
        sides = QWidget()
        sides.setProperty("panel", "clear")
        top = Qt.AlignmentFlag.AlignTop
        self._row: QBoxLayout = row(self._spread, top, self._what, top, FREE, within=sides)
        for each in (self._spread, self._what):
            each.setFixedWidth(_SIDE)
        self._scroll = scrolled(sides)
        left = column(self._head, self._values, GROWS, gap=10)
        row(left, GROWS, self._scroll, within=self, gap=_GAP, margins=(16, 14, 8, 12))
        self._arrange()

    def show_thing(self, name: str) -> None:
        if name != self._name:
            self._name, self._shown = name, _VALUES
            self._switch.show_choice(_VALUES)
            self._spread.show_nothing()
        self.show_facts()
        self._look()

    def show_facts(self) -> None:
        """Which lines read it, and what else is told of it without a look."""
        thing = thing_called(self._lab.ledger, self._name)
        self._head.show_thing(self._name)
        self._what.show_thing(self._name)
        self._switch.setVisible(thing is not None and thing.requires_grad)

    def forget(self) -> None:
        self._name = ""
        self._values.forget()
        self._spread.show_nothing()

    def _look(self) -> None:
        if self._shown == _GRADIENT:
            told = tr(
                "{name} has no gradient: no backward pass has come to it yet, or it is not a "
                "leaf.",
                name=self._name,
            )
            self._values.show_thing(f"{self._name}.grad", told)
        else:
            self._values.show_thing(self._name)

    def _arrange(self) -> None:
        wide = self.width() >= _WIDE and self.height() < _HIGH
        way = QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom
        self._row.setDirection(way)
        self._row.setSpacing(_GAP if wide else 16)
        self._scroll.setFixedWidth((2 * _SIDE + _GAP if wide else _SIDE) + 12)

    def _on_switched(self, shown: object) -> None:
        self._shown = str(shown)
        self._switch.show_choice(self._shown)
        self._look()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
