"""SpreadPane: all values of a tensor together, and what looking at them cost."""

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.fact_list import FactList
from gpuexplorer.gui.views.lab.inside.tensor.spread_chart import SpreadChart
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.inside import spread
from gpuexplorer.gui.wording.lab.inside.thing_facts import ThingFact
from gpuexplorer.lab.events import Finished, Peeked


class SpreadPane(QWidget):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._peeked: Peeked | None = None
        self._heading = QLabel()
        self._heading.setFont(look.letters.strong.font)
        self._chart = SpreadChart(look)
        self._nothing = wrapped_label(look, "", Tone.QUIET)
        self._facts = FactList(look)
        self._partly = wrapped_label(look, "", Tone.FAINT)
        self._looked = wrapped_label(look, "", Tone.FAINT)
        for label in (self._partly, self._looked):
            label.setFont(look.letters.caption.font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (
            *(self._heading, self._nothing, self._chart, self._facts),
            *(self._partly, self._looked),
        ):
            column.addWidget(widget)
        column.addStretch(1)

    def show_seen(self, peeked: Peeked | None) -> None:
        """None: there is nothing to be seen yet."""
        self._peeked = peeked
        self.setVisible(peeked is not None)
        if peeked is None:
            return
        nothing = spread.nothing(peeked)
        self._nothing.setText(nothing)
        self._nothing.setVisible(bool(nothing))
        self._chart.setVisible(not nothing)
        if not nothing:
            self._chart.show_spread(peeked)
        self._heading.setText(spread.heading(peeked))
        self._facts.show_facts([ThingFact(*each) for each in spread.rows(peeked)])
        partly = spread.partly(peeked)
        self._partly.setText(partly)
        self._partly.setVisible(bool(partly))
        self._looked.setText(spread.looked(peeked, None))

    def show_cost(self, cost: Finished) -> None:
        if self._peeked is not None:
            self._looked.setText(spread.looked(self._peeked, cost))

    def mark(self, value: float | None) -> None:
        self._chart.mark(value)
