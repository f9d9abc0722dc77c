"""IndexFields: which plane of a tensor with more than two dimensions is looked at."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range


class IndexFields(QWidget):
    """One field for each leading dimension; not there where there are none."""

    chosen = Signal(tuple)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._sizes: tuple[int, ...] = ()
        self._at: tuple[int, ...] = ()
        self._fields: list[NumberField] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 4)
        self._row.setSpacing(8)
        self._label = QLabel(tr("Plane"))
        self._label.setFont(look.letters.body.font)
        self._label.setProperty("tone", "quiet")
        self._row.addWidget(self._label)
        self._row.addStretch(1)
        self.hide()

    @property
    def at(self) -> tuple[int, ...]:
        return self._at

    def show_sizes(self, sizes: Sequence[int]) -> None:
        """Sizes of the leading dimensions; another tensor begins at its first plane."""
        if tuple(sizes) == self._sizes:
            return
        self._sizes = tuple(sizes)
        self._at = (0,) * len(self._sizes)
        for field in self._fields:
            self._row.removeWidget(field)
            field.deleteLater()
        self._fields = []
        for dimension, size in enumerate(self._sizes):
            limits = Range(0, max(0, size - 1), range(size))
            name = tr("Dimension {dimension}", dimension=dimension)
            field = NumberField(self._look, name, limits, tr("of {size}", size=size), self)
            field.show_number(0)
            field.setEnabled(size > 1)
            field.chosen.connect(partial(self._on_chosen, dimension))
            self._row.insertWidget(1 + dimension, field)
            self._fields.append(field)
        self.setVisible(bool(self._sizes))

    def _on_chosen(self, dimension: int, number: float) -> None:
        at = list(self._at)
        at[dimension] = round(number)
        self._at = tuple(at)
        self.chosen.emit(self._at)
