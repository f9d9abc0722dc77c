"""Presentation: a lesson step by step on a projector: large, with few words."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.step_page import StepPage
from gpuexplorer.gui.theme.look import EnlargedLook, look, wearing
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.lessons.player import Player

_PAGE = (820, 460)  # pixels at which letters have their usual size
_MOST = 3.0
_WIDEST = 760  # of what is read, at that size
_PAGES = 0.85  # of the height; a few lines stay
_KEYS = mark("Arrows or Page keys: another step. Enter: run the next cell. Esc: leave.")
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class Presentation(QWidget):
    """A window of its own, over the whole screen; it is gone when it is left. For some of
    what is asked one leaves it.
    """

    left = Signal()

    def __init__(self, player: Player, asks: StepAsks, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._player, self.asks = player, asks
        self._large = look()
        self._scale = 0.0
        self._content: QWidget | None = None
        self._page: StepPage | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setWindowTitle(player.lesson.title)
        self.setAccessibleName(tr("Presentation of {lesson}", lesson=player.lesson.title))
        self._place = QVBoxLayout(self)
        self._place.setContentsMargins(0, 0, 0, 0)
        for keys, act in (
            ("PgDown", lambda: self._read_on(1)),
            ("Space", lambda: self._read_on(1)),
            ("PgUp", lambda: self._read_on(-1)),
            ("Right", lambda: self._go(1)),
            ("Left", lambda: self._go(-1)),
            ("Esc", self.close),
            ("F11", self._on_full_screen_asked),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        look().changed.connect(self._dress)

    def open(self) -> None:
        # Where no window manager makes it so, it is as large all the same.
        self.setGeometry(self.screen().geometry())
        self.showFullScreen()
        self.activateWindow()
        self.setFocus()

    def show_step(self) -> None:
        """To be told after each `Player.changed`."""
        if self._page is not None:
            with wearing(self._large):
                self._page.show_step()
            self._foot.show_text(tr(_KEYS))
            self._tell_step()

    def _make(self, scale: float) -> None:
        """In other letters."""
        self._scale = scale
        large = self._large = EnlargedLook(scale, self)
        before, self._content = self._content, QWidget()
        self._content.setProperty("panel", "page")
        with wearing(large):
            page = self._page = StepPage(self._player, self.asks, brief=True)
        page.setMaximumWidth(round(_WIDEST * scale))
        page.revealed.connect(self._on_revealed)
        # So that Enter runs the next cell; only the next Enter.
        page.predicted.connect(self.setFocus, Qt.ConnectionType.QueuedConnection)
        title = ElidedLabel(large.letters.caption, Tone.QUIET, self._player.lesson.title)
        self._step = label("", large.letters.caption, Tone.QUIET)
        foot = self._foot = ElidedLabel(large.letters.caption, Tone.FAINT, tr(_KEYS))
        self.asks.refused.connect(foot.show_text)
        ground = QWidget()
        ground.setProperty("panel", "clear")
        self._lines = column(
            row(FREE, page, Grow(100), FREE), FREE, within=ground, margins=round(12 * scale)
        )
        self.area = scrolled(ground)
        side = round(20 * scale)
        head = row(title, GROWS, self._step)
        margins = (side, round(12 * scale), side, round(8 * scale))
        column(head, self.area, GROWS, self._foot, within=self._content, margins=margins)
        if before is None:
            self._place.addWidget(self._content)
        else:
            self._place.replaceWidget(before, self._content)
            before.deleteLater()
        self._dress()
        self._tell_step()

    def _dress(self) -> None:
        if self._content is not None:
            self._content.setStyleSheet(self._large.style_sheet())

    def _tell_step(self) -> None:
        at, count = self._player.at + 1, len(self._player.steps)
        self._step.setText(tr("{step} of {count}", step=at, count=count))

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
            self.show_step()
            self.area.verticalScrollBar().setValue(0)
            self.setFocus()

    def _on_revealed(self, box: QWidget) -> None:
        self._lines.activate()
        self.area.ensureWidgetVisible(box)

    def _on_full_screen_asked(self) -> None:
        """Out of it, the window can be drawn to the projector's screen."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

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
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if pressed_by_enter(self, event):
            return
        if enter and self._player.must_ask:
            self.asks.allow.emit()
        elif enter:
            try:
                self._player.run_next()
            except Trouble as trouble:
                self.asks.refused.emit(trouble.told)
            self.show_step()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fits = min(self.width() / _PAGE[0], self.height() / _PAGE[1])
        scale = round(min(_MOST, max(1.0, fits)), 1)
        if scale != self._scale:
            self._make(scale)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        active, parent = self.isActiveWindow(), self.parentWidget()
        if active and parent is not None:
            parent.window().activateWindow()
        self.left.emit()
