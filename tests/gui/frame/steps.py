"""What a person does with the frame: keys, the rail, the palette."""

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTreeWidget, QWidget

from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.hands import the

W = TypeVar("W", bound=QWidget)
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
NOTHING = Qt.KeyboardModifier.NoModifier


def simulated_cards(spec: str) -> Session:
    """Cards that answer everything any screen asks."""
    return remembering(session_on(simulated(spec), interval=0.1))


def keys(key: Qt.Key, modifier: Qt.KeyboardModifier = NOTHING) -> None:
    """To whoever has the keyboard."""
    focused = QApplication.focusWidget() or QApplication.activeWindow()
    assert focused is not None
    QTest.keyClick(focused, key, modifier)


def write(text: str) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClicks(focused, text)


def called(kind: type[W], within: QWidget, name: str) -> W:
    """The one that can be seen and is called so, or begins so."""
    found = [
        each
        for each in within.findChildren(kind)
        if each.isVisible() and each.accessibleName().startswith(name)
    ]
    assert len(found) == 1, [each.accessibleName() for each in within.findChildren(kind)]
    return found[0]


def press_with_mouse(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def open_palette(window: QWidget) -> CommandPalette:
    QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    [palette] = [each for each in window.findChildren(CommandPalette) if each.isVisible()]
    return palette


def listed(palette: CommandPalette) -> list[str]:
    """What the palette offers, from the top."""
    model = the(QTreeWidget, palette).model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]
