"""BesidePanel: up to three cards of the table beside the one that the sheet is about, kind by
kind of figure, on one scale each.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QSizePolicy, QWidget

from gpuexplorer.copies.datasheet.cards_table import (
    PRODUCTS,
    Figure,
    OtherCard,
    What,
    number_of,
    unit_of,
)
from gpuexplorer.copies.datasheet.sheet import Sheet
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.units import GIB, short
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.copies.datasheet.model import NOT_OF_HOST
from gpuexplorer.gui.copies.datasheet.words import TITLES, said_of
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, Space, add, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel

MOST_OTHERS = 3
LETTERS = "ABC"
HOW = mark(
    "Up to three cards can be compared with this one: tick the box before a name, or press "
    "Space."
)
_COMPARED = (What.MEMORY, *PRODUCTS, What.TO_CARD, What.PEER, What.POWER)
_ALWAYS = frozenset(_COMPARED) - {What.TF32}
_UNKNOWN = Message("this card does not say")
_ROW = 40


@dataclass(frozen=True, slots=True)
class ThisCard:
    """What the sheet is about, as it is called on all pages."""

    chip: str
    colour: int | None
    memory_bytes: float | None


@dataclass(frozen=True, slots=True)
class BesideKind:
    """The figures of one kind, of all cards that lie beside each other: by their chips."""

    words: str
    unit: str
    cells: Mapping[str, Cell]

    @property
    def said(self) -> str:
        told = [
            " ".join(filter(None, (chip, cell.said, cell.below)))
            for chip, cell in self.cells.items()
        ]
        figures = ", ".join(told)
        return tr(
            "{name} in {unit}: {figures}", name=self.words, unit=self.unit, figures=figures
        )


def groups_of(
    sheet: Sheet, this: ThisCard, chosen: Sequence[OtherCard]
) -> tuple[BesideKind, ...]:
    groups = [_memory(this, chosen)]
    for what in _COMPARED:
        always = what in _ALWAYS and (sheet.device != HOST or what not in NOT_OF_HOST)
        if always or any(card.figure(what).value is not None for card in chosen):
            groups.append(_group(what, sheet, this, chosen))
    return tuple(groups)


def _group(what: What, sheet: Sheet, this: ThisCard, chosen: Sequence[OtherCard]) -> BesideKind:
    row = sheet.row(what)
    own = Figure.missing(_UNKNOWN) if row is None else row.promised
    reached = None if row is None else row.reached.value
    promises = [own, *(card.figure(what) for card in chosen)]
    promised = [each.value for each in promises if each.value is not None]
    known = promised if reached is None else [*promised, reached]
    # Without any promise there is no scale.
    unit, whole = unit_of(what, *known), max(known) if promised else 0.0
    cells = {}
    for chip, figure in zip((this.chip, *LETTERS), promises, strict=False):
        value, number, below, limit = figure.value, "", "", None
        hint = tr("{chip}: {why}", chip=chip, why=figure.reason)
        if value is not None:
            hint = tr(
                "{chip}: {figure} promised ({source})",
                chip=chip,
                figure=said_of(what, figure),
                source=figure.source,
            )
        number = number_of(what, value, unit)
        share = value / whole if value is not None and whole else None
        here = chip == this.chip
        if here and reached is not None:
            below = tr("of {whole}", whole=number) if number else ""
            number = number_of(what, reached, unit)
            share, limit = (reached / whole, share) if whole else (None, None)
        absent = () if number else (tr(figure.short or figure.reason), "–")
        gauge = None if share is None else Gauge(share, this.colour if here else None, limit)
        cells[chip] = Cell(number, absent, gauge=gauge, below=below, hint=hint)
    return BesideKind(tr(TITLES[what]), unit, cells)


def _memory(this: ThisCard, chosen: Sequence[OtherCard]) -> BesideKind:
    sizes = [(this.chip, this.memory_bytes, this.colour)]
    sizes += [(LETTERS[at], card.memory_bytes, None) for at, card in enumerate(chosen)]
    whole = max((size for _, size, _ in sizes if size), default=0.0)
    cells = {}
    for chip, size, colour in sizes:
        if size is None:
            cells[chip] = Cell(absent=(tr(_UNKNOWN), "–"))
        else:
            gauge, gib = Gauge(size / whole, colour) if whole else None, short(size / GIB)
            cells[chip] = Cell(gib, gauge=gauge, hint=f"{gib} GiB")
    return BesideKind(tr("Memory"), "GiB", cells)


def called_beside(card: OtherCard) -> str:
    """Its name without its maker's."""
    return card.name.removeprefix(f"{card.vendor} ").removeprefix("GeForce ")


