"""WayChooser: from where, to where and how; adds a way to those that are compared."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.dropdown import Choice, Dropdown
from gpuexplorer.gui.widgets.controls.field_row import Labelled
from gpuexplorer.gui.wording.cards.device_face import short_name
from gpuexplorer.gui.wording.copies.sweep.ways import SweepWay, kind_words, kinds_between
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_LIST = 220


class WayChooser(QWidget):
    """Three fields and a button."""

    added = Signal(object)  # SweepWay
    changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._devices: Sequence[BenchDevice] = ()
        self._way: SweepWay | None = None
        self._known = False
        self._from = Dropdown(look, tr("From"), self._offer_places, _LIST)
        self._to = Dropdown(look, tr("To"), self._offer_places, _LIST)
        self._how = Dropdown(look, tr("How"), self._offer_kinds, _LIST)
        self._from.chosen.connect(self._on_source_chosen)
        self._to.chosen.connect(self._on_target_chosen)
        self._how.chosen.connect(self._on_kind_chosen)
        self._add = QPushButton(tr("Add"))
        self._add.setFont(look.letters.body.font)
        self._add.clicked.connect(self._on_add_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for caption, field, stretch in (
            (tr("From"), self._from, 3),
            (tr("To"), self._to, 3),
            (tr("How"), self._how, 4),
        ):
            row.addWidget(Labelled(look, caption, field), stretch)
        row.addWidget(Labelled(look, "", self._add))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def way(self) -> SweepWay | None:
        """What its fields say."""
        return self._way

    def show_devices(self, devices: Sequence[BenchDevice]) -> None:
        self._devices = devices
        self._show()

    def show_way(self, way: SweepWay | None, *, known: bool) -> None:
        """`known`: it is among those that are compared."""
        self._way, self._known = way, known
        self._show()

    def _show(self) -> None:
        way = self._way
        self._from.show_choice(None if way is None else self._place(way.source))
        self._to.show_choice(None if way is None else self._place(way.target))
        self._how.show_choice(None if way is None else _kind_choice(way.kind, way))
        self._add.setEnabled(way is not None and not self._known)
        self._add.setAccessibleName(tr("Add this way"))
        self._add.setToolTip(tr("It is there already.") if self._known else "")

    def _offer_places(self) -> Sequence[Choice]:
        return [self._place(each.name, named=True) for each in self._devices]

    def _offer_kinds(self) -> Sequence[Choice]:
        if self._way is None:
            return ()
        kinds = kinds_between(self._way.source, self._way.target)
        return [_kind_choice(kind, self._way) for kind in kinds]

    def _place(self, name: str, *, named: bool = False) -> Choice:
        for each in self._devices:
            if each.name == name:
                words = tr("host") if each.is_host else tr("card")
                remark = short_name(each.label) if named and each.is_card else ""
                outlined = each.is_host or each.colour is None
                return Choice(
                    name, words, remark, each.chip, each.colour, outlined, typed=False
                )
        return Choice(name, tr("host") if name == HOST else name, typed=False)

    def _choose(self, way: SweepWay) -> None:
        """A kind that makes no sense between the two gives way to one that does."""
        kinds = kinds_between(way.source, way.target)
        if way.kind not in kinds:
            way = SweepWay(way.source, way.target, kinds[0])
        self.show_way(way, known=False)
        self.changed.emit()

    def _on_source_chosen(self, name: object) -> None:
        if self._way is not None:
            self._choose(SweepWay(str(name), self._way.target, self._way.kind))

    def _on_target_chosen(self, name: object) -> None:
        if self._way is not None:
            self._choose(SweepWay(self._way.source, str(name), self._way.kind))

    def _on_kind_chosen(self, kind: object) -> None:
        if self._way is not None and isinstance(kind, Kind):
            self._choose(SweepWay(self._way.source, self._way.target, kind))

    def _on_add_clicked(self) -> None:
        if self._way is not None:
            self.added.emit(self._way)


def _kind_choice(kind: Kind, way: SweepWay) -> Choice:
    return Choice(kind, kind_words(kind, way.source, way.target), typed=False)
