"""HostList: all machines as rows, and what is said of each."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal

from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import USUAL, Units, quantity, watts_together
from gpuexplorer.core.words import listed, tr
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.cards.process_words import gigabyte, percent
from gpuexplorer.gui.machines.model import gravity, natural
from gpuexplorer.gui.machines.words import (
    gigabytes_together,
    state_sign,
    state_words,
    why_words,
    wrong_words,
)
from gpuexplorer.gui.state.groups.group import HostGroup
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.cell import Cell, Gauge
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone

STATE, PLACE = "state", "place"


class HostList(Table[HostGroup]):
    """`placed`: machines tell where they stand, and there is a column for it."""

    machine_opened = Signal(str)

    def __init__(
        self, look: Look, settings: Settings, clock: Clock, *, placed: bool, worst_first: bool
    ) -> None:
        self._said = HostColumns(placed=placed)
        self._rows = TableModel(self._said.all(), lambda group: group.key)
        super().__init__(look, tr("Machines"), self._rows, clock)
        self._rows.setParent(self)
        self.setObjectName("machines.list")
        if worst_first:
            self.columns.sort_by(STATE, falling=False)
        self.columns.remember_in(settings, f"machines/columns/{placed:d}")
        self.activated.connect(self._on_activated)

    def show_groups(self, groups: Sequence[HostGroup], units: Units) -> None:
        if units != self._said.units:
            self._said.units = units
            self._rows.show_columns(self._said.all())
        self.show_rows(groups, in_order=False)

    def _on_activated(self, index: QModelIndex) -> None:
        group = self._rows.thing(index)
        if group is not None:
            self.machine_opened.emit(group.key)


class HostColumns:
    """Cells are made of what is known when they are asked for."""

    def __init__(self, *, placed: bool) -> None:
        self.units: Units = USUAL
        self._placed = placed

    def all(self) -> Sequence[Column[HostGroup]]:
        size = gigabyte(self.units)
        of = HostGroup.together.__get__
        columns: Sequence[Column[HostGroup]] = (
            Column("machine", tr("Machine"), self._name, lambda g: natural(g.name), width=140,
                   stretches=True, share=0.14, widest=240),
            Column(STATE, tr("State"), self._state, lambda g: -gravity(g), width=140,
                   stretches=True, share=0.2,
                   meaning=tr("Whether it answers, and what is wrong there.")),
            Column(PLACE, tr("Place"), lambda g: Cell(g.place, tone=Tone.QUIET),
                   lambda g: natural(g.place), width=90, kept=3,
                   meaning=tr("The rack, or what else machines are grouped by.")),
            Column("cards", tr("Cards"), self._cards, lambda g: of(g).cards, width=70,
                   right=True, largest_first=True),
            Column("idle", tr("Idle"), self._idle,
                   lambda g: of(g).idle if of(g).busy_told else None, width=56, right=True,
                   largest_first=True,
                   meaning=tr("Cards that answer and report 0 % busy just now.")),
            Column("busy", tr("Busy, %"), self._busy, lambda g: of(g).busy, width=104,
                   right=True, largest_first=True, kept=7,
                   meaning=tr("The mean of its cards.")),
            Column("free", tr("Free, {unit}", unit=size), self._free,
                   lambda g: of(g).memory_free, width=112, right=True, largest_first=True,
                   kept=8, meaning=tr("Memory that is free on all its cards together.")),
            Column("hottest", tr("Hottest"), self._hottest, _celsius, width=76, right=True,
                   largest_first=True, kept=6),
            Column("power", tr("Power"), self._power, lambda g: of(g).power, width=84,
                   right=True, largest_first=True, kept=5),
            Column("users", tr("Users"), self._users, lambda g: listed(sorted(of(g).users)),
                   width=150, kept=4),
            Column("age", tr("Age"), self._age, lambda g: g.age, width=92, right=True,
                   largest_first=True, kept=2,
                   meaning=tr("How old its newest figures are.")),
        )  # fmt: skip
        return [each for each in columns if self._placed or each.key != PLACE]

    def _name(self, group: HostGroup) -> Cell:
        sign = state_sign(group)
        mark = tr("simulated") if group.simulated else tr("shown") if group.shown else ""
        if sign is None:
            return Cell(group.name, mark=mark)
        return Cell(group.name, icon=sign[0], tone=Tone.TEXT, mark=mark)

    def _state(self, group: HostGroup) -> Cell:
        why = why_words(group)
        words, tone = state_words(group), Tone.QUIET
        wrong = wrong_words(group)
        if not group.standing.answers:
            tone = Tone.TEXT
            words = tr("{state}: {why}", state=words, why=why) if why else words
        elif wrong:
            bad = any(
                cell.mark is not None and cell.mark.tone is Tone.BAD for cell in group.cards
            )
            words, tone = listed(wrong), Tone.BAD if bad else Tone.WARN
        elif not group.cards:
            words = tr("{state}, no card", state=words)
        return Cell(words, tone=tone, hint=" ".join(each for each in (words, why) if each))

    def _cards(self, group: HostGroup) -> Cell:
        sums = group.together
        count = {"answering": sums.answering, "count": sums.cards}
        if not sums.cards:
            return Cell(absent=("–",), hint=tr("No card answers."))
        if sums.answering == sums.cards or not group.standing.answers:
            return Cell(str(sums.cards))
        hint = tr("{answering} of {count} cards answer", **count)
        return Cell(tr("{answering} of {count}", **count), tone=Tone.WARN, hint=hint)

    def _idle(self, group: HostGroup) -> Cell:
        if not group.together.busy_told:
            return self._nothing(group)
        idle = group.together.idle
        return Cell(str(idle), tone=Tone.TEXT if idle else Tone.FAINT)

    def _busy(self, group: HostGroup) -> Cell:
        busy = group.together.busy
        if busy is None:
            return self._nothing(group)
        return Cell(percent(busy), gauge=Gauge(busy, None))

    def _free(self, group: HostGroup) -> Cell:
        sums = group.together
        if sums.memory_free is None or not sums.memory_total:
            return self._nothing(group)
        share = sums.memory_free / sums.memory_total
        return Cell(gigabytes_together(sums.memory_free, self.units), gauge=Gauge(share, None))

    def _hottest(self, group: HostGroup) -> Cell:
        hottest = group.together.hottest
        if hottest is None:
            return self._nothing(group)
        read = quantity(METRICS[heat.TEMPERATURE], hottest.celsius, self.units)
        return Cell(
            read.number, unit=read.unit, hint=tr("Card {number}", number=hottest.number)
        )

    def _power(self, group: HostGroup) -> Cell:
        power = group.together.power
        if power is None:
            return self._nothing(group)
        read = watts_together(power)
        return Cell(read.number, unit=read.unit)

    def _users(self, group: HostGroup) -> Cell:
        sums = group.together
        if not sums.users_told:
            absent = (tr("not known"), "–") if group.cards else ("–",)
            return Cell(absent=absent, hint=tr("Nobody says who uses these cards."))
        return Cell(listed(sorted(sums.users)) or tr("nobody"),
                    tone=Tone.TEXT if sums.users else Tone.FAINT)  # fmt: skip

    def _age(self, group: HostGroup) -> Cell:
        if group.age is None:
            return Cell(absent=("–",), hint=tr("Nothing was read there yet."))
        if group.late is None:
            return Cell(tr("now"), tone=Tone.FAINT)
        return Cell(span_words(group.late), tone=Tone.WARN)

    def _nothing(self, group: HostGroup) -> Cell:
        if not group.standing.answers:
            return Cell(absent=("–",), hint=why_words(group))
        return Cell(absent=(tr("not reported"), "–") if group.cards else ("–",))


def _celsius(group: HostGroup) -> float | None:
    hottest = group.together.hottest
    return None if hottest is None else hottest.celsius
