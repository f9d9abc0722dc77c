"""MachinesState: this computer and every machine that is reached from it, for screens."""

import argparse
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QSysInfo, Signal

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, paragraph, tr
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.event_loop import Bridge, Inbox
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.ssh import Asking, HostName, Launch, host_name
from gpuexplorer.telemetry.session import Session, remembering

if TYPE_CHECKING:
    from gpuexplorer.gui.state.fleet_hosts import FleetHosts
    from gpuexplorer.remote.machine import FarMachine

HERE = ""  # the key of this computer
_KEPT = "machines"
_PATIENCE = 1.5  # at the end of the program, for all machines together
_NOT_YET = Message("Nobody has connected to it since the program was started.")


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """A machine as a person asked for it; what `simulate` holds is of this run only."""

    host: str
    python: str = ""
    simulate: str | None = None
    faults: str = ""
    seed: int = 0
    remember: bool = False


class Reached(NamedTuple):
    """A machine that can be connected to, and what makes its session once it has answered."""

    far: "FarMachine"  # it tells changes from its threads
    session: Callable[[], Session]


# Raises Trouble for what is no name of a machine.
Connect = Callable[[Wanted, Callable[[], None], Asking], Reached]


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


@dataclass
class _Machine:
    """A host of a fleet has a session, and is not reached by itself."""

    wanted: Wanted
    reached: Reached | None = None  # None: nobody asked for a connection yet
    session: Session | None = None

    def start(self, session: Session) -> None:
        self.session = session
        session.want_always()
        session.start()

    def stop(self) -> None:
        if self.reached is not None:
            self.reached.far.stop()
        if self.session is not None:
            self.session.stop()


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
        self._machines: dict[str, _Machine] = {}
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
        machine = self._machines.get(self.shown)
        return self.here if machine is None or machine.session is None else machine.session

    def rows(self) -> Sequence[MachineRow]:
        """This computer first, then the others as they were added."""
        name = QSysInfo.machineHostName() or tr("This computer")
        shown = self.shown == HERE
        here = MachineRow(HERE, name, Standing.HERE, session=self.here, shown=shown)
        return [here, *map(self._row, self._machines.values())]

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

    def add(self, wanted: Wanted) -> None:
        """And connect to it. Raises Trouble for what is no name of a machine, and for one that
        is there already; one that never answered may be asked for again, with another Python.
        """
        key, there = wanted.host, self._machines.get(wanted.host)
        if there is not None:
            if there.session is not None or not self.row(key).standing.rests:
                raise Trouble(
                    "{machine} is in the list already.",
                    "Choose it in the list of machines.",
                    machine=key,
                )
            wanted = replace(
                wanted if there.reached is None else there.wanted,
                python=wanted.python or there.wanted.python,
                remember=wanted.remember or there.wanted.remember,
            )
        reached = self._reached(wanted)
        if there is not None:
            _in_thread(there.stop)
        self._machines[key] = _Machine(wanted, reached)
        reached.far.connect()
        self._keep()
        self.changed.emit()

    def add_host(self, key: str, session: Callable[[], Session]) -> None:
        """One of the fleet."""
        if key not in self._machines:
            self._machines[key] = machine = _Machine(Wanted(key))
            machine.start(session())
            self.changed.emit()

    def begin(self, named: Sequence[Wanted] = (), *, remembered: bool = True) -> None:
        """Those of last time are offered, and connected to where somebody chose so; those that
        are `named` are connected to.
        """
        for wanted in self.kept() if remembered else ():
            if wanted.host not in self._machines:
                self._machines[wanted.host] = _Machine(wanted)
                if self._settings.choices.reconnect:
                    self.retry(wanted.host)
        for host, wanted in {each.host: each for each in named}.items():
            machine = self._machines.get(host)
            if machine is None or machine.reached is None:
                self.add(wanted)
        self.changed.emit()

    def kept(self) -> Sequence[Wanted]:
        """Those of last time."""
        try:
            kept = json.loads(self._settings.remembered(_KEPT) or "[]")
            return [
                Wanted(host_name(each["host"]).text, str(each["python"]), remember=True)
                for each in kept
            ]
        except (ValueError, TypeError, KeyError, AttributeError, Trouble):
            return []  # somebody else wrote there

    def retry(self, key: str) -> None:
        """Now, instead of when it would be tried by itself; or for the first time."""
        machine = self._machines[key]
        if machine.reached is not None:
            far = machine.reached.far
            (far.connect if far.now.state is LinkState.ENDED else far.retry_now)()
        elif self.fleet is not None and machine.session is not None:
            self.fleet.watching.ask_now()
        else:
            machine.reached = self._reached(machine.wanted)
            machine.reached.far.connect()
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
        if machine is not None:
            _in_thread(machine.stop)
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

    def _reached(self, wanted: Wanted) -> Reached:
        assert self._connect is not None  # nobody offers to add one otherwise
        on_change = partial(self._inbox.letterbox.put, wanted.host)
        return self._connect(wanted, on_change, self.questions)

    def _row(self, machine: _Machine) -> MachineRow:
        key, lost_at = machine.wanted.host, None
        if machine.reached is not None:
            link, lost_at = machine.reached.far.now, machine.reached.far.lost_at
        elif self.fleet is not None and machine.session is not None:
            link = self.fleet.link
        else:
            return MachineRow(key, key, Standing.ENDED, _NOT_YET)
        now, retry_at = self.clock.now(), link.retry_at
        return MachineRow(
            *(key, key, Standing[link.state.name], link.why, link.hint),
            max(0.0, now - (link.since if lost_at is None else lost_at)),
            None if retry_at is None else max(0.0, retry_at - now),
            session=machine.session,
            shown=self.shown == key,
            of_fleet=machine.reached is None,
        )

    def _keep(self) -> None:
        wanted = [each.wanted for each in self._machines.values()]
        kept = [{"host": each.host, "python": each.python} for each in wanted if each.remember]
        self._settings.remember(_KEPT, json.dumps(kept))
        self._settings.flush()

    def _on_came(self, key: str | None) -> None:
        """Of a link that changed, or None from whoever asks."""
        machine = None if key is None else self._machines.get(key)
        reached = None if machine is None or machine.session else machine.reached
        if machine is not None and reached is not None and reached.far.hello is not None:
            machine.start(reached.session())
            if self.waited_for == key:
                self.show(machine.wanted.host)
        (self.asked if key is None else self.changed).emit()

    def _on_settings_changed(self) -> None:
        interval = self._settings.choices.interval
        if interval != self._interval:
            self._interval = interval
            for session in self.sessions():
                session.set_interval(interval)


