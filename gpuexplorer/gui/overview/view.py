"""OverviewView: every card, what all do together, who uses them and what took place."""

import json
from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QMenu, QWidget

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, Cadence
from gpuexplorer.core.units import ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.card_head import face_of_now
from gpuexplorer.gui.cards.event_words import told
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.cards.moments import NOTHING_THEN, NOTHING_YET, moment_words
from gpuexplorer.gui.cards.programs import ProgramFace
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.all_cards import AllCardsPanel
from gpuexplorer.gui.overview.lists import (
    Alike,
    EventsPanel,
    NotesPanel,
    ProcessesPanel,
    ProgramsFeed,
    WorthPanel,
)
from gpuexplorer.gui.overview.strip_content import StripFiles, boards_of, ticks_of
from gpuexplorer.gui.overview.sums import (
    EnergyFeed,
    TogetherPanel,
    figures_of,
    power_of,
    sums_of,
)
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.hover_card import HoverCard
from gpuexplorer.gui.overview.tiles.tile_drawing import NO_PAST, TilePast
from gpuexplorer.gui.overview.tiles.tile_grid import Board, TileGrid
from gpuexplorer.gui.overview.tiles.tile_plan import TileSize
from gpuexplorer.gui.plots.content import Band
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, columns_for, steady_stretch
from gpuexplorer.gui.state.event_list import EpisodeRow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, Grow, add, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import PLOT_KEYS, KeyGroup, LiveView, Page, Panel
from gpuexplorer.gui.widgets.strip import StripShown
from gpuexplorer.telemetry.backends.host import NO_SWAP_SPACE
from gpuexplorer.telemetry.trace import Trace

