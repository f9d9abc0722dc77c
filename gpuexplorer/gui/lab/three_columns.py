"""ThreeColumns: forms, shelves and code side by side; two or one of them where it is narrow."""

from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, column

_GAP = 8
_FORM_WIDTH = 240
_NARROW = 1200  # below, code would wrap, and the shelves hold less than two cards
_LEAST = 300  # pixels for the shelves, and for code
_SLIM = 2 * _LEAST + _GAP  # below, not even two of them stand side by side
_REMEMBERED = "lab/columns"


class Side(StrEnum):
    """What stands beside the shelves where there is room for one thing; where there is not
    even that, in their place.
    """

    CODE = "code"
    FORMS = "forms"
    SHELVES = "shelves"


class ThreeColumns(QWidget):
    """The shelves are seen wherever two have room. The gaps between the columns can be dragged;
    what came of it is remembered, for a wide window and for a narrow one.
    """

    arranged = Signal(bool)  # whether code has the place to itself, with its name over it

    def __init__(
        self,
        settings: Settings,
        form: QWidget,
        bench: QWidget,
        code: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._form, self._code = form, code
        self._side = Side.CODE
        self._bench = bench
        self._room: tuple[bool, bool] | None = None
        choices = (
            (Side.SHELVES, tr("Devices")),
            (Side.CODE, tr("Code")),
            (Side.FORMS, tr("Forms")),
        )
        self._tabs = Segmented(tr("Beside the shelves"), choices, heading=True)
        self._tabs.chosen.connect(self.show_side)
        self._columns = QSplitter()
        self._columns.setChildrenCollapsible(False)
        self._columns.setHandleWidth(_GAP)
        self._columns.splitterMoved.connect(self._on_dragged)
        for each, least in ((form, _FORM_WIDTH), (bench, _LEAST), (code, _LEAST)):
            each.setMinimumWidth(least)
            self._columns.addWidget(each)
            # Of the widget, wherever it stands.
            policy = each.sizePolicy()
            policy.setHorizontalStretch(0 if each is form else 1)
            each.setSizePolicy(policy)
        layout = column(self._tabs, self._columns, GROWS, within=self, gap=_GAP)
        layout.setAlignment(self._tabs, Qt.AlignmentFlag.AlignRight)
        self._arrange()

    @property
    def narrow(self) -> bool:
        return self.width() < _NARROW

    @property
    def slim(self) -> bool:
        """One at a time: a lesson stands beside the lab, or the window is very small."""
        return self.width() < _SLIM

    def show_side(self, side: Side) -> None:
        """Seen from now on, whether it has to share its place or not."""
        self._side = side
        self._arrange()

    def _arrange(self) -> None:
        self._room = (self.narrow, self.slim)
        if self._side is Side.SHELVES and not self.slim:
            self._side = Side.CODE
        self._tabs.segments[Side.SHELVES].setVisible(self.slim)
        self._tabs.show_choice(self._side)
        self._tabs.setVisible(self.narrow)
        self._form.setVisible(not self.narrow or self._side is Side.FORMS)
        self._bench.setVisible(not self.slim or self._side is Side.SHELVES)
        self._code.setVisible(not self.narrow or self._side is Side.CODE)
        # Where they share a place, it is the same one.
        self._columns.insertWidget(2 if self.narrow else 0, self._form)
        self._columns.setSizes(self._remembered() or self._usual())
        self.arranged.emit(self.narrow)

    def _usual(self) -> list[int]:
        """Half for code; the shelves hold the host and two cards in a window of 1600."""
        rest = self.width() - _GAP - (0 if self.narrow else _FORM_WIDTH + _GAP)
        code = (rest - _GAP) // 2
        return [rest - code, code, code] if self.narrow else [_FORM_WIDTH, rest - code, code]

    def _remembered(self) -> list[int]:
        """Empty where nobody dragged them, or what is kept cannot be read."""
        words = (self._settings.remembered(self._key) or "").split()
        return [int(each) for each in words] if all(map(str.isdecimal, words)) else []

    @property
    def _key(self) -> str:
        return f"{_REMEMBERED}/{self._side if self.narrow else 'wide'}"

    def _on_dragged(self) -> None:
        self._settings.remember(self._key, " ".join(map(str, self._columns.sizes())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (self.narrow, self.slim) != self._room:
            self._arrange()
