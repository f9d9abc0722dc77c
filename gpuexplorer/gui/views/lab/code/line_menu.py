"""What can be done with one line of the session: its menu."""

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget


def open_line_menu(
    place: QPoint, actions: "list[tuple[str, Callable[[], None]]]", parent: QWidget
) -> None:
    """Gone when it is closed."""
    menu = QMenu(parent)
    menu.setFont(parent.window().font())  # the system has another for menus
    for words, run in actions:
        menu.addAction(words).triggered.connect(lambda _=False, run=run: run())
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)
