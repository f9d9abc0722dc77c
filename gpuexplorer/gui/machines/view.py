"""MachinesView: all machines together: a map of their cards, a list, and who is free."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.fleet.hour import Hour
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.machines.free_list import FreeList
from gpuexplorer.gui.machines.heat_drawing import HeatShown
from gpuexplorer.gui.machines.heat_metric import HEAT_METRICS
from gpuexplorer.gui.machines.host_list import HostList
from gpuexplorer.gui.machines.hour_page import HourPage, HourShown, rows_of
from gpuexplorer.gui.machines.machine_tools import MachinesPage, MachineTools
from gpuexplorer.gui.machines.map_page import MapPage
from gpuexplorer.gui.machines.model import (
    Asked,
    FreeCard,
    Order,
    filtered,
    free_cards,
    in_order,
    lost,
    of_now,
    users_of,
)
from gpuexplorer.gui.machines.sums_row import SumsRow, figures_of
from gpuexplorer.gui.machines.words import (
    IDLE_MEANS,
    cell_words,
    more_words,
    short_reason,
    summary,
)
from gpuexplorer.gui.state.groups.group import (
    CardCell,
    CellKey,
    GroupSource,
    HostGroup,
    all_together,
)
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import FramedButton
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.empty_state import EmptyState
from gpuexplorer.gui.widgets.key_words import KeyGroup
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.live_view import LiveView

_PAGE, _METRIC, _ORDER, _LEAST = (
    f"machines/{name}" for name in ("page", "metric", "order", "least")
)


class MachinesView(LiveView):
    """The source lists what there is; here it is filtered, put in order and shown."""

    key_groups: Sequence[KeyGroup] = (
        (
            mark("On the map"),
            [("Arrows", mark("Go from card to card")), ("Return", mark("Open the card"))],
        ),
    )

    def __init__(
        self,
        look: Look,
        machine: MachineState,
        time_window: TimeWindow,
        settings: Settings,
        frame_clock: FrameClock,
        source: GroupSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(machine, time_window, frame_clock, parent=parent)
        self._settings, self._source = settings, source
        self._asked, self._least = Asked(), _number(settings.remembered(_LEAST))
        kept = settings.remembered(_PAGE)
        self._page = MachinesPage(kept) if kept in set(MachinesPage) else MachinesPage.MAP
        if self._page is MachinesPage.HOUR and not source.keeps_hour:
            self._page = MachinesPage.MAP
        kept = settings.remembered(_ORDER)
        self._order = Order(kept) if kept in set(Order) else None
        named = {each.name: each for each in HEAT_METRICS}
        self._metric = named.get(settings.remembered(_METRIC) or "", HEAT_METRICS[0])
        self._listed: Sequence[HostGroup] | None = None
        self._stamp: object = None
        self._by_key: dict[str, HostGroup] = {}
        self._look = look
        self._summary = ElidedLabel(look.letters.body, Tone.QUIET)
        self._notes = ElidedLabel(look.letters.body, Tone.WARN)
        self._notes.setObjectName("machines.notes")
        self._sums = SumsRow(look)
        self._tools = MachineTools(look, keeps_hour=source.keeps_hour)
        self._map_page = MapPage(look, self._words_of)
        self._hour_page = HourPage(look)
        self._nothing = EmptyState(look, Icon.MACHINES)
        self._stack = QStackedWidget()
        for page in (self._map_page, self._hour_page, self._nothing):
            self._stack.addWidget(page)
        self._placed = False
        self._list, self._free = self._make_lists()
        self._arrange(look)
        self._connect()
        self._show_page()

    @property
    def order(self) -> Order:
        """As long as nobody chose one, machines of one rack stand together."""
        usual = Order.PLACE if self._placed else Order.NAME
        return self._order or (Order.WORST if self._source.worst_first else usual)

    def pull(self) -> None:
        units = self._settings.choices.units
        groups = self._source.groups()
        stamp = (units, self._page, self._metric, self._order, self._asked, self._least)
        if groups is self._listed and stamp == self._stamp:
            return  # a fleet is asked every few seconds only
        self._listed, self._stamp = groups, stamp
        groups = of_now(groups)
        shown = filtered(groups, self._asked)
        self._by_key = {group.key: group for group in groups}
        self._tools.show_least(self._least, units)
        self._tools.show_users(users_of(groups), self._asked.user)
        self._show_places(any(group.place for group in groups))
        self._summary.show_text(summary(shown, groups))
        notes = " ".join(tr(note) for note in self._source.notes())
        self._notes.show_text(notes)
        self._notes.setVisible(bool(notes))
        self._sums.show_figures(
            figures_of(all_together([group.together for group in shown]), units)
        )
        free = free_cards(shown, self._least) if self._page is MachinesPage.FREE else ()
        hour = self._source.hour(
            self._metric.metric if self._page is MachinesPage.HOUR else None
        )
        nothing = self._nothing_words(groups, shown, free, hour)
        if nothing is not None:
            self._nothing.show_words(*nothing)
            self._stack.setCurrentWidget(self._nothing)
            return
        match self._page:
            case MachinesPage.MAP:
                self._show_map(shown, units)
            case MachinesPage.LIST:
                self._list.show_groups(shown, units)
            case MachinesPage.FREE:
                said = (_unknown_words(shown), tr(IDLE_MEANS))
                self._free.show_cards(free, " ".join(filter(None, said)), units)
            case MachinesPage.HOUR if hour is not None:
                self._show_hour(hour, shown, units)
        self._stack.setCurrentWidget(self._seen())

    def show_page(self, page: MachinesPage) -> None:
        """Map, list or who is free."""
        self._page = page
        self._show_page()

    def start_search(self) -> bool:
        self._tools.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._tools.search.selectAll()
        return True

    def stop(self) -> None:
        self._source.look(looking=False)
        super().stop()

    def _arrange(self, look: Look) -> None:
        title = label(tr("Machines"), look.letters.title)
        add = FramedButton(look, Icon.ADD, tr("Add a machine…"), tr("Reached by ssh"))
        add.setVisible(self._source.adds)
        add.clicked.connect(self._source.ask_add)
        head = row(title, self._summary, GROWS, add, gap=12)
        above = column(
            head, self._notes, self._sums, self._tools, gap=12, margins=(16, 14, 16, 12)
        )
        panel = QFrame()
        panel.setProperty("panel", "card")
        below = row(self._stack, margins=(16, 0, 12, 12))
        column(above, below, GROWS, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def _connect(self) -> None:
        tools = self._tools
        tools.page_chosen.connect(self._on_page_chosen)
        tools.metric_chosen.connect(self._on_metric_chosen)
        tools.order_chosen.connect(self._on_order_chosen)
        tools.searched_for.connect(self._on_searched_for)
        tools.user_chosen.connect(self._on_user_chosen)
        tools.least_chosen.connect(self._on_least_chosen)
        tools.left.connect(self._on_search_left)
        self._map_page.map.cell_opened.connect(self._on_cell_opened)
        self._map_page.map.machine_opened.connect(self._source.open_machine)
        self._nothing.way_on_chosen.connect(self._on_filter_cleared)
        self._settings.changed.connect(self._on_settings_changed)

    def _show_page(self) -> None:
        self._show_tools()
        if self.isVisible():
            self._pull_now()

    def _show_tools(self) -> None:
        self._tools.show_page(self._page, self._metric.name, self.order, placed=self._placed)
        self.begin_at(self._seen())

    def _seen(self) -> QWidget:
        """What there is of the page, unless nothing fits."""
        match self._page:
            case MachinesPage.MAP:
                return self._map_page
            case MachinesPage.LIST:
                return self._list
            case MachinesPage.FREE:
                return self._free
            case MachinesPage.HOUR:
                return self._hour_page

    def _make_lists(self) -> tuple[HostList, FreeList]:
        desk = self.machine.session.desk
        source, placed = self._source, self._placed
        hosts = HostList(
            self._look, self._settings, desk, placed=placed, worst_first=source.worst_first
        )
        free = FreeList(self._look, self._settings, desk, source, placed=placed)
        hosts.machine_opened.connect(self._source.open_machine)
        free.card_opened.connect(self._on_cell_opened)
        for each in (hosts, free):
            self._stack.addWidget(each)
        return hosts, free

    def _show_places(self, placed: bool) -> None:
        """Whether machines tell where they stand: then the lists have a column for it."""
        if placed is self._placed:
            return
        self._placed = placed
        before = self._list, self._free
        self._list, self._free = self._make_lists()
        for each in before:
            self._stack.removeWidget(each)
            each.deleteLater()
        self._show_tools()

    def _show_map(self, shown: Sequence[HostGroup], units: Units) -> None:
        metric = self._metric
        groups = in_order(shown, self.order, metric)
        cells = [cell for group in groups for cell in group.cards]
        values = metric.values(cells)
        highest = metric.highest(values, cells)
        self._map_page.map.show_groups(
            groups,
            HeatShown(
                (values - metric.lowest) / (highest - metric.lowest),
                np.array([lost(cell) for cell in cells], np.bool_),
                tuple(None if cell.mark is None else cell.mark.tone for cell in cells),
                str(metric.words(highest, units)),
                lambda at: self._figure(cells[at], values[at], units),
                lambda at: more_words(cells[at], units),
            ),
            by_place=self.order is not Order.NAME,
        )
        self._map_page.legend.show_ends(*metric.ends(highest, units))
        self._map_page.legend.setToolTip(tr(metric.meaning))
        self._map_page.show_words()

    def _show_hour(self, hour: Hour, shown: Sequence[HostGroup], units: Units) -> None:
        """On the scale of the map."""
        metric, cells = self._metric, [cell for group in shown for cell in group.cards]
        rows = rows_of(hour, shown, whole=not self._asked.filters)
        values = np.concatenate([metric.values(cells), *(each.values for each in rows)])
        highest = metric.highest(values, cells)
        self._hour_page.show_hour(HourShown(hour.start, rows, metric, highest, units))

    def _figure(self, cell: CardCell, value: float, units: Units) -> tuple[str, ...]:
        """In the cell, where there is room; the reason at falling length."""
        if np.isfinite(value):
            read = self._metric.words(float(value), units)
            return str(read), read.number
        return short_reason(cell, self._by_key[cell.key.host], self._metric.metric)

    def _words_of(self, cell: CardCell) -> str:
        group = self._by_key[cell.key.host]
        return cell_words(cell, group, self._metric.metric, self._settings.choices.units)

    def _nothing_words(
        self,
        groups: Sequence[HostGroup],
        shown: Sequence[HostGroup],
        free: Sequence[FreeCard],
        hour: Hour | None,
    ) -> tuple[str, str, str] | None:
        """Heading, more, and the way on."""
        if not groups:
            return tr("No machine is listed yet."), "", ""
        if not shown:
            way_on = tr("Show all machines")
            return tr("No machine or card fits what you look for."), "", way_on
        if self._page is MachinesPage.HOUR and (hour is None or hour.why):
            asking = tr("Prometheus is asked about the last hour.")
            return asking if hour is None else tr(hour.why), "", ""
        if self._page is not MachinesPage.FREE or free:
            return None
        more = _unknown_words(shown)
        if any(cell.idle for group in shown for cell in group.cards):
            size = str(memory(self._least, self._settings.choices.units))
            heading = tr("No idle card has {size} of free memory.", size=size)
            return heading, more, tr("Show all idle cards")
        way_on = tr("Show all machines") if self._asked.filters else ""
        return tr("No card is idle just now."), more, way_on

    def _on_page_chosen(self, page: MachinesPage) -> None:
        self._settings.remember(_PAGE, page)
        self.show_page(page)

    def _on_metric_chosen(self, name: str) -> None:
        self._metric = next(each for each in HEAT_METRICS if each.name == name)
        self._settings.remember(_METRIC, name)
        self._show_page()

    def _on_order_chosen(self, order: Order) -> None:
        self._order = order
        self._settings.remember(_ORDER, order)
        self._show_page()

    def _on_searched_for(self, words: str) -> None:
        self._asked = replace(self._asked, words=words.strip())
        self._pull_now()

    def _on_user_chosen(self, user: str | None) -> None:
        self._asked = replace(self._asked, user=user)
        self._pull_now()

    def _on_least_chosen(self, least: float) -> None:
        self._least = least
        self._settings.remember(_LEAST, str(least))
        self._pull_now()

    def _on_filter_cleared(self) -> None:
        """All that kept cards from being shown."""
        self._asked = Asked()
        if self._page is MachinesPage.FREE:
            self._on_least_chosen(0.0)
        self._tools.search.clear()
        self._pull_now()

    def _on_search_left(self) -> None:
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_cell_opened(self, key: CellKey) -> None:
        self._source.open_card(key.host, key.card)

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self._pull_now()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        self._source.look(looking=True)
        super().showEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._source.look(looking=False)


def _unknown_words(groups: Sequence[HostGroup]) -> str:
    """Empty where it is known of all."""
    count = sum(group.together.cards - group.together.busy_told for group in groups)
    if not count:
        return ""
    return trn(
        "Of {count} card it is not known whether it is idle.",
        "Of {count} cards it is not known whether they are idle.",
        count,
    )


def _number(text: str | None) -> float:
    """What is remembered was written by hand, perhaps."""
    try:
        number = float(text or 0.0)
    except ValueError:
        return 0.0
    return number if 0.0 <= number < 1e15 else 0.0
