"""MatrixTools: the buttons of the page beside the tabs, and the menu of nvbandwidth's tests."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.buttons import FramedButton, PrimaryButton
from gpuexplorer.gui.wording.copies.matrix.overlay import Beside, Overlay

_HEIGHT, _WIDTH, _AROUND = 30, 116, 28  # at least so wide, and so much around its words


class MatrixTools(QObject):
    """`all` is connected by who holds this."""

    file_asked = Signal()
    laid = Signal(object)  # an Overlay, or None: nothing stands beside ours any longer

    def __init__(self, look: Look, page: QWidget) -> None:
        super().__init__(page)
        self._overlay: Overlay | None = None
        self.open = FramedButton(
            look,
            Icon.OPEN_FILE,
            tr("Open nvbandwidth"),
            tr("Lay what nvbandwidth -j wrote beside these figures"),
        )
        self.open.clicked.connect(self._on_open_asked)
        self.all = PrimaryButton(look)
        self.all.show_words(tr("Measure all"))
        wide = round(look.letters.strong.width(tr("Measure all"))) + _AROUND
        self.all.setFixedSize(max(_WIDTH, wide), _HEIGHT)

    def show_overlay(self, overlay: Overlay | None) -> None:
        self._overlay = overlay

    def _on_open_asked(self) -> None:
        """Of a file that is open, which of its tests is meant can be chosen."""
        overlay = self._overlay
        if overlay is None:
            self.file_asked.emit()
            return
        menu = QMenu(self.open)
        for beside in Beside:
            action = menu.addAction(tr(beside.value))
            action.setCheckable(True)
            action.setChecked(beside is overlay.beside)
            action.triggered.connect(partial(self._lay, replace(overlay, beside=beside)))
        menu.addSeparator()
        menu.addAction(tr("Open another file…")).triggered.connect(self.file_asked)
        menu.addAction(tr("Put it away")).triggered.connect(partial(self._lay, None))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.open.mapToGlobal(QPoint(0, self.open.height() + 4)))

    def _lay(self, overlay: Overlay | None, _checked: bool = False) -> None:
        self.laid.emit(overlay)
