"""OffersPanel: the table of cards one could have, with what is looked for among them."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gpuexplorer.copies.datasheet.cards_table import OtherCard, What, number_of, unit_of
from gpuexplorer.core.units import GIB, short
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.copies.datasheet.beside_panel import looked_for
from gpuexplorer.gui.tables.cell import Cell, Chip, Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.laid_out import add
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Panel

BESIDE, BANDWIDTH = "beside", "bandwidth"
_MARKED, _UNMARKED = 0, 1


class OfferCells:
    """`letters` by the names of those that lie beside, `here` this machine's cards."""

    def __init__(self) -> None:
        self.letters: Mapping[str, str] = {}
        self.here: Mapping[str, Sequence[Chip]] = {}

    def beside(self, card: OtherCard) -> Cell:
        letter = self.letters.get(card.name, "")
        if letter:
            return Cell(letter, flag="solid", hint=tr("Compared as {letter}", letter=letter))
        return Cell(flag="dashed", hint=tr("Compare it with the card above"))

    def of_this_machine(self, card: OtherCard) -> Cell:
        chips = tuple(self.here.get(card.name, ()))
        return Cell(chips=chips, hint=tr("The machine shown has it") if chips else "")


# What each is of, its words, its width, and when it goes where the window is narrow.
_FIGURES = {
    BANDWIDTH: (What.MEMORY, mark("Memory GB/s"), 104, 0),
    "fp32": (What.FP32, mark("FP32 TFLOP/s"), 104, 0),
    "bf16": (What.BF16, mark("BF16 TFLOP/s"), 104, 0),
    "link": (What.TO_CARD, mark("Host GB/s, one way"), 132, 3),
    "peers": (What.PEER, mark("Peer GB/s, one way"), 132, 4),
    "power": (What.POWER, mark("Watts"), 64, 5),
}
_MEANINGS = {
    BANDWIDTH: mark("Memory bandwidth"),
    "fp32": mark("Matrix products in FP32"),
    "bf16": mark("Matrix products in BF16, dense"),
    "link": mark("Its link to the host, one way"),
    "peers": mark("Its links to other cards, one way"),
    "power": mark("What the whole board may draw"),
}


def offer_columns(cells: OfferCells) -> list[Column[OtherCard]]:
    """Those that only mark cards bring those that are marked to the top."""
    return [
        Column(
            BESIDE,
            "",
            cells.beside,
            lambda card: _MARKED if card.name in cells.letters else _UNMARKED,
            tr("Compared with the card above; Space changes it"),
            width=34,
            spoken=lambda card: cells.beside(card).hint,
        ),
        Column(
            "name",
            tr("Card"),
            lambda card: Cell(card.name, hint=_described(card)),
            lambda card: card.name.casefold(),
            tr("The model, as its driver calls it"),
            width=168,
            stretches=True,
        ),
        Column(
            "here",
            tr("Here"),
            cells.of_this_machine,
            lambda card: _MARKED if card.name in cells.here else _UNMARKED,
            tr("Cards of the machine shown"),
            width=60,
        ),
        Column(
            "year",
            tr("Year"),
            lambda card: _known("" if card.year is None else str(card.year)),
            lambda card: card.year,
            **_number(tr("Year of release"), 60, kept=2),
        ),
        Column(
            "memory",
            tr("GiB"),
            _memory,
            lambda card: card.memory_bytes,
            **_number(tr("Memory"), 54),
        ),
        *(
            Column(key, tr(heading), **_figure(what), **_number(tr(_MEANINGS[key]), wide, kept))
            for key, (what, heading, wide, kept) in _FIGURES.items()
        ),
        Column(
            "source",
            tr("Source"),
            _source,
            lambda card: "; ".join(_sources(card)) or None,
            tr("Where these figures come from"),
            width=160,
            kept=1,
            stretches=True,
        ),
    ]


def _number(meaning: str, width: int, kept: int = 0) -> dict[str, Any]:
    return {
        "meaning": meaning,
        "name": meaning,
        "width": width,
        "kept": kept,
        "right": True,
        "largest_first": True,
    }


def _figure(what: What) -> dict[str, Any]:
    def cell(card: OtherCard) -> Cell:
        figure = card.figure(what)
        if figure.value is None:
            return Cell(absent=("–",), hint=tr(figure.reason))
        number = number_of(what, figure.value, unit_of(what, 1e12))
        return Cell(number, hint=tr(figure.source))

    return {"cell": cell, "sorts": lambda card: card.figure(what).value}


def _memory(card: OtherCard) -> Cell:
    """In GiB: "24", "1.5"."""
    if card.memory_bytes is None:
        return _known("")
    gib = card.memory_bytes / GIB
    return Cell(f"{gib:.0f}" if abs(gib - round(gib)) < 0.05 else short(gib))


