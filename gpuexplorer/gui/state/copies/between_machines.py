"""BetweenMachines: rates between the machines of the window, by a rank on each of them."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.lab.pythons import python_setting
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState
from gpuexplorer.ranks.measuring import (
    Asked,
    CancelledError,
    Company,
    Member,
    Met,
    RankResult,
    here,
    measure,
    told_apart,
)
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.stream import FarStream

LATENCY_BYTES = 8
USUAL_BYTES = 16 << 20
_FEWEST, _MOST = 2, 16
_PATIENCE = 3.0  # at the end of the program
Found = RankResult | Met | Message | Trouble | None  # None: it is over
Tell = Callable[[Found], None]
Remembered = Callable[[str], str | None]


class RankHost(NamedTuple):
    """One machine of the window. No `member`: it is not asked, and `why_not` says why."""

    name: str
    member: Member | None = None
    why_not: Message = NOTHING


class BetweenMachines(QObject):
    """One measurement at a time, in a thread of its own that holds nothing of Qt."""

    changed = Signal()

    def __init__(
        self, machines: MachinesState, remembered: Remembered, parent: QObject | None = None
    ) -> None:
        """`remembered`: a setting, such as the Python of a machine's lab."""
        super().__init__(parent)
        self.machines = machines
        self.bytes = USUAL_BYTES
        self.results: Sequence[RankResult] = ()
        self.met: Met | None = None
        self.progress = NOTHING
        self.trouble: Trouble | None = None
        self.stopped = False  # by a person
        self.running_pair: tuple[str, str] | None = None
        self.failed_pair: tuple[str, str] | None = None
        self.measure_them = measured
        self.member_of = member_of
        self.left_out: set[str] = set()  # by their names, because a person says so
        self._remembered = remembered
        self._cancelled = threading.Event()
        self._thread: threading.Thread | None = None
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        machines.changed.connect(self.changed)

    @property
    def running(self) -> bool:
        return self._thread is not None

    @property
    def several(self) -> bool:
        return len(self.machines.rows()) >= _FEWEST

    @property
    def hosts(self) -> Sequence[RankHost]:
        rows = self.machines.rows()
        return list(map(self._host, rows, told_apart([each.name for each in rows])))

    @property
    def able(self) -> bool:
        """Whether there are enough that can be asked."""
        return _FEWEST <= sum(each.member is not None for each in self.hosts) <= _MOST

    def measure(self) -> None:
        if self.running or not self.able:
            return
        members = [each.member for each in self.hosts if each.member is not None]
        self.results, self.met, self.trouble = (), None, None
        self.stopped, self.failed_pair = False, None
        self._cancelled = threading.Event()
        asked = Asked((Way.ONE_WAY, Way.ALL_REDUCE), (LATENCY_BYTES, self.bytes))
        put, name = self._inbox.letterbox.put, "between machines"
        run = partial(
            _run, partial(self.measure_them, members, asked, self._cancelled, put), put
        )
        self._thread = threading.Thread(target=run, name=name, daemon=True)
        self._thread.start()
        self.changed.emit()

    def cancel(self) -> None:
        """At once; it is over when every rank has ended."""
        if self.running:
            self._cancelled.set()
            self.stopped = True
            self.changed.emit()

    def choose_bytes(self, count: int) -> None:
        self.bytes = count
        self.changed.emit()

    def ask_machine(self, name: str, asked: bool) -> None:
        (self.left_out.discard if asked else self.left_out.add)(name)
        self.changed.emit()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._cancelled.set()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _host(self, row: MachineRow, name: str) -> RankHost:
        if name in self.left_out:
            return RankHost(name, None, Message("It is left out."))
        if row.key == HERE:
            try:
                return RankHost(name, here(name, self._remembered(python_setting())))
            except Trouble as trouble:
                return RankHost(name, None, told(trouble.sentence, trouble.hint))
        member = self.member_of(row, name, self._remembered) if row.standing.answers else None
        if member is None:
            alone = NOTHING if row.session is None else row.session.source.figures_alone
            why = alone or row.why or Message("There is no connection to it.")
            return RankHost(name, None, told(why, row.hint))
        return RankHost(name, member)

    def _on_came(self, found: Found) -> None:
        match found:
            case RankResult():
                self.results = [*self.results, found]
            case Met():
                self.met = found
            case Message():
                self.progress = found
                ends = [str(found.values.get(each, "")) for each in ("source", "target")]
                self.running_pair = (ends[0], ends[1]) if all(ends) else None
            case Trouble():
                self.trouble, self.failed_pair = found, self.running_pair
            case None:
                if self._thread is not None:
                    self._thread.join()
                self._thread, self.progress, self.running_pair = None, NOTHING, None
        self.changed.emit()


def between(machines: MachinesState, remembered: Remembered) -> BetweenMachines:
    """One for the window, whichever machine it shows."""
    there = machines.findChild(BetweenMachines)
    if there is None:
        there = BetweenMachines(machines, remembered, machines)
        machines.ending.connect(there.stop)
    return there


def member_of(row: MachineRow, name: str, remembered: Remembered) -> Member | None:
    """Reached as its session is."""
    backend = None if row.session is None else row.session.backend
    if not isinstance(backend, FarStream) or not isinstance(backend.machine, FarMachine):
        return None
    far = backend.machine
    python = remembered(python_setting(far.host.text)) or far.python
    return Member(name, far.host, far.launch, python)


def measured(
    members: Sequence[Member], asked: Asked, cancelled: threading.Event, tell: Tell
) -> None:
    """To the end, in this thread; nothing is left of it anywhere."""
    with Company(members, cancelled=cancelled.is_set) as company:
        measure(company, asked, tell, tell, tell)


def _run(run: Callable[[], None], tell: Tell) -> None:
    try:
        run()
    except CancelledError:
        pass
    except Trouble as trouble:
        tell(trouble)
    finally:
        tell(None)
