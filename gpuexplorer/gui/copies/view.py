"""CopiesView: copies as they happen, measured pair by pair, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QHBoxLayout,
    QStackedLayout,
    QWidget,
)

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.copies_page import CopiesPage
from gpuexplorer.gui.copies.datasheet_page import DatasheetPage
from gpuexplorer.gui.copies.matrix.between_page import BetweenPage
from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.copies.shared_parts import MeasuringStrip
from gpuexplorer.gui.copies.ways_page import WaysPage
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.copies.benches import copies_of
from gpuexplorer.gui.state.copies.between_machines import BetweenMachines, between
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, add, column, label
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice

_MARGIN, _TOP, _GAP = 16, 12, 8
_BELOW_UNDER = 1080
_REMEMBERED, _MACHINES = "copies/page", "machines"


# By their names: the words on their tabs, and what makes them.
PAGES: Mapping[str, tuple[str, Callable[..., CopiesPage]]] = {
    "copies": (mark("Copies"), MovingPage),
    "matrix": (mark("Matrix"), MatrixPage),
    "machines": (mark("Between machines"), BetweenPage),
    "sweep": (mark("Ways"), WaysPage),
    "datasheet": (mark("Datasheet"), DatasheetPage),
}


class CopiesView(LiveView):
    """A row of tabs; below it the page, which is made when it is first opened."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent=parent)
        self.copies = copies_of(desk.lab)
        self.copies.setParent(self)
        self._pages: dict[str, CopiesPage] = {}
        titles = [(name, tr(title)) for name, (title, _) in PAGES.items()]
        self._tabs = Segmented(tr("Pages"), titles)
        for name in PAGES:
            self._tabs.segments[name].setObjectName(f"copies.{name}")
        self._between: BetweenMachines | None = None
        if desk.machines is not None:
            self._between = between(desk.machines, desk.machine.settings.remembered)
            self._between.changed.connect(self._on_machines_changed)
        self._tabs.segments[_MACHINES].setVisible(self._several)
        self._pressed: QAbstractButton | None = None
        # Before the pages hear of it, which cannot be told to measure meanwhile.
        self.copies.progressed.connect(self._on_progressed)
        self._strip = MeasuringStrip(self.copies)
        self._below = False
        self._row = QHBoxLayout()
        self._tools = QHBoxLayout()
        self._tools.setSpacing(_GAP)
        self._stack = QStackedLayout()
        self._lay_out()
        self._tabs.chosen.connect(self.open_page)
        self._keyed: list[tuple[QAction, str, CopiesPage]] = []
        for name, title in titles:
            words = tr("Copies: {page}", page=title)
            self.add_command(words, "", partial(self.open_page, name))
        self.add_command(tr("Copies: next page"), "Ctrl+PgDown", partial(self._turn, 1))
        self.add_command(tr("Copies: previous page"), "Ctrl+PgUp", partial(self._turn, -1))
        self.add_command(tr("Stop measuring"), "Ctrl+.", self.copies.stop)
        remembered = desk.machine.settings.remembered(_REMEMBERED)
        known = remembered is not None and remembered in self._names
        self.open_page(remembered if remembered and known else self._names[0])

    def open_page(self, name: str) -> None:
        if name not in self._names:
            return
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self._made(name)
            page.page_asked.connect(self.open_page)
            page.simulated_cards_asked.connect(self.desk.navigation.simulated_cards_asked)
            self._stack.addWidget(page)
            for tool in page.tools:
                self._tools.addWidget(tool)
            for words, keys, run in page.commands():
                self._keyed.append((self.add_command(words, "", run), keys, page))
        self._name = name
        focused = QApplication.focusWidget()
        on_tabs = focused is not None and self._tabs.isAncestorOf(focused)
        self._tabs.show_choice(name)
        self.begin_at(self._tabs)
        if on_tabs:
            self._tabs.setFocus(Qt.FocusReason.OtherFocusReason)
        self._stack.setCurrentWidget(page)
        for each in self._pages.values():
            for tool in each.tools:
                tool.setVisible(each is page)
        for action, keys, owner in self._keyed:
            action.setShortcut(QKeySequence(keys if owner is page else ""))
        self.key_groups = page.key_groups
        self.machine.settings.remember(_REMEMBERED, name)
        if self.isVisible():
            page.pull()

    def pose(self) -> None:
        """The matrix, filled where a model does so at once."""
        self.open_page("matrix")
        page = self._pages["matrix"]
        if self.copies.modelled and not self.copies.results and isinstance(page, MatrixPage):
            page.measure()

    def posed(self) -> bool:
        return not self.copies.running

    def start_search(self) -> bool:
        page = self._stack.currentWidget()
        return isinstance(page, CopiesPage) and page.start_search()

    def pull(self) -> None:
        self.copies.ways.look()
        self._strip.pull()
        page = self._stack.currentWidget()
        if isinstance(page, CopiesPage):
            page.pull()
        self._give_back_keyboard()

    def stop(self) -> None:
        for page in self._pages.values():
            page.stop()
        self.copies.end()
        super().stop()

    @property
    def _several(self) -> bool:
        return self._between is not None and self._between.several

    @property
    def _names(self) -> Sequence[str]:
        """Of the pages that there are just now."""
        return [each for each in PAGES if self._several or each != _MACHINES]

    def _made(self, name: str) -> CopiesPage:
        if name == _MACHINES and self._between is not None:
            return BetweenPage(self.copies, self._between)
        return PAGES[name][1](self.copies)

    def _on_machines_changed(self) -> None:
        self._tabs.segments[_MACHINES].setVisible(self._several)
        if self._name not in self._names:
            self.open_page("matrix")
        self._fit_tabs()

    def _on_progressed(self) -> None:
        """Else Qt takes the keyboard from a button that goes out, to another screen."""
        focused = QApplication.focusWidget()
        if not self.copies.running or not isinstance(focused, QAbstractButton):
            return
        page = self._pages[self._name]
        if focused in page.tools or page.isAncestorOf(focused):
            self._pressed = focused
            self._tabs.setFocus(Qt.FocusReason.OtherFocusReason)

    def _give_back_keyboard(self) -> None:
        """When it is measured; unless somebody has moved on, or the page is gone."""
        button = self._pressed
        if button is None or self.copies.running:
            return
        stayed = shiboken6.isValid(button) and self._tabs.holder().hasFocus()
        if stayed and button.isEnabled():
            button.setFocus(Qt.FocusReason.OtherFocusReason)
        if not stayed or button.isEnabled():
            self._pressed = None

    def _turn(self, by: int) -> None:
        names = self._names
        self.open_page(names[(names.index(self._name) + by) % len(names)])

    def _fit_tabs(self) -> None:
        """One more of them leaves too little room for all."""
        self._tabs.show_compact(self._several and self.width() < _BELOW_UNDER)

    def _lay_out(self) -> None:
        title = label(tr("Copies"), look().letters.title)
        self._row.setSpacing(_GAP)
        tabs = (title, Space(_GAP), self._tabs, Space(_GAP), self._strip, GROWS)
        add(self._row, *tabs)
        self._row.addStretch(0)  # takes what is left while the strip stands below
        add(self._row, self._tools)
        sides, pages = (_MARGIN, _TOP, _MARGIN, _TOP), (self._stack, GROWS)
        self._column = column(self._row, *pages, within=self, gap=_GAP, margins=sides)
        if not self.copies.modelled:
            self._column.insertWidget(1, PyTorchNotice(self.copies.lab, self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the row is full, how far the measuring is stands below it."""
        super().resizeEvent(event)
        self._fit_tabs()
        below = self.width() < _BELOW_UNDER
        if below == self._below:
            return
        self._below = below
        if below:
            self._row.removeWidget(self._strip)
            self._column.insertWidget(1, self._strip)
        else:
            self._column.removeWidget(self._strip)
            self._row.insertWidget(4, self._strip, 1)
