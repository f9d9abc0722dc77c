"""MachinesState: this computer and every machine that is reached from it, for screens."""

import argparse
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Self

from PySide6.QtCore import QObject, QSysInfo, Signal

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import span_words
from gpuexplorer.core.words import NOTHING, Message, mark, paragraph, tr
from gpuexplorer.gui.event_loop import Bridge, Inbox
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.ssh import Asking, Launch, Questions, host_name
from gpuexplorer.telemetry.session import Session, remembering

if TYPE_CHECKING:
    from gpuexplorer.gui.state.groups import FleetHosts
    from gpuexplorer.remote.machine import FarMachine

HERE = ""  # the key of this computer
_KEPT = "machines"
_PATIENCE = 1.5  # at the end of the program, for all machines together
_NEVER = LinkNow(
    LinkState.ENDED, 0.0, Message("Nobody has connected to it since the program was started.")
)


class Standing(Enum):
    """How a machine is reached just now: `LinkState`, and this computer, which needs none. Each
    has its word, and a sign of its own shape for whoever sees no colours.
    """

    HERE = mark("This computer"), Icon.THERE, Tone.GOOD
    CONNECTING = mark("Connecting"), Icon.SILENT, Tone.QUIET
    ASKING = mark("ssh asks something"), Icon.NOTE, Tone.WARN
    UP = mark("Connected"), Icon.THERE, Tone.GOOD
    BROKEN = mark("No connection"), Icon.WARNING, Tone.WARN
    REFUSED = mark("Refused"), Icon.LOST, Tone.BAD
    ENDED = mark("Not connected"), Icon.POWER, Tone.FAINT

    def __init__(self, word: str, icon: Icon, tone: Tone) -> None:
        self.word, self.sign = word, (icon, tone)

    @property
    def answers(self) -> bool:
        return self in (Standing.HERE, Standing.UP)

    @property
    def rests(self) -> bool:
        """Nobody tries to connect at this moment."""
        return self in (Standing.BROKEN, Standing.REFUSED, Standing.ENDED)


# Makes a connection to a host, with this Python over there, and what makes its session once it
# has answered. It tells changes from its threads. Raises Trouble for what is no name.
Reached = tuple["FarMachine", Callable[[], Session]]
Connect = Callable[[str, str, Callable[[], None], Asking], Reached]


@dataclass(frozen=True)
class MachineRow:
    """One machine as it stands just now."""

    key: str  # what `show`, `remove` and the like take; HERE for this computer
    name: str  # as it was typed, and nothing in it was checked: never taken for markup
    standing: Standing
    why: Message = NOTHING  # why there is no connection, and the way out
    hint: Message = NOTHING
    for_seconds: float = 0.0  # it stands so; without a connection: the last one is lost
    retry_in: float | None = None  # seconds
    session: Session | None = None  # None until it answered for the first time
    shown: bool = False  # the screens show this one
    of_fleet: bool = False  # whoever lists the fleet lists it already

    @property
    def state(self) -> str:
        """ "Connected", "No connection for 2 min"."""
        words = tr(self.standing.word)
        if self.standing in (Standing.BROKEN, Standing.CONNECTING):
            return tr("{state} for {span}", state=words, span=span_words(self.for_seconds))
        return words

    @property
    def sentence(self) -> str:
        """The same with the reason and the way out."""
        retry = ""
        if self.retry_in is not None:
            retry = tr("Next try in {span}.", span=span_words(self.retry_in))
        why = paragraph((self.why, self.hint, retry)).replace("`", "")
        return tr("{state}: {why}", state=self.state, why=why) if why else self.state

    def linked(self, link: LinkNow, now: float, since: float) -> Self:
        """The same as its link is now."""
        return replace(
            self,
            standing=Standing[link.state.name],
            why=link.why,
            hint=link.hint,
            for_seconds=max(0.0, now - since),
            retry_in=None if link.retry_at is None else max(0.0, link.retry_at - now),
        )


@dataclass
class Listed:
    """A machine as a person asked for it, or a host of a fleet, which is not reached."""

    host: str
    python: str = ""
    remember: bool = False
    far: "FarMachine | None" = None  # None: nobody asked for a connection yet
    make: Callable[[], Session] | None = None
    session: Session | None = None

    @property
    def answered(self) -> bool:
        return self.far is not None and self.far.hello is not None

    def start(self) -> None:
        assert self.make is not None  # since it was asked for, or is of a fleet
        self.session = self.make()
        self.session.want_always()
        self.session.start()

    def stop(self) -> None:
        for each in (self.far, self.session):
            if each is not None:
                each.stop()