_KEYS: KeyGroup = (
    mark("Tiles"),
    (
        ("Arrows Home End", mark("To another card")),
        ("Enter", mark("Open the card")),
        ("Ctrl+Shift+Arrow", mark("Move the tile")),
        ("Shift+F10", mark("What can be done with the card")),
    ),
)
_UNREAD = {
    CardState.ASLEEP: mark("not read"),
    CardState.NO_ANSWER: mark("no answer"),
    CardState.NO_CONNECTION: mark("no connection"),
    CardState.REFUSED: mark("no access"),
}
_GONE = (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
_GAP, _SIDE_WIDTH = 16, 300
_WIDE = 900  # from here on lists stand beside each other


class OverviewView(LiveView):
    """The first screen: who is busy, who is full, and whether anything is wrong."""

    key_groups = (PLOT_KEYS, _KEYS)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, (Cadence.ON_DEMAND,), processes=True)
        source = desk.machine.session.source
        machine = source.label if source.simulated else "cards"
        self._arrangement = Arrangement(desk.settings, machine)
        self._slowed = SlowedBook()
        self._programs = ProgramsFeed(desk.machine)
        self._energy = EnergyFeed(desk.machine.past)
        self._pasts: dict[CardId, tuple[object, TilePast]] = {}
        self._all, self._tiles, self._cells = AllCardsPanel(desk), TileGrid(), TileGrid()
        self._worth, self._together = (
            WorthPanel(desk.time_window),
            TogetherPanel(desk.time_window),
        )
        self._processes = ProcessesPanel(desk.time_window)
        self._events, self._notes = EventsPanel(desk.machine), NotesPanel()
        now, body = Panel(tr("Now"), tr("Power")), look().letters.body
        legend = tr("busy in %, memory below it, index in the corner")
        now.head.insertWidget(1, ElidedLabel(body, Tone.QUIET, legend), 100)
        add(now.body, self._cells, GROWS)
        self._many, below = QWidget(), QWidget()
        # Their directions turn where it is narrow.
        self._side = column(self._together, self._worth, GROWS, gap=_GAP)
        self._cells_row = row(now, GROWS, self._side, within=self._many, gap=_GAP)
        parts = (self._processes, Grow(52), self._events, Grow(34))
        self._lists = row(*parts, within=below, gap=_GAP)
        for part, name in (
            (self._all, "curves"),
            (self._tiles, "tiles"),
            (self._processes, "processes"),
            (self._events, "events"),
        ):
            part.setObjectName(f"overview.{name}")
        self._page = Page()
        add(self._page.body, self._all, Grow(4), self._tiles, Grow(12), self._many, Grow(12))
        add(self._page.body, below, Grow(4), self._notes)
        column(self._page, within=self)
        self._hover = HoverCard(self._page.widget() or self, self._cells)
        self.begin_at(self._page)
        self._files = StripFiles(desk.machine, desk.time_window, self._all.strip)
        copy, save = tr("Copy what all cards say"), tr("Save all cards as CSV…")
        self._of_strip = (
            self.add_command(copy, "Ctrl+C", self._on_copy_asked),
            self.add_command(save, "Ctrl+S", self._on_save_asked),
        )
        self._show_all = QAction(tr("Show all hidden cards"), self)
        self._show_all.triggered.connect(self._on_show_all_asked)
        self.addAction(self._show_all)
        navigation = desk.navigation
        for grid in (self._tiles, self._cells):
            grid.tile_focused.connect(self._page.ensureWidgetVisible)
            grid.opened.connect(navigation.open_card)
            grid.menu_asked.connect(self._on_menu_asked)
            grid.moved.connect(self._on_moved)
        self._cells.tile_pointed.connect(self._on_tile_pointed)
        self._all.metric_chosen.connect(self._pull_now)
        self._all.hidden.clicked.connect(self._on_show_all_asked)
        self._all.strip.opened.connect(navigation.open_card)
        self._worth.table.chosen.connect(self._on_cards_chosen)
        self._processes.table.chosen.connect(self._on_program_chosen)
        self._processes.all.clicked.connect(lambda: navigation.open_screen("processes"))
        self._events.all.clicked.connect(lambda: navigation.open_screen("events"))
        self._events.table.chosen.connect(self._on_event_chosen)
        desk.settings.changed.connect(self._on_settings_changed)

    def pull(self) -> None:
        machine, cards = self.machine, self.machine.cards()
        log = machine.session.happenings()
        self._slowed.take(log)
        faces = {each.card.id: machine.face(each) for each in cards}
        seen = [faces[each.card.id] for each in self._arrangement.shown(cards)]
        many = len(seen) > MOST_COLOURED_CARDS
        boards = boards_of(seen) if many else []
        for action in self._of_strip:
            action.setVisible(many)  # lines have such commands of their own
        if self._programs.bring_up():
            words = self._programs.remark(), self._programs.nobody()
            self._processes.show_programs(self._programs.all, *words)
        # Its scene comes first, and has all that changed here painted at once.
        self._all.show_cards(seen, boards, log, self._slowed)
        self._show_tiles(seen, boards)
        self._show_sums(list(faces.values()), many=many)
        hidden = len(cards) - len(seen)
        self._show_all.setEnabled(hidden > 0)
        self._all.show_hidden(hidden)
        self._events.show_happenings(log, cards)
        # Those of the computer stand among its facts, with what helps.
        notes = [each for each in machine.session.notes() if each != NO_SWAP_SPACE]
        self._notes.show_notes([tr(note) for note in notes])

    def _show_tiles(
        self, seen: Sequence[CardFace], boards: Sequence[Sequence[CardFace]]
    ) -> None:
        many = bool(boards)
        self._many.setVisible(many)
        self._tiles.setVisible(not many)
        if many:
            seen = [each for board in boards for each in board]
            self._worth.show_cards(seen)
        elif self.time_window.looking_back:
            seen = [face_of_now(each) for each in seen]
        grid, other = (self._cells, self._tiles) if many else (self._tiles, self._cells)
        titled = [
            Board(
                title=tr("Board {number}", number=board[0].index // 8),
                remark=self._programs.name_on(board),
                power=power_of(sums_of(board)).shorter,
                cards=tuple(each.id for each in board),
            )
            for board in boards
        ]
        changed = other.show_faces(())
        if grid.show_faces(seen, titled) or changed:
            self._fit()
        for card, tile in grid.tiles.items():
            tile.show_past(self._past(tile))
            tile.show_programs(self._programs.of_card(card) if tile.lists_programs() else ())
        self._hover.forget_gone()
        self._refresh_hover()

    def _show_sums(self, cards: Sequence[CardFace], *, many: bool) -> None:
        following = self.time_window.following
        ids, stretch = [each.id for each in cards], self.time_window.stretch()
        figures = figures_of(cards, self.machine.settings.choices.units, answering_said=many)
        figures.append(self._energy.figure(ids, *stretch, following=following))
        if many:
            answering = sum(each.answers for each in cards)
            self._together.show_figures(figures, answering, len(cards))
        else:
            # The plots of one card, and its tile, say all but the last.
            self._all.show_sums(figures if len(cards) > 1 else figures[-1:])

    def _past(self, tile: CardTile, width: float | None = None) -> TilePast:
        """Of another width it is for what tells about this tile elsewhere."""
        elsewhere, width = width is not None, width or tile.past_width()
        if width < 8:
            return NO_PAST
        window, face, past = self.time_window, tile.face, self.machine.past
        memory = not elsewhere and tile.shows_memory_past()
        scaled = not elsewhere and tile.tile_size is TileSize.FULL
        # Within one column nothing new would be seen.
        start, end = steady_stretch(*window.stretch(), width / COLUMN_PIXELS)
        at = window.playhead
        at = None if at is None or not start <= at <= end else at
        asked = start, end, width, memory, scaled, face.state, window.following, at
        before = self._pasts.get(face.id)
        if before is not None and before[0] == asked:
            return before[1]
        columns, total = columns_for(width), face.memory.total_bytes
        busy = past.trace(face.id, GPU_UTILIZATION, start, end, columns)
        count, ended = int(busy.counts.sum()), self._ended(face, busy)
        shown = StripShown(
            busy,
            *(start, end, 1.0),
            bands=[
                Band(each.start, each.end, each.word, each.tone)
                for each in self._slowed.stretches(face.id, start, end)
            ],
            ended=ended,
            # With the day where it is not that of the end: what it is drawn in is small.
            ended_word=moment_words(window.wall(ended), window.wall(end)) if ended else "",
            unread="" if ended else self._unread(face, read=count > 0),
            scale=((1.0, "100 %"), (0.5, "50")) if scaled else (),
            ticks=ticks_of(window, start, end, width) if scaled else (),
            playhead=at,
        )
        of_memory = None
        if memory and total and face.memory.used is not None:
            used = past.trace(face.id, MEMORY_USED, start, end, columns)
            scale = ((total, face.memory.scale),) if scaled else ()
            of_memory = StripShown(used, start, end, total, scale=scale, playhead=at)
        mean = ratio(float(np.nansum(busy.means * busy.counts)) / count) if count else ""
        average = tr("average {share}", share=mean) if count else ""
        made = TilePast(shown, of_memory, average)
        self._pasts[face.id] = (asked, made)
        return made

    def _ended(self, face: CardFace, busy: Trace) -> float | None:
        """When the card went, where that is in sight."""
        at, (start, end) = self._slowed.gone_at(face.id), self.time_window.stretch()
        seen = at is not None and start <= at <= end and bool(busy.counts.any())
        return at if face.state in _GONE and seen else None

    def _unread(self, face: CardFace, *, read: bool) -> str:
        """Why nothing is on a tile's trace; `read`: some of it was."""
        then = self.time_window.then()
        if then.nothing_yet:
            return tr(NOTHING_YET)
        if not read and (face.state in _GONE or not then.following):
            return tr(NOTHING_THEN)
        return tr(_UNREAD.get(face.state, "")) if then.following else ""

    def _refresh_hover(self) -> None:
        tile = self._hover.tile
        if tile is not None:
            past = self._past(tile, self._hover.past_width() or 192.0)
            self._hover.show_card(past, self._programs.of_card(tile.face.id))
        self._all.show_chosen(None if tile is None else tile.face.id)

    def _fit(self) -> None:
        """Tiles and plots are as large as lets all of them be seen."""
        viewport, body = self._page.viewport().size(), self._page.body
        sides = body.contentsMargins()
        width = viewport.width() - sides.left() - sides.right()
        wide, direction = width >= _WIDE, QBoxLayout.Direction
        beside, below = direction.LeftToRight, direction.TopToBottom
        self._lists.setDirection(beside if wide else below)
        self._cells_row.setDirection(beside if wide else below)
        self._side.setDirection(below if wide else beside)
        for panel in (self._worth, self._together):
            panel.setMaximumWidth(_SIDE_WIDTH if wide else 16_777_215)
        self._worth.setMinimumWidth(_SIDE_WIDTH if wide else 0)
        tiles = self._tiles.least_height(width)
        self._tiles.setMaximumHeight(round(self._tiles.most_height(width)))
        above = sides.top() + self._all.minimumSizeHint().height() + _GAP
        others = body.heightForWidth(viewport.width()) - round(tiles)
        self._tiles.show_room(viewport.height() - others, viewport.height() - above)
        around = sides.top() + sides.bottom() + _GAP
        self._all.fit(viewport.height() - around - tiles)

    def _on_tile_pointed(self, tile: CardTile | None) -> None:
        self._hover.point_at(tile)
        self._refresh_hover()

    def _on_menu_asked(self, card: str, place: QPoint) -> None:
        shown = self.machine.shown(CardId(card))
        if shown is None:
            return
        order = list(self._cells.tiles or self._tiles.tiles)
        at, menu = order.index(shown.card.id), QMenu(self)
        menu.setAccessibleName(tr("Card {number}", number=shown.number))

        def add_action(
            words: str, deed: Callable[[], object], keys: str = "", *, there: bool = True
        ) -> None:
            action = menu.addAction(words, deed)
            # It is shown here; the tile itself takes the key.
            action.setShortcut(QKeySequence(keys))
            action.setShortcutVisibleInContextMenu(True)
            action.setEnabled(there)

        def move(to: int) -> None:
            self._on_moved(card, order[to])

        add_action(tr("Open"), lambda: self.desk.navigation.open_card(shown.card.id), "Return")
        add_action(tr("Copy name and UUID"), lambda: _copy(shown))
        add_action(tr("Hide this card"), lambda: self._hide(shown), there=len(order) > 1)
        back, on = "Ctrl+Shift+Left", "Ctrl+Shift+Right"
        add_action(tr("Move earlier"), lambda: move(at - 1), back, there=at > 0)
        add_action(tr("Move later"), lambda: move(at + 1), on, there=at + 1 < len(order))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _hide(self, shown: Shown) -> None:
        self._arrangement.hide(shown.card.id)
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

    def _on_cards_chosen(self, alike: Alike) -> None:
        self.desk.navigation.open_card(alike[0].id)

    def _on_program_chosen(self, program: ProgramFace) -> None:
        self.desk.navigation.open_card(program.cards[0])

    def _on_event_chosen(self, chosen: EpisodeRow) -> None:
        happening = chosen.first
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if happening.card is not None and shown is not None:
            self.desk.navigation.open_card(happening.card)

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self._pull_now()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        self._fit()
        super().showEvent(event)


def _copy(shown: Shown) -> None:
    """Name and UUID; of a simulated card it is said that it is one."""
    card = shown.card
    words = f"{tr('Card {number}', number=shown.number)}: {card.name}, {card.id}"
    words = tr("SIMULATED. {card}", card=words) if card.simulated else words
    QGuiApplication.clipboard().setText(words)


class Arrangement:
    """In which order cards are shown and which are hidden, remembered. They are known by their
    id, so that one that was lost finds its place again. Simulated cards all have the same ids:
    for them each machine has an arrangement of its own.
    """

    def __init__(self, settings: Settings, machine: str) -> None:
        self._settings = settings
        self._keys = (f"overview/{machine}/order", f"overview/{machine}/hidden")
        self._order, self._hidden = (_ids(settings.remembered(key)) for key in self._keys)
        if not settings.choices.keep_hidden:
            self._hidden = []

    def shown(self, cards: Sequence[Shown]) -> list[Shown]:
        ordered = self._ordered(cards)
        seen = [each for each in ordered if each.card.id not in self._hidden]
        # To hide the last card of all would leave a screen that shows nothing.
        return seen or ordered

    def hide(self, card: CardId) -> None:
        self._keep(self._order, [*self._hidden, card])

    def show_all(self) -> None:
        self._keep(self._order, [])

    def move(self, card: CardId, place: CardId, cards: Sequence[Shown]) -> None:
        """To where the other one is, which makes room."""
        order = [each.card.id for each in self._ordered(cards)]
        if card == place or card not in order or place not in order:
            return
        to = order.index(place)
        order.remove(card)
        order.insert(to, card)
        # Who is not there just now keeps its place behind who stood before it.
        for at, absent in enumerate(self._order):
            if absent not in order:
                _insert_behind(order, self._order[at - 1] if at else None, absent)
        self._keep(order, self._hidden)

    def _ordered(self, cards: Sequence[Shown]) -> list[Shown]:
        """A card nobody placed stands behind the one before it in the driver's order."""
        there = {each.card.id: each for each in cards}
        order = [card for card in self._order if card in there]
        for at, each in enumerate(cards):
            if each.card.id not in order:
                _insert_behind(order, cards[at - 1].card.id if at else None, each.card.id)
        return [there[card] for card in order]

    def _keep(self, order: list[CardId], hidden: list[CardId]) -> None:
        self._order, self._hidden = order, hidden
        for key, ids in zip(self._keys, (order, hidden), strict=True):
            self._settings.remember(key, json.dumps(ids))


def _insert_behind(order: list[CardId], before: CardId | None, card: CardId) -> None:
    order.insert(order.index(before) + 1 if before in order else 0, card)


def _ids(text: str | None) -> list[CardId]:
    """What cannot be read is as if nobody had arranged anything."""
    try:
        found = json.loads(text or "[]")
    except ValueError:
        found = []
    return [CardId(e) for e in found if isinstance(e, str)] if isinstance(found, list) else []
