"""HostGroup and CardCell: a machine and its cards among many, as plain values, and their sums;
MachinesSource: the machines of a window, out of what their sessions know. Whoever else lists
machines makes groups too. A card is a tuple: there may be 8 000 at each beat.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import listed, tr
from gpuexplorer.gui.cards.card_face import Shown, arrange
from gpuexplorer.gui.cards.programs import parents, processes_counted
from gpuexplorer.gui.cards.reasons import HARMFUL, StateMark, state_mark, throttle_mark
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.session import Session, Want

GRAVE, WORTH_A_LOOK = 4, 3
_LATE = 3.0  # beats
_SHORT_SILENCE = 3.0  # seconds: the figures of a moment ago still hold


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
        return self.state is CardState.WORKING and self.values.get(m.GPU_UTILIZATION) == 0

    @property
    def memory_total(self) -> float | None:
        """What is used and what is free, where nobody tells more."""
        total = self.values.get(m.MEMORY_TOTAL) or self.memory_bytes
        used, free = self.values.get(m.MEMORY_USED), self.values.get(m.MEMORY_FREE)
        return used + free if total is None and used is not None and free is not None else total

    @property
    def memory_free(self) -> float | None:
        free = self.values.get(m.MEMORY_FREE)
        used, total = self.values.get(m.MEMORY_USED), self.memory_total
        if free is None and used is not None and total is not None:
            return max(0.0, total - used)
        return free

    @property
    def users_words(self) -> str:
        """Who uses it; "nobody" only where that is known."""
        if self.users is None:
            return tr("not known")
        if not self.processes:
            return listed(sorted(self.users)) if self.users else tr("nobody")
        names = listed(sorted(self.users)) if self.users else tr("somebody")
        count = processes_counted(self.processes)
        return tr("{users} ({processes})", users=names, processes=count)

    def silent(self) -> "CardCell":
        """What it said before the connection broke is no figure of now."""
        state = CardState.NO_ANSWER
        return self._replace(
            values={}, state=state, users=None, processes=0, mark=state_mark(state)
        )


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
    memory_told: int = 0
    power: float = 0.0
    power_told: int = 0
    limits: float = 0.0  # of the power
    limits_told: int = 0
    users_told: int = 0
    heat_told: int = 0
    memory_used: float = 0.0
    hottest: Hottest | None = None
    users: frozenset[str] = frozenset()

    @property
    def busy(self) -> float | None:
        """On average."""
        return self.busy_sum / self.busy_told if self.busy_told else None


def together(cards: Sequence[CardCell], host: str) -> Together:
    working = [each for each in cards if each.state is CardState.WORKING]
    busy, power, limits = (
        [each.values[metric] for each in working if metric in each.values]
        for metric in (m.GPU_UTILIZATION, m.POWER_DRAW, m.POWER_LIMIT)
    )
    sizes = [(each.memory_free, each.memory_total) for each in working]
    memories = [(free, total) for free, total in sizes if free is not None and total]
    degrees = [
        Hottest(each.values[m.TEMPERATURE], host, each.number)
        for each in working
        if m.TEMPERATURE in each.values
    ]
    users = [each.users for each in cards if each.users is not None]
    return Together(
        *(len(cards), sum(bool(each.values) for each in working), busy.count(0.0)),
        *(sum(busy), len(busy), sum(total for _, total in memories)),
        sum(free for free, _ in memories),
        len(memories),
        *(sum(power), len(power)),
        *(sum(limits), len(limits)),
        len(users),
        heat_told=len(degrees),
        memory_used=sum(each.values.get(m.MEMORY_USED, 0.0) for each in working),
        hottest=max(degrees, default=None),
        users=frozenset().union(*users),
    )


def all_together(parts: Sequence[Together]) -> Together:
    """Of several machines."""
    *counts, hottest, users = zip(*(parts or [Together()]), strict=True)
    most = max(filter(None, hottest), default=None)
    return Together._make([*map(sum, counts), most, frozenset().union(*users)])


@dataclass(frozen=True)
class HostGroup(MachineRow):
    """With its cards. `name`, `place` and the names of users are a stranger's."""

    cards: Sequence[CardCell] = ()
    place: str = ""  # the rack, or whatever else groups machines
    age: float | None = None  # seconds since the newest figure; None before the first
    beat: float = 1.0  # seconds from one figure to the next
    simulated: bool = False
    alerts: Sequence[str] = ()  # that fire there, in the words of whoever raised them
    urgent: bool = False  # one of them is as grave as an alert can be

    @property
    def late(self) -> float | None:
        """The age, where figures are older than they should be."""
        return self.age if self.age is not None and self.age > _LATE * self.beat else None

    @cached_property
    def together(self) -> Together:
        """Worked out once. Whoever makes thousands in another thread asks for it there, so that
        the window need not.
        """
        return together(self.cards, self.name)

    @property
    def sentence(self) -> str:
        said = super().sentence
        empty = self.standing.answers and not self.cards
        return tr("{state}, no card", state=said) if empty else said

    @property
    def wrong(self) -> Sequence[str]:
        """With its cards, the gravest first, and what fires there."""
        counts = Counter(cell.mark for cell in self.cards if cell.mark is not None)
        said = [
            tr("{count} × {mark}", count=count, mark=each.word) if count > 1 else each.word
            for each, count in sorted(counts.items(), key=lambda e: e[0].tone is not Tone.BAD)
        ]
        return [*said, *self.alerts]

    @property
    def gravity(self) -> int:
        """How much is wrong with it: 0 is nothing."""
        match self.standing:
            case Standing.REFUSED | Standing.BROKEN:
                return GRAVE
            case Standing.ASKING:
                return WORTH_A_LOOK
            case Standing.CONNECTING | Standing.ENDED:
                return 1
        tones = {cell.mark.tone for cell in self.cards if cell.mark is not None}
        if Tone.BAD in tones or self.urgent:
            return GRAVE
        if Tone.WARN in tones or self.alerts:
            return WORTH_A_LOOK
        return 2 if self.late is not None else 0


