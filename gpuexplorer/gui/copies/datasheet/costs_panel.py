"""CostsPanel: prices and hours that a person types in, and what they come to for a card."""

import json
from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.copies.datasheet.costs import Asked, Cost, TypedIn, costs_of, short_number
from gpuexplorer.copies.datasheet.sheet import Sheet
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import FieldRow, Labelled, show_text, text_field
from gpuexplorer.gui.widgets.live_view import Panel

_KEPT = "copies/datasheet/costs"
_SIDE_BY_SIDE, _GAP = 900, 24
_WHOLE_TIME = 100
_ROWS = (
    (Asked.CURRENCY, Asked.PRICE),
    (Asked.RENT, Asked.ELECTRICITY),
    (Asked.HOURS_A_DAY, Asked.TRAINING),
)
_CAPTIONS = {
    Asked.CURRENCY: mark("Currency"),
    Asked.PRICE: mark("Price of the card"),
    Asked.RENT: mark("Rent per hour"),
    Asked.ELECTRICITY: mark("Electricity per kWh"),
    Asked.HOURS_A_DAY: mark("Hours a day"),
    Asked.TRAINING: mark("Hours of a training"),
}
_EXAMPLES = {Asked.CURRENCY: "€", Asked.HOURS_A_DAY: "8"}


class CostsPanel(Panel):
    """What is typed in is remembered: price, rent and training for each model of card."""

    typed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__(tr("What it costs"), tr("computed from what you type in"))
        self._settings = settings
        self._sheet: Sheet | None = None
        self._kept = _read(settings.remembered(_KEPT) or "")
        self._fields = {asked: text_field(tr(_CAPTIONS[asked])) for asked in Asked}
        self._rows: list[FieldRow] = []
        form = QVBoxLayout()
        form.setSpacing(8)
        for row in _ROWS:
            labelled = {
                asked.value: Labelled(tr(_CAPTIONS[asked]), self._fields[asked])
                for asked in row
            }
            self._rows.append(FieldRow(labelled))
            form.addWidget(self._rows[-1])
        form.addStretch(1)
        for asked, field in self._fields.items():
            field.setPlaceholderText(_EXAMPLES.get(asked, ""))
            field.textEdited.connect(partial(self._on_typed, asked))
        self._lines = TableModel(_columns(), lambda cost: str(cost.title))
        self._table = Table(tr("What it comes to"), self._lines)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._both = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._both.setSpacing(_GAP)
        self._both.addLayout(form, 2)
        self._both.addWidget(self._table, 5)
        self.body.addLayout(self._both)

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return *(self._fields[asked] for row in _ROWS for asked in row), self._table

    @property
    def typed_in(self) -> TypedIn:
        """For the card that is shown."""
        texts = {asked: self._kept.get(self._key(asked), "") for asked in Asked}
        return TypedIn({asked: text for asked, text in texts.items() if text})

    def show_sheet(self, sheet: Sheet) -> None:
        other = self._sheet is None or self._sheet.card != sheet.card
        self._sheet = sheet
        typed = self.typed_in
        if other:
            for asked, field in self._fields.items():
                show_text(field, typed.texts.get(asked, ""))
                if asked.of_one_model:
                    field.setToolTip(tr("Kept for {card}", card=sheet.card))
        problems = {asked.value: tr(sentence) for asked, sentence in typed.wrong.items()}
        for row in self._rows:
            row.show_problems(problems)
        self._table.show_rows(costs_of(sheet, typed))
        self._table.show_all_rows()

    def _key(self, asked: Asked) -> str:
        card = self._sheet.card if asked.of_one_model and self._sheet is not None else ""
        return f"{asked.value}\n{card}"

    def _on_typed(self, asked: Asked, text: str) -> None:
        if self._sheet is None:
            return
        if text.strip():
            self._kept[self._key(asked)] = text
        else:
            self._kept.pop(self._key(asked), None)
        self._settings.remember(_KEPT, json.dumps(self._kept))
        self.show_sheet(self._sheet)
        self.typed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _SIDE_BY_SIDE
        direction = QBoxLayout.Direction
        self._both.setDirection(direction.LeftToRight if wide else direction.TopToBottom)


def _read(remembered: str) -> dict[str, str]:
    """Nothing where somebody else wrote there."""
    try:
        kept = json.loads(remembered)
    except ValueError:
        return {}
    if not isinstance(kept, Mapping):
        return {}
    return {key: text for key, text in kept.items() if isinstance(text, str)}


def _columns() -> list[Column[Cost]]:
    return [
        Column("title", tr("What"), lambda cost: Cell(tr(cost.title)), width=200, share=0.3),
        Column("value", tr("Comes to"), _value, width=110, right=True),
        Column("source", tr("From"), _source, width=200, stretches=True),
    ]


def _value(cost: Cost) -> Cell:
    if cost.value is None:
        return Cell(absent=("–",), hint=tr(cost.reason))
    # Nobody buys by a tenth of an hour or of a day.
    whole = cost.unit in ("h", "d") and cost.value >= _WHOLE_TIME
    return Cell(short_number(round(cost.value) if whole else cost.value), unit=cost.unit)


def _source(cost: Cost) -> Cell:
    if cost.value is None:
        return Cell(tr(cost.reason), tone=Tone.FAINT, hint=tr(cost.reason))
    return Cell(tr(cost.source), tone=Tone.QUIET, hint=tr(cost.source))
