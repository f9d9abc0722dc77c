"""RailDevices: every card of the machine below the screens, and the computer itself."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.rail.rail_board import BOARD, Cell, RailBoard
from gpuexplorer.gui.widgets.rail.rail_device import RailDevice
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.device_face import DeviceFace, card_device, host_device

_SIDE, _NARROW_SIDE = 20, 14


class RailDevices(QScrollArea):
    """Up to eight cards are named; of more, each is a cell in a row of eight."""

    card_chosen = Signal(str)

    def __init__(
        self,
        look: Look,
        navigation: Navigation,
        after: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        """The Tab key comes here from `after`."""
        super().__init__(parent)
        self._after = after
        self._look = look
        self._navigation = navigation
        self._rows: dict[CardId, RailDevice] = {}
        self._boards: list[RailBoard] = []
        self._cards: Sequence[Cell] = ()
        self._faces: dict[CardId, tuple[CardFace, DeviceFace]] = {}
        self._narrow = self._looked_at = False
        self.setProperty("panel", "clear")
        self.setAccessibleName(tr("Devices"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._heading = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._count = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._absent = ElidedLabel(look.letters.body, Tone.FAINT)
        self._absent.hide()
        content = QWidget()
        content.setProperty("panel", "clear")
        head = self._head = QHBoxLayout()
        head.addWidget(self._heading)
        head.addStretch(1)
        head.addWidget(self._count)
        absent = QHBoxLayout()
        absent.setContentsMargins(20, 6, 20, 6)
        absent.addWidget(self._absent)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addLayout(absent)
        self._column.addStretch(1)
        self.setWidget(content)
        self._show_heading()
        self._keys = ArrowKeys(self)
        self._board_keys = ArrowKeys(self, sideways=False)
        self._keys.moved_to.connect(self.ensureWidgetVisible)
        self._board_keys.moved_to.connect(self.ensureWidgetVisible)
        navigation.screen_changed.connect(self._on_moved)
        navigation.card_changed.connect(self._on_moved)

    def show_faces(self, faces: Mapping[CardId, CardFace], host: CardFace) -> None:
        """Rows of cards that stay are kept, and nothing is laid out anew for them."""
        for card, face in faces.items():
            before = self._faces.get(card)
            if before is None or before[0] is not face:
                self._faces[card] = face, card_device(face)
        self._cards = [(card, self._faces[card][1]) for card in faces]
        many = len(self._cards) > MOST_COLOURED_CARDS
        self._show_boards(self._cards if many else ())
        self._show_rows([*(() if many else self._cards), (HOST_ID, host_device(host))])

    def show_past(self, looked_at: bool) -> None:
        """While the plots show an earlier time, this is of now all the same."""
        self._looked_at = looked_at
        self._show_heading()

    def _show_heading(self) -> None:
        """Where there is no room for names only that they are of now is said."""
        side = _NARROW_SIDE if self._narrow else _SIDE
        self._head.setContentsMargins(side, 16, side, 6)
        long = tr("Devices now") if self._looked_at else tr("Devices")
        self._heading.show_text(tr("now") if self._narrow else long)
        self._heading.setVisible(self._looked_at or not self._narrow)

    def show_absent(self, words: str) -> None:
        """What is plugged in and not read; empty where there is nothing of the kind."""
        self._absent.show_text(words)
        self._absent.setVisible(bool(words) and not self._narrow)

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        for row in self._rows.values():
            row.show_narrow(narrow)
        for board in self._boards:
            board.show_narrow(narrow)
        policy = Qt.ScrollBarPolicy
        # Where chips stand in the middle, a bar beside them would push them out of it.
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if narrow else policy.ScrollBarAsNeeded
        )
        self._show_heading()
        self._count.setVisible(not narrow)
        self._absent.setVisible(bool(self._absent.text()) and not narrow)

    def _show_rows(self, cards: Sequence[Cell]) -> None:
        if [card for card, _ in cards] != list(self._rows):
            rows = {card: self._rows.get(card) or self._row(card) for card, _ in cards}
            for card, row in self._rows.items():
                if card not in rows:
                    _let_go(row)
            self._rows = rows
            for position, row in enumerate(rows.values(), 1 + len(self._boards)):
                self._column.insertWidget(position, row)
                row.show()
            self._line_up()
        for card, face in cards:
            self._rows[card].show_face(face)
        self._mark()

    def _show_boards(self, cards: Sequence[Cell]) -> None:
        parts = [cards[at : at + BOARD] for at in range(0, len(cards), BOARD)]
        if len(parts) != len(self._boards):
            for board in self._boards:
                _let_go(board)
            self._boards = [self._board() for _ in parts]
            for position, board in enumerate(self._boards, 1):
                self._column.insertWidget(position, board)
                board.show()
            self._line_up()
        chosen = self._chosen()
        for board, part in zip(self._boards, parts, strict=True):
            board.show_cells(part, chosen)
        label_room = max((board.label_width() for board in self._boards), default=0.0)
        for board in self._boards:
            board.show_label_within(label_room)
        count = trn("{count} card", "{count} cards", len(cards)) if parts else ""
        if parts and all(len(part) == BOARD for part in parts):
            count = trn(
                "{count} board of {size}",
                "{count} boards of {size}",
                len(parts),
                size=BOARD,
            )
        self._count.show_text(count)

    def _line_up(self) -> None:
        """For the keys. Between cells of a board left and right mean something else."""
        boards, rows = self._boards, self._rows.values()
        self._keys.take([] if boards else [*rows], self._after)
        self._board_keys.take([*boards, *rows] if boards else [], self._after)

    def _row(self, card: CardId) -> RailDevice:
        row = RailDevice(self._look, card)
        row.show_narrow(self._narrow)
        row.card_chosen.connect(self._on_card_chosen)
        return row

    def _board(self) -> RailBoard:
        board = RailBoard(self._look)
        board.show_narrow(self._narrow)
        board.card_chosen.connect(self._on_card_chosen)
        board.cell_pointed_at.connect(self._on_cell_pointed_at)
        return board

    def _chosen(self) -> CardId | None:
        if self._navigation.screen != "card":
            return None
        return self._navigation.card or next((card for card, _ in self._cards), HOST_ID)

    def _mark(self) -> None:
        chosen = self._chosen()
        for card, row in self._rows.items():
            row.setChecked(card == chosen)

    def _on_card_chosen(self, card: str) -> None:
        self.card_chosen.emit(card)

    def _on_cell_pointed_at(self, at: int) -> None:
        for board in self._boards:
            board.point_at(at)

    def _on_moved(self) -> None:
        self._mark()
        if self._boards:
            self._show_boards(self._cards)


def _let_go(widget: QWidget) -> None:
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()
