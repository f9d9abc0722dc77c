"""OverviewView: every card, what all do together, who uses them and what took place."""

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QMargins, QPoint
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.lab.line_flags import LineFlags
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS
from gpuexplorer.gui.views.overview.all_cards_feed import AllCardsFeed
from gpuexplorer.gui.views.overview.all_cards_panel import AllCardsPanel
from gpuexplorer.gui.views.overview.arrangement import Arrangement
from gpuexplorer.gui.views.overview.below_row import BelowRow
from gpuexplorer.gui.views.overview.energy_feed import EnergyFeed
from gpuexplorer.gui.views.overview.events_panel import EventsPanel
from gpuexplorer.gui.views.overview.hovering import Hovering
from gpuexplorer.gui.views.overview.many_row import ManyRow
from gpuexplorer.gui.views.overview.notes_panel import NotesPanel
from gpuexplorer.gui.views.overview.now_panel import NowPanel
from gpuexplorer.gui.views.overview.plotted import offered
from gpuexplorer.gui.views.overview.processes_panel import ProcessesPanel
from gpuexplorer.gui.views.overview.programs_feed import ProgramsFeed
from gpuexplorer.gui.views.overview.side_panel import SidePanel
from gpuexplorer.gui.views.overview.strip_content import boards_of
from gpuexplorer.gui.views.overview.strip_files import StripFiles
from gpuexplorer.gui.views.overview.tile_feed import TileFeed
from gpuexplorer.gui.views.overview.tile_menu import copy_card, open_tile_menu
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.page import Page
from gpuexplorer.gui.widgets.rows.filled_column import FilledColumn, Part
from gpuexplorer.gui.widgets.tiles.card_tile import CardTile
from gpuexplorer.gui.widgets.tiles.tile_grid import Board, TileGrid
from gpuexplorer.gui.wording.cards.attention import worth_a_look
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.cards.card_head import face_of_now
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.cards.sums import energy_together, power_together, sums
from gpuexplorer.gui.wording.cards.throttling import SlowedBook
from gpuexplorer.gui.wording.events.event_words import event_face
from gpuexplorer.gui.wording.key_words import PLOT_KEYS, TILE_KEYS
from gpuexplorer.telemetry.happenings import Happening

_NOTES_EVERY = 2.0
_MARGINS, _GAP = QMargins(24, 20, 24, 20), 16
_NARROW_BELOW = 820


