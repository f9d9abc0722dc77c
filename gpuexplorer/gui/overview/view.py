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
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown, face_of_now, told
from gpuexplorer.gui.cards.reasons import SlowedBook
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.overview.all_cards import AllCardsPanel
from gpuexplorer.gui.overview.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.heat_strip import boards_of
from gpuexplorer.gui.overview.panels import (
    EnergyFeed,
    EventsPanel,
    ProcessesPanel,
    TogetherPanel,
    WorthPanel,
    figures_of,
)
from gpuexplorer.gui.overview.past import feed
from gpuexplorer.gui.overview.tile_grid import TileGrid
from gpuexplorer.gui.state.event_list import EpisodeRow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import MOST_COLOURED_CARDS, Tone
from gpuexplorer.gui.widgets.controls.keyboard import line_up
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
_EARLIER, _LATER = "Ctrl+Shift+Left", "Ctrl+Shift+Right"
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
        column(self._together, self._worth, GROWS, within=self._beside, gap=_GAP)
        self._beside.setMinimumWidth(_SIDE_WIDTH)
        self._cells = row(self._now, GROWS, self._beside, within=self._many, gap=_GAP)
        parts = (self._processes, Grow(52), self._events, Grow(34))
        self._lists = row(*parts, within=below, gap=_GAP)
        self._page = Page()
        self._sheet = self._page.widget() or self
        add(self._page.body, self._all, Grow(4), self._few, Grow(12), self._many, Grow(12))
        add(self._page.body, below, Grow(4), self._notes)
        self._all.setObjectName("overview.curves")
        self._grid.setObjectName("overview.tiles")
        self._processes.setObjectName("overview.processes")
        self._events.setObjectName("overview.events")
        column(self._page, within=self)
        self._hover: Tile | None = None  # a card in detail
        self._pointed: CardTile | None = None  # the cell that it tells about
        self.begin_at(self._page)
        self._of_strip = (
            self.add_command(tr("Copy what all cards say"), "Ctrl+C", self._all.copy_figures),
            self.add_command(tr("Save all cards as CSV…"), "Ctrl+S", self._all.ask_csv),
        )
        words = tr("Show all hidden cards")
        self._show_all = self.add_command(words, "", self._arrangement.show_all)
        navigation, grid = desk.navigation, self._grid
        grid.tile_focused.connect(self._page.ensureWidgetVisible)
        grid.opened.connect(navigation.open_card)
        grid.menu_asked.connect(self._on_menu_asked)
        grid.moved.connect(self._arrangement.move)
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
            self._worth.show_cards(seen)
        elif window.looking_back:
            seen = [face_of_now(each) for each in seen]
        if place.indexOf(self._grid) < 0:
            place.addWidget(self._grid, 1)
            self._grid.show()
        if self._grid.show_boards(boards or [seen], remarks):
            self._fit()
            line_up([self._all.plots, self._all.strip, *self._grid.tiles.values()])
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
        one, several = "{count} card hidden: show all", "{count} cards hidden: show all"
        self._all.hidden.setText(trn(one, several, hidden))
        self._all.hidden.setVisible(hidden > 0)
        self._show_all.setEnabled(hidden > 0)
        self._events.pull()
        # Those of the computer stand among its facts, with what helps.
        notes = [each for each in machine.session.notes() if each != NO_SWAP_SPACE]
        say(self._notes, "\n".join(tr(note) for note in notes))

    def _on_tile_pointed(self, tile: CardTile | None) -> None:
        """Tiles tell all of their card already, and cells do not."""
        self._pointed = tile = None if isinstance(tile, Tile) else tile
        self._all.strip.show_chosen(None if tile is None else tile.face.id)
        if tile is not None:
            self._hover = self._hover or Tile(tile.face, raised=True)
            self._hover.show_face(tile.face)
            self._hover.show_programs(self._processes.of_card(tile.face.id))
            self._grid.put_beside(tile, self._hover, self._sheet)
            feed(self._hover, self.machine.past, self.time_window, self._slowed)
        elif self._hover is not None:
            self._hover.hide()

    def _fit(self) -> None:
        """Tiles and plots are as large as lets all of them be seen."""
        viewport, body, grid = self._page.viewport().size(), self._page.body, self._grid
        sides, direction = body.contentsMargins(), QBoxLayout.Direction
        width = viewport.width() - sides.left() - sides.right()
        wide = width >= _WIDE
        for layout in (self._lists, self._cells):
            layout.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
            layout.activate()  # so that below it is known how high it is now
        self._beside.setMaximumWidth(_SIDE_WIDTH if wide else 16_777_215)
        others = body.minimumSize().height() - grid.minimumSizeHint().height()
        grid.fit(width, viewport.height() - others)
        around = sides.top() + sides.bottom() + _GAP
        self._all.fit(viewport.height() - around - grid.minimumSizeHint().height())

    def _on_menu_asked(self, card: str, place: QPoint) -> None:
        shown, order = self.machine.shown(CardId(card)), [*self._grid.tiles]
        if shown is None:
            return
        id_, menu = shown.card.id, QMenu(self)
        menu.setAccessibleName(shown.title)
        at, last, arrangement = order.index(id_), len(order) - 1, self._arrangement
        before, behind = order[at - 1], order[min(at + 1, last)]
        for words, keys, there, deed in (
            (tr("Open"), "Return", True, partial(self.desk.navigation.open_card, id_)),
            (tr("Copy name and UUID"), "", True, partial(_copy, shown)),
            (tr("Hide this card"), "", last > 0, partial(arrangement.hide, id_)),
            (tr("Move earlier"), _EARLIER, at > 0, partial(arrangement.move, id_, before)),
            (tr("Move later"), _LATER, at < last, partial(arrangement.move, id_, behind)),
        ):
            action = menu.addAction(words, deed)
            action.setShortcut(QKeySequence(keys))  # which the tile itself takes
            action.setShortcutVisibleInContextMenu(True)
            action.setEnabled(there)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

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
    words = f"{shown.title}, {shown.card.id}"
    words = tr("SIMULATED. {card}", card=words) if shown.card.simulated else words
    QGuiApplication.clipboard().setText(words)


