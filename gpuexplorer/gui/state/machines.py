"""MachinesState: this computer and every machine that is reached from it, for screens."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSysInfo, Signal

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.far_machines import (
    Connect,
    Reached,
    Wanted,
    keep_machines,
    kept_machines,
)
from gpuexplorer.gui.state.questions import Questions
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.remote.link import LinkState
from gpuexplorer.telemetry.session import Session

if TYPE_CHECKING:
    from gpuexplorer.gui.state.fleet_hosts import FleetHosts

HERE = ""  # the key of this computer
_PATIENCE = 1.5  # at the end of the program, for all machines together
_NOT_YET = Message("Nobody has connected to it since the program was started.")


class Standing(Enum):
    """How a machine is reached just now: `LinkState`, and this computer, which needs none."""

    HERE = auto()
    CONNECTING = auto()
    ASKING = auto()
    UP = auto()
    BROKEN = auto()
    REFUSED = auto()
    ENDED = auto()

    @property
    def answers(self) -> bool:
        return self in (Standing.HERE, Standing.UP)

    @property
    def rests(self) -> bool:
        """Nobody tries to connect at this moment."""
        return self in (Standing.BROKEN, Standing.REFUSED, Standing.ENDED)


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One machine as it stands just now. Times are those of `MachinesState.clock`."""

    key: str  # what `show`, `remove` and the like take; HERE for this computer
    name: str  # as it was typed, and nothing in it was checked: never taken for markup
    standing: Standing
    why: Message = NOTHING  # why there is no connection, and the way out
    hint: Message = NOTHING
    since: float = 0.0  # it stands so; without a connection: the last one was lost
    retry_at: float | None = None
    session: Session | None = None  # None until it answered for the first time
    shown: bool = False  # the screens show this one
    of_fleet: bool = False  # whoever lists the fleet lists it already


@dataclass
class _Machine:
    wanted: Wanted
    reached: Reached | None = None  # None: nobody asked for a connection yet
    session: Session | None = None
    refused: Trouble | None = None  # its name, which somebody wrote into the settings
    of_fleet: bool = False


