"""What can be seen in a window, whatever it is built with: names, words and places.

A thing is a widget, a cell of a table, an entry of a menu, or a part of a drawing that says its
name to screen readers. Nothing here knows a class of the program.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QHeaderView,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QStatusBar,
    QTabBar,
    QTableView,
    QTextEdit,
    QToolBar,
    QToolButton,
    QTreeView,
    QWidget,
)

Role = QAccessible.Role
_PARTS_OF_A_WINDOW = (QStatusBar, QMenuBar, QToolBar, QDockWidget)

_PRESSED = {
    *(Role.Button, Role.ButtonDropDown, Role.ButtonMenu, Role.Cell, Role.CheckBox, Role.Link),
    *(Role.ColumnHeader, Role.ComboBox, Role.ListItem, Role.MenuItem, Role.PageTab),
    *(Role.RadioButton, Role.Switch, Role.TreeItem),
}

_SAID_BY_A_CELL = (
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.ToolTipRole,
)
_VIEW_OF = {Role.Tree: Role.TreeItem, Role.List: Role.ListItem}


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing on the screen: `name` is what it is called, `words` all else that it says."""

    name: str
    words: tuple[str, ...]
    role: QAccessible.Role
    place: QRect  # on the screen
    widget: QWidget  # the mouse is over this one there
    enabled: bool = True
    on: bool = False
    cell: QModelIndex | None = None

    @property
    def pressable(self) -> bool:
        return self.role in _PRESSED

    @property
    def said(self) -> str:
        return " | ".join(each for each in (self.name, *self.words) if each)

    def likeness(self, words: str) -> int | None:
        """0: called so. 1, 2: its name begins with the words, or has them. 3: it says them."""
        name = self.name.replace("&", "").rstrip("…")
        if name == words.rstrip("…"):
            return 0
        if name.startswith(words):
            return 1
        if words in self.name:
            return 2
        return 3 if any(words in each for each in self.words) else None


def layers(window: QMainWindow) -> list[QWidget]:
    """The window, and what floats over it; the uppermost comes last."""
    if not window.isVisible():
        return []
    over = [each for each in window.children() if isinstance(each, QWidget)]
    floating = [each for each in over if each.isVisible() and _floats(each, window)]
    others = [
        each
        for each in QApplication.topLevelWidgets()
        if each.isVisible() and each is not window and not _is_hint(each)
    ]
    foremost = (QApplication.activePopupWidget(), QApplication.activeModalWidget())
    others.sort(key=lambda each: each is foremost[1])
    others.sort(key=lambda each: each is foremost[0])
    return [window, *floating, *others]


def things(layer: QWidget) -> Iterator[Thing]:
    """Everything that can be seen in this layer, also where one has to scroll to it."""
    yield from _things_of(layer)
    for child in layer.children():
        if (
            isinstance(child, QWidget)
            and child.isVisible()
            and not child.isWindow()
            and not (isinstance(layer, QMainWindow) and _floats(child, layer))
        ):
            yield from things(child)


def shown_rows(view: QAbstractItemView) -> Iterator[QModelIndex]:
    """The first cell of every row, from the top; of a tree those that are unfolded."""
    yield from _rows_below(view, view.rootIndex())


def shown_columns(view: QAbstractItemView) -> list[int]:
    """As they stand from left to right."""
    header = header_of(view)
    if header is None:
        return [0]
    found = [each for each in range(header.count()) if not header.isSectionHidden(each)]
    return sorted(found, key=header.visualIndex)


def header_of(view: QAbstractItemView) -> QHeaderView | None:
    if isinstance(view, QTreeView):
        return view.header()
    return view.horizontalHeader() if isinstance(view, QTableView) else None


def text_of(index: QModelIndex) -> str:
    """What a cell shows; where it only paints, what it says to screen readers."""
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
        text = index.data(role)
        if text is not None and str(text):
            return plain(str(text))
    return ""


def all_of(index: QModelIndex) -> str:
    """What a cell shows and says to screen readers, and its hints."""
    said = [text_of(index), *(index.data(each) for each in _SAID_BY_A_CELL)]
    return " | ".join(dict.fromkeys(plain(str(each)) for each in said if each))


