"""ListView: a screen of one table that can be searched, narrowed down, copied and exported."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QPoint, QSignalBlocker
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.desk import VIEWS, Desk
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState, LiveView
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, Write, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole

T = TypeVar("T")
_BESIDE = 400  # pixels, for the rest of the tools


class ListView(LiveView, Generic[T]):
    """Subclasses show rows by `show_rows`, fill the menu of one, and write a file of all."""

    def __init__(
        self,
        desk: Desk,
        name: str,
        model: TableModel[T],
        choice: Segmented,
        searched: str,
        parent: QWidget | None,
    ) -> None:
        super().__init__(desk, processes=True, parent=parent)
        [entry] = [each for each in VIEWS if each.name == name]
        self._name, self.choice = name, choice
        self.card: CardId | None = None  # whose rows are shown alone
        self.table = Table(tr(entry.title), model, desk.machine.session.desk)
        self.table.setObjectName(f"{name}.table")
        self.table.customContextMenuRequested.connect(self._on_menu_asked)
        self.table.columns.fitted.connect(self._on_columns_fitted)
        self.summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self.nothing = EmptyState(entry.icon)
        self.nothing.way_on_chosen.connect(self.show_all)
        self.search = SearchField(searched)
        self.search.setMinimumWidth(200)
        self.search.setMaximumWidth(320)
        self.search.textChanged.connect(self.list_anew)
        self.search.left.connect(self.table.setFocus)
        self._choose_card = MenuButton(tr("Card"))
        self._choose_columns = MenuButton(tr("Columns and order"))
        self._choose_card.about_to_open.connect(self._on_cards_asked)
        self._choose_columns.about_to_open.connect(self.table.columns.fill_menu)
        self._saving, self._note = Saving(desk.settings, self), PlotNote(self)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)
        self.copy_action = self.add_command(tr("Copy rows"), "Ctrl+C", self._on_copy_asked)
        self.add_command(tr("Export as CSV…"), "Ctrl+S", self._on_export_asked)
        self.add_command(tr("Choose columns and order…"), "", self._choose_columns.click)
        copy = IconButton(Icon.COPY, tr("Copy the rows that are picked, or all"), "Ctrl+C")
        copy.clicked.connect(self._on_copy_asked)
        export = IconButton(Icon.EXPORT, tr("Export all rows as CSV"), "Ctrl+S")
        export.clicked.connect(self._on_export_asked)
        head = label(tr(entry.title), look().letters.title), self.summary, Grow(2)
        tools = row(self._choose_card, choice, FREE, self._choose_columns)
        self._above = row(*head, self.search, GROWS, copy, export, gap=12), tools
        self._either = QStackedWidget()
        self._either.addWidget(self.table)
        self._either.addWidget(self.nothing)
        self.begin_at(self.table)

    def arrange(self, *notices: QWidget, below: Sequence[QWidget] = ()) -> None:
        """With `notices` above the rows; columns are from now on as a person left them."""
        self.table.columns.remember_in(self.desk.settings, f"{self._name}/columns")
        panel = QFrame()
        panel.setProperty("panel", "card")
        above = column(*self._above, *notices, gap=10, margins=(16, 14, 16, 8))
        rows = row(self._either, margins=(8, 0, 4, 0))
        column(above, rows, GROWS, *below, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def list_anew(self) -> None:
        raise NotImplementedError

    def all_rows(self) -> Sequence[T]:
        return self.table.listed.things

    def fill_row_menu(self, menu: QMenu, thing: T) -> None:
        raise NotImplementedError

    def csv(self) -> str:
        raise NotImplementedError

    def show_rows(self, rows: Sequence[T], *, in_order: bool = True) -> None:
        self.table.show_rows(rows, in_order=in_order)
        self._either.setCurrentWidget(self.table if rows else self.nothing)
        if rows and self.hasFocus():
            # Where it was to be from the beginning, and there were no rows yet.
            self.table.setFocus()
        chosen, every = self.machine.shown(self.card), tr("All cards")
        self._choose_card.show_words(
            tr("Card {number}", number=chosen.number) if chosen else every
        )
        # With one card there is nothing to choose from.
        self._choose_card.setVisible(len(self.machine.cards()) > 1 or chosen is not None)

    def show_card(self, card: CardId | None) -> None:
        self.card = card
        self.list_anew()

    def show_all(self) -> None:
        with QSignalBlocker(self.search):
            self.search.clear()
        self.show_card(None)
        self.table.setFocus()

    def start_search(self) -> bool:
        self.search.setFocus()
        self.search.selectAll()
        return True

    def _on_export_asked(self) -> None:
        session = self.machine.session
        if not self.all_rows():
            self._note.show_done(tr("There is no row to be copied or exported."))
            return
        name = suggested_name(self._name, session.clock.wall(), simulated=session.simulated)

        def take(path: Path) -> Write:
            return partial(write_whole, path, [self.csv().encode("utf-8")])

        self._saving.ask(tr("Export the rows"), name, [CSV], take)

    def _on_copy_asked(self) -> None:
        """What is picked, or all where nothing is, as the table says it."""
        captions, rows = self.table.texts(self.table.picked() or self.all_rows())
        if not rows:
            self._note.show_done(tr("There is no row to be copied or exported."))
            return
        simulated = self.machine.session.simulated
        note = tr("SIMULATED: these rows are made up") if simulated else ""
        QGuiApplication.clipboard().setText(tabbed(captions, rows, note))
        self._note.show_done(trn("{count} row copied.", "{count} rows copied.", len(rows)))

    def _on_cards_asked(self, menu: QMenu) -> None:
        cards = [each for shown in self.machine.cards() for each in (shown, *shown.instances)]
        for card, said in ((None, tr("All cards")), *((x.card.id, x.title) for x in cards)):
            action = menu.addAction(said.replace("&", "&&"), partial(self.show_card, card))
            action.setCheckable(True)
            action.setChecked(card == self.card)

    def _on_columns_fitted(self) -> None:
        """The columns for which there is no room, or that a person hid."""
        shown = self.table.columns.in_order()
        hidden = [each.named for each in self.table.listed.columns if each not in shown]
        count = trn("Columns, {count} hidden", "Columns, {count} hidden", len(hidden))
        self._choose_columns.show_words(count if hidden else tr("Columns"))
        self._choose_columns.setToolTip(listed(hidden))

    def _on_menu_asked(self, place: QPoint) -> None:
        thing = self.table.listed.thing(self.table.indexAt(place))
        if thing is not None:
            menu = QMenu(self)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.addAction(self.copy_action)
            self.fill_row_menu(menu, thing)
            menu.popup(self.table.viewport().mapToGlobal(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.choice.show_compact(self.choice.full_width() + _BESIDE > event.size().width())
