"""MachinesView: all machines together: a map of their cards, a list, and who is free."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from gpuexplorer.core.cards import short_name
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS
from gpuexplorer.core.units import (
    Quantity,
    Units,
    part_of_memory,
    ratio,
    span_words,
    temperature,
    trimmed,
)
from gpuexplorer.core.units import watts as in_watts
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.programs import cards_counted, gigabyte, gigabytes, percent
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.machines.heat_map import HeatMap
from gpuexplorer.gui.state.groups import HostGroup, MachinesSource, Together, all_together
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, add, column, label, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel, Line
from gpuexplorer.gui.widgets.live_view import EmptyState, HeatLegend, KeyGroup, LiveView, Panel

_PAGE = "machines/page"
# The columns of the list, and of the cards that are free, which are machines of one card.
_OF_HOST = "machine state place cards idle busy free hottest power users age"
_OF_FREE = "machine card model free whole users hottest place"
_MANY = 100e9  # bytes
_DASH = Cell(absent=("–",))


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
        self._groups: Sequence[HostGroup] = ()
        body, caption = look().letters.body, look().letters.caption
        self._summary = ElidedLabel(body, Tone.QUIET)
        self._notes, self._said = ElidedLabel(body, Tone.WARN), ElidedLabel(caption, Tone.QUIET)
        self._notes.setObjectName("machines.notes")
        self._sums, self._lines = QWidget(), [Line(height=42) for _ in range(6)]
        row(*self._lines, within=self._sums, gap=16)
        self._sums.setAccessibleName(tr("All machines together"))
        tabs = ("map", tr("Map")), ("list", tr("List")), ("free", tr("Who is free?"))
        self._tabs = Segmented(tr("What is shown"), tabs)
        self._tabs.chosen.connect(self.show_page)
        self.search = SearchField(tr("Find a machine, rack, model or user"))
        self.search.setMinimumWidth(110)
        self.search.setMaximumWidth(320)
        self.search.textChanged.connect(self._show_anew)
        self.search.left.connect(self.setFocus)
        self._map = HeatMap(source)
        self._map.setObjectName("machines.map")
        self._map.pointed_at.connect(self._on_pointed)
        hosts = TableModel(self._columns(_OF_HOST), lambda group: group.key)
        cards = TableModel(self._columns(_OF_FREE), lambda free: free.cards[0].key)
        clock, kept = desk.machine.session.desk, desk.settings
        self._list = Table(tr("Machines"), hosts, clock)
        self._list.activated.connect(self._on_host_opened)
        self._free = Table(tr("Free cards"), cards, clock)
        self._free.activated.connect(self._on_free_opened)
        if source.of_fleet:
            self._list.columns.sort_by("state", falling=False)
        self._nothing, self._stack = EmptyState(Icon.MACHINES), QStackedWidget()
        self._nothing.way_on_chosen.connect(self.search.clear)
        self._pages = {"map": self._map, "list": self._list, "free": self._free}
        for page in (*self._pages.values(), self._nothing):
            self._stack.addWidget(page)
        for table, name, key in (
            (self._list, "list", "columns"),
            (self._free, "free", "free_columns"),
        ):
            table.listed.setParent(table)
            table.setObjectName(f"machines.{name}")
            table.columns.remember_in(kept, f"machines/{key}/{source.of_fleet:d}")
        self._legend, heat = QWidget(), HeatLegend()
        heat.show_ends("0 %", tr("{high} busy", high="100 %"))
        heat.setToolTip(tr(METRICS[GPU_UTILIZATION].meaning))
        hatched = label(tr("hatched: no figure"), caption, Tone.QUIET)
        row(hatched, heat, within=self._legend, gap=20)
        more = ToolButton("framed", Icon.ADD, tr("Add a machine…"), tr("Reached by ssh"))
        more.setVisible(desk.machines.possible)
        more.clicked.connect(desk.machines.add_asked)
        panel, tools = Panel(tr("Machines")), row(self._tabs, self.search, Grow(100), FREE)
        panel.head.insertWidget(1, self._summary)
        panel.head.addWidget(more)
        foot = row(self._said, GROWS, self._legend, gap=20)
        parts = (self._notes, self._sums, tools, self._stack, GROWS, foot)
        add(panel.body, column(*parts, gap=12))
        column(panel, within=self, margins=(24, 20, 24, 20))
        kept.changed.connect(self._on_settings_changed)
        left = kept.remembered(_PAGE)
        self.show_page(left if left in self._pages else "map")

    def pull(self) -> None:
        """A fleet is asked every few seconds only."""
        if (groups := self._source.groups()) is not self._groups:
            self._show(groups)

    def show_page(self, name: str) -> None:
        """Of the three the one of this name."""
        self._page = page = self._pages[name]
        self.desk.settings.remember(_PAGE, name)
        self._tabs.show_choice(name)
        self._legend.setVisible(page is self._map)
        means = tr(
            "Idle is 0 % busy right now. Cards on which somebody holds memory come last."
        )
        self._said.show_text(means if page is self._free else "")
        self.begin_at(page)
        self._show_anew()

    def start_search(self) -> bool:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()
        return True

    def _show_anew(self) -> None:
        self._show(self._source.groups())

    def _show(self, groups: Sequence[HostGroup]) -> None:
        self._groups, fleet = groups, self.desk.machines.fleet
        notes = () if fleet is None or fleet.watching.now is None else fleet.watching.now.notes
        say(self._notes, " ".join(map(tr, notes)))
        shown = self._in_order([each for each in map(self._fitting, groups) if each])
        self._summary.show_text(_summary(shown, groups))
        self._show_sums(all_together([each.together for each in shown]))
        none = tr("No machine or card matches your search.")
        nothing = "" if shown else none if groups else tr("No machine is listed yet.")
        if self._page is self._map:
            self._map.show_groups(shown, self.desk.settings.choices.units)
            self._on_pointed()
        elif self._page is self._list:
            self._list.show_rows(shown, in_order=False)
        else:
            # Those that nobody holds, and of them those with most free memory first.
            idle = [(group, e) for group in shown for e in group.cards if e.idle]
            idle.sort(key=lambda e: (bool(e[1].processes), -(e[1].memory_free or 0.0)))
            free = [replace(group, cards=(each,)) for group, each in idle]
            self._free.show_rows(free, in_order=False)
            nothing = nothing or ("" if free else tr("No card is idle just now."))
        way_on = tr("Show all machines") if self.search.text() and groups else ""
        self._nothing.show_words(nothing, way_on=way_on)
        self._stack.setCurrentWidget(self._nothing if nothing else self._page)

    def _columns(self, keys: str) -> Sequence[Column[HostGroup]]:
        """Where machines stand is told of those of a fleet."""
        known = {each.key: each for each in _columns(self.desk.settings.choices.units)}
        told = [each for each in keys.split() if each != "place" or self._source.of_fleet]
        return [known[each] for each in told]

    def _fitting(self, group: HostGroup) -> HostGroup | None:
        """A machine whose name fits comes with all its cards; else those of its cards that fit.
        The very same where all are left.
        """
        words = self.search.text().strip().casefold()
        if any(words in each.casefold() for each in (group.name, group.place)):
            return group
        cards = [
            cell
            for cell in group.cards
            if any(words in each.casefold() for each in (cell.name, *(cell.users or ())))
        ]
        return replace(group, cards=cards) if cards else None

    def _in_order(self, groups: Sequence[HostGroup]) -> Sequence[HostGroup]:
        """Without cards first; then this computer and the others by name, or, in a fleet, what
        is wrong, and each rack where the first of its machines stands.
        """

        def rank(group: HostGroup) -> tuple[bool, int, str, str]:
            other = group.standing is not Standing.HERE
            first = -group.gravity if self._source.of_fleet else other
            return bool(group.cards), first, natural(group.place), natural(group.name)

        ranked, firsts = sorted(groups, key=rank), dict[tuple[bool, str], int]()
        for at, each in enumerate(ranked):
            firsts.setdefault((bool(each.cards), each.place), at)
        return sorted(ranked, key=lambda each: firsts[bool(each.cards), each.place])

    def _show_sums(self, sums: Together) -> None:
        """What somebody who looks for a card wants to know first comes first. Each says of how
        many cards it is, where others do not tell.
        """
        units, answering, told = (
            self.desk.settings.choices.units,
            sums.answering,
            sums.busy_told,
        )
        whole = part_of_memory(sums.memory_total, sums.memory_total, units)
        free = part_of_memory(sums.memory_free, sums.memory_total, units)
        # What some draw is not compared with the limits of others.
        limits = sums.limits if sums.limits_told == sums.power_told else 0.0
        most = in_watts(limits).number if limits else ""
        celsius, machine, number = sums.hottest or (0.0, "", "")
        where = tr("{machine}, card {number}", machine=machine, number=number)
        cards, every = tr("Cards that answer"), str(sums.cards)
        if answering == sums.cards:
            cards, every = tr("Cards"), ""
        self._sums.setVisible(sums.cards > 0)
        for line, (name, read, count, limit, hint) in zip(
            self._lines,
            (
                (cards, Quantity(str(answering)), answering or 1, every, ""),
                (tr("Idle"), Quantity(str(sums.idle)), told and answering, str(told), ""),
                (tr("Memory free"), free, sums.memory_told, trimmed(whole.number), ""),
                (tr("Busy"), ratio(sums.busy or 0.0), told, "", ""),
                (tr("Power"), in_watts(sums.power, limits), sums.power_told, most, ""),
                (tr("Hottest"), temperature(celsius, units), sums.heat_told, "", where),
            ),
            strict=True,
        ):
            of = {"label": name, "told": count, "count": answering}
            said = tr("{label} ({told} of {count})", **of) if 0 < count < answering else name
            absent = () if count else (tr("no card reports it"), tr("not reported"))
            line.show_captioned(Figure(said, read.number, read.unit, limit, absent, hint))

    def _on_pointed(self) -> None:
        self._said.show_text(self._map.said)

    def _on_host_opened(self, index: QModelIndex) -> None:
        self._source.open_machine(self._list.listed.things[index.row()].key)

    def _on_free_opened(self, index: QModelIndex) -> None:
        self._source.open_card(*self._free.listed.things[index.row()].cards[0].key)

    def _on_settings_changed(self) -> None:
        """In other units, perhaps."""
        self._list.listed.show_columns(self._columns(_OF_HOST))
        self._free.listed.show_columns(self._columns(_OF_FREE))
        self._show_anew()

    def _follow(self, *, following: bool) -> None:
        self._source.look(looking=following)
        super()._follow(following=following)


def _counted(groups: Sequence[HostGroup]) -> str:
    cards = cards_counted(sum(len(each.cards) for each in groups))
    machines = trn("{count} machine", "{count} machines", len(groups))
    return tr("{machines}, {cards}", machines=machines, cards=cards)


def _summary(shown: Sequence[HostGroup], groups: Sequence[HostGroup]) -> str:
    """ "30 machines, 240 cards"; of what is found, how much of all that is."""
    said, every = _counted(shown), _counted(groups)
    parts = [said if said == every else tr("{found} (of {all})", found=said, all=every)]
    if simulated := sum(each.simulated for each in groups):
        words = trn("{count} machine simulated", "{count} machines simulated", simulated)
        parts.append(words)
    if away := sum(not each.standing.answers for each in groups):
        parts.append(tr("{count} without a connection", count=away))
    return " · ".join(parts)


def natural(name: str) -> str:
    """To sort by: gpu-10 comes after gpu-9."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), name.casefold())


