"""MachinesView: all machines together: a map of their cards, a list, and who is free."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, TEMPERATURE
from gpuexplorer.core.units import (
    Quantity,
    Units,
    part_of_memory,
    quantity,
    ratio,
    trimmed,
    watts,
)
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.programs import cards_counted
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.machines.heat_map import MOST_APART, HeatMap
from gpuexplorer.gui.machines.tables import (
    STATE,
    FreeCard,
    free_columns,
    host_columns,
    natural,
)
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.state.groups import (
    CellKey,
    HostGroup,
    MachinesSource,
    Together,
    all_together,
)
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    column,
    label,
    row,
    say,
)
from gpuexplorer.gui.widgets.line import ElidedLabel, Line
from gpuexplorer.gui.widgets.live_view import EmptyState, HeatLegend, KeyGroup, LiveView

_PAGE = "machines/page"


class MachinesPage(StrEnum):
    """What is seen of all machines."""

    MAP = "map"
    LIST = "list"
    FREE = "free"


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
        self._source = source
        self._groups: Sequence[HostGroup] | None = None
        self._asked: object = None
        kept = desk.settings.remembered(_PAGE)
        self._page = MachinesPage(kept) if kept in set(MachinesPage) else MachinesPage.MAP
        self._summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self._notes = ElidedLabel(look().letters.body, Tone.WARN)
        self._notes.setObjectName("machines.notes")
        self._sums, self._lines = QWidget(), [Line(height=42) for _ in range(6)]
        row(*self._lines, within=self._sums, gap=16)
        self._sums.setAccessibleName(tr("All machines together"))
        pages = (mark("Map"), mark("List"), mark("Who is free?"))
        named = [(each, tr(words)) for each, words in zip(MachinesPage, pages, strict=True)]
        self._tabs = Segmented(tr("What is shown"), named)
        self.search = SearchField(tr("Find a machine, rack, model or user"))
        self.search.setMinimumWidth(110)
        self.search.setMaximumWidth(320)
        self._map = HeatMap()
        self._map.setObjectName("machines.map")
        units, placed = desk.settings.choices.units, source.of_fleet
        clock = desk.machine.session.desk
        hosts = TableModel(host_columns(units, placed=placed), lambda group: group.key)
        cards = TableModel(free_columns(units, placed=placed), lambda free: free.cell.key)
        self._list = Table(tr("Machines"), hosts, clock)
        self._free = Table(tr("Free cards"), cards, clock)
        if placed:
            self._list.columns.sort_by(STATE, falling=False)
        for table, name, key in (
            (self._list, "list", "columns"),
            (self._free, "free", "free_columns"),
        ):
            table.listed.setParent(table)
            table.setObjectName(f"machines.{name}")
            table.columns.remember_in(desk.settings, f"machines/{key}/{placed:d}")
        self._nothing = EmptyState(Icon.MACHINES)
        self._stack = QStackedWidget()
        for page in (self._map, self._list, self._free, self._nothing):
            self._stack.addWidget(page)
        self._said = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._legend, heat = QWidget(), HeatLegend()
        hatched = label(tr("hatched: no figure"), look().letters.caption, Tone.QUIET)
        hatched.setToolTip(tr("Point at a cell, and it says why."))
        heat.show_ends("0 %", tr("{high} busy", high="100 %"))
        heat.setToolTip(tr(METRICS[GPU_UTILIZATION].meaning))
        row(hatched, heat, within=self._legend, gap=20)
        self._arrange()
        self._connect()
        self.show_page(self._page)

    def _arrange(self) -> None:
        machines = self.desk.machines
        title = label(tr("Machines"), look().letters.title)
        add = ToolButton("framed", Icon.ADD, tr("Add a machine…"), tr("Reached by ssh"))
        add.setVisible(machines.possible)
        add.clicked.connect(machines.add_asked)
        head = row(title, self._summary, GROWS, add, gap=12)
        tools = row(self._tabs, self.search, Grow(100), FREE)
        sides = (16, 14, 16, 12)
        above = column(head, self._notes, self._sums, tools, gap=12, margins=sides)
        foot = row(self._said, GROWS, self._legend, gap=20)
        below = column(self._stack, GROWS, foot, gap=8, margins=(16, 0, 12, 12))
        panel = QFrame()
        panel.setProperty("panel", "card")
        column(above, below, GROWS, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def _connect(self) -> None:
        self._tabs.chosen.connect(self._on_page_chosen)
        self.search.textChanged.connect(self._pull_now)
        self.search.left.connect(self.setFocus)
        self._map.cell_opened.connect(self._on_cell_opened)
        self._map.machine_opened.connect(self._source.open_machine)
        self._map.pointed_at.connect(self._on_pointed)
        self._list.activated.connect(self._on_host_opened)
        self._list.picked_changed.connect(self._on_picked)
        self._free.activated.connect(self._on_free_opened)
        self._nothing.way_on_chosen.connect(self.search.clear)
        self.desk.settings.changed.connect(self._on_settings_changed)

    def pull(self) -> None:
        groups, units = self._source.groups(), self.desk.settings.choices.units
        asked = units, self._page, self.search.text()
        if groups is self._groups and asked == self._asked:
            return  # a fleet is asked every few seconds only
        self._groups, self._asked = groups, asked
        fleet = self.desk.machines.fleet
        notes = () if fleet is None or fleet.watching.now is None else fleet.watching.now.notes
        say(self._notes, " ".join(map(tr, notes)))
        shown = self._in_order([each for each in map(self._fitting, groups) if each])
        self._summary.show_text(_summary(shown, groups))
        sums = all_together([each.together for each in shown])
        self._show_sums(sums, units)
        way_on = tr("Show all machines") if self.search.text() else ""
        nothing = tr("No machine or card matches your search.") if groups else ""
        nothing = nothing or tr("No machine is listed yet.")
        page: QWidget = self._nothing
        match self._page:
            case MachinesPage.MAP if shown:
                page = self._map
                self._map.show_groups(shown, units)
                self._on_pointed()
            case MachinesPage.LIST if shown:
                page = self._list
                self._list.show_rows(shown, in_order=False)
                self._on_picked()
            case MachinesPage.FREE if shown:
                free = [FreeCard(group, e) for group in shown for e in group.cards if e.idle]
                # Those that nobody holds, and of them those with most free memory first.
                free.sort(key=lambda e: (bool(e.cell.processes), -(e.cell.memory_free or 0.0)))
                self._free.show_rows(free, in_order=False)
                page, nothing = self._free if free else page, tr("No card is idle just now.")
                self._said.show_text(_idle_means(sums.cards - sums.busy_told))
        self._nothing.show_words(nothing, way_on=way_on if groups else "")
        self._stack.setCurrentWidget(page)

    def show_page(self, page: MachinesPage) -> None:
        """Map, list or who is free."""
        self._page = page
        self._tabs.show_choice(page)
        self._legend.setVisible(page is MachinesPage.MAP)
        self._said.show_text("")
        pages = (self._map, self._list, self._free)
        self.begin_at(pages[list(MachinesPage).index(page)])
        if self.isVisible():
            self._pull_now()

    def start_search(self) -> bool:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()
        return True

    def stop(self) -> None:
        self._source.look(looking=False)
        super().stop()

    def _fitting(self, group: HostGroup) -> HostGroup | None:
        """A machine whose name fits comes with all its cards; else those of its cards that fit.
        The very same where all are left.
        """
        words = self.search.text().strip().casefold()
        whole = words in group.name.casefold() or words in group.place.casefold()
        cards = [
            cell
            for cell in group.cards
            if whole or any(words in e.casefold() for e in (cell.name, *(cell.users or ())))
        ]
        if len(cards) == len(group.cards):
            return group if whole or cards else None
        return replace(group, cards=tuple(cards)) if cards else None

    def _in_order(self, groups: Sequence[HostGroup]) -> Sequence[HostGroup]:
        """Without cards first; then this computer and the others by name, or, in a fleet, what
        is wrong. Of many, each rack comes where the first of its machines stands.
        """
        here = Standing.HERE
        if not self._source.of_fleet:
            names = {
                each.key: (each.standing is not here, natural(each.name)) for each in groups
            }
            return sorted(groups, key=lambda each: (bool(each.cards), names[each.key]))
        ranked = sorted(
            groups,
            key=lambda each: (-each.gravity, natural(each.place), natural(each.name)),
        )
        firsts: dict[str, int] = {}
        if len(groups) > MOST_APART:
            for at, each in enumerate(ranked):
                firsts.setdefault(each.place if each.cards else "", at)
        return sorted(ranked, key=lambda e: (bool(e.cards), firsts.get(e.place, 0)))

    def _show_sums(self, sums: Together, units: Units) -> None:
        """What somebody who looks for a card wants to know first comes first. Each says of how
        many cards it is, where others do not tell.
        """

        def figure(
            name: str,
            read: Quantity,
            told: int,
            limit: str = "",
            answering: int = sums.answering,
        ) -> Figure:
            if not told:
                return Figure(name, absent=(tr("no card reports it"), tr("not reported")))
            if told < answering:
                name = tr("{label} ({told} of {count})", label=name, told=told, count=answering)
            return Figure(name, number=read.number, unit=read.unit, limit=limit)

        whole = part_of_memory(sums.memory_total, sums.memory_total, units)
        free = part_of_memory(sums.memory_free, sums.memory_total, units)
        # What some draw is not compared with the limits of others.
        limits = sums.limits if sums.limits_told == sums.power_told else 0.0
        power, most = watts(sums.power, limits), watts(limits).number if limits else ""
        told, idle = sums.busy_told, Quantity(str(sums.idle))
        figures = [
            Figure(tr("Cards"), number=str(sums.cards))
            if sums.answering == sums.cards
            else Figure(
                tr("Cards that answer"), number=str(sums.answering), limit=str(sums.cards)
            ),
            figure(tr("Idle"), idle, told, str(told), told),
            figure(tr("Memory free"), free, sums.memory_told, trimmed(whole.number)),
            figure(tr("Busy"), ratio(sums.busy or 0.0), told),
            figure(tr("Power"), power, sums.power_told, most),
        ]
        if sums.hottest is not None:
            celsius, machine, number = sums.hottest
            read = quantity(METRICS[TEMPERATURE], celsius, units)
            where = tr("{machine}, card {number}", machine=machine, number=number)
            figures.append(
                Figure(tr("Hottest"), number=read.number, unit=read.unit, hint=where)
            )
        spoken = [each.spoken for each in figures]
        self._sums.setAccessibleDescription(f"{'. '.join(spoken)}.")
        self._sums.setToolTip(plain_tip("\n".join(spoken)))
        self._sums.setVisible(sums.cards > 0)
        self._lines[-1].setVisible(sums.hottest is not None)
        for line, each in zip(self._lines, figures, strict=False):
            line.show_captioned(each)

    def _on_settings_changed(self) -> None:
        units, placed = self.desk.settings.choices.units, self._source.of_fleet
        self._list.listed.show_columns(host_columns(units, placed=placed))
        self._free.listed.show_columns(free_columns(units, placed=placed))
        if self.isVisible():
            self._pull_now()

    def _on_page_chosen(self, page: MachinesPage) -> None:
        self.desk.settings.remember(_PAGE, page)
        self.show_page(page)

    def _on_pointed(self) -> None:
        self._said.show_text(self._map.said)

    def _on_picked(self) -> None:
        """Its column may be too narrow for the whole reason; of the first, where none is."""
        there = self._list.picked()[:1] or self._list.listed.things
        said = (f"{each.name}: {each.sentence}" for each in there if not each.standing.answers)
        self._said.show_text(next(said, ""))

    def _on_cell_opened(self, key: CellKey) -> None:
        self._source.open_card(key.host, key.card)

    def _on_host_opened(self, index: QModelIndex) -> None:
        group = self._list.listed.thing(index)
        if group is not None:
            self._source.open_machine(group.key)

    def _on_free_opened(self, index: QModelIndex) -> None:
        free = self._free.listed.thing(index)
        if free is not None:
            self._on_cell_opened(free.cell.key)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        self._source.look(looking=True)
        super().showEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._source.look(looking=False)


def _summary(shown: Sequence[HostGroup], groups: Sequence[HostGroup]) -> str:
    """ "30 machines, 240 cards"; of what is found, how much of all that is."""
    count, every = (sum(len(each.cards) for each in some) for some in (shown, groups))
    cards = cards_counted(count)
    machines = trn("{count} machine", "{count} machines", len(shown))
    said = tr("{machines}, {cards}", machines=machines, cards=cards)
    if len(shown) < len(groups) or count < every:
        found = {"cards": cards, "machines": machines, "every": every, "all": len(groups)}
        said = tr("{cards} on {machines}, of {every} on {all}", **found)
    simulated = sum(each.simulated for each in groups)
    if simulated:
        one, many = mark("{count} machine simulated"), mark("{count} machines simulated")
        said = f"{said} · {trn(one, many, simulated)}"
    away = sum(not each.standing.answers for each in groups)
    if away:
        one = mark("{count} without a connection")
        said = f"{said} · {trn(one, one, away)}"
    return said


def _idle_means(unknown: int) -> str:
    means = tr(
        "Idle is 0 % busy right now. Cards on which somebody holds memory stand further down."
    )
    one = mark("Of {count} card it is not known whether it is idle.")
    many = mark("Of {count} cards it is not known whether they are idle.")
    return f"{trn(one, many, unknown)} {means}" if unknown else means
