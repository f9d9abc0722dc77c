"""All that the program says: in words, in hints, to screen readers, and in what it draws."""

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRectF, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAction, QPaintDevice
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QTreeView,
    QWidget,
)

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from tests.screens.things import header_of

# A text, and what says it.
Said = tuple[str, str]

_TEXTS = (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Help)
_ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.StatusTipRole,
)
# In the menu of any field, and translated by Qt.
_OF_QT = {
    "edit-undo",
    "edit-redo",
    "edit-cut",
    "edit-copy",
    "edit-paste",
    "edit-delete",
    "select-all",
}


class Drawn:
    """What was drawn since it was last asked, and the hints that lie on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._said: set[Said] = set()
        self._cut: set[str] = set()
        draw_text, add_hint, cut_short = Drawing.text, Drawing.hint, Lettering.elided

        def text(drawing: Drawing, x: float, baseline: float, run: Run) -> float:
            if run.text not in self._cut:
                self._said.add((run.text, f"drawn by {_drawn_by(drawing.painter.device())}"))
            return draw_text(drawing, x, baseline, run)

        def hint(drawing: Drawing, place: QRectF, words: str) -> None:
            self._said.add((words, f"a hint of {_drawn_by(drawing.painter.device())}"))
            add_hint(drawing, place, words)

        def elided(letters: Lettering, text: str, width: float, *, end: bool = False) -> str:
            shown = cut_short(letters, text, width, end=end)
            if shown != text:
                self._said.add((text, "cut short where it is drawn"))
                self._cut.add(shown)
            return shown

        monkeypatch.setattr(Drawing, "text", text)
        monkeypatch.setattr(Lettering, "elided", elided)
        monkeypatch.setattr(Drawing, "hint", hint)

    def taken(self) -> set[Said]:
        """And forgotten here."""
        said, self._said = self._said, set()
        return said


def everything_said() -> set[Said]:
    """By all windows that can be seen, popups and menus among them."""
    said: set[Said] = set()
    for window in QApplication.topLevelWidgets():
        if window.isVisible() and window.windowType() is not Qt.WindowType.ToolTip:
            said.update(_said_by(window))
    return {(text, part) for text, part in said if text}


def _said_by(widget: QWidget) -> Iterator[Said]:
    part = f"{type(widget).__name__} {widget.accessibleName()!r}"
    for words in _own_words(widget):
        yield words, part
    for action in widget.actions():
        if action.isVisible():
            yield from _said_by_action(action, part)
    if isinstance(widget, QAbstractItemView):
        yield from _said_by_cells(widget, part)
    elif not isinstance(widget, QHeaderView | QMenu):
        spoken = _spoken(widget)
        if spoken is not None:
            yield from _said_by_parts(spoken, part)
    for child in widget.children():
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
            yield from _said_by(child)


def _own_words(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.statusTip(), widget.whatsThis())
    yield from (widget.accessibleName(), widget.accessibleDescription())
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case QLineEdit():
            yield from (widget.text(), widget.placeholderText())
        case QTextEdit():
            yield widget.placeholderText()
        case QPlainTextEdit():
            yield from (widget.toPlainText(), widget.placeholderText())
        case QComboBox():
            yield from (widget.itemText(each) for each in range(widget.count()))
        case QAbstractSpinBox():
            yield widget.text()
    if widget.isWindow():
        yield widget.windowTitle()


def _said_by_action(action: QAction, part: str) -> Iterator[Said]:
    if action.objectName() in _OF_QT:
        return
    for words in (action.text(), action.toolTip(), action.statusTip()):
        yield words, f"an action of {part}"
    menu = action.menu()
    if isinstance(menu, QWidget):
        for each in menu.actions():
            yield from _said_by_action(each, part)


def _said_by_cells(view: QAbstractItemView, part: str) -> Iterator[Said]:
    """Hidden columns too: they can be shown."""
    model: QAbstractItemModel | None = view.model()
    if model is None:
        return
    several = header_of(view) is not None
    columns = range(model.columnCount(view.rootIndex()) if several else 1)
    for role in _ROLES:
        for column in columns if several else ():
            words = model.headerData(column, Qt.Orientation.Horizontal, role)
            yield _words(words), f"a heading of {part}"
    for index in _rows(view, view.rootIndex()):
        for column in columns:
            for role in _ROLES:
                words = index.siblingAtColumn(column).data(role)
                yield _words(words), f"column {column} of {part}"


def _rows(view: QAbstractItemView, parent: QModelIndex) -> Iterator[QModelIndex]:
    model = view.model()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        if isinstance(view, QTreeView):
            yield from _rows(view, index)


def _said_by_parts(spoken: QAccessibleInterface, part: str) -> Iterator[Said]:
    """What a drawing says of its parts to screen readers."""
    for kind in _TEXTS:
        yield spoken.text(kind), part
    if spoken.role() not in _TYPED:
        yield spoken.text(QAccessible.Text.Value), part
    for position in range(spoken.childCount()):
        child: QAccessibleInterface | None = spoken.child(position)
        if child is not None and not isinstance(child.object(), QWidget):
            yield from _said_by_parts(child, f"a part of {part}")


_TYPED = {QAccessible.Role.EditableText, QAccessible.Role.ComboBox}


def _spoken(widget: QWidget) -> QAccessibleInterface | None:
    return QAccessible.queryAccessibleInterface(widget) if shiboken6.isValid(widget) else None


def _words(data: object) -> str:
    return data if isinstance(data, str) else ""


def _drawn_by(device: QPaintDevice) -> str:
    name = type(device).__name__
    return f"{name} {device.accessibleName()!r}" if isinstance(device, QWidget) else name
