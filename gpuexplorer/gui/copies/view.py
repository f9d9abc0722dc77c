"""CopiesView: copies as they happen, measured pair by pair, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QBoxLayout, QStackedLayout, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.copies_page import CopiesPage, MeasuringStrip
from gpuexplorer.gui.copies.datasheet_page import DatasheetPage
from gpuexplorer.gui.copies.matrix.between_page import BetweenPage
from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.copies.ways_page import WaysPage
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.copies.between_machines import between
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, Space, column, label, row
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.sheets.python_sheet import PyTorchNotice

_NARROW = 1080
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
        self._keyed: list[tuple[QAction, str, CopiesPage]] = []
        self._pressed: QWidget | None = None  # what measures lends the keyboard to the tabs
        settings = desk.machine.settings
        self._between = between(desk.machines, settings.remembered)
        self._between.changed.connect(self._fit)
        # Before the pages hear of it, which cannot be told to measure meanwhile.
        self.copies.progressed.connect(self._on_progressed)
        self._lay_out()
        self.add_command(tr("Copies: next page"), "Ctrl+PgDown", partial(self._turn, 1))
        self.add_command(tr("Copies: previous page"), "Ctrl+PgUp", partial(self._turn, -1))
        self.add_command(tr("Stop measuring"), "Ctrl+.", self.copies.stop)
        name = settings.remembered(_REMEMBERED) or ""
        self.open_page(name if name in self._names else self._names[0])

    def open_page(self, name: str) -> None:
        if name not in self._names:
            return
        page = self._pages.get(name) or self._made(name)
        self._name, focused = name, QApplication.focusWidget()
        on_tabs = focused is not None and self._tabs.isAncestorOf(focused)
        self._tabs.show_choice(name)
        if on_tabs:
            self._tabs.setFocus(Qt.FocusReason.OtherFocusReason)
        self._stack.setCurrentWidget(page)
        for each in self._pages.values():
            for tool in each.tools:
                tool.setVisible(each is page)
        for action, keys, owner in self._keyed:
            action.setShortcut(keys if owner is page else "")
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
        return self._pages[self._name].start_search()

    def pull(self) -> None:
        self.copies.ways.look()
        self._strip.pull()
        self._pages[self._name].pull()
        if self._pressed is not None and not self.copies.running:
            if shiboken6.isValid(self._pressed) and self._tabs.holder().hasFocus():
                self._pressed.setFocus()  # which it takes once it can be pressed
            else:
                self._pressed = None  # somebody has moved on, or it is gone

    def stop(self) -> None:
        for page in self._pages.values():
            page.stop()
        self.copies.end()
        super().stop()

    @property
    def _names(self) -> Sequence[str]:
        """Of the pages that there are just now."""
        return [each for each in PAGES if self._between.several or each != _MACHINES]

    def _lay_out(self) -> None:
        titles = [(name, tr(title)) for name, (title, _) in PAGES.items()]
        self._tabs = Segmented(tr("Pages"), titles)
        self._tabs.chosen.connect(self.open_page)
        self.begin_at(self._tabs)
        for name, title in titles:
            self._tabs.segments[name].setObjectName(f"copies.{name}")
            words = tr("Copies: {page}", page=title)
            self.add_command(words, "", partial(self.open_page, name))
        self._strip, self._tools = MeasuringStrip(self.copies), row()
        self._stack = QStackedLayout()
        tabs = row(label(tr("Copies"), look().letters.title), Space(8), self._tabs, Space(8))
        self._head = row(tabs, Qt.AlignmentFlag.AlignLeft, self._strip, GROWS)
        head = row(self._head, GROWS, self._tools, Qt.AlignmentFlag.AlignTop)
        notice = () if self.copies.modelled else (PyTorchNotice(self.copies.lab, self),)
        column(head, *notice, self._stack, GROWS, within=self, margins=(16, 12, 16, 12))

    def _made(self, name: str) -> CopiesPage:
        between = (self._between,) if name == _MACHINES else ()
        page = self._pages[name] = PAGES[name][1](self.copies, *between)
        page.page_asked.connect(self.open_page)
        page.simulated_cards_asked.connect(self.desk.navigation.simulated_cards_asked)
        self._stack.addWidget(page)
        for tool in page.tools:
            self._tools.addWidget(tool)
        for words, keys, run in page.commands():
            self._keyed.append((self.add_command(words, "", run), keys, page))
        return page

    def _turn(self, by: int) -> None:
        names = self._names
        self.open_page(names[(names.index(self._name) + by) % len(names)])

    def _on_progressed(self) -> None:
        """Else Qt takes the keyboard from a button that goes out, to another screen."""
        focused, page = QApplication.focusWidget(), self._pages[self._name]
        on_page = focused in page.tools or (focused and page.isAncestorOf(focused))
        if self.copies.running and on_page and isinstance(focused, QAbstractButton):
            self._pressed = focused
            self._tabs.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fit(self) -> None:
        """Where it is narrow, how far the measuring is stands below the tabs."""
        narrow, several = self.width() < _NARROW, self._between.several
        if self._name not in self._names:
            self.open_page("matrix")
        way = QBoxLayout.Direction
        self._head.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        self._tabs.show_compact(narrow and several)
        self._tabs.segments[_MACHINES].setVisible(several)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
