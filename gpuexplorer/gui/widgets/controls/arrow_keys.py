"""ArrowKeys: makes several widgets one stop for the Tab key, with arrows to go between them."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.guard import guarded

_BACK = {Qt.Key.Key_Up, Qt.Key.Key_Left}
_ON = {Qt.Key.Key_Down, Qt.Key.Key_Right}
_SIDEWAYS = {Qt.Key.Key_Left, Qt.Key.Key_Right}


class ArrowKeys(QObject):
    """Whoever had the keyboard last is where Tab comes back to."""

    moved_to = Signal(QWidget)
    # What is left of it when Python has taken it down and Qt asks it once more.
    _widgets: Sequence[QWidget] = ()

    def __init__(self, parent: QObject, *, sideways: bool = True) -> None:
        super().__init__(parent)
        self._widgets = []
        self._sideways = sideways

    def take(self, widgets: Sequence[QWidget], after: QWidget | None = None) -> None:
        """From now on these, in this order; the Tab key comes to them after `after`."""
        for widget in self._widgets:
            widget.removeEventFilter(self)
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.installEventFilter(self)
        if after is not None:
            line_up([after, *widgets])
        focused = next((each for each in self._widgets if each.hasFocus()), None)
        self.offer(focused or next(iter(self._widgets), None))

    def offer(self, chosen: QWidget | None) -> None:
        """This is the one the Tab key comes to."""
        for widget in self._widgets:
            policy = Qt.FocusPolicy.TabFocus if widget is chosen else Qt.FocusPolicy.NoFocus
            if widget.focusPolicy() is not policy:
                widget.setFocusPolicy(policy)

    def _neighbour(self, widget: QWidget, key: int) -> QWidget | None:
        if key in _SIDEWAYS and not self._sideways:
            return None
        there = [each for each in self._widgets if each.isVisible() and each.isEnabled()]
        here = there.index(widget)
        if key in _BACK:
            return there[max(0, here - 1)]
        if key in _ON:
            return there[min(len(there) - 1, here + 1)]
        match key:
            case Qt.Key.Key_Home:
                return there[0]
            case Qt.Key.Key_End:
                return there[-1]
            case _:
                return None

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWidget) and watched in self._widgets:
            if event.type() is QEvent.Type.FocusIn:
                self.offer(watched)
            elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
                neighbour = self._neighbour(watched, event.key())
                if neighbour is not None:
                    neighbour.setFocus(Qt.FocusReason.TabFocusReason)
                    self.moved_to.emit(neighbour)
                    return True
        return False


def line_up(widgets: Sequence[QWidget]) -> None:
    """The Tab key comes to them in this order, wherever each was made. Qt leaves out of it what
    takes no focus at the moment; lists that a field opens are windows of their own.
    """
    # What hands its focus on would hand on its policy too.
    window = widgets[0].window()
    widgets = [
        each for each in widgets if each.focusProxy() is None and each.window() is window
    ]
    before = [widget.focusPolicy() for widget in widgets]
    for widget in widgets:
        widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for one, other in pairwise(widgets):
        QWidget.setTabOrder(one, other)
    for widget, policy in zip(widgets, before, strict=True):
        widget.setFocusPolicy(policy)
