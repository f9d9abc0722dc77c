"""MatrixModel: who reaches whom: a row for each card, with the host and the others beside."""

from collections.abc import Sequence
from enum import Enum
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, Qt

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.cell import Cell, Chip, Heat
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import Index, TableModel
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.machine.machine_face import MachineNow
from gpuexplorer.gui.wording.machine.machine_things import (
    OfCard,
    OfLink,
    OfSocket,
    Thing,
    link_between,
)
from gpuexplorer.gui.wording.machine.wiring_words import (
    cell_words,
    figure,
    letters,
    matrix_cards,
    shade,
)

_NODE = CardId("NUMA")


class Shows(Enum):
    """What stands in the cells."""

    PATHS = "paths"
    RATES = "rates"


class MatrixModel(TableModel[CardId]):
    """Made anew only for other cards or other wires."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), key=lambda card: card, parent=parent)
        self._now: MachineNow | None = None
        self._shows = Shows.PATHS
        self._cards: Sequence[CardId] = ()
        self._lost: frozenset[CardId] = frozenset()

    def show_machine(self, now: MachineNow) -> bool:
        """Whether anything in it is another than before."""
        before, self._now = self._now, now
        lost = frozenset(card for card in now.shape.home if now.lost(card))
        if before is None or before.shape is not now.shape or before.listed is not now.listed:
            self._cards = matrix_cards(now)
            node = (_NODE,) if now.topology.numa_nodes else ()
            columns = (HOST_ID, *self._cards, *node)
            self.start_anew([self._column(now, card) for card in columns])
        elif lost == self._lost:
            return False
        self._lost = lost
        self.show(self._cards)
        return True

    def show_as(self, shows: Shows) -> None:
        self._shows = shows
        self.show(self._cards)

    def thing_at(self, index: Index) -> Thing | None:
        """What its cell is about; None for a cell of which nothing is drawn."""
        row = self.thing(index)
        if self._now is None or row is None:
            return None
        column = CardId(self.columns[index.column()].key)
        if column == _NODE:
            socket = self._now.shape.home.get(row)
            return None if socket is None else OfSocket(socket)
        if row == column:
            return OfCard(row)
        if self._now.shape.link(row, column) is None:
            return None
        return link_between(self._now.shape, row, column)

    def place_of(self, thing: Thing | None) -> QModelIndex:
        """Not valid where it has no cell of its own."""
        match thing:
            case OfCard():
                row, column = thing.card, thing.card
            case OfLink():
                row, column = thing.a, thing.b
            case _:
                return QModelIndex()
        keys = [each.key for each in self.columns]
        return self.index_of(row, keys.index(column)) if column in keys else QModelIndex()

    def chip(self, section: int, orientation: Qt.Orientation) -> Chip | None:
        """Of the card, or the host, a heading is for."""
        cards = self._cards
        if orientation is Qt.Orientation.Horizontal:
            cards = [CardId(each.key) for each in self.columns]
        if self._now is None or not 0 <= section < len(cards) or cards[section] == _NODE:
            return None
        if cards[section] == HOST_ID:
            return Chip("H", None)
        return Chip(self._now.number(cards[section]), self._now.colour(cards[section]))

    def texts(self) -> frozenset[str]:
        """All that stands in any cell between two."""
        if self._now is None:
            return frozenset()
        pairs = self._now.shape.links.values()
        return frozenset(self._said(self._now, link.b, link.a) for link in pairs)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is Qt.Orientation.Horizontal:
            return super().headerData(section, orientation, role)
        chip = self.chip(section, orientation)
        if chip is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return chip.text
        named = role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
        return tr("Card {number}", number=chip.text) if named else None

    def _column(self, now: MachineNow, card: CardId) -> Column[CardId]:
        if card == _NODE:
            name, heading = tr("NUMA node"), "NUMA"
        elif card == HOST_ID:
            name, heading = tr("Host"), "H"
        else:
            heading = now.number(card)
            name = tr("Card {number}", number=heading)
        return Column(
            card,
            heading,
            partial(self._cell_of, card),
            meaning=name,
            name=name,
            spoken=partial(self._words_of, card),
        )

    def _cell_of(self, column: CardId, row: CardId) -> Cell:
        assert self._now is not None
        quiet = column in (_NODE, row) or bool({row, column} & self._lost)
        share = None if quiet else shade(self._now, row, column)
        return Cell(
            self._said(self._now, column, row),
            tone=Tone.QUIET if share is None else Tone.TEXT,
            heat=Heat(share),
            hint=self._words_of(column, row),
        )

    def _said(self, now: MachineNow, column: CardId, row: CardId) -> str:
        if column == _NODE:
            node = now.topology.numa_nodes.get(row)
            return "–" if node is None else str(node)
        return (letters if self._shows is Shows.PATHS else figure)(now, row, column)

    def _words_of(self, column: CardId, row: CardId) -> str:
        assert self._now is not None
        if column != _NODE:
            return cell_words(self._now, row, column)
        node, number = self._said(self._now, column, row), self._now.number(row)
        return tr("Card {number}: NUMA node {node}", number=number, node=node)
