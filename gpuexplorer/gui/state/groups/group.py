"""HostGroup and CardCell: a machine and its cards among many, as plain values; their sums.

Whoever reads machines makes these, be it sessions over ssh or a server that gathers figures;
what shows them knows no difference. A card is a tuple: there may be 8 000 at each beat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.state.machines import Standing

_LATE = 3.0  # beats


class CellKey(NamedTuple):
    """A card among those of all machines."""

    host: str
    card: CardId


class CardCell(NamedTuple):
    """One card. A metric that is in neither of the two was not asked for."""

    key: CellKey
    number: str  # as its machine's own screens say it
    name: str
    state: CardState
    values: Mapping[MetricId, float] = {}
    missing: Mapping[MetricId, Absence] = {}
    memory_bytes: float | None = None  # what it has, where the driver gives no figure of it
    users: frozenset[str] | None = None  # by name; None: nobody can tell who uses it
    processes: int = 0  # whoever started them
    mark: StateMark | None = None  # what is wrong with it

    @property
    def idle(self) -> bool:
        """It answers, and computes nothing just now: what the mark "Idle" says elsewhere."""
        works = self.state is CardState.WORKING
        return works and self.values.get(m.GPU_UTILIZATION) == 0

    @property
    def memory_total(self) -> float | None:
        """What is used and what is free, where nobody tells more."""
        total = self.values.get(m.MEMORY_TOTAL) or self.memory_bytes
        if total is not None:
            return total
        used = self.values.get(m.MEMORY_USED)
        free = self.values.get(m.MEMORY_FREE)
        return None if used is None or free is None else used + free

    @property
    def memory_free(self) -> float | None:
        free = self.values.get(m.MEMORY_FREE)
        if free is not None:
            return free
        used, total = self.values.get(m.MEMORY_USED), self.memory_total
        return None if used is None or total is None else max(0.0, total - used)


class Hottest(NamedTuple):
    """Which of them, and in degrees Celsius."""

    celsius: float
    host: str
    number: str


class Together(NamedTuple):
    """Sums over the cards that tell; so many did as stands beside each."""

    cards: int = 0
    answering: int = 0
    idle: int = 0
    busy_sum: float = 0.0
    busy_told: int = 0
    memory_total: float = 0.0
    memory_free: float = 0.0
    memory_used: float = 0.0
    memory_told: int = 0
    power: float = 0.0
    power_told: int = 0
    limits: float = 0.0  # of the power
    limits_told: int = 0
    heat_told: int = 0
    users_told: int = 0
    hottest: Hottest | None = None
    users: frozenset[str] = frozenset()

    @property
    def busy(self) -> float | None:
        """On average."""
        return self.busy_sum / self.busy_told if self.busy_told else None


@dataclass(frozen=True)
class HostGroup:
    """One machine with its cards. `name`, `place` and the names of users are a stranger's."""

    key: str
    name: str
    standing: Standing
    cards: Sequence[CardCell] = ()
    place: str = ""  # the rack, or whatever else groups machines
    why: Message = NOTHING  # there is no connection, and what helps
    hint: Message = NOTHING
    for_seconds: float = 0.0  # it stands so
    retry_in: float | None = None
    age: float | None = None  # seconds since the newest figure; None before the first
    beat: float = 1.0  # seconds from one figure to the next
    simulated: bool = False
    shown: bool = False  # it is the one on the other screens
    alerts: Sequence[str] = ()  # that fire there, in the words of whoever raised them
    urgent: bool = False  # one of them is as grave as an alert can be

    @property
    def late(self) -> float | None:
        """The age, where figures are older than they should be."""
        return self.age if self.age is not None and self.age > _LATE * self.beat else None

    @cached_property
    def together(self) -> Together:
        """Worked out once: a group that did not change is handed on as it is. Whoever makes
        thousands in another thread asks for it there, so that the window need not.
        """
        return together(self.cards, self.name)


def together(cards: Sequence[CardCell], host: str) -> Together:
    working = [cell for cell in cards if cell.state is CardState.WORKING]
    told = [cell.values for cell in working]
    busy = _of(told, m.GPU_UTILIZATION)
    sizes = [(each.memory_free, each.memory_total) for each in working]
    memories = [(free, total) for free, total in sizes if free is not None and total]
    power, limits = _of(told, m.POWER_DRAW), _of(told, m.POWER_LIMIT)
    degrees = [
        Hottest(cell.values[m.TEMPERATURE], host, cell.number)
        for cell in working
        if m.TEMPERATURE in cell.values
    ]
    users = [cell.users for cell in cards if cell.users is not None]
    return Together(
        cards=len(cards),
        answering=sum(map(bool, told)),
        idle=busy.count(0.0),
        busy_sum=sum(busy),
        busy_told=len(busy),
        memory_total=sum(total for _, total in memories),
        memory_free=sum(free for free, _ in memories),
        memory_used=sum(_of(told, m.MEMORY_USED)),
        memory_told=len(memories),
        power=sum(power),
        power_told=len(power),
        limits=sum(limits),
        limits_told=len(limits),
        heat_told=len(degrees),
        users_told=len(users),
        hottest=max(degrees, default=None),
        users=frozenset().union(*users),
    )


def all_together(parts: Sequence[Together]) -> Together:
    """Of several machines."""
    *counts, hottest, users = zip(*(parts or [Together()]), strict=True)
    most = max(filter(None, hottest), default=None)
    return Together._make([*map(sum, counts), most, frozenset().union(*users)])


def _of(told: Sequence[Mapping[MetricId, float]], metric: MetricId) -> Sequence[float]:
    return [each[metric] for each in told if metric in each]