class MachinesState(QObject):
    """Each machine's session goes on being read while another is looked at. Screens ask for
    another machine by `Navigation.open_machine`, since it may be shown only when it answers.
    """

    changed = Signal()  # a machine came or went, its link changed, or another is shown
    shown_changed = Signal()  # or one is gone that was not shown
    asked = Signal()  # `questions` has one more, or one is over
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
        self._settings, self._connect = settings, connect
        self.here, self._here_want = here, here.want_always()
        self.possible = connect is not None  # to have others
        self.fleet: FleetHosts | None = None
        self.clock = SystemClock()
        self.shown = HERE
        self.waited_for: str | None = None  # it is shown as soon as it answers
        self._interval = settings.choices.interval
        self._machines: dict[str, Listed] = {}
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)
        self.questions = Questions(partial(self._inbox.letterbox.put, None))
        settings.changed.connect(self._on_settings_changed)

    def follow(self, fleet: "FleetHosts") -> None:
        """What the screen of all machines shows instead."""
        self.fleet = fleet
        fleet.watching.listen(partial(self._inbox.letterbox.put, HERE))

    @property
    def several(self) -> bool:
        """Whether there is any but this computer."""
        return bool(self._machines) or self.fleet is not None

    @property
    def session(self) -> Session:
        """Of the machine that is shown."""
        return self.row(self.shown).session or self.here

    def rows(self) -> Sequence[MachineRow]:
        """This computer first, then the others as they were added."""
        name, now = QSysInfo.machineHostName() or tr("This computer"), self.clock.now()
        shown = self.shown
        rows = [MachineRow(HERE, name, Standing.HERE, session=self.here, shown=shown == HERE)]
        for key, each in self._machines.items():
            link, lost_at, of_fleet = _NEVER, None, False
            if each.far is not None:
                link, lost_at = each.far.now, each.far.lost_at
            elif self.fleet is not None and each.session is not None:
                link, of_fleet = self.fleet.link, True
            about = (key, key, Standing.ENDED)
            row = MachineRow(
                *about, session=each.session, shown=shown == key, of_fleet=of_fleet
            )
            rows.append(row.linked(link, now, link.since if lost_at is None else lost_at))
        return rows

    def row(self, key: str) -> MachineRow:
        """Of a machine that there is."""
        return next(each for each in self.rows() if each.key == key)

    def sessions(self) -> Sequence[Session]:
        return [each.session for each in self.rows() if each.session is not None]

    def change_here(self, session: Session, *, quietly: bool) -> None:
        """This computer is read by another session from now on; unless `quietly`, it is this
        one that is shown.
        """
        if session is not self.here:
            self.here.release(self._here_want)
            self.here, self._here_want = session, session.want_always()
            if not quietly:
                self.shown, self.waited_for = HERE, None
            self.changed.emit()

    def show(self, key: str) -> None:
        """The screens show this one from now on, or as soon as it answers."""
        machine, self.waited_for = self._machines.get(key), None
        if machine is not None and machine.session is None:
            self.waited_for = key
        elif key != self.shown and (machine is not None or key == HERE):
            self.shown = key
            self.shown_changed.emit()
        self.changed.emit()

    def add(self, host: str, python: str = "", *, remember: bool = False) -> None:
        """And connect to it. Raises Trouble for what is no name of a machine, and for one that
        is there already; one that never answered may be asked for again, with another Python.
        """
        machine, there = Listed(host, python, remember), self._machines.get(host)
        if there is not None:
            if there.session is not None or not self.row(host).standing.rests:
                hint = "Choose it in the list of machines."
                raise Trouble("{machine} is in the list already.", hint, machine=host)
            machine.python = python or there.python
            machine.remember = remember or there.remember
            _in_thread(there.stop)
        self._reach(machine)
        self._machines[host] = machine
        self._keep()
        self.changed.emit()

    def add_host(self, key: str, make: Callable[[], Session]) -> None:
        """One of the fleet."""
        if key not in self._machines:
            self._machines[key] = machine = Listed(key, make=make)
            machine.start()
            self.changed.emit()

    def begin(
        self, named: Sequence[str] = (), python: str = "", *, remembered: bool = True
    ) -> None:
        """Those of last time are offered, and connected to where somebody chose so; those that
        are `named` are connected to.
        """
        for each in self.kept() if remembered else ():
            machine = self._machines.setdefault(each.host, each)
            if self._settings.choices.reconnect and machine.far is None:
                self._reach(machine)
        for host in dict.fromkeys(named):
            if host not in self._machines or self._machines[host].far is None:
                self.add(host, python)
        self.changed.emit()

    def kept(self) -> Sequence[Listed]:
        """Those of last time."""
        try:
            kept = json.loads(self._settings.remembered(_KEPT) or "[]")
            return [
                Listed(host_name(each["host"]).text, str(each["python"]), remember=True)
                for each in kept
            ]
        except (ValueError, TypeError, KeyError, AttributeError, Trouble):
            return []  # somebody else wrote there

    def retry(self, key: str) -> None:
        """Now, instead of when it would be tried by itself; or for the first time."""
        machine = self._machines[key]
        if (far := machine.far) is not None:
            (far.connect if far.now.state is LinkState.ENDED else far.retry_now)()
        elif self.fleet is not None and machine.session is not None:
            self.fleet.watching.ask_now()
        else:
            self._reach(machine)
        self.changed.emit()

    def disconnect_from(self, key: str) -> None:
        """Its past stays to be looked at; `retry` connects again."""
        if (far := self._machines[key].far) is not None:
            _in_thread(far.stop)
            self.changed.emit()

    def remove(self, key: str) -> None:
        """With its past, and its lab."""
        _in_thread(self._machines.pop(key).stop)
        self.waited_for = None if self.waited_for == key else self.waited_for
        self.shown = HERE if self.shown == key else self.shown
        self._keep()
        self.shown_changed.emit()
        self.changed.emit()

    def stop(self) -> None:
        """Harmless when called twice."""
        self.ending.emit()
        self.questions.close()
        ending = [_in_thread(each.stop) for each in self._machines.values()]
        self._machines, self.shown, self.waited_for = {}, HERE, None
        until = self.clock.now() + _PATIENCE
        for each in ending:
            each.join(max(0.0, until - self.clock.now()))
        if self.fleet is not None:
            self.fleet.watching.stop()

    def _reach(self, machine: Listed) -> None:
        assert self._connect is not None  # nobody offers to add one otherwise
        told = partial(self._inbox.letterbox.put, machine.host)
        far, machine.make = self._connect(machine.host, machine.python, told, self.questions)
        machine.far = far
        far.connect()

    def _keep(self) -> None:
        there = self._machines.values()
        kept = [{"host": each.host, "python": each.python} for each in there if each.remember]
        self._settings.remember(_KEPT, json.dumps(kept))
        self._settings.flush()

    def _on_came(self, key: str | None) -> None:
        """Of a link that changed, or None from whoever asks."""
        machine = None if key is None else self._machines.get(key)
        if machine is not None and machine.session is None and machine.answered:
            machine.start()
            if self.waited_for == key:
                self.show(machine.host)
        (self.asked if key is None else self.changed).emit()

    def _on_settings_changed(self) -> None:
        interval = self._settings.choices.interval
        if interval != self._interval:
            self._interval = interval
            for session in self.sessions():
                session.set_interval(interval)


