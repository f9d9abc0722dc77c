"""MachinesSource: the machines of a window as groups, out of what their sessions know."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import Shown, arrange
from gpuexplorer.gui.cards.reasons import HARMFUL, StateMark, state_mark, throttle_mark
from gpuexplorer.gui.state.groups.group import CardCell, CellKey, HostGroup
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import Session, Want

_SHORT_SILENCE = 3.0  # seconds: the figures of a moment ago still hold


class _Users(NamedTuple):
    """Of one card and its instances."""

    names: frozenset[str] | None
    processes: int


class MachinesSource:
    """Reads what is there already, and waits for nobody. Beside the hosts of a fleet stand only
    the machines that a person named; one that is both stands there once, as such a machine.
    """

    def __init__(self, machines: MachinesState, navigation: Navigation) -> None:
        self.adds = machines.possible  # a person may add a machine
        # There are more than anybody looks at, in racks.
        self.of_fleet = machines.fleet is not None
        self._machines, self._navigation = machines, navigation
        self._looking = False
        self._wants: dict[Session, Want] = {}
        # The cells of one card as long as nothing else is known of it.
        self._cells: dict[CellKey, tuple[object, CardCell]] = {}

    def notes(self) -> Sequence[Message]:
        """What is to be known of all of them, in the words of whoever lists them."""
        fleet = self._machines.fleet
        return () if fleet is None or fleet.watching.now is None else fleet.watching.now.notes

    def groups(self) -> Sequence[HostGroup]:
        """In the order of whoever lists them. The very same, where a fleet has no news."""
        rows = self._rows()
        self._ask(rows)
        now, fleet = self._machines.clock.now(), self._machines.fleet
        hosts = () if fleet is None else fleet.groups
        if not rows:
            return hosts
        keys = {row.key for row in rows}
        own = [self._group(row, now) for row in rows]
        return [*own, *(each for each in hosts if each.key not in keys)]

    def look(self, *, looking: bool) -> None:
        """Who uses which card is asked only while somebody looks."""
        self._looking = looking
        self._ask(self._rows() if looking else ())

    def open_machine(self, key: str) -> None:
        if self._go_to(key):
            self._navigation.open_screen("overview")

    def open_card(self, key: str, card: CardId) -> None:
        if self._go_to(key):
            self._navigation.open_card(card)

    def ask_add(self) -> None:
        self._machines.add_asked.emit()

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
        for session in [each for each in self._wants if each not in wanted]:
            session.release(self._wants.pop(session))
        for session in wanted:
            if session not in self._wants:
                self._wants[session] = session.want((), processes=True)

    def _group(self, row: MachineRow, now: float) -> HostGroup:
        session = row.session
        cards, age = self._cards(row, session) if session is not None else ((), None)
        return HostGroup(
            key=row.key,
            name=row.name,
            standing=row.standing,
            cards=cards,
            why=row.why,
            hint=row.hint,
            for_seconds=max(0.0, now - row.since),
            retry_in=None if row.retry_at is None else max(0.0, row.retry_at - now),
            age=age,
            beat=1.0 if session is None else session.interval,
            simulated=session is not None and session.simulated,
            shown=row.shown,
        )

    def _cards(
        self, row: MachineRow, session: Session
    ) -> tuple[Sequence[CardCell], float | None]:
        arranged, now = arrange(session.cards()), session.clock.now()
        users, cells, newest = _users(session, arranged), [], None
        for shown in arranged:
            key = CellKey(row.key, shown.card.id)
            reading = session.reading(shown.card.id)
            silence = session.stream.silence(shown.card.id) or 0.0
            silent = silence > _SHORT_SILENCE or not row.standing.answers
            stamp = (shown, reading, silent, users[shown.card.id])
            before = self._cells.get(key)
            if before is None or before[0] != stamp:
                before = self._cells[key] = (stamp, _cell(key, *stamp))
            cells.append(before[1])
            if reading is not None:
                newest = reading.at if newest is None else max(newest, reading.at)
        return tuple(cells), None if newest is None else max(0.0, now - newest)


def _cell(
    key: CellKey, shown: Shown, reading: Reading | None, silent: bool, users: _Users
) -> CardCell:
    card = shown.card
    size = None if card.memory_bytes is None else float(card.memory_bytes)
    name = "" if card.nameless else card.name
    cell = CardCell(key, shown.number, name, CardState.WORKING, memory_bytes=size)
    if silent:
        return cell._replace(state=CardState.NO_ANSWER, mark=state_mark(CardState.NO_ANSWER))
    if reading is None:
        return cell
    return cell._replace(
        state=reading.state,
        values=reading.values,
        missing=reading.missing,
        users=users.names,
        processes=users.processes,
        mark=_wrong_with(reading.state, reading.values),
    )


def _wrong_with(state: CardState, values: Mapping[MetricId, float]) -> StateMark | None:
    """Nothing where it sleeps, or where it works as it should."""
    if state is not CardState.WORKING:
        return state_mark(state)
    for metric in HARMFUL:
        if values.get(metric):
            return throttle_mark(metric)
    return None


def _users(session: Session, arranged: Sequence[Shown]) -> Mapping[CardId, _Users]:
    """Of each card, those on its instances too."""
    card_of = {
        each.card.id: shown.card.id for shown in arranged for each in (shown, *shown.instances)
    }
    names: dict[CardId, set[str]] = {shown.card.id: set() for shown in arranged}
    pids: dict[CardId, set[int]] = {shown.card.id: set() for shown in arranged}
    for named in session.process_book.living():
        card = card_of.get(named.process.card)
        if card is not None:
            pids[card].add(named.process.pid)
            if named.user is not None:
                names[card].add(named.user)
    unknown = set(session.processes_unknown())
    book = session.process_book
    return {
        card: _Users(
            None if card in unknown or book.looked_at(card) is None else frozenset(names[card]),
            len(pids[card]),
        )
        for card in names
    }
