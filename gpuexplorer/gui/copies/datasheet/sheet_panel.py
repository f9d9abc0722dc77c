"""SheetPanel: one card, what it promises, what it reached here, and what follows from that."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QToolTip, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.datasheet.model import SheetRow
from gpuexplorer.gui.tables.cell import Cell, Chip, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.card_chips import CardChips
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.painted import ChipRow

_MODELLED = mark("modelled")
_MOST_OF_IT = 100
NOTHING = mark("Nothing has been measured yet.")
NAME = mark("Promised and reached")
_ROW, _MARGIN = 40, 6


class SheetTable(Table[SheetRow]):
    """A row per figure. Arrow keys say all that is known about each."""

    def __init__(self) -> None:
        self._colour: int | None = None
        self.rows: Sequence[SheetRow] = ()
        model = TableModel(self._columns(), lambda row: row.name)
        super().__init__(tr(NAME), model, row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)

    def show_sheet_rows(self, rows: Sequence[SheetRow], colour: int | None) -> None:
        """`colour` is the card's whose figures these are."""
        self.rows, self._colour = rows, colour
        self.setAccessibleDescription("; ".join(row.said for row in rows))
        self.show_rows(rows)
        self.show_all_rows()

    def _columns(self) -> list[Column[SheetRow]]:
        return [
            Column("figure", tr("Figure"), _named, width=150, stretches=True, spoken=_said),
            Column("bar", "", self._bar, width=104, right=True, copied=False),
            Column("reached", tr("reached"), _reached, width=70, right=True),
            Column("promised", tr("promised"), _promised, width=104, right=True),
            Column("share", tr("share"), _share, width=58, right=True),
            Column("watts", tr("watts"), _watts, width=54, right=True),
        ]

    def _bar(self, row: SheetRow) -> Cell:
        if row.wrong or row.fill is None:
            return Cell(hint=row.hint)
        return Cell(gauge=Gauge(row.fill, self._colour, row.limit), hint=row.hint)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        asked = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        before = self.currentIndex()
        if not asked:
            super().keyPressEvent(event)
        index = self.currentIndex()
        if index.isValid() and (asked or index != before):
            corner = self.visualRect(index).bottomLeft() + QPoint(120, -4)
            hint = self.rows[index.row()].hint
            QToolTip.showText(self.viewport().mapToGlobal(corner), hint, self)


def _named(row: SheetRow) -> Cell:
    """Where nothing was reached, why; else who promised it."""
    why = "" if row.awaited or row.wrong else row.unreached
    return Cell(row.words, below=why or row.source, hint=row.hint)


def _said(row: SheetRow) -> str:
    return row.said


def _reached(row: SheetRow) -> Cell:
    if row.wrong:
        return Cell(tr("WRONG"), wrong=True, hint=row.hint)
    if row.reached:
        return Cell(row.reached, hint=row.hint)
    if row.measuring:
        return Cell(absent=(tr("measuring"), "…"), hint=row.hint)
    return Cell(hint=row.hint) if row.awaited else Cell(absent=("–",), hint=row.hint)


def _promised(row: SheetRow) -> Cell:
    if row.promised:
        return Cell(row.promised, unit=row.unit, tone=Tone.QUIET, hint=row.hint)
    # Without a promise its unit stands there all the same, for what was reached.
    return Cell("–", unit=row.unit if row.reached else "", tone=Tone.FAINT, hint=row.hint)


def _share(row: SheetRow) -> Cell:
    return Cell(row.share, unit="%" if row.share else "", hint=row.hint)


def _watts(row: SheetRow) -> Cell:
    if row.watts or not (row.unknown_watts and row.reached):
        return Cell(row.watts, hint=row.hint)
    return Cell(absent=("–",), hint=row.unknown_watts)


class SheetPanel(Panel):
    """`chips` are connected by whoever holds this: of another device that is to be shown."""

    def __init__(self) -> None:
        super().__init__("")
        # Rows reach a little further, so that what marks one of them does not touch its words.
        self.body.setContentsMargins(16 - _MARGIN, 14, 16 - _MARGIN, 12)
        self.head.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        self._mark = ChipRow(arrows=True)
        self._name = ElidedLabel(look().letters.title, Tone.TEXT)
        self.head.insertWidget(0, self._mark)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, self._name, _MOST_OF_IT)
        self._modelled = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.chips = CardChips()
        add(self.head, self._modelled, Space(6), self.chips)
        self._bars = SheetTable()
        self._first, self._more = (wrapped_label("", Tone.TEXT) for _ in range(2))
        self._reason = wrapped_label("", Tone.QUIET)
        said = (self._first, self._more, self._reason)
        for each in said:
            each.setContentsMargins(_MARGIN, 0, _MARGIN, 4)
        add(self.body, self._bars, Space(10), *said, FREE)

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return *self.chips.findChildren(QAbstractButton), self._bars

    def show_devices(self, choices: Sequence[Choice], current: str) -> None:
        """More than one can be chosen among."""
        self.chips.show_choices(choices, CardId(current))

    def show_sheet(
        self,
        name: str,
        chip: str,
        colour: int | None,
        rows: Sequence[SheetRow],
        sentences: Sequence[str],
        reason: str,
        *,
        modelled: bool,
    ) -> None:
        """`reason` is why something of it cannot be told, or nothing at all."""
        self.setAccessibleName(name)
        self._name.show_text(name)
        self._mark.show_chips([Chip(chip, colour)])
        self._mark.setAccessibleName(
            tr("Host") if chip == "H" else tr("Card {number}", number=chip)
        )
        self._modelled.show_text(tr(_MODELLED) if modelled else "")
        self._modelled.setVisible(modelled)
        self._bars.show_sheet_rows(rows, colour)
        letters = look().letters
        self._first.setFont((letters.strong if sentences else letters.body).font)
        say(self._first, sentences[0] if sentences else tr(NOTHING))
        say(self._more, "\n".join(sentences[1:]))
        say(self._reason, reason)
