"""MachinesView: all machines together: a map of their cards, a list, and who is free."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget

from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.machines.free_columns import free_columns
from gpuexplorer.gui.machines.heat_map import HeatMap
from gpuexplorer.gui.machines.host_columns import STATE, host_columns
from gpuexplorer.gui.machines.machine_tools import MachinesPage, MachineTools
from gpuexplorer.gui.machines.model import (
    Asked,
    FreeCard,
    filtered,
    free_cards,
    in_order,
    of_now,
    users_of,
)
from gpuexplorer.gui.machines.sums_row import SumsRow, figures_of
from gpuexplorer.gui.machines.words import IDLE_MEANS, state_sentence, summary
from gpuexplorer.gui.state.groups.group import CellKey, HostGroup, all_together
from gpuexplorer.gui.state.groups.of_sessions import MachinesSource
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import (
    EmptyState,
    HeatLegend,
    KeyGroup,
    LiveView,
    scrolled,
)

_PAGE = "machines/page"


class MachinesView(LiveView):
    """The source lists what there is; here it is filtered, put in order and shown."""

    key_groups: Sequence[KeyGroup] = (
        (
            mark("On the map"),
            [("Arrows", mark("Go from card to card")), ("Return", mark("Open the card"))],
        ),
    )

    def __init__(self, desk: Desk, source: MachinesSource) -> None:
        super().__init__(desk)
        self._settings, self._source = desk.settings, source
        self._asked, self._units = Asked(), USUAL
        kept = desk.settings.remembered(_PAGE)
        self._page = MachinesPage(kept) if kept in set(MachinesPage) else MachinesPage.MAP
        self._listed: Sequence[HostGroup] | None = None
        self._stamp: object = None
        self._summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self._notes = ElidedLabel(look().letters.body, Tone.WARN)
        self._notes.setObjectName("machines.notes")
        self._sums = SumsRow()
        self._tools = MachineTools()
        self._map = HeatMap()
        self._map.setObjectName("machines.map")
        self._area = scrolled(self._map)
        self._map.setAutoFillBackground(False)  # which Qt has just seen to
        clock, placed = desk.machine.session.desk, source.of_fleet
        self._hosts = TableModel(
            host_columns(USUAL, placed=placed), lambda group: group.key, parent=self
        )
        self._list = Table(tr("Machines"), self._hosts, clock)
        self._list.setObjectName("machines.list")
        if source.of_fleet:
            self._list.columns.sort_by(STATE, falling=False)
        self._list.columns.remember_in(desk.settings, f"machines/columns/{placed:d}")
        self._cards = TableModel(
            free_columns(USUAL, placed=placed), lambda free: free.cell.key, parent=self
        )
        self._free = Table(tr("Free cards"), self._cards, clock)
        self._free.setObjectName("machines.free")
        self._free.columns.remember_in(desk.settings, f"machines/free_columns/{placed:d}")
        self._nothing = EmptyState(Icon.MACHINES)
        self._pages = {
            MachinesPage.MAP: self._area,
            MachinesPage.LIST: self._list,
            MachinesPage.FREE: self._free,
        }
        self._stack = QStackedWidget()
        for page in (*self._pages.values(), self._nothing):
            self._stack.addWidget(page)
        self._why = wrapped_label("", Tone.TEXT)  # of the machine that is picked
        self._said = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._hatched = label(tr("hatched: no figure"), look().letters.caption, Tone.QUIET)
        self._hatched.setToolTip(tr("Point at a cell, and it says why."))
        self._legend = HeatLegend()
        self._legend.show_ends("0 %", tr("{high} busy", high="100 %"))
        self._legend.setToolTip(tr(METRICS[GPU_UTILIZATION].meaning))
        self._arrange()
        self._connect()
        self._show_page()

    def pull(self) -> None:
        units = self._settings.choices.units
        groups = self._source.groups()
        stamp = (units, self._page, self._asked)
        if groups is self._listed and stamp == self._stamp:
            return  # a fleet is asked every few seconds only
        self._listed, self._stamp = groups, stamp
        self._show_units(units)
        groups = of_now(groups)
        shown = in_order(filtered(groups, self._asked), worst_first=self._source.of_fleet)
        self._tools.show_users(users_of(groups), self._asked.user)
        self._summary.show_text(summary(shown, groups))
        say(self._notes, " ".join(tr(note) for note in self._source.notes()))
        together = all_together([group.together for group in shown])
        self._sums.setVisible(together.cards > 0)
        self._sums.show_figures(figures_of(together, units))
        free = free_cards(shown) if self._page is MachinesPage.FREE else ()
        match self._page:
            case MachinesPage.MAP:
                self._map.show_groups(shown, units)
                self._on_pointed()
            case MachinesPage.LIST:
                self._list.show_rows(shown, in_order=False)
                self._on_picked()
            case MachinesPage.FREE:
                self._free.show_rows(free, in_order=False)
                unknown = together.cards - together.busy_told
                self._said.show_text(
                    " ".join(filter(None, (_unknown(unknown), tr(IDLE_MEANS))))
                )
        self._stack.setCurrentWidget(self._pages[self._page])
        nothing = self._nothing_words(groups, shown, free)
        if nothing is not None:
            self._nothing.show_words(*nothing)
            self._stack.setCurrentWidget(self._nothing)

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

    def _arrange(self) -> None:
        title = label(tr("Machines"), look().letters.title)
        add = ToolButton("framed", Icon.ADD, tr("Add a machine…"), tr("Reached by ssh"))
        add.setVisible(self._source.adds)
        add.clicked.connect(self._source.ask_add)
        head = row(title, self._summary, GROWS, add, gap=12)
        above = column(
            head, self._notes, self._sums, self._tools, gap=12, margins=(16, 14, 16, 12)
        )
        foot = row(self._said, GROWS, self._hatched, self._legend, gap=20)
        below = column(self._stack, GROWS, self._why, foot, gap=8, margins=(16, 0, 12, 12))
        panel = QFrame()
        panel.setProperty("panel", "card")
        column(above, below, GROWS, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def _connect(self) -> None:
        tools = self._tools
        tools.page_chosen.connect(self._on_page_chosen)
        tools.search.textChanged.connect(self._on_searched_for)
        tools.user_chosen.connect(self._on_user_chosen)
        tools.search.left.connect(self._on_search_left)
        self._map.cell_opened.connect(self._on_cell_opened)
        self._map.machine_opened.connect(self._source.open_machine)
        self._map.pointed.connect(self._on_pointed)
        self._map.keyed.connect(self._on_keyed)
        self._list.activated.connect(self._on_host_opened)
        self._list.picked_changed.connect(self._on_picked)
        self._free.activated.connect(self._on_free_opened)
        self._nothing.way_on_chosen.connect(self._on_filter_cleared)
        self._settings.changed.connect(self._on_settings_changed)

    def _show_page(self) -> None:
        self._tools.show_page(self._page)
        for of_map in (self._hatched, self._legend):
            of_map.setVisible(self._page is MachinesPage.MAP)
        self._said.setVisible(self._page is not MachinesPage.LIST)
        self._said.show_text("")
        self._why.hide()
        self.begin_at(self._map if self._page is MachinesPage.MAP else self._pages[self._page])
        if self.isVisible():
            self._pull_now()

    def _show_units(self, units: Units) -> None:
        if units != self._units:
            self._units, placed = units, self._source.of_fleet
            self._hosts.show_columns(host_columns(units, placed=placed))
            self._cards.show_columns(free_columns(units, placed=placed))

    def _nothing_words(
        self,
        groups: Sequence[HostGroup],
        shown: Sequence[HostGroup],
        free: Sequence[FreeCard],
    ) -> tuple[str, str, str] | None:
        """Heading, more, and the way on."""
        way_on = tr("Show all machines") if self._asked.filters else ""
        if not groups:
            return tr("No machine is listed yet."), "", ""
        if not shown:
            return tr("No machine or card fits what you look for."), "", way_on
        if self._page is MachinesPage.FREE and not free:
            return tr("No card is idle just now."), "", way_on
        return None

    def _on_page_chosen(self, page: MachinesPage) -> None:
        self._settings.remember(_PAGE, page)
        self.show_page(page)

    def _on_searched_for(self, words: str) -> None:
        self._asked = replace(self._asked, words=words.strip())
        self._pull_now()

    def _on_user_chosen(self, user: str | None) -> None:
        self._asked = replace(self._asked, user=user)
        self._pull_now()

    def _on_filter_cleared(self) -> None:
        """All that kept cards from being shown."""
        self._asked = Asked()
        self._tools.search.clear()
        self._pull_now()

    def _on_search_left(self) -> None:
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_pointed(self) -> None:
        self._said.show_text(self._map.said)

    def _on_keyed(self, place: QRect) -> None:
        middle = place.center()
        self._area.ensureVisible(middle.x(), middle.y(), place.width(), 2 * place.height())

    def _on_picked(self) -> None:
        """Its column may be too narrow for the whole reason; of the first, where none is."""
        there = self._list.picked()[:1] or self._hosts.things
        why = next((each for each in there if not each.standing.answers), None)
        if why is None:
            say(self._why, "")
        else:
            words = tr("{machine}: {state}", machine=why.name, state=state_sentence(why))
            say(self._why, words)

    def _on_cell_opened(self, key: CellKey) -> None:
        self._source.open_card(key.host, key.card)

    def _on_host_opened(self, index: QModelIndex) -> None:
        group = self._hosts.thing(index)
        if group is not None:
            self._source.open_machine(group.key)

    def _on_free_opened(self, index: QModelIndex) -> None:
        free = self._cards.thing(index)
        if free is not None:
            self._on_cell_opened(free.cell.key)

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


def _unknown(count: int) -> str:
    """Empty where it is known of all."""
    if not count:
        return ""
    return trn(
        "Of {count} card it is not known whether it is idle.",
        "Of {count} cards it is not known whether they are idle.",
        count,
    )
