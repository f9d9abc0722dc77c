"""WayChooser: from where, to where and how; adds a way to those that are compared."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.shared_parts import place_choice
from gpuexplorer.gui.copies.sweep_ways import SweepWay, kind_words, kinds_between
from gpuexplorer.gui.state.lab.bench_device import BenchDevice
from gpuexplorer.gui.widgets.controls.fields import Choice, Dropdown, Labelled
from gpuexplorer.gui.widgets.laid_out import Grow, row


class WayChooser(QWidget):
    """Three fields and a button."""

    added = Signal(object)  # SweepWay
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._devices: Sequence[BenchDevice] = ()
        self.way: SweepWay | None = None  # what its fields say
        self._from = Dropdown(tr("From"))
        self._to = Dropdown(tr("To"))
        self._how = Dropdown(tr("How"))
        self._from.chosen.connect(partial(self._choose, "source"))
        self._to.chosen.connect(partial(self._choose, "target"))
        self._how.chosen.connect(partial(self._choose, "kind"))
        self._add = QPushButton(tr("Add"))
        self._add.setAccessibleName(tr("Add this way"))
        self._add.clicked.connect(lambda: self.added.emit(self.way))
        fields = row(
            *(Labelled(tr("From"), self._from), Grow(3)),
            *(Labelled(tr("To"), self._to), Grow(3)),
            *(Labelled(tr("How"), self._how), Grow(4)),
            self._add,
            within=self,
        )
        fields.setAlignment(self._add, Qt.AlignmentFlag.AlignBottom)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_devices(self, devices: Sequence[BenchDevice]) -> None:
        self._devices = devices
        self._show_fields()

    def show_way(self, way: SweepWay | None, *, known: bool) -> None:
        """`known`: it is among those that are compared."""
        self.way = way
        self._show_fields()
        self._add.setEnabled(way is not None and not known)
        self._add.setToolTip(tr("It is there already.") if known else "")

    def _show_fields(self) -> None:
        way = self.way
        there = self._devices
        places = [place_choice(there, each.name, brief=True, remark=True) for each in there]
        self._from.show_choices(places, way and way.source)
        self._to.show_choices(places, way and way.target)
        kinds = () if way is None else kinds_between(way.source, way.target)
        offered = [_kind_choice(replace(way, kind=kind)) for kind in kinds if way is not None]
        self._how.show_choices(offered, way and way.kind)

    def _choose(self, field: str, value: object) -> None:
        """A kind that makes no sense between the two gives way to one that does."""
        if self.way is not None:
            way = replace(self.way, **{field: value})  # type: ignore[arg-type]  # by its name
            kinds = kinds_between(way.source, way.target)
            self.way = way if way.kind in kinds else replace(way, kind=kinds[0])
            self.changed.emit()


def _kind_choice(way: SweepWay) -> Choice:
    return Choice(way.kind, kind_words(way.kind, way.source, way.target), typed=False)
