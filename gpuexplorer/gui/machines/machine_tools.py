"""MachineTools: which page of the machines is seen, what is looked for, and how it is shown."""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.process_words import GB, GIB, gigabyte
from gpuexplorer.gui.machines.heat_metric import HEAT_METRICS
from gpuexplorer.gui.machines.model import Order
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, label, row

_EVERYBODY = mark("All users")
_NARROWEST_SEARCH, _WIDEST_SEARCH = 110, 280
_PAGES_COMPACT_BELOW, _METRICS_COMPACT_BELOW = 760, 1080
_STOPS = (4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 40.0, 48.0, 64.0, 80.0, 96.0, 141.0)
_MOST = 1024.0


class MachinesPage(StrEnum):
    """What is seen of all machines."""

    MAP = "map"
    LIST = "list"
    FREE = "free"
    HOUR = "hour"


_PAGES = (
    (MachinesPage.MAP, mark("Map")),
    (MachinesPage.LIST, mark("List")),
    (MachinesPage.FREE, mark("Who is free?")),
)
_HOUR = (MachinesPage.HOUR, mark("Last hour"))
_ORDERS = (
    (Order.WORST, mark("Worst first")),
    (Order.NAME, mark("By name")),
    (Order.PLACE, mark("By rack")),
)


class MachineTools(QWidget):
    """Asks; whoever decides shows the answer here."""

    page_chosen = Signal(object)
    metric_chosen = Signal(object)  # the name of one
    order_chosen = Signal(object)
    searched_for = Signal(str)
    user_chosen = Signal(object)  # a name, or None for all
    least_chosen = Signal(float)  # bytes
    left = Signal()  # what is seen is to have the keyboard

    def __init__(self, look: Look, *, keeps_hour: bool) -> None:
        super().__init__()
        self._users: Sequence[str] = ()
        self._user: str | None = None
        self._order = Order.NAME
        self._size = GIB
        self._placed = False
        pages = (*_PAGES, _HOUR) if keeps_hour else _PAGES
        self._pages = Segmented(
            look, tr("What is shown"), [(page, tr(words)) for page, words in pages]
        )
        self.search = SearchField(look, tr("Find a machine, rack or model"))
        self.search.setMinimumWidth(_NARROWEST_SEARCH)
        self.search.setMaximumWidth(_WIDEST_SEARCH)
        self._user_button = MenuButton(tr("Cards that are used by"))
        self._metrics = Segmented(
            look, tr("What cells show"), [(each.name, tr(each.title)) for each in HEAT_METRICS]
        )
        self._order_button = MenuButton(tr("Order"))
        self._at_least = label(tr("Free, at least"), look.letters.body, Tone.QUIET)
        limits = Range(0.0, _MOST, _STOPS)
        self._least = NumberField(tr("Free memory, at least"), limits, "")
        row(
            *(self._pages, self.search, Grow(100), self._user_button),
            *(FREE, self._at_least, self._least, self._metrics, self._order_button),
            within=self,
        )
        self._pages.chosen.connect(self.page_chosen)
        self._metrics.chosen.connect(self.metric_chosen)
        self.search.searched_for.connect(self.searched_for)
        self.search.left.connect(self.left)
        self._least.chosen.connect(self._on_least_chosen)
        self._user_button.about_to_open.connect(self._on_users_asked)
        self._order_button.about_to_open.connect(self._on_orders_asked)

    def show_page(self, page: MachinesPage, metric: str, order: Order, *, placed: bool) -> None:
        """`placed`: machines tell where they stand, so that this may be their order."""
        self._pages.show_choice(page)
        self._metrics.show_choice(metric)
        self._order, self._placed = order, placed
        self._order_button.show_words(tr(dict(_ORDERS)[order]))
        self._metrics.setVisible(page in (MachinesPage.MAP, MachinesPage.HOUR))
        self._order_button.setVisible(page is MachinesPage.MAP)
        for of_free in (self._at_least, self._least):
            of_free.setVisible(page is MachinesPage.FREE)

    def show_users(self, users: Sequence[str], user: str | None) -> None:
        """One who uses no card any more can be left."""
        self._users, self._user = users, user
        # What somebody is called is no mnemonic.
        self._user_button.show_words(tr(_EVERYBODY) if user is None else _plain(user))
        self._user_button.setVisible(bool(users) or user is not None)

    def show_least(self, least: float, units: Units) -> None:
        self._size = GB if units.decimal_memory else GIB
        self._least.show_kind(Range(0.0, _MOST, _STOPS), gigabyte(units))
        self._least.show_number(round(least / self._size, 2))

    def _on_least_chosen(self, number: float) -> None:
        self.least_chosen.emit(number * self._size)

    def _on_users_asked(self, menu: QMenu) -> None:
        for user in (None, *self._users):
            words = tr(_EVERYBODY) if user is None else _plain(user)
            _offer(menu, words, user, self._user, self.user_chosen)

    def _on_orders_asked(self, menu: QMenu) -> None:
        for order, words in _ORDERS:
            if order is not Order.PLACE or self._placed:
                _offer(menu, tr(words), order, self._order, self.order_chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._pages.show_compact(event.size().width() < _PAGES_COMPACT_BELOW)
        self._metrics.show_compact(event.size().width() < _METRICS_COMPACT_BELOW)


def _offer(
    menu: QMenu, words: str, choice: object, chosen: object, asked: SignalInstance
) -> None:
    action = menu.addAction(words)
    action.setCheckable(True)
    action.setChecked(choice == chosen)
    action.triggered.connect(lambda: asked.emit(choice))


def _plain(name: str) -> str:
    return name.replace("&", "&&")