def plain(words: str) -> str:
    """A space that keeps figure and unit together is a space."""
    return words.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def bring_into_view(thing: Thing) -> QPoint:
    """Scrolls to it where need be; its middle, on the screen."""
    if thing.cell is not None:
        view = thing.widget.parentWidget()
        assert isinstance(view, QAbstractItemView)
        _scroll_around(view, view.rect().center())
        view.scrollTo(thing.cell)
        seen = view.visualRect(thing.cell) & thing.widget.rect()
        _scroll_around(thing.widget, seen.center())
        return thing.widget.mapToGlobal(seen.center())
    middle = thing.widget.rect().center()
    if thing.role is not _role_of(thing.widget):
        # A part of what was drawn, or of a menu.
        middle = thing.widget.mapFromGlobal(_place_now(thing).center())
    if isinstance(thing.widget, QTabBar):
        middle = _scroll_tabs(thing.widget, thing)
    _scroll_around(thing.widget, middle)
    return thing.widget.mapToGlobal(middle)


def _scroll_tabs(tabs: QTabBar, thing: Thing) -> QPoint:
    """Where not all have room, two arrows stand over their end."""
    back, forward = tabs.findChildren(QToolButton)
    for _ in range(tabs.count()):
        middle = tabs.mapFromGlobal(_place_now(thing).center())
        if tabs.rect().contains(middle) and tabs.childAt(middle) is None:
            break
        QTest.mouseClick(back if middle.x() < 0 else forward, Qt.MouseButton.LeftButton)
    return middle


def _place_now(thing: Thing) -> QRect:
    """It may have moved since it was looked at."""
    called = [each for each in _things_of(thing.widget) if each.name == thing.name]
    same = [each.place for each in called if each.role is thing.role]
    before = thing.place.center()
    return min(
        same, key=lambda place: (place.center() - before).manhattanLength(), default=thing.place
    )


def _scroll_around(widget: QWidget, place: QPoint) -> None:
    around = widget.parentWidget()
    while around is not None and not widget.isWindow():
        scrolled = around.widget() if isinstance(around, QScrollArea) else None
        if isinstance(around, QScrollArea) and scrolled is not None:
            there = widget.mapTo(scrolled, place)
            around.ensureVisible(there.x(), there.y())
        if around.isWindow():
            break
        around = around.parentWidget()


def under(point: QPoint, layer: QWidget) -> QWidget:
    """What the mouse would press there."""
    window = layer.window()
    return window.childAt(window.mapFromGlobal(point)) or window


def name_of(widget: QWidget) -> str:
    spoken = _spoken(widget)
    if spoken is None:
        return ""
    within: QAccessibleInterface | None = spoken.focusChild()
    if (
        within is not None
        and within.object() is not widget
        and not isinstance(widget, QAbstractItemView)
    ):
        return within.text(QAccessible.Text.Name)
    return _called(spoken, widget)


def _called(spoken: QAccessibleInterface, widget: QWidget) -> str:
    if isinstance(widget, QComboBox) and widget.accessibleName():
        # On Linux Qt hands out what is chosen, and leaves the name to the label beside it.
        return widget.accessibleName()
    return spoken.text(QAccessible.Text.Name)


def _things_of(widget: QWidget) -> Iterator[Thing]:
    if isinstance(widget, QMenu):
        yield from _entries(widget)
        return
    if isinstance(widget, QHeaderView | QScrollBar):
        return
    spoken = _spoken(widget)
    if spoken is None or widget.width() <= 0 or widget.height() <= 0:
        return
    said = _thing(spoken, widget)
    if said.name or said.words:
        yield said
    if isinstance(widget, QAbstractItemView):
        yield from _headings(widget)
        yield from _cells(widget, spoken.role())
    else:
        yield from _parts(spoken, widget)


def _thing(spoken: QAccessibleInterface, widget: QWidget) -> Thing:
    kinds = (QAccessible.Text.Value, QAccessible.Text.Description, QAccessible.Text.Help)
    words = [spoken.text(each) for each in kinds]
    if isinstance(widget, QLineEdit):
        words.append(widget.placeholderText())
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        words.append(widget.toPlainText())
    state = spoken.state()
    return Thing(
        plain(_called(spoken, widget)),
        tuple(dict.fromkeys(plain(each) for each in words if each)),
        spoken.role(),
        spoken.rect(),
        widget,
        not state.disabled,
        bool(state.checked or state.selected),
    )


def _parts(spoken: QAccessibleInterface, widget: QWidget) -> Iterator[Thing]:
    """What a drawing says of itself, or a row of tabs."""
    for position in range(spoken.childCount()):
        part: QAccessibleInterface | None = spoken.child(position)
        if part is None or isinstance(part.object(), QWidget):
            continue
        if not part.state().invisible:
            yield _thing(part, widget)