def _columns(units: Units) -> Sequence[Column[HostGroup]]:
    """Of a machine, or of a card alone."""

    def figure(
        key: str,
        heading: str,
        value: Callable[[Together], float | None],
        cell: Callable[[float, Together], Cell],
        width: int,
        kept: int,
        meaning: str = "",
    ) -> Column[HostGroup]:
        """Of those of its cards that tell."""

        def words(group: HostGroup) -> Cell:
            told = value(group.together)
            if told is not None:
                return cell(told, group.together)
            untold = Cell(absent=(tr("not reported"), "–"))
            return untold if group.standing.answers and group.cards else _DASH

        return Column(
            *(key, heading, words, lambda group: value(group.together), meaning),
            width=width,
            right=True,
            largest_first=True,
            kept=kept,
        )

    def name(group: HostGroup) -> Cell:
        icon = None if group.standing.answers else group.standing.sign[0]
        shown = tr("shown") if group.shown else ""
        marks = [tr("simulated") if group.simulated else shown]
        if group.late is not None and len(group.cards) == 1:  # a free card has no column of it
            marks.append(tr("{span} old", span=span_words(group.late)))
        return Cell(group.name, icon=icon, mark=", ".join(filter(None, marks)))

    def state(group: HostGroup) -> Cell:
        tone = Tone.QUIET if group.standing.answers else Tone.TEXT
        if not group.standing.answers or not group.wrong:
            return Cell(group.sentence, tone=tone)
        bad = any(each.mark is not None and each.mark.tone is Tone.BAD for each in group.cards)
        return Cell(listed(group.wrong), tone=Tone.BAD if bad else Tone.WARN)

    def cards(group: HostGroup) -> Cell:
        sums = group.together
        if not sums.cards:
            return replace(_DASH, hint=tr("No card answers."))
        if sums.answering == sums.cards or not group.standing.answers:
            return Cell(str(sums.cards))
        words = tr("{answering} of {count}", answering=sums.answering, count=sums.cards)
        return Cell(words, tone=Tone.WARN, hint=tr("So many cards answer."))

    def hottest(celsius: float, sums: Together) -> Cell:
        read, number = temperature(celsius, units), sums.hottest.number if sums.hottest else ""
        return Cell(read.number, unit=read.unit, hint=tr("Card {number}", number=number))

    def power(drawn: float, _: Together) -> Cell:
        return Cell(in_watts(drawn).number, unit=in_watts(drawn).unit)

    def models(group: HostGroup) -> Cell:
        names = sorted({each.name for each in group.cards})
        short = listed([short_name(each) for each in names])
        return Cell(short, tone=Tone.QUIET, hint=listed(names))

    def whole(size: float, _: Together) -> Cell:
        return Cell(f"{float(gigabytes(size, units)):.0f}")

    def free(size: float, sums: Together) -> Cell:
        """Fractions say nothing from a hundred on."""
        words = whole(size, sums).text if size >= _MANY else gigabytes(size, units)
        return Cell(words, gauge=Gauge(size / sums.memory_total, None))

    def users(group: HostGroup) -> Cell:
        if not group.together.users_told:
            absent = (tr("not known"), "–") if group.cards else ("–",)
            return Cell(absent=absent, hint=tr("Nobody says who uses these cards."))
        names = listed(sorted(group.together.users))
        said = group.cards[0].users_words if len(group.cards) == 1 else names or tr("nobody")
        held = names or any(each.processes for each in group.cards)
        return Cell(said, tone=Tone.TEXT if held else Tone.FAINT)

    def age(group: HostGroup) -> Cell:
        if group.age is None:
            return replace(_DASH, hint=tr("Nothing was read there yet."))
        if group.late is None:
            return Cell(tr("now"), tone=Tone.FAINT)
        return Cell(span_words(group.late), tone=Tone.WARN)

    return (
        Column("machine", tr("Machine"), name, lambda g: natural(g.name), width=150,
               stretches=True, share=0.14),
        Column("state", tr("State"), state, lambda g: -g.gravity, width=190, stretches=True,
               share=0.2, meaning=tr("Whether it answers, and what is wrong there.")),
        Column("card", tr("Card"), lambda g: Cell(g.cards[0].number),
               lambda g: natural(g.cards[0].number), width=60, right=True),
        Column("model", tr("Model"), models, lambda g: g.cards[0].name, width=130, kept=3),
        Column("place", tr("Place"), lambda g: Cell(g.place, tone=Tone.QUIET),
               lambda g: natural(g.place), width=90, kept=3,
               meaning=tr("The rack, or what else machines are grouped by.")),
        Column("cards", tr("Cards"), cards, lambda g: g.together.cards, width=70, right=True,
               largest_first=True),
        figure("idle", tr("Idle"), lambda t: t.idle if t.busy_told else None,
               lambda idle, _: Cell(f"{idle:.0f}", tone=Tone.TEXT if idle else Tone.FAINT),
               56, 9, tr("Cards that answer and report 0 % busy just now.")),
        figure("busy", tr("Busy, %"), lambda t: t.busy,
               lambda busy, _: Cell(percent(busy), gauge=Gauge(busy, None)), 104, 7,
               tr("The mean of its cards.")),
        figure("free", tr("Free, {unit}", unit=gigabyte(units)),
               lambda t: t.memory_free if t.memory_told else None,
               free, 120, 8,
               tr("Memory that nobody holds, on all of its cards together.")),
        figure("whole", tr("Whole, {unit}", unit=gigabyte(units)),
               lambda t: t.memory_total if t.memory_told else None,
               whole, 76, 4,
               tr("The whole memory of the card.")),
        figure("hottest", tr("Hottest"), lambda t: t.hottest and t.hottest.celsius, hottest,
               76, 6),
        figure("power", tr("Power"), lambda t: t.power if t.power_told else None, power, 84, 5),
        Column("users", tr("Users"), users, lambda g: listed(sorted(g.together.users)),
               width=150, stretches=True, kept=4),
        Column("age", tr("Age"), age, lambda g: g.age, width=92, right=True,
               largest_first=True, kept=2, meaning=tr("How old its newest figures are.")),
    )  # fmt: skip
