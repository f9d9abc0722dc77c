"""Inside: values and layers of the things that were opened."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.model_page import ModelPage
from gpuexplorer.gui.lab.inside.opened_row import OpenedRow
from gpuexplorer.gui.lab.inside.tensor_page import TensorPage
from gpuexplorer.gui.lab.inside.thing_page import ElementsPage, TextPage
from gpuexplorer.gui.lab.inside.words import root_of, thing_called
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.laid_out import GROWS, column
from gpuexplorer.gui.widgets.live_view import EmptyState
from gpuexplorer.lab.events import Event, Finished

_MARGIN, _TOP, _GAP = 16, 12, 10
_MOST_OPENED = 12


class GonePage(QFrame):
    """Also what stands there where nothing is opened."""

    back_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._empty = EmptyState(Icon.MISSING)
        self._empty.way_on_chosen.connect(self.back_asked)
        column(self._empty, within=self)

    def show_gone(self, name: str) -> None:
        if not name:
            self._empty.show_words(tr("Nothing is opened."), "", tr("Back to the bench"))
            return
        self._empty.show_words(
            tr("{name} is no longer on the shelf.", name=name),
            tr("What stands under this name again is shown here."),
            tr("Back to the bench"),
        )


class Inside(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    back_asked = Signal()

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._opened: list[str] = []
        self._shown = ""
        self._stale = False
        self._row = OpenedRow(lab)
        self._row.back_asked.connect(self.back_asked)
        self._row.chosen.connect(self.open)
        self._row.closed.connect(self._on_closed)
        self._tensor = TensorPage(lab)
        self._model = ModelPage(lab)
        self._elements = ElementsPage(lab)
        self._elements.open_asked.connect(self.open)
        self._text = TextPage(lab)
        self._gone = GonePage()
        self._gone.back_asked.connect(self.back_asked)
        self._pages = QStackedWidget()
        for page in (self._gone, self._tensor, self._model, self._elements, self._text):
            self._pages.addWidget(page)
        margins = (_MARGIN, _TOP, _MARGIN, _TOP)
        column(self._row, self._pages, GROWS, within=self, gap=_GAP, margins=margins)
        lab.changed.connect(self._on_changed)
        lab.told.connect(self._on_told)

    def pull(self) -> None:
        """Nothing in here is read live: what changed is told by the lab."""

    def open(self, name: str) -> None:
        """Look into this thing as well, and show it first."""
        if name not in self._opened:
            self._opened.append(name)
            del self._opened[:-_MOST_OPENED]
        self._show(name)
        self._row.take_keyboard()

    def _show(self, name: str) -> None:
        if name != self._shown:
            self._shown = name
            if name:
                self._lab.selection.choose(things={root_of(name)})
        self._stale = False
        page = self._page()
        for each in (self._tensor, self._model, self._elements, self._text):
            if each is not page:
                each.forget()
        self._pages.setCurrentWidget(page)
        if isinstance(page, GonePage):
            page.show_gone(name)
        else:
            page.show_thing(name)
        self._row.show_opened(self._opened, name)

    def _page(self) -> TensorPage | ModelPage | ElementsPage | TextPage | GonePage:
        thing = thing_called(self._lab.ledger, self._shown)
        if thing is None:
            return self._gone
        match thing.kind:
            case "tensor":
                return self._tensor
            case "model":
                return self._model
            case "container":
                return self._elements
        return self._text

    def _on_closed(self, name: str) -> None:
        """The neighbour is shown; who closes the last goes back to the bench."""
        at = self._opened.index(name)
        self._opened.remove(name)
        if not self._opened:
            self._show("")
            self.back_asked.emit()
        elif name == self._shown:
            self._show(self._opened[min(at, len(self._opened) - 1)])
            self._row.take_keyboard()
        else:
            self._row.show_opened(self._opened, self._shown)

    def _on_told(self, event: Event) -> None:
        """Any cell may have changed values in place, of which the shelf says nothing."""
        if isinstance(event, Finished) and self._lab.ledger.cell(event.id) is not None:
            self._stale = True

    def _on_changed(self) -> None:
        if not self.isVisible():
            return
        page = self._page()
        if page is not self._pages.currentWidget() or self._stale:
            self._show(self._shown)
        elif not isinstance(page, GonePage):
            page.show_facts()
            self._row.show_opened(self._opened, self._shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # No shortcut: a field in which somebody types has the key first.
        if event.key() == Qt.Key.Key_Escape:
            self.back_asked.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale or self._page() is not self._pages.currentWidget():
            self._show(self._shown)
