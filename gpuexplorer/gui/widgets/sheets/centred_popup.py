"""CentredPopup: made when it is opened, gone when it is closed, in the middle of the window."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.sheets.floating import Floating
from gpuexplorer.gui.widgets.sheets.popup import Popup


class CentredPopup(Popup):
    """It belongs to no single control. The Tab key goes round in it."""

    def __init__(self, look: Look, width: int, height: int, window: QWidget) -> None:
        super().__init__(look, width, height, window)

    def _arrange(self) -> None:
        Floating._arrange(self)
