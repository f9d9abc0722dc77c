"""HostGroup and CardCell: a machine and its cards among many, as plain values, and their sums;
MachinesSource: the machines of a window, out of what their sessions know, and FleetHosts: those
of a fleet. A card is a tuple: there may be 8 000 at each beat.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message, listed, tr
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.cards.programs import parents, processes_counted
from gpuexplorer.gui.cards.reasons import StateMark, state_mark, throttle_mark
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.session import Session, Want

if TYPE_CHECKING:
    from gpuexplorer.fleet.fleet import FleetCard, FleetNow
    from gpuexplorer.fleet.host import Watching

GRAVE, WORTH_A_LOOK = 4, 3
_LATE = 3.0  # beats
_SHORT_SILENCE = 3.0  # seconds: the figures of a moment ago still hold
_OF_FLEET = (
    *(m.GPU_UTILIZATION, m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_TOTAL),
    *(m.TEMPERATURE, m.POWER_DRAW, m.POWER_LIMIT),
)
_ASKING = Message("Prometheus is asked which cards there are.")
_SILENT = Message("Prometheus has no new value of its cards.")
_LOOK_THERE = Message("Look whether the exporter runs on that host, and whether it is reached.")


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
        used, free = self.values.get(m.MEMORY_USED), self.values.get(m.MEMORY_FREE)
        both = None if used is None or free is None else used + free
        return self.values.get(m.MEMORY_TOTAL) or self.memory_bytes or both

    @property
    def memory_free(self) -> float | None:
        used, total = self.values.get(m.MEMORY_USED), self.memory_total
        rest = None if used is None or total is None else max(0.0, total - used)
        return self.values.get(m.MEMORY_FREE, rest)

    @property
    def users_words(self) -> str:
        """Who uses it; "nobody" only where that is known."""
        if self.users is None:
            return tr("not known")
        count, names = processes_counted(self.processes), listed(sorted(self.users))
        if not self.processes:
            return names or tr("nobody")
        return tr("{users} ({processes})", users=names or tr("somebody"), processes=count)

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
        tones = {cell.mark.tone for cell in self.cards if cell.mark is not None}
        if not self.standing.answers:
            failed = self.standing in (Standing.REFUSED, Standing.BROKEN)
            return GRAVE if failed else WORTH_A_LOOK if self.standing is Standing.ASKING else 1
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
        rows, fleet = self._ask(), self._machines.fleet
        hosts = () if fleet is None else fleet.groups
        if not rows:
            return hosts
        keys = {row.key for row in rows}
        return [*map(_group, rows), *(each for each in hosts if each.key not in keys)]

    def look(self, *, looking: bool) -> None:
        """Who uses which card is asked only while somebody looks."""
        self._looking = looking
        self._ask()

    def open_machine(self, key: str) -> None:
        if self._go_to(key):
            self._navigation.open_screen("overview")

    def open_card(self, key: str, card: CardId) -> None:
        if self._go_to(key):
            self._navigation.open_card(card)

    def _go_to(self, key: str) -> bool:
        """Whether its screens are to be seen."""
        fleet, machines = self._machines.fleet, self._machines
        if fleet is not None and all(row.key != key for row in self._ask()):
            if fleet.watching.now is None:
                return False  # the server itself stands there until it has answered
            key = fleet.open(key, machines)
        self._navigation.open_machine(key)
        # Else it is shown when it answers, and until then it is seen here how it stands.
        return machines.shown == key

    def _ask(self) -> Sequence[MachineRow]:
        """Of sessions that came since, too; what is of one that went goes with it."""
        rows = self._machines.rows()
        if self.of_fleet:
            rows = [each for each in rows if each.key != HERE and not each.of_fleet]
        wanted = {each.session for each in rows if each.session is not None and self._looking}
        for session in self._wants.keys() - wanted:
            session.release(self._wants.pop(session))
        come = wanted - self._wants.keys()
        self._wants |= {each: each.want((), processes=True) for each in come}
        return rows


def _group(row: MachineRow) -> HostGroup:
    session = row.session
    if session is None:
        return HostGroup(**vars(row))
    arranged, book, cells = arrange(session.cards()), session.process_book, list[CardCell]()
    card_of, unknown = parents(arranged), set(session.processes_unknown())
    running = defaultdict[CardId | None, list[NamedProcess]](list)
    for each in book.living():
        running[card_of.get(each.process.card)].append(each)
    for shown in arranged:
        card, there = shown.card, running[shown.card.id]
        reading = session.reading(card.id) or Reading(card.id, 0.0, {})
        known = card.id not in unknown and book.looked_at(card.id) is not None
        harmful = (throttle_mark(each) for each in m.GRAVE if reading.values.get(each))
        cell = CardCell(
            *(CellKey(row.key, card.id), shown.number, "" if card.nameless else card.name),
            *(reading.state, reading.values, reading.missing),
            card.memory_bytes,
            frozenset(e.user for e in there if e.user is not None) if known else None,
            len({each.process.pid for each in there}),
            state_mark(reading.state) or next(harmful, None),
        )
        silence = session.stream.silence(card.id) or 0.0
        silent = silence > _SHORT_SILENCE or not row.standing.answers
        cells.append(cell.silent() if silent else cell)
    read = [one.at for shown in arranged if (one := session.reading(shown.card.id))]
    return HostGroup(
        **vars(row),
        cards=cells,
        age=max(0.0, session.clock.now() - max(read)) if read else None,
        beat=session.interval,
        simulated=session.simulated,
    )


class FleetHosts:
    """The hosts of a fleet, made with each answer of its Prometheus. Lives as long as the
    window; asks nothing itself, and never waits.
    """

    def __init__(self, watching: "Watching") -> None:
        self.watching = watching
        server = watching.fleet.server.where.url
        # As of the last answer; without the figures while there is none.
        self._answered: Sequence[HostGroup] = (
            HostGroup(server, server, Standing.CONNECTING, why=_ASKING),
        )
        watching.listen(self._take)

    @property
    def link(self) -> LinkNow:
        """Of every host."""
        return self.watching.broken or LinkNow(LinkState.UP, 0.0)

    @property
    def groups(self) -> Sequence[HostGroup]:
        """The very same until there is news; of an outage the seconds are counted."""
        broken, now = self.watching.broken, self.watching.clock.now()
        if broken is None:
            return self._answered
        passed = now - (self.watching.answered_at or 0.0)
        outage = [each.linked(broken, now, broken.since) for each in self._answered]
        return [replace(e, age=None if e.age is None else passed) for e in outage]

    def open(self, host: str, machines: MachinesState) -> str:
        """Among the machines of the window from now on, under this key."""
        from gpuexplorer.fleet.host import host_session  # noqa: PLC0415 - rarely needed

        key = tr("{host} (Prometheus)", host=host)
        machines.add_host(key, partial(host_session, self.watching, host))
        return key

    def _take(self) -> None:
        """From the thread that asks, with every answer and every failure."""
        now = self.watching.now
        if self.watching.broken is not None or now is None:
            self._answered = [
                replace(each, cards=[cell.silent() for cell in each.cards])
                for each in self._answered
            ]
        else:
            self._answered = [self._group(host, now) for host in now.hosts]

    def _group(self, host: str, now: "FleetNow") -> HostGroup:
        """Without parts of cards, where the cards themselves are told of."""
        cards = now.hosts[host]
        cards = [each for each in cards if each.kind is CardKind.GPU] or cards
        alerts = [each for each in now.alerts if each.host == host]
        ages = [now.ages[each.id] for each in cards if each.id in now.ages]
        said = [": ".join(filter(None, (each.severity, each.text))) for each in alerts]
        said += [
            tr("Xid error {code} on card {number}", code=now.xids[each.id], number=each.number)
            for each in cards
            if each.id in now.xids
        ]
        group = HostGroup(
            *(host, host, Standing.UP if ages else Standing.BROKEN),
            cards=[_cell(now, each) for each in cards],
            place=next((each.rack for each in cards if each.rack), ""),
            why=NOTHING if ages else _SILENT,
            hint=NOTHING if ages else _LOOK_THERE,
            # The oldest: what stands there may be as old as that.
            age=max(ages, default=None),
            beat=self.watching.beat,
            simulated=any(each.simulated for each in cards),
            alerts=said,
            urgent=any(each.urgent for each in alerts),
        )
        _ = group.together  # here, so that the window need not
        return group


def _cell(now: "FleetNow", card: "FleetCard") -> CardCell:
    told = {each: now.values.get(each, {}).get(card.id) for each in _OF_FLEET}
    values = {each: value for each, value in told.items() if value is not None}
    missing = {each: now.why(card, each) for each in _OF_FLEET if each not in values}
    key, state = CellKey(card.host, card.id), now.state(card.id)
    mark = None if state is CardState.WORKING else state_mark(state)
    return CardCell(key, card.number, card.name, state, values, missing, mark=mark)
