"""MachineTools: which page of the machines is seen, and what is looked for there."""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, row

_EVERYBODY = mark("All users")
_NARROWEST_SEARCH, _WIDEST_SEARCH, _COMPACT_BELOW = 110, 280, 620


class MachinesPage(StrEnum):
    """What is seen of all machines."""

    MAP = "map"
    LIST = "list"
    FREE = "free"


_PAGES = (
    (MachinesPage.MAP, mark("Map")),
    (MachinesPage.LIST, mark("List")),
    (MachinesPage.FREE, mark("Who is free?")),
)


class MachineTools(QWidget):
    """Asks; whoever decides shows the answer here."""

    page_chosen = Signal(object)
    user_chosen = Signal(object)  # a name, or None for all

    def __init__(self) -> None:
        super().__init__()
        self._users: Sequence[str] = ()
        self._user: str | None = None
        pages = [(page, tr(words)) for page, words in _PAGES]
        self._pages = Segmented(tr("What is shown"), pages)
        self.search = SearchField(tr("Find a machine, rack or model"))
        self.search.setMinimumWidth(_NARROWEST_SEARCH)
        self.search.setMaximumWidth(_WIDEST_SEARCH)
        self._user_button = MenuButton(tr("Cards that are used by"))
        row(self._pages, self.search, Grow(100), self._user_button, FREE, within=self)
        self._pages.chosen.connect(self.page_chosen)
        self._user_button.about_to_open.connect(self._on_users_asked)

    def show_page(self, page: MachinesPage) -> None:
        self._pages.show_choice(page)

    def show_users(self, users: Sequence[str], user: str | None) -> None:
        """One who uses no card any more can be left."""
        self._users, self._user = users, user
        self._user_button.show_words(_words(user))
        self._user_button.setVisible(bool(users) or user is not None)

    def _on_users_asked(self, menu: QMenu) -> None:
        for user in (None, *self._users):
            action = menu.addAction(_words(user))
            action.setCheckable(True)
            action.setChecked(user == self._user)
            action.triggered.connect(lambda _=False, user=user: self.user_chosen.emit(user))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._pages.show_compact(event.size().width() < _COMPACT_BELOW)


def _words(user: str | None) -> str:
    """What somebody is called is no mnemonic."""
    return tr(_EVERYBODY) if user is None else user.replace("&", "&&")