def looked_for(cards: Sequence[OtherCard], words: str) -> list[OtherCard]:
    """Those that have all of the words somewhere."""
    wanted = words.casefold().split()
    return [card for card in cards if all(each in _text(card) for each in wanted)]


def _text(card: OtherCard) -> str:
    parts = (card.name, card.vendor, card.architecture, str(card.year or ""))
    return " ".join(parts).casefold()


def marked(cards: Collection[OtherCard], names: Collection[str]) -> list[OtherCard]:
    """In the order in which their names were chosen."""
    known = {card.name: card for card in cards}
    return [known[name] for name in names if name in known]


class BesidePanel(Panel):
    """`taken_away` brings the name of one that is no longer to lie beside."""

    taken_away = Signal(str)

    def __init__(self) -> None:
        super().__init__(tr("Beside other cards"))
        self._others: Sequence[OtherCard] = ()
        self.stops: list[QWidget] = []  # where the Tab key comes to, in its order
        self._modelled = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.head.addWidget(self._modelled)
        self._list = row(gap=4)
        self._list.addStretch()  # takes what the names leave
        self._how = wrapped_label(tr(HOW), Tone.QUIET)
        self._bars = BesideTable()
        add(self.body, self._list, self._how, Space(10), self._bars, FREE)

    def show_cards(
        self, others: Sequence[OtherCard], groups: Sequence[BesideKind], *, modelled: bool
    ) -> None:
        """`modelled`: what was reached is a model's."""
        self._modelled.show_text(tr("modelled") if modelled else "")
        self._modelled.setVisible(modelled)
        self._bars.show_kinds(groups)
        self._how.setVisible(not others)
        if others == self._others:
            return
        self._others = others
        for name in self.stops:
            self._list.removeWidget(name)
            name.hide()
            name.deleteLater()
        self.stops = []
        for at, card in enumerate(others):
            name = OtherName(LETTERS[at], card)
            name.clicked.connect(partial(self.taken_away.emit, card.name))
            self._list.insertWidget(at, name, 1)
            self.stops.append(name)


class OtherName(ToolButton):
    """A card that lies beside; pressed, it no longer does."""

    def __init__(self, letter: str, card: OtherCard) -> None:
        super().__init__("word", Icon.CLOSE, f"{letter}  {called_beside(card)}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(self.sizeHint().width())
        self.setAccessibleName(tr("{letter}: {card}. Take away", letter=letter, card=card.name))
        self.setToolTip(tr("Take {card} away", card=card.name))


class BesideTable(Table[BesideKind]):
    """A row per kind of figure, a column per card."""

    def __init__(self) -> None:
        self._kinds = TableModel[BesideKind]([], lambda kind: kind.words)
        super().__init__(tr("Figures beside each other"), self._kinds, row_height=_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_kinds(self, kinds: Sequence[BesideKind]) -> None:
        self.setAccessibleDescription("; ".join(kind.said for kind in kinds))
        heads = list(kinds[0].cells) if kinds else []
        if heads != [column.heading for column in self._kinds.columns][1:]:
            columns = [Column("kind", "", _kind, width=140)]
            columns += map(_of_card, heads)
            self._kinds.show_columns(columns)
        self.show_rows(kinds)
        self.show_all_rows()
        self.columns.fit()
        self.setVisible(bool(kinds))


def _kind(kind: BesideKind) -> Cell:
    return Cell(kind.words, below=kind.unit)


def _of_card(chip: str) -> Column[BesideKind]:
    def cell(kind: BesideKind) -> Cell:
        return kind.cells[chip]

    return Column(chip, chip, cell, width=72, right=True, stretches=True)
