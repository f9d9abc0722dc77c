"""FreeColumns: what the list of free cards says of each."""

from collections.abc import Sequence

from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import USUAL, Units, quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.card_face import short_name
from gpuexplorer.gui.cards.moments import span_words
from gpuexplorer.gui.cards.process_words import gigabyte, gigabytes
from gpuexplorer.gui.machines.model import FreeCard, natural
from gpuexplorer.gui.machines.words import age_words, held_words, users_words
from gpuexplorer.gui.state.groups.group import GroupSource
from gpuexplorer.gui.tables.cell import Cell, Gauge
from gpuexplorer.gui.tables.column import Column
from gpuexplorer.gui.theme.palette import Tone

_MOMENT = 5.0  # seconds
FREE, PLACE, IDLE = "free", "place", "idle"


class FreeColumns:
    """Cells are made of what is known when they are asked for."""

    def __init__(self, source: GroupSource, *, placed: bool) -> None:
        self._idle_for = source.idle_for
        self.units: Units = USUAL
        told = {PLACE: placed, IDLE: source.keeps_past}
        self._hidden = {key for key, shown in told.items() if not shown}

    def all(self) -> Sequence[Column[FreeCard]]:
        size = gigabyte(self.units)
        columns = (
            Column("machine", tr("Machine"), self._machine, lambda f: natural(f.group.name),
                   width=130, stretches=True, share=0.2),
            Column("card", tr("Card"), self._card, lambda f: natural(f.cell.number), width=60,
                   right=True),
            Column("name", tr("Model"), self._name, lambda f: f.cell.name, width=130, kept=3),
            Column(FREE, tr("Free, {unit}", unit=size), self._free, lambda f: f.free_bytes,
                   width=140, right=True, largest_first=True,
                   meaning=tr("Memory of the card that nobody holds.")),
            Column("whole", tr("Whole, {unit}", unit=size), self._whole,
                   lambda f: f.cell.memory_total, width=76, right=True, largest_first=True,
                   kept=4, meaning=tr("The whole memory of the card.")),
            Column("held", tr("Held by"), self._held, lambda f: held_words(f.cell), width=140,
                   stretches=True, meaning=tr("Whose programs are on it, though it is idle.")),
            Column(IDLE, tr("Idle for"), self._idle, self._idle_seconds, width=96, right=True,
                   largest_first=True, kept=5,
                   meaning=tr("So long it has computed nothing, as far as it was read.")),
            Column("temperature", tr("Temp."), self._temperature,
                   lambda f: f.cell.values.get(heat.TEMPERATURE), width=76, right=True, kept=1),
            Column(PLACE, tr("Place"), self._place, lambda f: f.group.place, width=90, kept=2,
                   meaning=tr("The rack, or what else machines are grouped by.")),
        )  # fmt: skip
        return [each for each in columns if each.key not in self._hidden]

    def _machine(self, free: FreeCard) -> Cell:
        late = free.group.late
        mark = "" if late is None else age_words(late)
        return Cell(free.group.name, mark=mark)

    def _card(self, free: FreeCard) -> Cell:
        return Cell(free.cell.number)

    def _name(self, free: FreeCard) -> Cell:
        return Cell(short_name(free.cell.name), tone=Tone.QUIET, hint=free.cell.name)

    def _free(self, free: FreeCard) -> Cell:
        total = free.cell.memory_total
        if free.free_bytes is None or not total:
            return Cell(absent=(tr("not reported"), "–"))
        share = free.free_bytes / total
        return Cell(gigabytes(free.free_bytes, self.units), gauge=Gauge(share, None))

    def _whole(self, free: FreeCard) -> Cell:
        total = free.cell.memory_total
        return (
            Cell(absent=("–",))
            if not total
            else Cell(f"{float(gigabytes(total, self.units)):.0f}")
        )

    def _idle(self, free: FreeCard) -> Cell:
        idle = self._idle_for(free.cell.key)
        if idle is None:
            return Cell(absent=(tr("not known"), "–"), hint=tr("Its past is not kept here."))
        if idle.seconds < _MOMENT:
            return Cell(tr("a moment"), tone=Tone.FAINT)
        words = span_words(idle.seconds)
        return Cell(f"> {words}" if idle.more else words)

    def _idle_seconds(self, free: FreeCard) -> float | None:
        idle = self._idle_for(free.cell.key)
        return None if idle is None else idle.seconds

    def _held(self, free: FreeCard) -> Cell:
        said = held_words(free.cell)
        taken = free.cell.processes or free.cell.users
        return Cell(said, tone=Tone.TEXT if taken else Tone.FAINT, hint=users_words(free.cell))

    def _temperature(self, free: FreeCard) -> Cell:
        value = free.cell.values.get(heat.TEMPERATURE)
        if value is None:
            return Cell(absent=(tr("not reported"), "–"))
        read = quantity(METRICS[heat.TEMPERATURE], value, self.units)
        return Cell(read.number, unit=read.unit)

    def _place(self, free: FreeCard) -> Cell:
        return Cell(free.group.place, tone=Tone.QUIET)
