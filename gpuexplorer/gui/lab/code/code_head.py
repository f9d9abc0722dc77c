"""CodeHead: the pane's heading, with what can be done with the session as a whole."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, label, row

_NARROW, _NARROWER = 430, 330  # below, icons without words: of some, and of all
_LONGEST = 120  # pixels, of a file's name
_MARGIN, _ABOVE, _GAP = 16, 10, 4


class CodeHead(QWidget):
    """Whoever holds it does what its buttons ask."""

    menu_asked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = label(tr("Code"), look().letters.title)
        self.open = ToolButton("word", Icon.OPEN_FILE, tr("Open…"))
        self.open.setToolTip(tr("Open the cells of a Python program or a notebook"))
        self.watch = ToolButton("word", Icon.WATCH, tr("Watch…"))
        self.show_watched("")
        self.copy = ToolButton("word", Icon.COPY, tr("Copy"))
        self.copy.setToolTip(tr("Copy the whole session as a Python program"))
        self.save = ToolButton("word", Icon.EXPORT, tr("Save as"))
        self.save.setToolTip(tr("Save the session as a Python program or a notebook"))
        for name, each in (("open", self.open), ("watch", self.watch), ("save", self.save)):
            each.setObjectName(f"lab.{name}")
        self._more = IconButton(Icon.MENU, tr("More about the session"))
        self._more.clicked.connect(self._on_more_asked)
        tools = (self.open, self.watch, self.copy, self.save, self._more)
        margins = (_MARGIN, _ABOVE, _MARGIN - 8, 2)
        row(self._title, FREE, *tools, within=self, gap=_GAP, margins=margins)

    def show_title(self, shown: bool) -> None:
        self._title.setVisible(shown)

    def show_session(self, *, cells: bool, forms_only: bool) -> None:
        """`cells`: whether there is something to copy."""
        self.copy.setEnabled(cells)
        self.save.setEnabled(cells)
        self.open.setVisible(not forms_only)
        self.watch.setVisible(not forms_only)

    def show_watched(self, name: str) -> None:
        """The file of the program that is watched; empty where none is."""
        letters = look().letters.body
        self.watch.show_words(letters.elided(name, _LONGEST) if name else tr("Watch…"))
        self.watch.setToolTip(
            tr("Back to {file}, which is watched", file=name)
            if name
            else tr("Run a Python program whole, and watch which of its lines move bytes")
        )

    def show_unwatchable(self, why: str) -> None:
        self.watch.setEnabled(False)
        self.watch.setToolTip(why)

    def _on_more_asked(self) -> None:
        self.menu_asked.emit(self._more.mapToGlobal(QPoint(0, self._more.height() + 4)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        style = Qt.ToolButtonStyle
        for least, buttons in (
            (_NARROWER, (self.open, self.watch)),
            (_NARROW, (self.copy, self.save)),
        ):
            words = self.width() >= least
            for each in buttons:
                each.setToolButtonStyle(
                    style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly
                )


Action = tuple[str, Callable[[], None]]


def open_menu(place: QPoint, actions: Sequence[Action], parent: QWidget) -> None:
    """Gone when it is closed."""
    menu = QMenu(parent)
    for words, run in actions:
        menu.addAction(words).triggered.connect(lambda _=False, run=run: run())
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)
