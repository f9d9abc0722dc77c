"""LabPythons: which Python of a computer runs the lab, looked for in a thread, and where; and
PyTorchFetch, by which PyTorch comes to this computer.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.get_pytorch import Plan, Progress, get, plan_for
from gpuexplorer.lab.pythons import LabPython, PythonPlace, none_has_torch, own_environment

Said = Plan | Progress | LabPython | Trouble
Put = Callable[[Said], None]


class Step(StrEnum):
    RESTING = "resting"
    ASKING = "asking"  # which build, and how large it is
    OFFERED = "offered"  # `plan` says it; a person decides
    FETCHING = "fetching"


class PyTorchFetch(QObject):
    """One at a time. Ends with the window, and leaves nothing half that is taken for whole."""

    changed = Signal()
    fetched = Signal(object)  # the LabPython that has it, and was proven

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.step = Step.RESTING
        self.plan: Plan | None = None
        self.progress: Progress | None = None
        self.trouble = NOTHING  # why the last one ended before its end; else empty
        self._given_up = threading.Event()
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_came)

    @property
    def said(self) -> Message:
        """What it does, or why the last one ended before its end."""
        if self.step is Step.RESTING:
            return self.trouble
        if self.step is Step.ASKING:
            return Message("Finding the build that suits, and its size…")
        if self.step is Step.OFFERED and self.plan is not None:
            own = Message(
                "It is installed into an environment of its own; your own Pythons stay as they "
                "are."
            )
            return told(*self.plan.sentences, own)
        return Message("Downloading PyTorch…") if self.progress is None else self.progress.said

    def ask(self, cards: Sequence[Card], driver_version: str | None) -> None:
        """Answered by a `plan` or a `trouble`."""
        if self.step is not Step.RESTING:
            return
        folder = own_environment(os.environ, Path.home())

        def planned(given_up: threading.Event, _: Put) -> Plan:
            plan = plan_for(folder, cards, driver_version, given_up)
            if given_up.is_set():
                plan.give_up()
            return plan

        self._begin(Step.ASKING, planned)

    def get(self) -> None:
        """What `plan` says."""
        if self.step is Step.OFFERED and self.plan is not None:
            plan = self.plan
            self._begin(Step.FETCHING, lambda given_up, put: get(plan, put, given_up))

    def cancel(self) -> None:
        """What was made for it is taken away, which takes a moment."""
        self._given_up.set()
        if self.step is Step.OFFERED and self.plan is not None:
            threading.Thread(target=self.plan.give_up, name="give up PyTorch").start()
            self._rest()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        if self.step is not Step.RESTING:
            self.cancel()

    def _begin(self, step: Step, work: Callable[[threading.Event, Put], Said]) -> None:
        self.step, self.trouble, self.progress = step, NOTHING, None
        self._given_up = given_up = threading.Event()
        # It holds nothing of Qt, and is no daemon: pip shall not outlive the program.
        put = self._inbox.letterbox.put

        def run() -> None:
            try:
                put(work(given_up, put))
            except Trouble as trouble:
                put(trouble)

        threading.Thread(target=run, name="PyTorch").start()
        self.changed.emit()

    def _rest(self) -> None:
        self.step, self.plan, self.progress = Step.RESTING, None, None
        self.changed.emit()

    def _on_came(self, said: Said) -> None:
        match said:
            case Plan() if self._given_up.is_set():
                self._rest()
            case Plan():
                self.step, self.plan = Step.OFFERED, said
                self.changed.emit()
            case Progress():
                self.progress = said
                self.changed.emit()
            case LabPython():
                self._rest()
                self.fetched.emit(said)
            case Trouble():
                if not self._given_up.is_set():
                    self.trouble = told(said.sentence, said.hint)
                self._rest()


Asked = list[LabPython]  # in that order


class Nowhere(PythonPlace):
    """Of a machine on which nothing can be started."""

    def __init__(self, computer: str, why: Message) -> None:
        self.computer, self._why = computer, why

    def every(self, *_: object) -> Iterator[LabPython]:
        raise Trouble(self._why)

    def picked(self, *_: object) -> LabPython:
        raise Trouble(self._why)


def python_setting(computer: str = "") -> str:
    """The setting that remembers the chosen one; without a name, that of this computer."""
    return "lab/python of " + quote(computer, safe="") if computer else "lab/python"


class LabPythons(QObject):
    """Nobody is asked before `find`, `search` or `choose`; each answers by `changed`."""

    changed = Signal()

    def __init__(
        self,
        settings: Settings,
        parent: QObject | None = None,
        place: PythonPlace | None = None,
    ) -> None:
        """Those of this computer, unless `place` is another."""
        super().__init__(parent)
        self._settings = settings
        self._place = place or PythonPlace()
        self.python: LabPython | None = None  # the one that is used; None before one was found
        # All that were asked, usable or not, the likeliest first.
        self.found: Sequence[LabPython] = ()
        self.working = False  # somebody is asked just now
        self.searched = False  # all candidates have been asked
        self._given_up = threading.Event()
        # Why there is none, or why the one that was picked is not used; else empty.
        self.trouble = NOTHING
        self.lacking = False  # they were asked, and none has a PyTorch for the lab
        # Brings one to this computer; to others nothing is fetched from here.
        self.fetch = PyTorchFetch(self) if place is None else None
        if self.fetch is not None:
            self.fetch.changed.connect(self.changed)
            self.fetch.fetched.connect(self._on_fetched)
        self._passed_over: LabPython | None = None  # the one that was chosen earlier
        self._take: Callable[[Asked], None] = self._take_first  # what is asked just now
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_answered)

    @property
    def computer(self) -> str:
        """Empty for this one."""
        return self._place.computer

    @property
    def passed_over(self) -> Message:
        """Why the one that a person chose earlier is not used, and which one is; else empty."""
        earlier = self._passed_over
        if earlier is None:
            return NOTHING
        path, used = str(earlier.path), self.python
        used = used or next((each for each in self.found if each.usable), None)
        instead = NOTHING
        if used is not None:
            instead = Message("{used} is used instead.", used=str(used.path))
        if earlier.usable:
            again = Message(
                "You chose {path} as the Python of the lab, and it can be used again.",
                path=path,
            )
            way_out = Message("To use it, choose it under “Python of the lab”.")
            return told(again, instead, way_out)
        not_used = Message(
            "You chose {path} as the Python of the lab, but it cannot be used. {why}",
            path=path,
            why=earlier.trouble,
        )
        way_out = Message("Choose another under “Python of the lab”, or fix it and look again.")
        return told(not_used, instead, way_out)

    def find(self) -> None:
        """The remembered one, else the first that can be used."""
        if self.python is None:
            earlier, place = self._chosen_earlier(), self._place

            def first_usable(given_up: threading.Event) -> Asked:
                asked = []
                for python in place.every(earlier, given_up):
                    asked.append(python)
                    if python.usable:
                        break
                return asked

            self._ask(first_usable, self._take_first)

    def search(self) -> None:
        """Ask all that may be one, for a list to pick from."""
        earlier, place = self._chosen_earlier(), self._place
        self._ask(lambda given_up: [*place.every(earlier, given_up)], self._take_all)

    def choose(self, path: Path) -> None:
        """The one a person picked: a program, or the folder of an environment."""
        place = self._place
        self._ask(lambda given_up: [place.picked(path, given_up)], self._take_picked)

    def give_up(self) -> None:
        """Whoever is asked just now is ended; what was known before holds."""
        self._given_up.set()
        if self.fetch is not None:
            self.fetch.stop()

    def _ask(
        self, ask_them: Callable[[threading.Event], Asked], take: Callable[[Asked], None]
    ) -> None:
        if self.working:
            return
        self.working, self._take = True, take
        self.trouble, self.lacking = NOTHING, False
        self._given_up = given_up = threading.Event()
        put = self._inbox.letterbox.put

        def run() -> None:
            try:
                answer: Asked | Trouble = ask_them(given_up)
            except Trouble as trouble:
                answer = trouble
            put(None if given_up.is_set() else answer)

        self.changed.emit()
        # No daemon: what is asked shall not outlive the program. It holds nothing of Qt.
        threading.Thread(target=run, name="lab pythons").start()

    def _chosen_earlier(self) -> Path | None:
        remembered = self._settings.remembered(python_setting(self.computer))
        return Path(remembered) if remembered else None

    def _take_first(self, asked: Asked) -> None:
        self.found = self.found or asked
        self._note_chosen(asked)
        if asked and asked[-1].usable:
            self.python = asked[-1]
        else:
            self.lacking = True
            self.trouble = self._none_has_torch()

    def _take_all(self, asked: Asked) -> None:
        self.searched = True
        self._note_chosen(asked)
        known = {each.path for each in asked}
        picked = [self.python] if self.python and self.python.path not in known else []
        self.found = [*picked, *asked]
        self.lacking = not any(each.usable for each in self.found)
        if self.lacking:
            self.trouble = self._none_has_torch()

    def _none_has_torch(self) -> Message:
        return told(self.passed_over, none_has_torch(len(self.found), self.computer))

    def _note_chosen(self, asked: Asked) -> None:
        """Whether the one that was chosen earlier can be used still, and is used."""
        earlier = self._chosen_earlier()
        found = next((each for each in asked if each.path == earlier), None)
        another = self.python is not None and self.python.path != earlier
        passed_over = found is not None and (another or not found.usable)
        self._passed_over = found if passed_over else None

    def _take_picked(self, asked: Asked) -> None:
        (python,) = asked
        self.python, self._passed_over = python, None
        if python.path not in {each.path for each in self.found}:
            self.found = [python, *self.found]
        self._settings.remember(python_setting(self.computer), str(python.path))

    def _on_fetched(self, python: LabPython) -> None:
        self.trouble, self.lacking = NOTHING, False
        self._take_picked([python])
        self.changed.emit()

    def _on_answered(self, answer: Asked | Trouble | None) -> None:
        """None where it was given up meanwhile."""
        self.working = False
        if isinstance(answer, Trouble):
            stays = NOTHING
            if self.python is not None:
                stays = Message("{path} stays in use.", path=str(self.python.path))
            self.trouble = told(answer.sentence, stays, answer.hint)
        elif answer is not None:
            self._take(answer)
        self.changed.emit()