class OverviewView(LiveView):
    """The first screen: who is busy, who is full, and whether anything is wrong."""

    key_groups = (PLOT_KEYS, TILE_KEYS)

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        time_window: TimeWindow,
        navigation: Navigation,
        settings: Settings,
        frame_clock: FrameClock,
        lab_lines: LineFlags,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(
            machine,
            time_window,
            frame_clock,
            (Cadence.ON_DEMAND,),
            processes=True,
            parent=parent,
        )
        self._navigation = navigation
        self._settings = settings
        source = machine.session.source
        self._arrangement = Arrangement(settings, source.label if source.simulated else "cards")
        self._notes_read_at = float("-inf")
        self._listed: tuple[object, Mapping[CardId, Shown]] = (None, {})
        self._slowed = SlowedBook()
        self._tile_feed = TileFeed(machine, time_window)
        self._programs = ProgramsFeed(machine)
        self._energy = EnergyFeed(machine.past)
        self._all = AllCardsPanel(look, time_window, settings, offered(machine.cards()))
        self._all_feed = AllCardsFeed(
            self._all, machine, time_window, self._tile_feed, lab_lines
        )
        self._tiles, self._cells = TileGrid(look), TileGrid(look)
        self._now = NowPanel(look, self._cells)
        self._side = SidePanel(look, time_window)
        self._many = ManyRow(self._now, self._side)
        self._many.hide()
        self._processes = ProcessesPanel(look, time_window)
        self._events = EventsPanel(look)
        self._notes = NotesPanel(look)
        self._below = BelowRow(((self._processes, 5.2), (self._events, 3.4)), _NARROW_BELOW)
        self._column = FilledColumn(_MARGINS, _GAP)
        self._column.setProperty("panel", "page")
        for widget, share in (
            (self._all, 1.0),
            (self._tiles, 6.0),
            (self._many, 5.0),
            (self._below, 1.0),
            (self._notes, 0.0),
        ):
            least, most = widget.least_height, widget.most_height
            self._column.add(Part(widget, least, most, share))
        self._hovering = Hovering(look, self._column, self._cells)
        self._page = Page()
        self._page.setWidget(self._column)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._page)
        self.begin_at(self._page)
        self._files = StripFiles(look, machine, time_window, self._all.strip)
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
        seen = self._arrangement.shown(cards)
        faces = {each.card.id: machine.face(each) for each in seen}
        known = {each.card.id: machine.known(each.card.id) for each in cards}
        many = len(seen) > MOST_COLOURED_CARDS
        for action in self._of_strip:
            action.setVisible(many)  # lines have such commands of their own
        if not self.time_window.following and not many:
            faces = {card: face_of_now(face) for card, face in faces.items()}
        boards = boards_of(seen) if many else []
        # Its scene comes first, and has all that changed here painted at once.
        self._all_feed.bring_up(seen, boards, known, log, self._slowed)
        self._show_cards(seen, faces, boards, known)
        self._show_sums(cards, known, many=many)
        self._processes.show_programs(
            self._programs.all, self._programs.remark, self._programs.nobody
        )
        self._events.show_happenings(log, self._listed_now(cards))
        now = machine.session.clock.now()
        if now - self._notes_read_at >= _NOTES_EVERY:
            self._notes_read_at = now
            if self._notes.show_notes([tr(note) for note in machine.session.notes()]):
                self._fit()

    def stop(self) -> None:
        self._files.stop()
        super().stop()

    def _listed_now(self, cards: Sequence[Shown]) -> Mapping[CardId, Shown]:
        """The very same object as long as no card comes or goes."""
        if self._listed[0] is not cards:
            by_id = {
                each.card.id: each for shown in cards for each in (shown, *shown.instances)
            }
            self._listed = (cards, by_id)
        return self._listed[1]

    def _connect(self) -> None:
        for grid in (self._tiles, self._cells):
            grid.tile_focused.connect(self._on_tile_focused)
            grid.opened.connect(self._navigation.open_card)
            grid.menu_asked.connect(self._on_menu_asked)
            grid.moved.connect(self._on_moved)
        self._cells.tile_pointed.connect(self._on_tile_pointed)
        self._all.metric_chosen.connect(self._pull_now)
        self._all.shape_changed.connect(self._column.arrange)
        self._all.show_all_asked.connect(self._on_show_all_asked)
        self._now.show_all_asked.connect(self._on_show_all_asked)
        self._show_all = QAction(tr("Show all hidden cards"), self)
        self._show_all.triggered.connect(self._on_show_all_asked)
        self.addAction(self._show_all)
        self._all_feed.opened.connect(self._navigation.open_card)
        self._side.chosen.connect(self._navigation.open_card)
        self._processes.chosen.connect(self._navigation.open_card)
        self._processes.all_asked.connect(partial(self._navigation.open_screen, "processes"))
        self._events.all_asked.connect(partial(self._navigation.open_screen, "events"))
        self._events.chosen.connect(self._on_event_chosen)
        self._settings.changed.connect(self._on_settings_changed)

    def _show_cards(
        self,
        seen: Sequence[Shown],
        faces: Mapping[CardId, CardFace],
        boards: Sequence[Sequence[Shown]],
        known: Mapping[CardId, Known],
    ) -> None:
        many = bool(boards)
        changed = self._many.isHidden() is many
        self._many.setVisible(many)
        self._tiles.setVisible(not many)
        ordered = [each for board in boards for each in board] if many else seen
        grid, other = (self._cells, self._tiles) if many else (self._tiles, self._cells)
        changed |= other.show_faces({})
        changed |= grid.show_faces(
            {each.card.id: faces[each.card.id] for each in ordered},
            [self._board(board, known) for board in boards],
        )
        if changed:
            self._fit()
        by_id = {each.card.id: each for each in ordered}
        self._tile_feed.begin(set(by_id))
        for card, tile in grid.tiles.items():
            self._tile_feed.feed(tile, by_id[card], known[card], self._slowed)
            tile.show_programs(self._programs.of_card(card) if tile.lists_programs() else ())
        if many:
            self._side.show_attention(worth_a_look(ordered, faces))
            self._side.show_shares(
                [
                    face.busy_share
                    for face in faces.values()
                    if face.busy_share is not None and not face.sentence
                ]
            )
        self._hovering.forget_gone()
        self._refresh_hover()

    def _board(self, board: Sequence[Shown], known: Mapping[CardId, Known]) -> Board:
        power = power_together([each for each in board if known[each.card.id].answers], known)
        return Board(
            title=tr("Board {number}", number=board[0].card.index // 8),
            remark=self._programs.name_on(board),
            power=power.shorter,
            cards=tuple(each.card.id for each in board),
        )

    def _show_sums(
        self, cards: Sequence[Shown], known: Mapping[CardId, Known], *, many: bool
    ) -> None:
        together = sums(cards, known, self._settings.choices.units, answering_said=many)
        start, end = self.time_window.stretch()
        self._energy.bring_up(cards, start, end)
        energy = energy_together(
            self._energy.total(),
            end - start,
            len(cards),
            following=self.time_window.following,
        )
        hidden = self._arrangement.hidden_count(cards)
        words = ""
        if hidden:
            words = trn(
                "{count} card hidden: show all", "{count} cards hidden: show all", hidden
            )
        self._show_all.setEnabled(hidden > 0)
        self._all.show_hidden(words)
        self._now.show_hidden(words)
        if many:
            answering = tr(
                "{answering} of {count} cards answer",
                answering=together.answering,
                count=together.count,
            )
            figures = (together.busy, together.power, together.memory, together.hottest, energy)
            self._side.show_sums(figures, answering)
        else:
            # The plots of one card, and its tile, say all but the last.
            sums_of_all = (together.busy, together.memory, together.power, together.hottest)
            self._all.show_sums((*(sums_of_all if len(cards) > 1 else ()), energy))

    def _refresh_hover(self) -> None:
        tile = self._hovering.tile
        card = next((c for c, each in self._cells.tiles.items() if each is tile), None)
        shown = self.machine.shown(card)
        if tile is None or card is None or shown is None:
            return
        programs = self._programs.of_card(card)
        width = self._hovering.past_width() or 192.0
        known = self.machine.known(card)
        past = self._tile_feed.past(
            shown, known, tile.face, width, self._slowed, memory=False, scaled=False
        )
        self._hovering.show_card(past, programs)
        self._all_feed.show_chosen(card)

    def _fit(self) -> None:
        """Anew, after something has come, gone, or wants another height."""
        viewport = self._page.viewport().size()
        width = max(1, viewport.width())
        others = self._column.others_height(width, self._tiles)
        above = self._column.above_height(width, self._tiles)
        self._tiles.show_room(viewport.height() - others, viewport.height() - above)
        tiles = self._tiles.least_height(self._column.inner_width(width))
        around = _MARGINS.top() + _MARGINS.bottom() + _GAP
        self._all.show_room(viewport.height() - around - tiles)
        self._column.arrange()

    def _on_tile_focused(self, tile: CardTile) -> None:
        self._page.ensureWidgetVisible(tile)

    def _on_tile_pointed(self, tile: CardTile | None) -> None:
        if self._hovering.point_at(tile):
            self._refresh_hover()
        else:
            self._all_feed.show_chosen(None)

    def _on_menu_asked(self, card: str, place: QPoint) -> None:
        shown = self.machine.shown(CardId(card))
        if shown is None:
            return
        order = list((self._cells if self._all.many else self._tiles).tiles)
        at = order.index(shown.card.id)
        before = order[at - 1] if at > 0 else None
        after = order[at + 1] if at + 1 < len(order) else None
        more_than_one = len(order) > 1
        open_tile_menu(
            self,
            place,
            shown,
            [
                (tr("Open"), "Return", partial(self._navigation.open_card, shown.card.id)),
                (tr("Copy name and UUID"), "", partial(copy_card, shown)),
                (
                    tr("Hide this card"),
                    "",
                    partial(self._hide, card) if more_than_one else None,
                ),
                (tr("Move earlier"), "Ctrl+Shift+Left", self._moving(card, before)),
                (tr("Move later"), "Ctrl+Shift+Right", self._moving(card, after)),
            ],
        )

    def _moving(self, card: str, place: CardId | None) -> partial[None] | None:
        return None if place is None else partial(self._on_moved, card, place)

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
        self._files.copy_figures(self._arrangement.shown(self.machine.cards()))

    def _on_save_asked(self) -> None:
        seen = self._arrangement.shown(self.machine.cards())
        self._files.ask_csv(seen, self._all.chosen)

    def _on_event_chosen(self, happening: Happening) -> None:
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, event_face(happening, shown).told)
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
