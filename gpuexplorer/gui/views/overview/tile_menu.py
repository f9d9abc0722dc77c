"""The menu of a tile: what can be done with one card on the overview."""

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.cards.faces import Shown


def open_tile_menu(
    parent: QWidget,
    place: QPoint,
    shown: Shown,
    actions: list[tuple[str, str, Callable[[], None] | None]],
) -> None:
    """`actions` are words, a key that does the same, and what is done; None is greyed out."""
    menu = QMenu(parent)
    menu.setAccessibleName(tr("Card {number}", number=shown.number))
    for words, key, done in actions:
        action = menu.addAction(words)
        if key:
            action.setShortcut(QKeySequence(key))
            # It is shown here; the tile itself takes the key.
            action.setShortcutVisibleInContextMenu(True)
        action.setEnabled(done is not None)
        if done is not None:
            action.triggered.connect(done)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)


def copy_card(shown: Shown) -> None:
    """Name and UUID; of a simulated card it is said that it is one."""
    card = shown.card
    words = f"{tr('Card {number}', number=shown.number)}: {card.name}, {card.id}"
    if card.simulated:
        words = tr("SIMULATED. {card}", card=words)
    QApplication.clipboard().setText(words)