class MachinesSource:
    """Reads what is there already, and waits for nobody. Beside the hosts of a fleet stand only
    the machines that a person named; one that is both stands there once, as such a machine.
    """

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        # There are more than anybody looks at, in racks.
        self.of_fleet = machines.fleet is not None
        self._machines, self._navigation = machines, navigation
        self._looking = False
        self._wants: dict[Session, Want] = {}

    def groups(self) -> Sequence[HostGroup]:
        """In the order of whoever lists them. The very same, where a fleet has no news."""
        rows, fleet = self._rows(), self._machines.fleet
        self._ask(rows)
        hosts = () if fleet is None else fleet.groups
        if not rows:
            return hosts
        keys = {row.key for row in rows}
        return [*map(_group, rows), *(each for each in hosts if each.key not in keys)]

    def look(self, *, looking: bool) -> None:
        """Who uses which card is asked only while somebody looks."""
        self._looking = looking
        self._ask(self._rows())

    def open_machine(self, key: str) -> None:
        if self._go_to(key):
            self._navigation.open_screen("overview")

    def open_card(self, key: str, card: CardId) -> None:
        if self._go_to(key):
            self._navigation.open_card(card)

    def _go_to(self, key: str) -> bool:
        """Whether its screens are to be seen."""
        fleet = self._machines.fleet
        if fleet is None or any(row.key == key for row in self._rows()):
            self._navigation.open_machine(key)
            # Else it is shown when it answers, and until then it is seen here how it stands.
            return self._machines.shown == key
        if fleet.watching.now is None:
            return False  # the server itself stands there until it has answered
        self._navigation.open_machine(fleet.open(key, self._machines))
        return True

    def _rows(self) -> Sequence[MachineRow]:
        rows = self._machines.rows()
        if not self.of_fleet:
            return rows
        return [each for each in rows if each.key != HERE and not each.of_fleet]

    def _ask(self, rows: Sequence[MachineRow]) -> None:
        """Of sessions that came since, too; what is of one that went goes with it."""
        wanted = [row.session for row in rows if row.session is not None and self._looking]
        for session in self._wants.keys() - set(wanted):
            session.release(self._wants.pop(session))
        for session in set(wanted) - self._wants.keys():
            self._wants[session] = session.want((), processes=True)


def _group(row: MachineRow) -> HostGroup:
    session, cards, age = row.session, list[CardCell](), None
    if session is not None:
        arranged = arrange(session.cards())
        book, card_of = session.process_book, parents(arranged)
        unknown = set(session.processes_unknown())
        running = defaultdict[CardId | None, list[NamedProcess]](list)
        for each in book.living():
            running[card_of.get(each.process.card)].append(each)
        for shown in arranged:
            card, there = shown.card.id, running[shown.card.id]
            known = card not in unknown and book.looked_at(card) is not None
            names = frozenset(each.user for each in there if each.user is not None)
            cell = _cell(row.key, shown, session.reading(card))
            cell = cell._replace(
                users=names if known else None,
                processes=len({each.process.pid for each in there}),
            )
            silence = session.stream.silence(card) or 0.0
            silent = silence > _SHORT_SILENCE or not row.standing.answers
            cards.append(cell.silent() if silent else cell)
        readings = [session.reading(each.key.card) for each in cards]
        newest = max((each.at for each in readings if each is not None), default=None)
        age = None if newest is None else max(0.0, session.clock.now() - newest)
    return HostGroup(
        **vars(row),
        cards=tuple(cards),
        age=age,
        beat=1.0 if session is None else session.interval,
        simulated=session is not None and session.simulated,
    )


def _cell(host: str, shown: Shown, reading: Reading | None) -> CardCell:
    card, mark = shown.card, None
    size = None if card.memory_bytes is None else float(card.memory_bytes)
    name = "" if card.nameless else card.name
    key, state = CellKey(host, card.id), CardState.WORKING
    if reading is None:
        return CardCell(key, shown.number, name, state, memory_bytes=size)
    if reading.state is not state:
        mark = state_mark(reading.state)
    for metric in HARMFUL:
        if mark is None and reading.values.get(metric):
            mark = throttle_mark(metric)
    return CardCell(
        *(key, shown.number, name, reading.state, reading.values, reading.missing, size),
        mark=mark,
    )
