"""OverviewView: every card, what all do together, who uses them and what took place."""

from collections.abc import Sequence

from PySide6.QtCore import QMargins, QPoint
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace, face_of_now, told
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.all_cards_feed import AllCardsFeed
from gpuexplorer.gui.overview.all_cards_panel import AllCardsPanel
from gpuexplorer.gui.overview.arrangement import Arrangement
from gpuexplorer.gui.overview.attention import Attention, worth_a_look
from gpuexplorer.gui.overview.events_panel import EventsPanel
from gpuexplorer.gui.overview.filled_column import ColumnPart, FilledColumn
from gpuexplorer.gui.overview.notes_panel import NotesPanel
from gpuexplorer.gui.overview.now_panel import NowPanel
from gpuexplorer.gui.overview.pairs import GAP, CellsWithSide, Lists
from gpuexplorer.gui.overview.plotted import offered
from gpuexplorer.gui.overview.processes_panel import ProcessesPanel
from gpuexplorer.gui.overview.programs_feed import ProgramsFeed
from gpuexplorer.gui.overview.side_panel import SidePanel
from gpuexplorer.gui.overview.strip_content import boards_of
from gpuexplorer.gui.overview.strip_files import StripFiles
from gpuexplorer.gui.overview.sums import EnergyFeed, power_together, sums
from gpuexplorer.gui.overview.tile_feed import TileFeed
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.hover_card import HoverCard
from gpuexplorer.gui.overview.tiles.tile_grid import Board, TileGrid
from gpuexplorer.gui.overview.words import (
    answering_words,
    copied_words,
    energy_together,
    hidden_words,
)
from gpuexplorer.gui.state.event_list import EpisodeRow
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.live_view import PLOT_KEYS, KeyGroup, LiveView, Page
from gpuexplorer.telemetry.backends.host import NO_SWAP_SPACE

_KEYS: KeyGroup = (
    mark("Tiles"),
    (
        ("Arrows Home End", mark("To another card")),
        ("Enter", mark("Open the card")),
        ("Ctrl+Shift+Arrow", mark("Move the tile")),
        ("Shift+F10", mark("What can be done with the card")),
    ),
)

_NOTES_EVERY = 2.0
_MARGINS = QMargins(24, 20, 24, 20)