class MachinesState(QObject):
    """Each machine's session goes on being read while another is looked at. Screens ask for
    another machine by `Navigation.open_machine`, since it may be shown only when it answers.
    """

    changed = Signal()  # a machine came or went, its link changed, or another is shown
    shown_changed = Signal()  # or one is gone that was not shown
    ending = Signal()  # whatever goes on between machines is to end first
    add_asked = Signal()  # somebody pressed "Add a machine…": whoever hears it opens the sheet

    def __init__(
        self,
        settings: Settings,
        here: Session,
        connect: Connect | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Without `connect` there is this computer alone."""
        super().__init__(parent)
        self._settings = settings
        self._connect = connect
        self.here = here
        self.possible = connect is not None  # to have others
        self._here_want = here.want_always()
        self.fleet: FleetHosts | None = None  # what the screen of all machines shows instead
        self.clock = SystemClock()
        self.questions = Questions(self)
        self.shown = HERE
        self.waited_for: str | None = None  # it is shown as soon as it answers
        self._interval = settings.choices.interval
        self._machines: dict[str, _Machine] = {}
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_link_changed)
        settings.changed.connect(self._on_settings_changed)

    @property
    def several(self) -> bool:
        """Whether there is any but this computer."""
        return bool(self._machines) or self.fleet is not None

    @property
    def session(self) -> Session:
        """Of the machine that is shown."""
        machine = self._machines.get(self.shown)
        return self.here if machine is None or machine.session is None else machine.session

    def rows(self) -> Sequence[MachineRow]:
        """This computer first, then the others as they were added."""
        name = QSysInfo.machineHostName() or tr("This computer")
        shown = self.shown == HERE
        here = MachineRow(HERE, name, Standing.HERE, session=self.here, shown=shown)
        return [here, *(self._row(key, each) for key, each in self._machines.items())]

    def row(self, key: str) -> MachineRow:
        """Of a machine that there is."""
        return next(each for each in self.rows() if each.key == key)

    def sessions(self) -> Sequence[Session]:
        there = [each.session for each in self._machines.values()]
        return [self.here, *(each for each in there if each is not None)]

    def change_here(self, session: Session, *, quietly: bool) -> None:
        """This computer is read by another session from now on; unless `quietly`, it is this
        one that is shown.
        """
        if session is not self.here:
            self.here.release(self._here_want)
            self.here = session
            self._here_want = session.want_always()
            if not quietly:
                self.shown, self.waited_for = HERE, None
            self.changed.emit()

    def show(self, key: str) -> None:
        """The screens show this one from now on, or as soon as it answers."""
        machine = self._machines.get(key)
        if key != HERE and (machine is None or machine.session is None):
            self.waited_for = key if machine is not None else None
            self.changed.emit()
            return
        self.waited_for = None
        if key != self.shown:
            self.shown = key
            self.shown_changed.emit()
        self.changed.emit()

    def add(self, wanted: Wanted, connect: Connect | None = None) -> None:
        """And connect to it, by `connect` where it is not reached as others are. Raises Trouble
        for what is no name of a machine, and for one that is there already; one that never
        answered may be asked for again, with another Python.
        """
        there = self._machines.get(wanted.host)
        if there is not None and there.reached is not None:
            if there.session is not None or not self.row(wanted.host).standing.rests:
                raise Trouble(
                    "{machine} is in the list already.",
                    "Choose it in the list of machines.",
                    machine=wanted.host,
                )
            remember = wanted.remember or there.wanted.remember
            wanted = replace(there.wanted, python=wanted.python, remember=remember)
        elif there is not None:
            python = wanted.python or there.wanted.python
            wanted = replace(wanted, python=python, remember=True)
        reached = self._reached(wanted, connect)
        if there is not None:
            _in_thread(partial(_stop, there))
        self._machines[wanted.host] = _Machine(wanted, reached, of_fleet=connect is not None)
        reached.far.connect()
        if wanted.remember:
            self._keep()
        self.changed.emit()

    def begin(self, named: Sequence[Wanted] = (), *, remembered: bool = True) -> None:
        """Those of last time are offered, and connected to where somebody chose so; those that
        are `named` are connected to.
        """
        for wanted in kept_machines(self._settings) if remembered else ():
            if wanted.host not in self._machines:
                self._machines[wanted.host] = _Machine(wanted)
                if self._settings.choices.reconnect:
                    self.retry(wanted.host)
        for host, wanted in {each.host: each for each in named}.items():
            machine = self._machines.get(host)
            if machine is None or machine.reached is None:
                self.add(wanted)
        self.changed.emit()

    def retry(self, key: str) -> None:
        """Now, instead of when it would be tried by itself; or for the first time."""
        machine = self._machines.get(key)
        if machine is None:
            return
        if machine.reached is None:
            try:
                machine.reached, machine.refused = self._reached(machine.wanted), None
            except Trouble as trouble:
                machine.refused = trouble
        if machine.reached is not None:
            far = machine.reached.far
            (far.connect if far.now.state is LinkState.ENDED else far.retry_now)()
        self.changed.emit()

    def disconnect_from(self, key: str) -> None:
        """Its past stays to be looked at; `retry` connects again."""
        machine = self._machines.get(key)
        if machine is not None and machine.reached is not None:
            _in_thread(machine.reached.far.stop)
            self.changed.emit()

    def remove(self, key: str) -> None:
        """With its past, and its lab."""
        machine = self._machines.pop(key, None)
        if machine is None:
            return
        if self.waited_for == key:
            self.waited_for = None
        if self.shown == key:
            self.shown = HERE
        self._keep()
        self.shown_changed.emit()
        self.changed.emit()
        _in_thread(partial(_stop, machine))

    def stop(self) -> None:
        """Harmless when called twice."""
        self.ending.emit()
        self.questions.stop()
        ending = [_in_thread(partial(_stop, each)) for each in self._machines.values()]
        self._machines, self.shown, self.waited_for = {}, HERE, None
        until = self.clock.now() + _PATIENCE
        for each in ending:
            each.join(max(0.0, until - self.clock.now()))
        if self.fleet is not None:
            self.fleet.watching.stop()

    def _reached(self, wanted: Wanted, connect: Connect | None = None) -> Reached:
        connect = connect or self._connect
        assert connect is not None  # nobody offers to add one otherwise
        on_change = partial(self._inbox.letterbox.put, wanted.host)
        return connect(wanted, on_change, self.questions.asker)

    def _row(self, key: str, machine: _Machine) -> MachineRow:
        name, refused = machine.wanted.host, machine.refused
        if machine.reached is None:
            if refused is None:
                return MachineRow(key, name, Standing.ENDED, _NOT_YET)
            return MachineRow(key, name, Standing.REFUSED, refused.sentence, refused.hint)
        now, lost_at = machine.reached.far.now, machine.reached.far.lost_at
        return MachineRow(
            key,
            name,
            Standing[now.state.name],
            now.why,
            now.hint,
            now.since if lost_at is None else lost_at,
            now.retry_at,
            machine.session,
            self.shown == key,
            machine.of_fleet,
        )

    def _keep(self) -> None:
        keep_machines(self._settings, [each.wanted for each in self._machines.values()])

    def _on_link_changed(self, key: str) -> None:
        machine = self._machines.get(key)
        if machine is None or machine.reached is None:
            return
        if machine.session is None and machine.reached.far.hello is not None:
            machine.session = session = machine.reached.session()
            session.want_always()
            session.start()
            if self.waited_for == key:
                self.show(key)
                return
        self.changed.emit()

    def _on_settings_changed(self) -> None:
        interval = self._settings.choices.interval
        if interval != self._interval:
            self._interval = interval
            for session in self.sessions():
                session.set_interval(interval)


def _stop(machine: _Machine) -> None:
    if machine.reached is not None:
        machine.reached.far.stop()
    if machine.session is not None:
        machine.session.stop()


def _in_thread(run: Callable[[], object]) -> threading.Thread:
    """The other side may hang, and the window waits for nobody."""
    thread = threading.Thread(target=run, name="end machine", daemon=True)
    thread.start()
    return thread
