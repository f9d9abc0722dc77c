"""ThreeColumns: forms, shelves and code side by side; where it is narrow, two of them."""

from enum import StrEnum

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.word_tabs import WordTabs

_GAP = 8
_FORM_WIDTH = 240
_NARROW = 900  # below, the shelves would have room for one device only
_CODE_SHARE = 4 / 9  # of what the form leaves
_LEAST_SIDE, _SIDE_SHARE = 300, 0.4


class Side(StrEnum):
    """What stands beside the shelves where there is room for one thing."""

    CODE = "code"
    FORMS = "forms"


class ThreeColumns(QWidget):
    """The shelves are always seen."""

    def __init__(
        self,
        look: Look,
        form: QWidget,
        bench: QWidget,
        code: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._form, self._bench, self._code = form, bench, code
        self._side = Side.CODE
        self._tabs = WordTabs(
            look, "Beside the shelves", ((Side.CODE, "Code"), (Side.FORMS, "Forms"))
        )
        self._tabs.chosen.connect(self.show_side)
        # In the order of the Tab key.
        for each in (self._tabs, form, bench, code):
            each.setParent(self)
        self._tabs.show_choice(self._side)

    @property
    def narrow(self) -> bool:
        return self.width() < _NARROW

    def show_side(self, side: Side) -> None:
        """Seen from now on, whether it has to share its place or not."""
        self._side = side
        self._tabs.show_choice(side)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(2 * _LEAST_SIDE, 300)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        width, height = self.width(), self.height()
        self._tabs.setVisible(self.narrow)
        self._form.setVisible(not self.narrow or self._side is Side.FORMS)
        self._code.setVisible(not self.narrow or self._side is Side.CODE)
        if not self.narrow:
            code = round((width - _FORM_WIDTH - 2 * _GAP) * _CODE_SHARE)
            bench = width - _FORM_WIDTH - code - 2 * _GAP
            self._form.setGeometry(0, 0, _FORM_WIDTH, height)
            self._bench.setGeometry(_FORM_WIDTH + _GAP, 0, bench, height)
            self._code.setGeometry(width - code, 0, code, height)
            return
        side = max(_LEAST_SIDE, round(width * _SIDE_SHARE))
        tabs = self._tabs.sizeHint().height()
        self._bench.setGeometry(0, 0, width - side - _GAP, height)
        self._tabs.setGeometry(width - side, 0, side, tabs)
        for each in (self._form, self._code):
            each.setGeometry(width - side, tabs + _GAP, side, height - tabs - _GAP)