class OverviewView(LiveView):
    """The first screen: who is busy, who is full, and whether anything is wrong."""

    key_groups = (PLOT_KEYS, _KEYS)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, (Cadence.ON_DEMAND,), processes=True)
        self._navigation = desk.navigation
        self._settings = desk.settings
        source = desk.machine.session.source
        self._arrangement = Arrangement(
            desk.settings, source.label if source.simulated else "cards"
        )
        self._notes_read_at = float("-inf")
        self._slowed = SlowedBook()
        self._tile_feed = TileFeed(desk.machine, desk.time_window)
        self._programs = ProgramsFeed(desk.machine)
        self._energy = EnergyFeed(desk.machine.past)
        self._all = AllCardsPanel(
            desk.time_window, desk.settings, offered(desk.machine.cards())
        )
        self._all_feed = AllCardsFeed(
            self._all, desk.machine, desk.time_window, self._tile_feed, desk.lab.flags
        )
        self._tiles, self._cells = TileGrid(), TileGrid()
        self._now = NowPanel(self._cells)
        self._side = SidePanel(desk.time_window)
        self._many = CellsWithSide(self._now, self._side)
        self._many.hide()
        self._processes = ProcessesPanel(desk.time_window)
        self._events = EventsPanel(desk.machine)
        self._notes = NotesPanel()
        self._all.setObjectName("overview.curves")
        self._tiles.setObjectName("overview.tiles")
        self._processes.setObjectName("overview.processes")
        self._events.setObjectName("overview.events")
        self._below = Lists(self._processes, self._events)
        self._column = FilledColumn(_MARGINS, GAP)
        self._column.setProperty("panel", "page")
        for widget, share in (
            (self._all, 1.0),
            (self._tiles, 6.0),
            (self._many, 5.0),
            (self._below, 1.0),
            (self._notes, 0.0),
        ):
            least, most = widget.least_height, widget.most_height
            self._column.add(ColumnPart(widget, least, most, share))
        self._hover = HoverCard(self._column, self._cells)
        self._page = Page()
        self._page.setWidget(self._column)
        column(self._page, within=self)
        self.begin_at(self._page)
        self._files = StripFiles(desk.machine, desk.time_window, self._all.strip)
        self._of_strip = (
            self.add_command(tr("Copy what all cards say"), "Ctrl+C", self._on_copy_asked),
            self.add_command(tr("Save all cards as CSV…"), "Ctrl+S", self._on_save_asked),
        )
        self._connect()

    def pull(self) -> None:
        machine = self.machine
        cards = machine.cards()
        log = machine.session.happenings()
        self._slowed.take(log)
        self._programs.bring_up()
        faces = {each.card.id: machine.face(each) for each in cards}
        seen = [faces[each.card.id] for each in self._arrangement.shown(cards)]
        many = len(seen) > MOST_COLOURED_CARDS
        for action in self._of_strip:
            action.setVisible(many)  # lines have such commands of their own
        boards = boards_of(seen) if many else []
        # Its scene comes first, and has all that changed here painted at once.
        self._all_feed.bring_up(seen, boards, log, self._slowed)
        self._show_cards(seen, boards)
        self._show_sums(list(faces.values()), many=many, hidden=len(cards) - len(seen))
        self._processes.show_programs(
            self._programs.all, self._programs.remark, self._programs.nobody
        )
        self._events.show_happenings(log, cards)
        now = machine.session.desk.now()
        if now - self._notes_read_at >= _NOTES_EVERY:
            self._notes_read_at = now
            # Those of the computer stand among its facts, with what helps.
            notes = [each for each in machine.session.notes() if each != NO_SWAP_SPACE]
            if self._notes.show_notes([tr(note) for note in notes]):
                self._fit()

    def _connect(self) -> None:
        navigation = self._navigation
        for grid in (self._tiles, self._cells):
            grid.tile_focused.connect(self._page.ensureWidgetVisible)
            grid.opened.connect(self._navigation.open_card)
            grid.menu_asked.connect(self._on_menu_asked)
            grid.moved.connect(self._on_moved)
        self._cells.tile_pointed.connect(self._on_tile_pointed)
        self._all.metric_chosen.connect(self._pull_now)
        self._all.shape_changed.connect(self._column.arrange)
        for link in (self._all.hidden, self._now.hidden):
            link.clicked.connect(self._on_show_all_asked)
        self._show_all = QAction(tr("Show all hidden cards"), self)
        self._show_all.triggered.connect(self._on_show_all_asked)
        self.addAction(self._show_all)
        self._all.strip.opened.connect(self._navigation.open_card)
        self._side.table.chosen.connect(self._on_row_chosen)
        self._processes.table.chosen.connect(self._on_row_chosen)
        self._processes.all.clicked.connect(lambda: navigation.open_screen("processes"))
        self._events.all.clicked.connect(lambda: navigation.open_screen("events"))
        self._events.table.chosen.connect(self._on_event_chosen)
        self._settings.changed.connect(self._on_settings_changed)

    def _show_cards(
        self, seen: Sequence[CardFace], boards: Sequence[Sequence[CardFace]]
    ) -> None:
        many = bool(boards)
        changed = self._many.isHidden() is many
        self._many.setVisible(many)
        self._tiles.setVisible(not many)
        if many:
            seen = [each for board in boards for each in board]
        elif self.time_window.looking_back:
            seen = [face_of_now(each) for each in seen]
        grid, other = (self._cells, self._tiles) if many else (self._tiles, self._cells)
        changed |= other.show_faces(())
        changed |= grid.show_faces(seen, [self._board(board) for board in boards])
        if changed:
            self._fit()
        self._tile_feed.begin(set(grid.tiles))
        for card, tile in grid.tiles.items():
            self._tile_feed.feed(tile, self._slowed)
            tile.show_programs(self._programs.of_card(card) if tile.lists_programs() else ())
        if many:
            self._side.show_attention(worth_a_look(seen))
            shares = [each.busy_share for each in seen]
            self._side.histogram.show_shares([share for share in shares if share is not None])
        self._hover.forget_gone()
        self._refresh_hover()

    def _board(self, board: Sequence[CardFace]) -> Board:
        return Board(
            title=tr("Board {number}", number=board[0].index // 8),
            remark=self._programs.name_on(board),
            power=power_together(board).shorter,
            cards=tuple(each.id for each in board),
        )

    def _show_sums(self, cards: Sequence[CardFace], *, many: bool, hidden: int) -> None:
        together = sums(cards, self._settings.choices.units, answering_said=many)
        start, end = self.time_window.stretch()
        self._energy.bring_up(tuple(each.id for each in cards), start, end)
        energy = energy_together(
            self._energy.total(),
            end - start,
            len(cards),
            following=self.time_window.following,
        )
        words = hidden_words(hidden)
        self._show_all.setEnabled(hidden > 0)
        self._all.show_hidden(words)
        self._now.show_hidden(words)
        if many:
            answering = answering_words(together.answering, together.count)
            figures = (together.busy, together.power, together.memory, together.hottest, energy)
            self._side.show_sums(figures, answering)
        else:
            # The plots of one card, and its tile, say all but the last.
            sums_of_all = (together.busy, together.memory, together.power, together.hottest)
            self._all.show_sums((*(sums_of_all if len(cards) > 1 else ()), energy))

    def _refresh_hover(self) -> None:
        tile = self._hover.tile
        if tile is None:
            return
        card = tile.face.id
        programs = self._programs.of_card(card)
        width = self._hover.past_width() or 192.0
        past = self._tile_feed.past(tile.face, width, self._slowed, memory=False, scaled=False)
        self._hover.show_card(past, programs)
        self._all_feed.show_chosen(card)

    def _fit(self) -> None:
        """Anew, after something has come, gone, or wants another height."""
        viewport = self._page.viewport().size()
        width = max(1, viewport.width())
        others = self._column.others_height(width, self._tiles)
        above = self._column.above_height(width, self._tiles)
        self._tiles.show_room(viewport.height() - others, viewport.height() - above)
        tiles = self._tiles.least_height(self._column.inner_width(width))
        around = _MARGINS.top() + _MARGINS.bottom() + GAP
        self._all.show_room(viewport.height() - around - tiles)
        self._column.arrange()

    def _on_tile_pointed(self, tile: CardTile | None) -> None:
        if self._hover.point_at(tile):
            self._refresh_hover()
        else:
            self._all_feed.show_chosen(None)

    def _on_menu_asked(self, card: str, place: QPoint) -> None:
        shown = self.machine.shown(CardId(card))
        if shown is None:
            return
        order = list((self._cells if self._all.many else self._tiles).tiles)
        at = order.index(shown.card.id)
        menu = QMenu(self)
        menu.setAccessibleName(tr("Card {number}", number=shown.number))
        for words, key, there, done in (
            (tr("Open"), "Return", True, lambda: self._navigation.open_card(shown.card.id)),
            (tr("Copy name and UUID"), "", True, lambda: _copy(copied_words(shown))),
            (tr("Hide this card"), "", len(order) > 1, lambda: self._hide(card)),
            (
                *(tr("Move earlier"), "Ctrl+Shift+Left", at > 0),
                lambda: self._on_moved(card, order[at - 1]),
            ),
            (
                *(tr("Move later"), "Ctrl+Shift+Right", at + 1 < len(order)),
                lambda: self._on_moved(card, order[at + 1]),
            ),
        ):
            action = menu.addAction(words, done)
            # It is shown here; the tile itself takes the key.
            action.setShortcut(QKeySequence(key))
            action.setShortcutVisibleInContextMenu(True)
            action.setEnabled(there)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _hide(self, card: str) -> None:
        self._arrangement.hide(CardId(card))
        self._pull_now()

    def _on_moved(self, card: str, place: str) -> None:
        self._arrangement.move(CardId(card), CardId(place), self.machine.cards())
        self._pull_now()

    def _on_show_all_asked(self) -> None:
        self._arrangement.show_all()
        self._pull_now()

    def _on_copy_asked(self) -> None:
        seen = self._arrangement.shown(self.machine.cards())
        self._files.copy_figures([self.machine.face(each) for each in seen])

    def _on_save_asked(self) -> None:
        seen = self._arrangement.shown(self.machine.cards())
        self._files.ask_csv([each.card.id for each in seen], self._all.chosen)

    def _on_row_chosen(self, chosen: ProgramFace | Attention) -> None:
        self._navigation.open_card(chosen.cards[0])

    def _on_event_chosen(self, row: EpisodeRow) -> None:
        happening = row.first
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if happening.card is not None and shown is not None:
            self._navigation.open_card(happening.card)

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self._pull_now()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()
        super().showEvent(event)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