def _entries(menu: QMenu) -> Iterator[Thing]:
    for action in menu.actions():
        if action.isVisible() and not action.isSeparator():
            place = menu.actionGeometry(action)
            place.moveTo(menu.mapToGlobal(place.topLeft()))
            yield Thing(
                action.text().replace("&", "").split("\t")[0],
                (action.toolTip(), action.shortcut().toString()),
                Role.MenuItem,
                place,
                menu,
                action.isEnabled(),
                action.isCheckable() and action.isChecked(),
            )


def _headings(view: QAbstractItemView) -> Iterator[Thing]:
    header = header_of(view)
    if header is None or not header.isVisible():
        return
    for column in shown_columns(view):
        text = view.model().headerData(column, Qt.Orientation.Horizontal)
        left = header.sectionViewportPosition(column)
        place = QRect(left, 0, header.sectionSize(column), header.height())
        place.moveTo(header.viewport().mapToGlobal(place.topLeft()))
        if text:
            yield Thing(str(text), (), Role.ColumnHeader, place, header.viewport())


def _cells(view: QAbstractItemView, role: QAccessible.Role) -> Iterator[Thing]:
    kind = _VIEW_OF.get(role, Role.Cell)
    columns = shown_columns(view)
    chosen = view.selectionModel()
    for first in shown_rows(view):
        for column in columns:
            index = first.siblingAtColumn(column)
            name = text_of(index)
            hints = [index.data(each) for each in _SAID_BY_A_CELL]
            if not name and not any(hints):
                continue
            flags = index.flags()
            ticked = index.data(Qt.ItemDataRole.CheckStateRole)
            place = view.visualRect(index)
            place.moveTo(view.viewport().mapToGlobal(place.topLeft()))
            yield Thing(
                name,
                tuple(dict.fromkeys(plain(str(each)) for each in hints if each)),
                kind,
                place,
                view.viewport(),
                bool(flags & Qt.ItemFlag.ItemIsEnabled),
                chosen.isSelected(index) if ticked is None else bool(ticked),
                index,
            )


def _rows_below(view: QAbstractItemView, parent: QModelIndex) -> Iterator[QModelIndex]:
    model = view.model()
    for row in range(model.rowCount(parent)):
        if isinstance(view, QTreeView) and view.isRowHidden(row, parent):
            continue
        if isinstance(view, QTableView) and view.isRowHidden(row):
            continue
        index = model.index(row, 0, parent)
        yield index
        if isinstance(view, QTreeView) and view.isExpanded(index):
            yield from _rows_below(view, index)


def _floats(widget: QWidget, window: QMainWindow) -> bool:
    return (
        not widget.isWindow()
        and widget is not window.centralWidget()
        and not isinstance(widget, _PARTS_OF_A_WINDOW)
        and bool(list(things(widget)))
    )


def _is_hint(widget: QWidget) -> bool:
    return widget.windowType() in (Qt.WindowType.ToolTip, Qt.WindowType.Desktop)


def _role_of(widget: QWidget) -> QAccessible.Role | None:
    spoken = _spoken(widget)
    return None if spoken is None else spoken.role()


def _spoken(widget: QWidget) -> QAccessibleInterface | None:
    return QAccessible.queryAccessibleInterface(widget) if shiboken6.isValid(widget) else None


def first_like(found: list[Thing], words: str) -> Thing:
    alike = [each for each in found if each.likeness(words) is not None]
    assert alike, f"{words!r} is not among:\n" + "\n".join(each.said for each in found)

    def order(thing: Thing) -> tuple[bool, bool, int, int]:
        likeness = thing.likeness(words) or 0
        area = thing.place.width() * thing.place.height()
        return likeness > 1, not thing.pressable, likeness, area

    return min(alike, key=order)


def parts_of(found: list[Thing], words: str) -> list[Thing]:
    """What is in the largest thing that is called so and is no button."""
    called = [each for each in found if each.likeness(words) in (0, 1)]
    if not called:
        return []

    def order(thing: Thing) -> tuple[bool, int, int]:
        area = thing.place.width() * thing.place.height()
        return thing.pressable, thing.likeness(words) or 0, -area

    part = min(called, key=order)
    around = part.widget.parentWidget()
    if part.role is Role.StaticText and around is not None:
        # A heading stands for what is around it.
        return [each for each in found if around.isAncestorOf(each.widget)]
    return [each for each in found if is_within(each, part)]


def is_part(thing: Thing, group: Thing) -> bool:
    return thing.widget is not group.widget and is_within(thing, group)


def is_within(thing: Thing, part: Thing) -> bool:
    return thing is part or (
        part.widget.isAncestorOf(thing.widget)
        or (thing.widget is part.widget and part.place.contains(thing.place.center()))
    )
