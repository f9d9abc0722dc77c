"""Presentation: a lesson step by step on a projector: large, with few words."""

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QRadioButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.step_page import StepHost, StepPage, next_part
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.player import Player

_PAGE, _MOST = (820, 460), 3.0  # pixels at which letters have their usual size; how many times
_WIDEST = 760  # of what is read, at that size
_PAGES = 0.85  # of the height; a few lines stay
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class Presentation(QWidget):
    """A window of its own, over the whole screen; it is gone when it is left. For some of
    what is asked one leaves it.
    """

    left = Signal()

    def __init__(self, player: Player, host: StepHost, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._player, self._host, self._window = player, host, parent
        self._content = QWidget()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setWindowTitle(player.lesson.title)
        self.setAccessibleName(tr("Presentation of {lesson}", lesson=player.lesson.title))
        self._place = column(self._content, within=self)
        full = Qt.WindowState.WindowFullScreen
        for keys, act in (
            ("PgDown", partial(self._read_on, 1)),
            ("Space", partial(self._read_on, 1)),
            ("PgUp", partial(self._read_on, -1)),
            ("Right", partial(self._go, 1)),
            ("Left", partial(self._go, -1)),
            ("Esc", self.close),
            # Out of it, the window can be drawn to the projector's screen.
            ("F11", lambda: self.setWindowState(self.windowState() ^ full)),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self._make(1.0)
        look().changed.connect(self._dress)

    def open(self) -> None:
        # Where no window manager makes it so, it is as large all the same.
        self.setGeometry(self.screen().geometry())
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    def show_step(self) -> None:
        """To be told after each `Player.changed`."""
        self._page.show_step()
        at, count = self._player.at + 1, len(self._player.steps)
        self._step.setText(tr("{step} of {count}", step=at, count=count))
        keys = tr("Arrows or Page keys: another step. Enter: what comes next. Esc: leave.")
        self.tell(keys)

    def _make(self, scale: float) -> None:
        """In other letters."""
        self._scale, letters = scale, Letterings(scale)
        with look().in_letters(letters):
            page = self._page = StepPage(self._player, self._host, brief=True)
        page.setMaximumWidth(round(_WIDEST * scale))
        title = ElidedLabel(letters.caption, Tone.QUIET, self._player.lesson.title)
        self._step = label("", letters.caption, Tone.QUIET)
        self._foot = ElidedLabel(letters.caption, Tone.FAINT)
        ground, content = QWidget(), QWidget()
        ground.setProperty("panel", "clear")
        content.setProperty("panel", "page")
        line = row(FREE, page, Grow(100), FREE)
        column(line, FREE, within=ground, margins=round(12 * scale))
        self.area = scrolled(ground)
        page.came.connect(self.area.ensureWidgetVisible)
        side, end = round(20 * scale), round(10 * scale)
        parts = (row(title, GROWS, self._step), self.area, GROWS, self._foot)
        column(*parts, within=content, margins=(side, end, side, end))
        self._content.hide()
        self._content.deleteLater()
        self._content = content
        self._place.addWidget(content)
        content.show()
        self._dress()
        self.show_step()

    def _dress(self) -> None:
        # Under a style sheet, larger letters do not come down from what a button is in.
        size = self._page.letters.body.font.pixelSize()
        letters = f"QPushButton, QLineEdit {{ font-size: {size}px; }}"
        self._content.setStyleSheet(look().style_sheet(self._scale) + letters)

    def tell(self, sentence: str) -> None:
        self._foot.show_text(sentence)

    def _read_on(self, by: int) -> None:
        """What is below or above, then another step."""
        bar = self.area.verticalScrollBar()
        if bar.value() == (bar.maximum() if by > 0 else 0):
            self._go(by)
        else:
            bar.setValue(bar.value() + round(by * _PAGES * self.area.height()))

    def _go(self, by: int) -> None:
        at = self._player.at + by
        if 0 <= at < len(self._player.steps):
            self._player.go(at)
            self.area.verticalScrollBar().setValue(0)
            self.setFocus()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # A button takes the space bar, and a row of choices the arrows.
            marked, key = QApplication.focusWidget(), event.key()
            pressed = key == Qt.Key.Key_Space and isinstance(marked, QAbstractButton)
            if pressed or (key in _ARROWS and isinstance(marked, QRadioButton)):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if pressed_by_enter(self, event):
            return
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        self._page.do_next()
        if isinstance(part := next_part(self._player), Predict):
            choose = tr("Predict first: arrows and Space choose, Enter predicts.")
            types = tr("Predict first: type, then press Enter.")
            self.tell(choose if part.choices else types)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fits = min(self.width() / _PAGE[0], self.height() / _PAGE[1])
        scale = round(min(_MOST, max(1.0, fits)), 1)
        if scale != self._scale:
            self._make(scale)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self.isActiveWindow():
            self._window.activateWindow()
        self.left.emit()
