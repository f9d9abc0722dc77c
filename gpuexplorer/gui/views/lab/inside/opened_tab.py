"""OpenedTab: one thing that was opened: the chips of its devices, its name, and a cross."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.device_badges import (
    GAP,
    Badge,
    badge_width,
    draw_badge,
)
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _MARGIN, _CROSS, _MOST_NAME = 30, 6.0, 24, 140.0


class OpenedTab(QWidget):
    """Enter shows it, Delete closes it."""

    chosen = Signal(str)
    closed = Signal(str)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._name = name
        self._title = _Title(look, name)
        self._title.clicked.connect(self._on_clicked)
        self._title.delete_pressed.connect(self._on_closed)
        self._cross = IconButton(look, Icon.CLOSE)
        self._cross.show_meaning(Icon.CLOSE, tr("Close {name}", name=name), "Del")
        self._cross.setFixedSize(_CROSS, _CROSS)
        self._cross.clicked.connect(self._on_closed)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 3, 0)
        row.setSpacing(0)
        row.addWidget(self._title)
        row.addWidget(self._cross)

    @property
    def name(self) -> str:
        return self._name

    def show_state(self, badges: tuple[Badge, ...], *, shown: bool) -> None:
        self._title.show_badges(badges)
        if shown is not self._title.isChecked():
            self._title.setChecked(shown)
            self.update()

    def come_after(self, widget: QWidget) -> QWidget:
        """In the order of the Tab key; returns who is last of it."""
        QWidget.setTabOrder(widget, self._title)
        QWidget.setTabOrder(self._title, self._cross)
        return self._cross

    def take_keyboard(self) -> None:
        self._title.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_clicked(self) -> None:
        self._title.setChecked(True)
        self.chosen.emit(self._name)

    def _on_closed(self) -> None:
        self.closed.emit(self._name)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.line, 1))
            painter.setBrush(theme.surface if self._title.isChecked() else theme.ground)
            place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
            if self._title.isChecked():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.selection)
                painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)


class _Title(PaintedButton):
    delete_pressed = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._badges: tuple[Badge, ...] = ()
        self.setCheckable(True)
        self.setText(name)
        self.setAccessibleName(tr("Inside {name}", name=name))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        cut = look.letters.mono.elided(name, _MOST_NAME) != name
        self.setToolTip(name if cut else "")

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        if badges != self._badges:
            self._badges = badges
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CONTROL_RADIUS)
        middle, x = self.height() / 2, _MARGIN
        for badge in self._badges:
            x = draw_badge(drawing, x, middle, badge) + GAP
        letters = drawing.letters.mono
        strong = self.isChecked() or self.underMouse()
        run = Run(self.text(), letters, drawing.theme.text if strong else drawing.theme.quiet)
        drawing.elided(x + 2, middle + letters.cap_height / 2, run, _MOST_NAME)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        chips = sum(badge_width(self.look, each) + GAP for each in self._badges)
        name = min(_MOST_NAME, self.look.letters.mono.width(self.text()))
        return QSize(round(chips + name + 2 * _MARGIN + 4), _HEIGHT)