class Arrangement(QObject):
    """In which order cards are shown and which are hidden, remembered. They are known by their
    id, so that one that was lost finds its place again. Simulated cards all have the same ids:
    for them each machine has an arrangement of its own.
    """

    changed = Signal()

    def __init__(self, settings: Settings, machine: str) -> None:
        super().__init__()
        self._settings, self._kept_as = settings, f"overview/{machine}"
        self._order, self._hidden = self._ids("order"), self._ids("hidden")
        if not settings.choices.keep_hidden:
            self._hidden = []

    def shown(self, cards: Sequence[Shown]) -> list[Shown]:
        """A card that nobody placed stands behind the one before it in the driver's order; one
        that is not there just now keeps its place.
        """
        there, before = {each.card.id: each for each in cards}, -1
        for card in there:
            if card not in self._order:
                self._order.insert(before + 1, card)
            before = self._order.index(card)
        ordered = [there[card] for card in self._order if card in there]
        # To hide the last card of all would leave a screen that shows nothing.
        return [each for each in ordered if each.card.id not in self._hidden] or ordered

    def hide(self, card: CardId) -> None:
        self._hidden.append(card)
        self._keep("hidden", self._hidden)

    def show_all(self) -> None:
        self._hidden.clear()
        self._keep("hidden", self._hidden)

    def move(self, card: CardId, place: CardId) -> None:
        """To where the other one is, which makes room."""
        to = self._order.index(place)
        self._order.remove(card)
        self._order.insert(to, card)
        self._keep("order", self._order)

    def _ids(self, what: str) -> list[CardId]:
        """What cannot be read is as if nobody had arranged anything."""
        text = self._settings.remembered(f"{self._kept_as}/{what}")
        with suppress(ValueError, TypeError):
            return [CardId(e) for e in json.loads(text or "[]") if isinstance(e, str)]
        return []

    def _keep(self, what: str, ids: Sequence[CardId]) -> None:
        self._settings.remember(f"{self._kept_as}/{what}", json.dumps(ids))
        self.changed.emit()
