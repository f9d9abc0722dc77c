"""A person before the program: looks for words, presses keys, and clicks where things are."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMainWindow,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.screens.things import (
    Role,
    Thing,
    all_of,
    bring_into_view,
    first_like,
    header_of,
    is_part,
    layers,
    name_of,
    parts_of,
    shown_columns,
    shown_rows,
    text_of,
    things,
    under,
)

PATIENCE = 10_000
_STOPS = 60
_EDITED = {Role.EditableText, Role.SpinBox, Role.ComboBox}


class Person:
    """What `sees` waits for may still be on its way; `does_not_see` waits until it is gone."""

    def __init__(self, window: QMainWindow, qtbot: QtBot) -> None:
        self.window = window
        self.patience = PATIENCE
        self._qtbot = qtbot

    # Looking

    def everything(self, within: str = "") -> list[Thing]:
        """All that is on the screen; or all in the part of it that is called so."""
        found = [each for layer in layers(self.window) for each in things(layer)]
        if not within:
            return found
        return parts_of(found, within)

    def said(self, within: str = "") -> str:
        """All words on the screen, one thing a line."""
        return "\n".join(each.said for each in self.everything(within))

    def sees(self, *words: str, within: str = "") -> None:
        def there() -> None:
            said = self.said(within)
            missing = [each for each in words if each not in said]
            assert not missing, f"{missing} is not among:\n{said}"

        self.waits(there)

    def does_not_see(self, *words: str, within: str = "") -> None:
        def gone() -> None:
            said = [each.said for each in self.everything(within)]
            assert said, f"There is no part {within!r}."
            left = [each for each in said if any(word in each for word in words)]
            assert not left, left

        self.waits(gone)

    def waits(self, until: Callable[[], bool | None]) -> None:
        """Until it returns True, or nothing but raises no AssertionError."""
        self._qtbot.waitUntil(until, timeout=self.patience)

    def find(self, words: str, within: str = "") -> Thing:
        """The one in front that fits best: what can be pressed comes first."""
        self.sees(words, within=within)
        for layer in reversed(layers(self.window)):
            found = list(things(layer))
            if within:
                found = parts_of(found, within)
            if any(each.likeness(words) is not None for each in found):
                return first_like(found, words)
        raise AssertionError(f"{words!r} is not in {within or 'the window'!r}")

    def is_on(self, words: str, within: str = "") -> bool:
        return self.find(words, within).on

    def cannot_press(self, words: str, within: str = "") -> bool:
        """It is not there at all, or cannot be used now."""
        called = [each for each in self.everything(within) if each.likeness(words) == 0]
        return not any(each.enabled for each in called)

    def title(self) -> str:
        return self.window.windowTitle()

    def dialogs(self) -> list[str]:
        """What each thing says that floats over the window; the uppermost comes last."""
        return [
            "\n".join([each.windowTitle(), *(thing.said for thing in things(each))])
            for each in layers(self.window)[1:]
        ]

    def keyboard_is_on(self) -> str:
        """What it is called."""
        focused = QApplication.focusWidget()
        return "" if focused is None else name_of(focused)

    def clipboard(self) -> str:
        return QGuiApplication.clipboard().text()

    # Tables and lists

    def table(self, name: str) -> QAbstractItemView:
        found: list[QAbstractItemView] = []

        def there() -> None:
            views = self._views()
            found[:] = [each for each in views if each.accessibleName().startswith(name)]
            assert found, f"{name!r} is not among {[each.accessibleName() for each in views]}"

        self.waits(there)
        return found[-1]

    def columns(self, name: str) -> list[str]:
        view = self.table(name)
        heading = view.model().headerData
        return [
            str(heading(each, Qt.Orientation.Horizontal) or "") for each in shown_columns(view)
        ]

    def rows(self, name: str) -> list[tuple[str, ...]]:
        """What the cells show, from the top; columns that are hidden are left out."""
        view = self.table(name)
        columns = shown_columns(view)
        return [
            tuple(text_of(first.siblingAtColumn(column)) for column in columns)
            for first in shown_rows(view)
        ]

    def column(self, name: str, heading: str) -> list[str]:
        """What stands below this heading."""
        position = self.columns(name).index(heading)
        return [row[position] for row in self.rows(name)]

    def row_of(self, name: str, *words: str) -> str:
        """All that the first row says that has all of these words."""
        self.sees(*words)
        view = self.table(name)
        for first in shown_rows(view):
            cells = [first.siblingAtColumn(each) for each in shown_columns(view)]
            said = " | ".join(dict.fromkeys(all_of(each) for each in cells))
            if all(each in said for each in words):
                return said
        raise AssertionError(f"No row of {name!r} says {words}.")

    def closes(self) -> None:
        self.window.close()

    def click_heading(self, name: str, heading: str) -> None:
        view = self.table(name)
        header = header_of(view)
        assert header is not None
        section = shown_columns(view)[self.columns(name).index(heading)]
        left = header.sectionViewportPosition(section) + min(
            12, header.sectionSize(section) // 2
        )
        self._press(header.viewport(), QPoint(left, header.height() // 2))

    def click_row(self, name: str, words: str) -> None:
        """The first that has these words."""
        view = self.table(name)
        row = self._row(view, words)
        cell = row.siblingAtColumn(shown_columns(view)[0])
        view.scrollTo(cell)
        middle = (view.visualRect(cell) & view.viewport().rect()).center()
        self._press(view.viewport(), middle)

    # Doing

    def go_to(self, screen: str) -> None:
        """By the list of screens at the left."""
        entries = [
            each
            for each in self.everything()
            if each.pressable
            and each.role is not Role.ColumnHeader
            and each.name.split(",")[0] == screen
        ]
        assert entries, f"There is no screen {screen!r}."
        self._click(min(entries, key=lambda each: each.place.x()))

    def click(self, words: str, within: str = "") -> None:
        self._click(self.find(words, within))

    def double_click(self, words: str, within: str = "") -> None:
        thing = self.find(words, within)
        self._click(thing)
        hit, place = self._bare(thing)
        QTest.mouseDClick(hit, Qt.MouseButton.LeftButton, pos=place)

    def choose(self, what: str, option: str) -> None:
        """Of options that stand side by side, or of a list or menu that opens."""
        found: list[Thing] = []

        def there() -> None:
            in_front = list(things(layers(self.window)[-1]))
            groups = [each for each in in_front if each.likeness(what) in (0, 1)]
            beside = [
                each
                for each in in_front
                if each.likeness(option) in (0, 1)
                and each.pressable
                and any(is_part(each, group) for group in groups)
            ]
            found[:] = beside or [each for each in groups if each.pressable]
            said = "\n".join(each.said for each in in_front)
            assert found, f"{what!r} with {option!r} is not among:\n{said}"

        self.waits(there)
        if any(each.likeness(option) in (0, 1) for each in found):
            self._click(first_like(found, option))
            return
        opens = first_like(found, what)
        if isinstance(opens.widget, QComboBox):
            self._choose_in(opens.widget, option)
            return
        before = len(layers(self.window))
        self._click(opens)
        self.waits(lambda: len(layers(self.window)) > before)
        self._click(first_like(list(things(layers(self.window)[-1])), option))

    def type_into(self, field: str, text: str) -> None:
        """In place of what stands there."""
        self.sees(field)
        fields = [each for each in self.everything() if each.role in _EDITED]
        called = [each for each in reversed(fields) if each.likeness(field) is not None]
        assert called, f"{field!r} is not among {[each.said for each in fields]}"
        self._click(min(called, key=lambda each: each.likeness(field) or 0))
        self.press("Ctrl+A")
        self.types(text)

    def types(self, text: str) -> None:
        """Where the keyboard is."""
        QTest.keyClicks(self._with_keyboard(), text)

    def press(self, *keys: str) -> None:
        """Such as "Ctrl+K" or "Down", where the keyboard is."""
        if QApplication.activeWindow() is None:
            # What another test leaves behind may take the activity with it when it goes.
            self.window.activateWindow()
            self.waits(lambda: QApplication.activeWindow() is not None)
        for each in keys:
            QTest.keySequence(self._with_keyboard(), QKeySequence(each))

    def tabs_to(self, name: str, within: str = "") -> None:
        """Presses Tab until the keyboard is there."""
        for _ in range(_STOPS):
            self.press("Tab")
            focused = QApplication.focusWidget()
            at_it = focused is not None and name_of(focused).startswith(name)
            if at_it and any(each.widget is focused for each in self.everything(within)):
                return
        raise AssertionError(f"The Tab key does not come to {name!r}.")

    def runs(self, command: str) -> None:
        """By the palette of commands."""
        self.press("Ctrl+K")
        self.types(command)
        self.press("Return")

    def saves_as(self, path: Path) -> None:
        """Answers the question where a file is to go."""
        asked: list[QFileDialog] = []

        def open_now() -> bool:
            asked[:] = [
                each
                for each in QApplication.topLevelWidgets()
                if isinstance(each, QFileDialog) and each.isVisible()
            ]
            return bool(asked)

        self.waits(open_now)
        field = asked[0].findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setText(str(path))
        QTest.keyClick(field, Qt.Key.Key_Return)

    # Hands

    def _views(self) -> list[QAbstractItemView]:
        return [
            each
            for layer in layers(self.window)
            for each in layer.findChildren(QAbstractItemView)
            if each.isVisible()
        ]

    def _row(self, view: QAbstractItemView, words: str) -> QModelIndex:
        columns = shown_columns(view)
        for first in shown_rows(view):
            cells = [all_of(first.siblingAtColumn(each)) for each in columns]
            if any(words in each for each in cells):
                return first
        raise AssertionError(f"No row says {words!r}.")

    def _choose_in(self, box: QComboBox, option: str) -> None:
        position = next(
            (at for at in range(box.count()) if box.itemText(at).startswith(option)), None
        )
        assert position is not None, [box.itemText(at) for at in range(box.count())]
        box.setFocus()
        QTest.keyClick(box, Qt.Key.Key_Home)
        for _ in range(position):
            QTest.keyClick(box, Qt.Key.Key_Down)

    def _click(self, thing: Thing) -> None:
        self._press(*self._bare(thing))

    def _bare(self, thing: Thing) -> tuple[QWidget, QPoint]:
        """What is under the mouse in the middle of it, once it rests there uncovered."""
        assert thing.enabled, f"{thing.said!r} cannot be pressed now."
        found: list[tuple[QWidget, QPoint]] = []

        def uncovered() -> None:
            middle = bring_into_view(thing)
            hit = under(middle, thing.widget)
            near = hit is thing.widget or hit.isAncestorOf(thing.widget)
            assert near or thing.widget.isAncestorOf(hit), (
                f"{thing.said!r} is covered by {name_of(hit)!r}."
            )
            found.append((hit, hit.mapFromGlobal(middle)))
            assert found[-1:] == found[-2:-1], f"{thing.said!r} still moves."

        self.waits(uncovered)
        return found[-1]

    def _press(self, widget: QWidget, place: QPoint) -> None:
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)

    def _with_keyboard(self) -> QWidget:
        popup, focused = QApplication.activePopupWidget(), QApplication.focusWidget()
        asked: QWidget | None = QApplication.activeModalWidget()
        if (
            popup is None
            and asked is not None
            and not (focused and asked.isAncestorOf(focused))
        ):
            # It is open, but the desktop has not made it the active one yet.
            inner: QWidget | None = asked.focusWidget()
            return inner or asked
        if popup is not None:
            within: QWidget | None = popup.focusWidget()
            return within or popup
        return focused or QApplication.activeWindow() or self.window
