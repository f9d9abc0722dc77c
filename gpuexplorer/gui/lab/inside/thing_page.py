"""ThingPage: what a container holds, or what PyTorch prints of a thing, and what it is."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.bench.blocks import BlockKind, one_line, text_of
from gpuexplorer.gui.lab.inside.device_chips import chips_of
from gpuexplorer.gui.lab.inside.fact_list import WhatPane
from gpuexplorer.gui.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.lab.inside.words import thing_called
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column, label, row
from gpuexplorer.lab.events import Element, Placed

_SIDE = 288


class ThingPage(QFrame):
    """A head, something below it, and beside both what the thing is."""

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self._lab = lab
        self._name = ""
        self._head = ThingHead(lab)
        self._what = WhatPane(lab)
        self._what.setFixedWidth(_SIDE)
        self._left = column(self._head, gap=10)
        beside = (self._left, GROWS, self._what, Qt.AlignmentFlag.AlignTop)
        row(*beside, within=self, gap=28, margins=(16, 14, 16, 12))

    def show_thing(self, name: str) -> None:
        self._name = name
        self.show_facts()

    def show_facts(self) -> None:
        thing = thing_called(self._lab.ledger, self._name)
        self._head.show_thing(self._name)
        self._what.show_thing(self._name)
        if thing is not None:
            self.show_inside(thing)

    def show_inside(self, thing: Placed) -> None:
        """Below the head."""
        raise NotImplementedError

    def forget(self) -> None:
        self._name = ""


class TextPage(ThingPage):
    """An optimiser or a plain value, as PyTorch prints it."""

    def __init__(self, lab: Lab) -> None:
        super().__init__(lab)
        self._text = QPlainTextEdit()
        self._text.setFont(look().letters.mono.font)
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName(tr("As PyTorch prints it"))
        self._left.addWidget(self._text, 1)

    def show_inside(self, thing: Placed) -> None:
        text = text_of(thing)
        if text and text != self._text.toPlainText():
            self._text.setPlainText(text)


class ElementsPage(ThingPage):
    """What a container holds, each element to be opened in its turn."""

    open_asked = Signal(str)  # the path of an element

    def __init__(self, lab: Lab) -> None:
        super().__init__(lab)
        self._model = TableModel(self._columns(), lambda element: element.path)
        self._table = Table(tr("Elements"), self._model)
        self._table.activated.connect(self._on_activated)
        self._more = label("", look().letters.caption, Tone.QUIET)
        add(self._left, self._table, GROWS, self._more)

    def show_inside(self, thing: Placed) -> None:
        self._table.show_rows(thing.elements)
        said = trn("and {count} more", "and {count} more", thing.more)
        self._more.setText(said if thing.more else "")

    def _columns(self) -> list[Column[Element]]:
        return [
            Column("path", tr("Element"), lambda each: Cell(each.path, mono=True), width=160),
            Column("kind", tr("Kind"), lambda each: Cell(BlockKind(each.kind).words), width=90),
            Column("text", tr("What it is"), _text, width=160, stretches=True),
            Column("device", tr("Device"), self._device, width=110),
            Column("bytes", tr("Bytes"), self._bytes, width=100, right=True),
        ]

    def _device(self, element: Element) -> Cell:
        return Cell(chips=tuple(chips_of(element.device, self._lab.devices()).values()))

    def _bytes(self, element: Element) -> Cell:
        shown = memory(element.bytes, self._lab.machine.settings.choices.units)
        return Cell(shown.number, unit=shown.unit)

    def _on_activated(self, index: QModelIndex) -> None:
        element = self._model.thing(index)
        if element is not None and BlockKind(element.kind).opens:
            self.open_asked.emit(element.path)


def _text(element: Element) -> Cell:
    return Cell(one_line(element.text), mono=True, tone=Tone.QUIET)