def _sources(card: OtherCard) -> Sequence[str]:
    """What all its figures share, or each of them, without repeats."""
    return list(dict.fromkeys(each.detail for each in card.figures.values() if each.detail))


def _known(text: str) -> Cell:
    return Cell(text) if text else Cell(absent=("–",), hint=tr("not known"))


def _source(card: OtherCard) -> Cell:
    return Cell("; ".join(_sources(card)), tone=Tone.QUIET, hint="\n".join(_sources(card)))


def _described(card: OtherCard) -> str:
    parts = (card.name, card.architecture, "" if card.year is None else str(card.year))
    return ", ".join(part for part in parts if part)


_SEARCH = 210


class OffersTable(Table[OtherCard]):
    """Space, Enter, a double click or a click in the first column lays a card beside, or takes
    it away; whoever decides shows it.
    """

    turned = Signal(str)  # the name of a card
    current_changed = Signal()

    def __init__(self, model: TableModel[OtherCard]) -> None:
        super().__init__(tr("Cards one could have"), model)
        self._cards = model
        self._beside = [column.key for column in model.columns].index(BESIDE)
        self.columns.setSectionsMovable(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentRowChanged.connect(self.current_changed)
        self.doubleClicked.connect(self._on_double_clicked)

    @property
    def current(self) -> str:
        """The name of the card the keyboard is at; empty where there is none."""
        card = self._cards.thing(self.currentIndex())
        return "" if card is None else card.name

    def turn(self) -> None:
        if self.current:
            self.turned.emit(self.current)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.column() != self._beside:
            self.turn()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        left = event.button() is Qt.MouseButton.LeftButton
        if left and index.isValid() and index.column() == self._beside:
            self.turn()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.turn()
            case _:
                super().keyPressEvent(event)


class OffersPanel(Panel):
    """`table` is connected by whoever holds this."""

    def __init__(self) -> None:
        super().__init__(tr("Other cards"))
        self._cards: Sequence[OtherCard] = ()
        self._cells = OfferCells()
        self._count = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._lay = ToolButton("word", Icon.ADD, tr("Compare"))
        self._take = ToolButton("word", Icon.CLOSE, tr("Take away"))
        self._search = SearchField(tr("Name, maker, year"))
        self._search.setFixedWidth(_SEARCH)
        model = TableModel(offer_columns(self._cells), lambda card: card.name)
        self.table = OffersTable(model)
        self.table.columns.sort_by(BANDWIDTH, falling=True)
        self._nothing = ElidedLabel(look().letters.body, Tone.QUIET)
        add(self.head, self._count, self._lay, self._take, self._search)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self.table, 1)
        self._search.textChanged.connect(self._show)
        self._search.left.connect(self.table.setFocus)
        self._lay.clicked.connect(self.table.turn)
        self._take.clicked.connect(self.table.turn)
        self.table.current_changed.connect(self._show_buttons)
        self._show()

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return self._lay, self._take, self._search, self.table

    def start_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_cards(
        self,
        cards: Sequence[OtherCard],
        letters: Mapping[str, str],
        here: Mapping[str, Sequence[Chip]],
    ) -> None:
        """`letters` by the names of those that lie beside, `here` this machine's cards."""
        shown = (self._cards, self._cells.letters, self._cells.here)
        if (cards, letters, here) != shown:
            self._cards, self._cells.letters, self._cells.here = cards, letters, here
            self._show()

    def _show(self) -> None:
        found = looked_for(self._cards, self._search.text())
        # What has the same figure, or none, stands in the order of names.
        self.table.show_rows(sorted(found, key=lambda card: card.name.casefold()))
        count = len(self._cards)
        if len(found) == count:
            words = trn("{count} card", "{count} cards", count)
        else:
            words = trn(
                "{found} of {count} card", "{found} of {count} cards", count, found=len(found)
            )
        self._count.show_text(words)
        none_found = tr("No card has these words. Escape shows all.")
        none_listed = tr("No cards are listed: their table could not be read.")
        self._nothing.show_text(none_found if count else none_listed)
        self._nothing.setVisible(not found)
        self._show_buttons()

    def _show_buttons(self) -> None:
        name = self.table.current
        beside = name in self._cells.letters
        lay = tr("Compare with {card}", card=name) if name else tr("Compare")
        take = tr("Take away: {card}", card=name) if name else tr("Take away")
        for button, words, shown in ((self._lay, lay, not beside), (self._take, take, beside)):
            button.setVisible(shown)
            button.setEnabled(bool(name))
            button.setAccessibleName(words)
            button.setToolTip("" if name else tr("Choose a card in the table"))

    def minimumSizeHint(self) -> QSize:
        return QSize(400, 200)