@dataclass(eq=False)
class Question(Future[str | None]):
    """What ssh wants to know of the person. `text` is what ssh or the other side wrote: never
    taken for markup. It is done when it is answered, or nobody wants to know any more.
    """

    machine: str
    text: str
    secret: bool
    yes_no: bool
    again: bool

    def __post_init__(self) -> None:
        super().__init__()

    def answer(self, text: str | None) -> None:
        """The first one counts. None: no answer, and so no connection."""
        with suppress(InvalidStateError):
            self.set_result(text)


class Questions:
    """An `Asking`, called from threads of connections, which may outlive the window: it holds
    nothing of Qt. `next` is for the window.
    """

    def __init__(self, on_news: Callable[[], None]) -> None:
        """`on_news`: one more waits, or one is over."""
        self._on_news, self._closed = on_news, False
        self._open: list[Question] = []

    def next(self) -> Question | None:
        """The one that has waited longest."""
        return next((each for each in tuple(self._open) if not each.done()), None)

    def ask(
        self, host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        question = Question(host.text, text, secret, yes_no, again)
        self._open.append(question)
        if self._closed:
            question.answer(None)
        self._on_news()
        answer = question.result()
        self._open.remove(question)
        return answer

    def withdraw(self, host: HostName) -> None:
        for each in tuple(self._open):
            if each.machine == host.text:
                each.answer(None)
        self._on_news()

    def close(self) -> None:
        """Nobody answers any more."""
        self._closed = True
        for each in tuple(self._open):
            each.answer(None)


def machines_at_start(
    arguments: argparse.Namespace,
    settings: Settings,
    bridge: Bridge,
    here: Session,
    launch: Launch | None,
) -> MachinesState:
    """Nothing is connected to before `begin`. `launch` runs commands on other machines, where
    not ssh does.
    """

    def reach(wanted: Wanted, on_change: Callable[[], None], asking: Asking) -> Reached:
        from gpuexplorer.remote.machine import FarMachine  # noqa: PLC0415 - rarely needed

        far = FarMachine(
            host_name(wanted.host),
            python=wanted.python,
            simulate=wanted.simulate,
            faults=wanted.faults,
            seed=wanted.seed,
            launch=launch,
            asking=asking,
            on_change=on_change,
        )

        def session() -> Session:
            made, choices = Session(far.stream, settings.choices.interval), settings.choices
            made.attach(bridge.post_happening)
            return remembering(made, choices.full_seconds, choices.day_seconds)

        return Reached(far, session)

    machines = MachinesState(settings, here, reach)
    fleet = getattr(arguments, "fleet", None)
    if fleet is not None:
        from gpuexplorer.fleet.host import Watching  # noqa: PLC0415 - rarely needed
        from gpuexplorer.gui.state.fleet_hosts import FleetHosts  # noqa: PLC0415 - as above

        watching = Watching(fleet)
        machines.follow(FleetHosts(watching))
        watching.start()
    return machines


def begin(machines: MachinesState, arguments: argparse.Namespace) -> None:
    """Simulated ones differ, by their seeds."""
    wanted = [
        Wanted(
            *(host, arguments.host_python or "", arguments.simulate, arguments.fault),
            seed=arguments.seed + number,
        )
        for number, host in enumerate(hosts_named(arguments))
    ]
    machines.begin(wanted, remembered=arguments.screenshot is None)


def hosts_named(arguments: argparse.Namespace) -> list[str]:
    return list(getattr(arguments, "host", ()))


def _in_thread(run: Callable[[], object]) -> threading.Thread:
    """The other side may hang, and the window waits for nobody."""
    thread = threading.Thread(target=run, name="end machine", daemon=True)
    thread.start()
    return thread
