"""WindowMachines: what a window has to do with several machines: adding, showing, asking."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from gpuexplorer.core.words import tr
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.state.alert_watch import Heard
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.widgets.bars.notices import About, Notice, NoticeWay
from gpuexplorer.gui.widgets.sheets import small_sheets
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.gui.window_commands import CommandGroup, Do, command
from gpuexplorer.gui.window_frame import WindowFrame, WindowPart
from gpuexplorer.remote.ssh import Question
from gpuexplorer.telemetry.session import Session


class WindowMachines(WindowPart):
    """Keeps what is known of each machine's cards, and its lab, while another one is shown."""

    def __init__(self, window: WindowFrame, state: MachinesState, seen: Session) -> None:
        """`seen` is what the window shows: that of a machine, or a recording beside them."""
        super().__init__(window)
        self.state, self.seen, self.pythons = state, seen, LabPythons(self.settings, window)
        self._labs: dict[Session | None, Lab] = {}
        self._asking: tuple[Question, Sheet] | None = None
        self.commands.carry_out(
            {
                Do.ADD_MACHINE: state.add_asked.emit,
                Do.NEXT_MACHINE: partial(self._step, 1),
                Do.MACHINE_BEFORE: partial(self._step, -1),
                Do.TRY_MACHINE: lambda: state.retry(self._about.key),
                Do.DISCONNECT: self._disconnect,
                Do.REMOVE_MACHINE: self._remove,
            }
        )
        self.navigation.machine_asked.connect(self._on_machine_asked)
        state.add_asked.connect(lambda: small_sheets.add_machine_sheet(state, window).open())
        state.changed.connect(self._on_changed)
        self.navigation.screen_changed.connect(self._on_changed)
        state.asked.connect(self._on_question_changed)
        window.frame_clock.ticked.connect(self._tell)  # its seconds go on
        self._on_changed()

    def lab(self, session: Session) -> Lab:
        """Made, with its `machine`, when it is first looked at; it stays while others are."""
        if session not in self._labs:
            far = self.state.rows()[1:]
            name = next((each.name for each in far if each.session is session), "")
            machine = MachineState(session, self.settings, self.window, name)
            self._labs[session] = lab_of(machine, self.pythons)
        return self._labs[session]

    @property
    def lab_seen(self) -> Lab:
        return self.lab(self.seen)

    @property
    def lab_here(self) -> Lab | None:
        """Of this computer, if somebody looked at it."""
        return self._labs.get(self.state.here)

    def kept(self) -> Sequence[MachineState]:
        """Of all but those that nobody reads any more."""
        there = [self.seen, *self.state.sessions()]
        return [lab.machine for session, lab in self._labs.items() if session in there]

    def heard(self) -> Sequence[Heard]:
        """Whose alerts are told: what a recording holds is no news."""
        rows, there = self.state.rows(), self.state.sessions()
        return [
            Heard(each.key, each.name if len(rows) > 1 else "", each.session)
            for each in rows
            if each.session is not None and (each.key != HERE or self.seen in there)
        ]

    def let_go(self) -> None:
        """Of the others, now that their screens are gone."""
        kept = self.kept()
        for session, lab in list(self._labs.items()):
            if lab.machine not in kept:
                del self._labs[session]
                lab.stop()
                lab.machine.deleteLater()  # Qt lets go of it with its screens
        self._tell()

    def stop(self) -> None:
        """Harmless when called twice."""
        self.pythons.give_up()
        self.state.stop()
        for lab in self._labs.values():
            lab.stop()

    def more_commands(self) -> list[QAction]:
        """One for each machine."""
        found, rows = [], self.state.rows()
        for each in rows if len(rows) > 1 else ():
            show = partial(self.navigation.open_machine, each.key)
            words = tr("Show machine {machine}", machine=each.name)
            found.append(command(CommandGroup.MACHINES, words, show))
            found[-1].setCheckable(True)
            found[-1].setChecked(each.shown)
        return found

    @property
    def _about(self) -> MachineRow:
        """The machine that is shown; on the screen of all, the one that somebody waits for."""
        waited = self.state.waited_for
        if waited is None or self.navigation.screen != "machines":
            waited = self.state.shown
        return self.state.row(waited)

    def _step(self, by: int) -> None:
        """Round and round, over those that can be shown."""
        keys = [each.key for each in self.state.rows() if each.session is not None]
        at = keys.index(self.state.shown)
        self.navigation.open_machine(keys[(at + by) % len(keys)])

    def _disconnect(self) -> None:
        """Its lab's worker has a connection of its own, and goes with the machine's."""
        about, lab = self._about, self._labs.get(self._about.session)
        if lab is None or not lab.stage.runs:
            self.state.disconnect_from(about.key)
            return

        def then() -> None:
            lab.release()
            self.state.disconnect_from(about.key)

        words = tr("Release the cards and disconnect")
        small_sheets.release_first(lab, words, then, self.window)

    def _remove(self) -> None:
        about, lab = self._about, self._labs.get(self._about.session)
        then = partial(self.state.remove, about.key)
        leave(self.window, tr("Remove the machine"), then, lab=lab)

    def _tell(self) -> None:
        """Why nothing new comes, and what is next. A recording has no connection to break."""
        about, ways = self._about, list[NoticeWay]()
        if about.standing.answers or self.seen.past.ended is not None:
            self.notices.end(About.LINK)
            return
        if about.standing.rests:
            words = tr("Connect") if about.standing is Standing.ENDED else tr("Try now")
            ways.append(NoticeWay(words, partial(self.state.retry, about.key)))
        if about.session is None:
            ways.append(NoticeWay(tr("Remove"), partial(self.state.remove, about.key)))
        said = tr("{machine}: {state}", machine=about.name, state=about.sentence)
        self.notices.say(About.LINK, Notice(said, ways, about.standing.sign))

    def _on_machine_asked(self, key: str) -> None:
        self.window.close_recording()  # where one is shown
        self.state.show(key)
        if self.state.waited_for is not None:
            self.navigation.open_screen("machines")

    def _on_changed(self) -> None:
        about, several = self._about, len(self.state.rows()) > 1
        far, ended = about.key != HERE, about.standing is Standing.ENDED
        self.commands.offer(
            {
                Do.ADD_MACHINE: self.state.possible,
                Do.NEXT_MACHINE: several,
                Do.MACHINE_BEFORE: several,
                Do.REMOVE_MACHINE: far,
                Do.DISCONNECT: far and not ended and not about.of_fleet,
                Do.TRY_MACHINE: about.standing.rests,
            }
        )
        self._tell()

    def _on_question_changed(self) -> None:
        """One at a time, in the order in which they came."""
        if self._asking is not None:
            asked, sheet = self._asking
            if asked.done() and sheet.isVisible():
                sheet.reject()  # ssh does not want to know any more
            return
        question = self.state.questions.next()
        if question is None:
            return
        QApplication.alert(self.window)  # where another window is in front
        self._asking = question, small_sheets.question_sheet(question, self.window)
        self._asking[1].finished.connect(self._on_question_answered)
        self._asking[1].open()

    def _on_question_answered(self) -> None:
        self._asking = None
        self._on_question_changed()
