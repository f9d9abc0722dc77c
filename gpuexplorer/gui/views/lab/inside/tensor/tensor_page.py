"""TensorPage: the values of a tensor, how they are spread, and what it is."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.tensor.spread_pane import SpreadPane
from gpuexplorer.gui.views.lab.inside.tensor.value_pane import ValuePane
from gpuexplorer.gui.views.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.views.lab.inside.what_pane import WhatPane
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.lab.events import Finished, Peeked

_SIDE, _GAP, _MARGIN = 288, 28, 16
_WIDE, _HIGH = 1120, 760  # wider, and not as high: everything stands side by side
_VALUES, _GRADIENT = "values", "gradient"


class TensorPage(QFrame):
    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._lab = lab
        self._name = ""
        self._shown = _VALUES
        self._head = ThingHead(look, lab)
        self._switch = Segmented(
            look, tr("What is shown"), [(_VALUES, tr("Values")), (_GRADIENT, tr("Gradient"))]
        )
        self._switch.show_choice(_VALUES)
        self._switch.chosen.connect(self._on_switched)
        self._head.add(self._switch)
        self._values = ValuePane(look, lab)
        self._spread = SpreadPane(look)
        self._what = WhatPane(look, lab)
        self._values.seen.connect(self._on_seen)
        self._values.failed.connect(self._on_failed)
        self._values.cost_known.connect(self._on_cost_known)
        self._values.value_chosen.connect(self._spread.mark)
        self._lay_out()

    def show_thing(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self._shown = _VALUES
            self._switch.show_choice(_VALUES)
            self._spread.show_seen(None)
        self.show_facts()
        self._look()

    def show_facts(self) -> None:
        """Which lines read it, and what else is told of it without a look."""
        thing = self._lab.ledger.things.get(self._name)
        self._head.show_thing(self._name)
        self._what.show_thing(self._name)
        self._switch.setVisible(thing is not None and thing.requires_grad)

    def forget(self) -> None:
        self._name = ""
        self._values.forget()
        self._spread.show_seen(None)

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

    def _lay_out(self) -> None:
        self._sides = QWidget()
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._sides)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_GAP)
        for each in (self._spread, self._what):
            each.setFixedWidth(_SIDE)
            self._row.addWidget(each, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addStretch(1)
        self._sides.setProperty("panel", "clear")
        self._scroll = scrolled(self._sides)
        left = QVBoxLayout()
        left.setSpacing(10)
        left.addWidget(self._head)
        left.addWidget(self._values, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN, 14, 8, 12)
        row.setSpacing(_GAP)
        row.addLayout(left, 1)
        row.addWidget(self._scroll)
        self._arrange()

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

    def _on_seen(self, peeked: Peeked) -> None:
        self._spread.show_seen(peeked)

    def _on_failed(self) -> None:
        self._spread.show_seen(None)

    def _on_cost_known(self, cost: Finished) -> None:
        self._spread.show_cost(cost)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
