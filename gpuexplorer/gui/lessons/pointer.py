"""Pointer: a ring around a control of the window that a lesson speaks of."""

import shiboken6
from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    Qt,
    QTimer,
    QVariantAnimation,
)
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPen
from PySide6.QtWidgets import QScrollArea, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.lessons.lesson import CONTROLS, screen_of

_STAYS = 6000  # milliseconds
_BEAT = 900
_AROUND, _WIDTH, _RADIUS = 5, 3, 9
_MOVES = frozenset({QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide})


class Pointer(QObject):
    """Knows controls by the names of `CONTROLS`, which are their object names. The ring stands
    over the window, and neither the mouse nor the keyboard notices it.
    """

    def __init__(self, navigation: Navigation, window: QWidget) -> None:
        super().__init__(window)
        self._navigation, self._window = navigation, window
        self._ring = ControlRing(window)
        self._watched: list[QWidget] = []
        self._gone = QTimer(self, singleShot=True, interval=_STAYS)
        self._gone.timeout.connect(self.hide)

    def where(self, name: str) -> str:
        """The screen one has to go to first; empty where it is on the one that is seen."""
        screen = screen_of(name)
        return screen if screen != self._navigation.screen else ""

    def show_control(self, name: str) -> str:
        """Goes to its screen first. Why it cannot be shown; empty where it is."""
        if self.where(name):
            self._navigation.open_screen(screen_of(name))
        return self.hint_at(name)

    def hint_at(self, name: str) -> str:
        """As `show_control`, without going anywhere."""
        self.hide()
        words = tr(CONTROLS[name])
        named = self._window.findChildren(QWidget, name)
        # Another machine has the same screens, put aside.
        named.sort(key=_of_seen_screen, reverse=True)
        found = next(iter(named), None)
        view = None if found is None else _above(found, LiveView)
        if isinstance(view, LiveView) and view.isVisible() and found is not None:
            view.reveal(found)
        while found is not None and not found.isVisible() and found is not view:
            found = found.parentWidget()  # the menu that holds it where the window is narrow
        if self.where(name) or found is None or not found.isVisible() or found is view:
            return tr("Not to be seen just now: {control}.", control=words)
        area = _above(found, QScrollArea)
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(found)
        self._follow(found)
        self._ring.begin(words)
        self._place()
        self._gone.start()
        return ""

    def hide(self) -> None:
        self._gone.stop()
        self._ring.end()
        for each in filter(shiboken6.isValid, self._watched):  # screens go with their session
            each.removeEventFilter(self)
        self._watched = []

    def _follow(self, control: QWidget) -> None:
        """It moves with each thing that it stands in."""
        at: QWidget | None = control
        while at is not None:
            at.installEventFilter(self)
            self._watched.append(at)
            at = None if at is self._window else at.parentWidget()

    def _place(self) -> None:
        """Around what is seen of the control."""
        control = self._watched[0]
        seen = self._window.rect()
        for each in self._watched:
            seen &= QRect(each.mapTo(self._window, QPoint()), each.size())
        more = _AROUND
        self._ring.setGeometry(seen.adjusted(-more, -more, more, more) & self._window.rect())
        self._ring.setVisible(control.isVisible())
        self._ring.raise_()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self._watched:
            # A screen may be gone already, with its session, when the window is closed.
            if all(map(shiboken6.isValid, self._watched)):
                self._place()
            else:
                self.hide()
        return False


class ControlRing(Painted):
    """Beats three times where things may move, and else stands still."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._beat = QVariantAnimation(self)
        self._beat.setDuration(_BEAT)
        self._beat.setLoopCount(3)
        self._beat.setKeyValues([(0.0, 1.0), (0.5, 0.35), (1.0, 1.0)])
        self._beat.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._beat.valueChanged.connect(self.update)

    def begin(self, words: str) -> None:
        self.setAccessibleName(tr("Here: {control}", control=words))
        self.show()
        if self.look.motion:
            self._beat.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def end(self) -> None:
        self._beat.stop()
        self.hide()

    def draw(self, drawing: Drawing) -> None:
        running = self._beat.state() is QVariantAnimation.State.Running
        strength = float(self._beat.currentValue()) if running else 1.0
        drawing.painter.setPen(QPen(faded(drawing.theme.accent, strength), _WIDTH))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        half = _WIDTH / 2
        place = QRectF(self.rect()).adjusted(half, half, -half, -half)
        drawing.painter.drawRoundedRect(place, _RADIUS, _RADIUS)


def _of_seen_screen(widget: QWidget) -> bool:
    view = _above(widget, LiveView)
    return view is not None and view.isVisible()


def _above(widget: QWidget, kind: type[QWidget]) -> QWidget | None:
    at = widget.parentWidget()
    while at is not None and not isinstance(at, kind):
        at = at.parentWidget()
    return at
