"""The keyboard between widgets: what Tab, Enter and the arrows go to."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QWidget

from gpuexplorer.gui.event_loop import guarded

_TAB, _NO = Qt.FocusPolicy.TabFocus, Qt.FocusPolicy.NoFocus
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Left: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Right: 1}
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}


def pressed_by_enter(window: QWidget, event: QKeyEvent) -> bool:
    """For windows without a default button: there Qt takes only the space bar for a press."""
    marked = window.focusWidget()
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    if not (enter and isinstance(marked, QAbstractButton)):
        return False
    marked.click()
    return True


def one_tab_stop(group: QButtonGroup) -> None:
    """The Tab key comes to the one that is chosen; Qt itself sees to it only from then on."""
    there = [each for each in group.buttons() if each.isEnabled()]
    stop_at(group.buttons(), group.checkedButton() or next(iter(there), None))


def stop_at(widgets: Sequence[QWidget], chosen: QWidget | None) -> None:
    for each in widgets:
        each.setFocusPolicy(_TAB if each is chosen else _NO)


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
        widget.setFocusPolicy(_TAB)
    for one, other in pairwise(widgets):
        QWidget.setTabOrder(one, other)
    for widget, policy in zip(widgets, before, strict=True):
        widget.setFocusPolicy(policy)


class ArrowKeys(QObject):
    """Makes several widgets one stop for the Tab key, with arrows to go between them. Whoever
    had the keyboard last is where Tab comes back to.
    """

    moved_to = Signal(QWidget)
    # What is left of it when Python has taken it down and Qt asks it once more.
    _widgets: Sequence[QWidget] = ()

    def take(self, widgets: Sequence[QWidget]) -> None:
        """From now on these, in this order."""
        for widget in self._widgets:
            widget.removeEventFilter(self)
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.installEventFilter(self)
        focused = [each for each in self._widgets if each.hasFocus()]
        self.offer(next(iter([*focused, *self._widgets]), None))

    def offer(self, chosen: QWidget | None) -> None:
        """This is the one the Tab key comes to."""
        stop_at(self._widgets, chosen)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(watched, QWidget) or watched not in self._widgets:
            return False
        if event.type() is QEvent.Type.FocusIn:
            self.offer(watched)
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        there = [each for each in self._widgets if each.isVisible() and each.isEnabled()]
        key = Qt.Key(event.key())
        if key in _STEPS:
            at = there.index(watched) + _STEPS[key]
            to = there[min(max(0, at), len(there) - 1)]
        elif key in _ENDS:
            to = there[_ENDS[key]]
        else:
            return False
        to.setFocus(Qt.FocusReason.TabFocusReason)
        self.moved_to.emit(to)
        return True
