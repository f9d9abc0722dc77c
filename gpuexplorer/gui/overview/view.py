"""OverviewView: every card, what all do together, who uses them and what took place."""

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QMenu, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown, face_of_now, told
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.all_cards import AllCardsPanel
from gpuexplorer.gui.overview.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.heat_strip import boards_of
from gpuexplorer.gui.overview.lists import EventsPanel, ProcessesPanel, WorthPanel
from gpuexplorer.gui.overview.past import feed
from gpuexplorer.gui.overview.sums import EnergyFeed, TogetherPanel, figures_of
from gpuexplorer.gui.overview.tile_grid import HoverCard, TileGrid
from gpuexplorer.gui.state.event_list import EpisodeRow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, Grow, add, column, row, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import PLOT_KEYS, KeyGroup, LiveView, Page, Panel
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
        self._arrangement.changed.connect(self._pull_now)
        self._slowed = SlowedBook()
        self._energy = EnergyFeed(desk.machine.past)
        self._all, self._grid = AllCardsPanel(desk), TileGrid()
        self._worth = WorthPanel(desk.time_window)
        self._together = TogetherPanel(desk.time_window)
        self._processes = ProcessesPanel(desk.machine, desk.time_window)
        self._events, self._notes = EventsPanel(desk.machine), wrapped_label("", Tone.QUIET)
        self._notes.setAccessibleDescription(tr("Good to know"))
        legend = tr("busy in %, memory below it, index in the corner, power at the right")
        self._now, self._few = Panel(tr("Now"), legend), column()
        self._many, below, self._beside = QWidget(), QWidget(), QWidget()
        # Their directions turn where it is narrow.
        self._side = column(self._together, self._worth, GROWS, within=self._beside, gap=_GAP)
        self._cells = row(self._now, GROWS, self._beside, within=self._many, gap=_GAP)
        parts = (self._processes, Grow(52), self._events, Grow(34))
        self._lists = row(*parts, within=below, gap=_GAP)
        self._page = Page()
        add(self._page.body, self._all, Grow(4), self._few, Grow(12), self._many, Grow(12))
        add(self._page.body, below, Grow(4), self._notes)
        for part, name in (
            (self._all, "overview.curves"),
            (self._grid, "overview.tiles"),
            (self._processes, "overview.processes"),
            (self._events, "overview.events"),
        ):
            part.setObjectName(name)
        column(self._page, within=self)
        self._hover: HoverCard | None = None
        self._pointed: CardTile | None = None  # the cell that it tells about
        self.begin_at(self._page)
        copy, save = tr("Copy what all cards say"), tr("Save all cards as CSV…")
        copy_command = self.add_command(copy, "Ctrl+C", self._all.copy_figures)
        self._of_strip = copy_command, self.add_command(save, "Ctrl+S", self._all.ask_csv)
        words, run = tr("Show all hidden cards"), self._arrangement.show_all
        self._show_all = self.add_command(words, "", run)
        navigation, grid = desk.navigation, self._grid
        grid.tile_focused.connect(self._page.ensureWidgetVisible)
        grid.opened.connect(navigation.open_card)
        grid.menu_asked.connect(self._on_menu_asked)
        grid.moved.connect(self._on_moved)
        grid.tile_pointed.connect(self._on_tile_pointed)
        self._all.metric_chosen.connect(self._pull_now)
        self._all.hidden.clicked.connect(self._arrangement.show_all)
        self._all.strip.opened.connect(navigation.open_card)
        self._worth.chosen.connect(lambda alike: navigation.open_card(alike[1][0].id))
        self._processes.chosen.connect(lambda face: navigation.open_card(face.cards[0]))
        self._processes.all.clicked.connect(lambda: navigation.open_screen("processes"))
        self._events.all.clicked.connect(lambda: navigation.open_screen("events"))
        self._events.chosen.connect(self._on_event_chosen)

    def pull(self) -> None:
        machine, window, slowed = self.machine, self.time_window, self._slowed
        cards, log = machine.cards(), machine.session.happenings()
        slowed.take(log)
        faces = {each.card.id: machine.face(each) for each in cards}
        seen = [faces[each.card.id] for each in self._arrangement.shown(cards)]
        boards = boards_of(seen) if len(seen) > MOST_COLOURED_CARDS else []
        many = bool(boards)
        for action in self._of_strip:
            action.setVisible(many)  # lines have such commands of their own
        self._processes.pull()
        # Its scene comes first, and has all that changed here painted at once.
        self._all.show_cards(seen, boards, log, slowed)
        self._many.setVisible(many)
        remarks = [self._processes.name_on(board) for board in boards]
        place = self._now.body if many else self._few
        if many:
            seen = [each for board in boards for each in board]
            self._worth.show_cards(seen)
        elif window.looking_back:
            seen = [face_of_now(each) for each in seen]
        if place.indexOf(self._grid) < 0:
            place.addWidget(self._grid, 1)
            self._grid.show()
        if self._grid.show_faces(seen, boards, remarks):
            self._fit()
        tiles = self._grid.tiles
        for card, tile in tiles.items():
            feed(tile, machine.past, window, slowed)
            if tile.lists_programs:
                tile.show_programs(self._processes.of_card(card))
        self._on_tile_pointed(self._pointed if self._pointed in tiles.values() else None)
        every, hidden = [*faces.values()], len(cards) - len(seen)
        figures = figures_of(every, machine.settings.choices.units, answering_said=many)
        figures.append(self._energy.figure([*faces], window))
        if many:
            self._together.show_figures(figures, sum(e.answers for e in every), len(every))
        else:
            # The plots of one card, and its tile, say all but the last.
            self._all.show_sums(figures if len(every) > 1 else figures[-1:])
        self._show_all.setEnabled(hidden > 0)
        self._all.show_hidden(hidden)
        self._events.pull()
        # Those of the computer stand among its facts, with what helps.
        notes = [each for each in machine.session.notes() if each != NO_SWAP_SPACE]
        say(self._notes, "\n".join(tr(note) for note in notes))

    def _on_tile_pointed(self, tile: CardTile | None) -> None:
        """Tiles tell all of their card already, and cells do not."""
        tile = None if isinstance(tile, Tile) else tile
        self._pointed = tile
        self._all.strip.show_chosen(None if tile is None else tile.face.id)
        if tile is not None:
            if self._hover is None:
                sheet = self._page.widget() or self
                self._hover = HoverCard(tile.face, sheet, self._grid)
            self._hover.tell_about(tile, self._processes.of_card(tile.face.id))
            feed(self._hover, self.machine.past, self.time_window, self._slowed)
        elif self._hover is not None:
            self._hover.hide()

    def _fit(self) -> None:
        """Tiles and plots are as large as lets all of them be seen."""
        viewport, body, grid = self._page.viewport().size(), self._page.body, self._grid
        sides, direction = body.contentsMargins(), QBoxLayout.Direction
        width = viewport.width() - sides.left() - sides.right()
        wide, tiles = width >= _WIDE, grid.minimumSizeHint().height()
        beside, below = direction.LeftToRight, direction.TopToBottom
        for layout in (self._lists, self._cells):
            layout.setDirection(beside if wide else below)
        self._side.setDirection(below if wide else beside)
        self._beside.setMinimumWidth(_SIDE_WIDTH if wide else 0)
        self._beside.setMaximumWidth(_SIDE_WIDTH if wide else 16_777_215)
        others = body.heightForWidth(viewport.width()) - tiles
        above = sides.top() + self._all.minimumSizeHint().height() + _GAP
        grid.fit(width, viewport.height() - others, viewport.height() - above)
        around = sides.top() + sides.bottom() + _GAP
        self._all.fit(viewport.height() - around - grid.minimumSizeHint().height())

    def _on_menu_asked(self, card: str, place: QPoint) -> None:
        shown = self.machine.shown(CardId(card))
        if shown is None:
            return
        order = [*self._grid.tiles]
        at, menu = order.index(shown.card.id), QMenu(self)
        menu.setAccessibleName(tr("Card {number}", number=shown.number))

        def move(to: int) -> None:
            self._on_moved(card, order[to])

        id_, last = shown.card.id, len(order) - 1
        for words, keys, there, deed in (
            (tr("Open"), "Return", True, partial(self.desk.navigation.open_card, id_)),
            (tr("Copy name and UUID"), "", True, partial(_copy, shown)),
            (tr("Hide this card"), "", last > 0, partial(self._arrangement.hide, id_)),
            (tr("Move earlier"), "Ctrl+Shift+Left", at > 0, partial(move, at - 1)),
            (tr("Move later"), "Ctrl+Shift+Right", at < last, partial(move, at + 1)),
        ):
            action = menu.addAction(words, deed)
            action.setShortcut(QKeySequence(keys))  # which the tile itself takes
            action.setShortcutVisibleInContextMenu(True)
            action.setEnabled(there)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def _on_moved(self, card: str, place: str) -> None:
        self._arrangement.move(CardId(card), CardId(place), self.machine.cards())

    def _on_event_chosen(self, chosen: EpisodeRow) -> None:
        happening = chosen[0].first
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if happening.card is not None and shown is not None:
            self.desk.navigation.open_card(happening.card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _copy(shown: Shown) -> None:
    """Name and UUID; of a simulated card it is said that it is one."""
    card = shown.card
    words = f"{tr('Card {number}', number=shown.number)}: {card.name}, {card.id}"
    words = tr("SIMULATED. {card}", card=words) if card.simulated else words
    QGuiApplication.clipboard().setText(words)


class Arrangement(QObject):
    """In which order cards are shown and which are hidden, remembered. They are known by their
    id, so that one that was lost finds its place again. Simulated cards all have the same ids:
    for them each machine has an arrangement of its own.
    """

    changed = Signal()

    def __init__(self, settings: Settings, machine: str) -> None:
        super().__init__()
        self._settings, self._machine = settings, machine
        self._order, self._hidden = self._ids("order"), self._ids("hidden")
        if not settings.choices.keep_hidden:
            self._hidden = []

    def shown(self, cards: Sequence[Shown]) -> list[Shown]:
        there = {each.card.id: each for each in cards}
        ordered = [there[card] for card in self._all(cards) if card in there]
        # To hide the last card of all would leave a screen that shows nothing.
        return [each for each in ordered if each.card.id not in self._hidden] or ordered

    def hide(self, card: CardId) -> None:
        self._hidden.append(card)
        self._keep()

    def show_all(self) -> None:
        self._hidden.clear()
        self._keep()

    def move(self, card: CardId, place: CardId, cards: Sequence[Shown]) -> None:
        """To where the other one is, which makes room."""
        order = self._all(cards)
        if card in order and place in order:
            to = order.index(place)
            order.remove(card)
            order.insert(to, card)
            self._order = order
            self._keep()

    def _all(self, cards: Sequence[Shown]) -> list[CardId]:
        """Also those that are not there just now, which keep their places. A card that nobody
        placed stands behind the one before it in the driver's order.
        """
        order, before = list(self._order), -1
        for each in cards:
            if each.card.id not in order:
                order.insert(before + 1, each.card.id)
            before = order.index(each.card.id)
        return order

    def _ids(self, what: str) -> list[CardId]:
        """What cannot be read is as if nobody had arranged anything."""
        text = self._settings.remembered(f"overview/{self._machine}/{what}")
        with suppress(ValueError, TypeError):
            return [CardId(e) for e in json.loads(text or "[]") if isinstance(e, str)]
        return []

    def _keep(self) -> None:
        for what, ids in (("order", self._order), ("hidden", self._hidden)):
            self._settings.remember(f"overview/{self._machine}/{what}", json.dumps(ids))
        self.changed.emit()