def machines_at_start(
    arguments: argparse.Namespace,
    settings: Settings,
    bridge: Bridge,
    here: Session,
    launch: Launch | None,
) -> MachinesState:
    """Nothing is connected to before `begin`. `launch` runs commands on other machines, where
    not ssh does. Simulated ones, which are those that are named, differ by their seeds.
    """
    named = list(getattr(arguments, "host", ()))

    def reach(host: str, python: str, told: Callable[[], None], asking: Asking) -> Reached:
        from gpuexplorer.remote.machine import FarMachine  # noqa: PLC0415 - rarely needed

        far = FarMachine(
            host_name(host),
            python=python,
            simulate=arguments.simulate if host in named else None,
            faults=arguments.fault,
            seed=arguments.seed + (named.index(host) if host in named else 0),
            launch=launch,
            asking=asking,
            on_change=told,
        )

        def session() -> Session:
            made, choices = Session(far.stream, settings.choices.interval), settings.choices
            made.attach(bridge.post_happening)
            return remembering(made, choices.full_seconds, choices.day_seconds)

        return far, session

    machines = MachinesState(settings, here, reach)
    if getattr(arguments, "fleet", None) is not None:
        from gpuexplorer.fleet.host import Watching  # noqa: PLC0415 - rarely needed
        from gpuexplorer.gui.state.groups import FleetHosts  # noqa: PLC0415 - as above

        watching = Watching(arguments.fleet)
        machines.follow(FleetHosts(watching))
        watching.start()
    return machines


def _in_thread(run: Callable[[], object]) -> threading.Thread:
    """The other side may hang, and the window waits for nobody."""
    thread = threading.Thread(target=run, name="end machine", daemon=True)
    thread.start()
    return thread
