"""WindowMachines: what a window has to do with several machines: adding, showing, asking."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import FrameClock
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.state.alert_watch import Heard
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import HERE, MachinesState, Question, Standing
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.notices import About, Notice, Notices, NoticeWay
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import question_sheet, release_first
from gpuexplorer.gui.window_commands import CommandGroup, Do, WindowCommands, command
from gpuexplorer.telemetry.session import Session


class WindowMachines(QObject):
    """Keeps what is known of each machine's cards, and its lab, while another one is shown."""

    def __init__(
        self,
        settings: Settings,
        commands: WindowCommands,
        navigation: Navigation,
        frame_clock: FrameClock,
        machines: MachinesState,
        notices: Notices,
        close_recording: Callable[[], None],
        window: QWidget,
    ) -> None:
        """`close_recording` does nothing where none is shown."""
        super().__init__(window)
        self._settings, self._commands = settings, commands
        self._navigation, self._window = navigation, window
        self._close_recording = close_recording
        self.state = machines
        self.pythons = LabPythons(settings, window)
        self._labs: dict[Session, Lab] = {}
        self._question: Question | None = None
        self._sheet: Sheet | None = None
        self._notices = notices
        self._replayed = self._told = self._stopped = False
        for do, slot in (
            (Do.ADD_MACHINE, self._on_add_asked),
            (Do.NEXT_MACHINE, partial(self._step, 1)),
            (Do.MACHINE_BEFORE, partial(self._step, -1)),
            (Do.TRY_MACHINE, lambda: machines.retry(self._spoken_of)),
            (Do.DISCONNECT, self._on_disconnect_asked),
            (Do.REMOVE_MACHINE, self._on_remove_asked),
        ):
            commands[do].triggered.connect(lambda _=False, run=slot: run())
        navigation.machine_asked.connect(self._on_machine_asked)
        machines.add_asked.connect(self._on_add_asked)
        machines.changed.connect(self._on_changed)
        navigation.screen_changed.connect(self._on_changed)
        machines.asked.connect(self._on_question_changed)
        frame_clock.ticked.connect(self._on_ticked)
        self._on_changed()

    def lab(self, session: Session) -> Lab:
        """Made, with its `machine`, when it is first looked at; it stays while others are."""
        if session not in self._labs:
            far = self.state.rows()[1:]
            name = next((each.name for each in far if each.session is session), "")
            machine = MachineState(session, self._settings, self._window, name)
            self._labs[session] = lab_of(machine, self.pythons)
        return self._labs[session]

    def show_for(self, *, recording: bool) -> None:
        """A recording has no connection that could break."""
        self._replayed = recording
        self._tell()

    @property
    def _spoken_of(self) -> str:
        """The machine that is shown; on the screen of all, the one that somebody waits for."""
        waited = self.state.waited_for
        if waited is None or self._navigation.screen != "machines":
            return self.state.shown
        return waited

    @property
    def lab_here(self) -> Lab | None:
        """Of this computer, if somebody looked at it."""
        return self._labs.get(self.state.here)

    @property
    def lab_works(self) -> bool:
        """Whether something lies there that would go with this computer's session."""
        lab = self.lab_here
        return lab is not None and (lab.stage.runs or lab.program.phase.runs)

    def is_far(self, session: Session) -> bool:
        return session in self.state.sessions()[1:]

    def kept(self, seen: Session) -> Sequence[MachineState]:
        """Of all but those that nobody reads any more. A recording is seen beside them."""
        there = [seen, *self.state.sessions()]
        return [lab.machine for session, lab in self._labs.items() if session in there]

    def heard(self, seen: Session) -> Sequence[Heard]:
        """Whose alerts are told: what a recording holds is no news."""
        rows = self.state.rows()
        there = [each.session for each in rows]
        return [
            Heard(each.key, each.name if len(rows) > 1 else "", each.session)
            for each in rows
            if each.session is not None and (each.key != HERE or seen in there)
        ]

    def let_go(self, kept: Sequence[MachineState]) -> None:
        """What holds the others holds them no more."""
        for session, lab in list(self._labs.items()):
            if lab.machine not in kept:
                del self._labs[session]
                lab.stop()
                lab.machine.deleteLater()  # Qt lets go of it with its screens

    def stop(self) -> None:
        """Harmless when called twice."""
        self._stopped = True
        self.pythons.give_up()
        self.state.stop()
        for lab in self._labs.values():
            lab.stop()

    def more_commands(self) -> list[QAction]:
        """One for each machine."""
        found, rows = [], self.state.rows()
        for each in rows if len(rows) > 1 else ():
            show = partial(self._navigation.open_machine, each.key)
            words = tr("Show machine {machine}", machine=each.name)
            found.append(command(CommandGroup.MACHINES, words, show))
            found[-1].setCheckable(True)
            found[-1].setChecked(each.shown)
        return found

    def _step(self, by: int) -> None:
        """Round and round, over those that can be shown."""
        keys = [each.key for each in self.state.rows() if each.session is not None]
        at = keys.index(self.state.shown)
        self._navigation.open_machine(keys[(at + by) % len(keys)])

    def _on_machine_asked(self, key: str) -> None:
        self._close_recording()
        self.state.show(key)
        if self.state.waited_for is not None:
            self._navigation.open_screen("machines")

    def _on_changed(self) -> None:
        machines, commands = self.state, self._commands
        rows = machines.rows()
        commands[Do.ADD_MACHINE].setVisible(machines.possible)
        for do in (Do.NEXT_MACHINE, Do.MACHINE_BEFORE):
            commands[do].setVisible(len(rows) > 1)
        about = machines.row(self._spoken_of)
        far, ended = about.key != HERE, about.standing is Standing.ENDED
        commands[Do.REMOVE_MACHINE].setVisible(far)
        commands[Do.DISCONNECT].setVisible(far and not ended and not about.of_fleet)
        commands[Do.TRY_MACHINE].setVisible(about.standing.rests)
        self._tell()

    def _tell(self) -> None:
        """Why nothing new comes, and what is next."""
        about = self.state.row(self._spoken_of)
        self._told = not (about.standing.answers or self._replayed)
        if not self._told:
            self._notices.end(About.LINK)
            return
        ways = []
        if about.standing.rests:
            words = tr("Connect") if about.standing is Standing.ENDED else tr("Try now")
            ways.append(NoticeWay(words, partial(self.state.retry, about.key)))
        if about.session is None:
            ways.append(NoticeWay(tr("Remove"), partial(self.state.remove, about.key)))
        said = tr("{machine}: {state}", machine=about.name, state=about.sentence)
        self._notices.say(About.LINK, Notice(said, ways, about.standing.sign))

    def _on_ticked(self) -> None:
        """Its seconds go on."""
        if self._told:
            self._tell()

    def _on_add_asked(self) -> None:
        from gpuexplorer.gui.widgets.sheets.small_sheets import add_machine_sheet  # noqa: PLC0415

        add_machine_sheet(self.state, self._window).open()

    def _on_disconnect_asked(self) -> None:
        """Its lab's worker has a connection of its own, and goes with the machine's."""
        key = self._spoken_of
        lab = self._lab_of(key)
        if lab is None or not lab.stage.runs:
            self.state.disconnect_from(key)
            return
        words = tr("Release the cards and disconnect")
        release_first(lab, words, partial(self._disconnect, key, lab), self._window)

    def _disconnect(self, key: str, lab: Lab) -> None:
        lab.release()
        self.state.disconnect_from(key)

    def _on_remove_asked(self) -> None:
        key = self._spoken_of
        words, then = tr("Remove the machine"), partial(self.state.remove, key)
        leave(self._window, words, then, lab=self._lab_of(key))

    def _lab_of(self, key: str) -> Lab | None:
        session = self.state.row(key).session
        return None if session is None else self._labs.get(session)

    def _on_question_changed(self) -> None:
        """One at a time, in the order in which they came."""
        if self._sheet is not None and self._question is not None and self._question.done():
            self._sheet.reject()  # ssh does not want to know any more
        question = self.state.questions.next()
        if self._sheet is not None or question is None or self._stopped:
            return
        if not self._window.isActiveWindow():
            QApplication.alert(self._window)
        self._question, self._sheet = question, question_sheet(question, self._window)
        self._sheet.finished.connect(self._on_question_answered)
        self._sheet.open()

    def _on_question_answered(self) -> None:
        self._sheet = None
        self._on_question_changed()
