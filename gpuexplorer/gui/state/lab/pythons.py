"""LabPythons: which Python of a computer runs the lab, looked for in a thread, and where; and
PyTorchFetch, by which PyTorch comes to this computer.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.get_pytorch import Plan, Progress, get, plan_for
from gpuexplorer.lab.pythons import LabPython, PythonPlace, none_has_torch, own_environment


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
            own = Message("Your own Pythons stay as they are.")
            return told(*self.plan.sentences, own)
        return Message("Downloading PyTorch…") if self.progress is None else self.progress.said

    def ask(self, cards: Sequence[Card], driver_version: str | None) -> None:
        """Answered by a `plan` or a `trouble`."""

        def planned(given_up: threading.Event) -> Plan:
            folder = own_environment(os.environ, Path.home())
            plan = plan_for(folder, cards, driver_version, given_up)
            if given_up.is_set():
                plan.give_up()
            return plan

        if self.step is Step.RESTING:
            self._begin(Step.ASKING, planned)

    def get(self) -> None:
        """What `plan` says."""
        if self.step is Step.OFFERED and self.plan is not None:
            self._begin(Step.FETCHING, partial(get, self.plan, self._inbox.letterbox.put))

    def cancel(self) -> None:
        """What was made for it is taken away, which takes a moment. Harmless at any time."""
        self._given_up.set()
        if self.step is Step.OFFERED and self.plan is not None:
            threading.Thread(target=self.plan.give_up, name="give up PyTorch").start()
            self._rest()

    def _begin(self, step: Step, work: Callable[[threading.Event], Plan | LabPython]) -> None:
        self.step, self.trouble, self.progress = step, NOTHING, None
        self._given_up = threading.Event()
        _in_a_thread("PyTorch", partial(work, self._given_up), self._inbox)
        self.changed.emit()

    def _rest(self) -> None:
        self.step, self.plan, self.progress = Step.RESTING, None, None
        self.changed.emit()

    def _on_came(self, said: Plan | Progress | LabPython | Trouble) -> None:
        match said:
            case Plan() if not self._given_up.is_set():
                self.step, self.plan = Step.OFFERED, said
                self.changed.emit()
            case Progress():
                self.progress = said
                self.changed.emit()
            case Trouble() if not self._given_up.is_set():
                self.trouble = told(said.sentence, said.hint)
                self._rest()
            case _:
                self._rest()
        if isinstance(said, LabPython):
            self.fetched.emit(said)


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
        self.computer = self._place.computer  # empty for this one
        self.python: LabPython | None = None  # the one that is used; None before one was found
        # All that were asked, usable or not, the likeliest first.
        self.found: Sequence[LabPython] = ()
        self.working = False  # somebody is asked just now
        self.searched = False  # all candidates have been asked
        # Why there is none, or why the one that was picked is not used; else empty.
        self.trouble = NOTHING
        self.lacking = False  # they were asked, and none has a PyTorch for the lab
        # Brings one to this computer; to others nothing is fetched from here.
        self.fetch = PyTorchFetch(self) if place is None else None
        if self.fetch is not None:
            self.fetch.changed.connect(self.changed)
            self.fetch.fetched.connect(self._on_fetched)
        self._passed_over: LabPython | None = None  # the one that was chosen earlier
        self._what = ""  # was asked last: the "whole" list, the "picked" one, or the first
        self._given_up = threading.Event()
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_answered)

    @property
    def passed_over(self) -> Message:
        """Why the one that a person chose earlier is not used, and which one is; else empty."""
        earlier, used = self._passed_over, self.python
        if earlier is None:
            return NOTHING
        used = used or next((each for each in self.found if each.usable), None)
        instead = Message("{used} is used instead.", used=str(used.path)) if used else NOTHING
        said = mark("You chose {path} as the Python of the lab, but it cannot be used. {why}")
        way_out = mark("Choose another under “Python of the lab”, or fix it and look again.")
        if earlier.usable:
            said = mark("You chose {path} as the Python of the lab, and it can be used again.")
            way_out = mark("To use it, choose it under “Python of the lab”.")
        chosen = Message(said, path=str(earlier.path), why=earlier.trouble)
        return told(chosen, instead, Message(way_out))

    def find(self) -> None:
        """The remembered one, else the first that can be used."""
        if self.python is None:
            self._ask(partial(_asked, self._place, self._chosen_earlier()))

    def search(self) -> None:
        """Ask all that may be one, for a list to pick from."""
        self._ask(partial(_asked, self._place, self._chosen_earlier(), whole=True), "whole")

    def choose(self, path: Path) -> None:
        """The one a person picked: a program, or the folder of an environment."""
        place = self._place
        self._ask(lambda given_up: [place.picked(path, given_up)], "picked")

    def give_up(self) -> None:
        """Whoever is asked just now is ended; what was known before holds."""
        self._given_up.set()
        if self.fetch is not None:
            self.fetch.cancel()

    def _ask(self, ask_them: Callable[[threading.Event], Asked], what: str = "") -> None:
        if self.working:
            return
        self.working, self._what = True, what
        self.trouble, self.lacking = NOTHING, False
        self._given_up = threading.Event()
        self.changed.emit()
        _in_a_thread("lab pythons", partial(ask_them, self._given_up), self._inbox)

    def _chosen_earlier(self) -> Path | None:
        remembered = self._settings.remembered(python_setting(self.computer))
        return Path(remembered) if remembered else None

    def _note(self, asked: Asked, what: str) -> None:
        if what == "picked":
            self._settings.remember(python_setting(self.computer), str(asked[0].path))
        if what == "whole":
            self.searched, self.found = True, [self.python] if self.python else []
        else:
            self.python = next((each for each in asked if each.usable), None)
        paths, chosen = {each.path for each in asked}, self._chosen_earlier()
        self.found = [*asked, *(each for each in self.found if each.path not in paths)]
        earlier = next((each for each in asked if each.path == chosen), None)
        another = self.python is not None and self.python.path != chosen
        passed_over = earlier is not None and (another or not earlier.usable)
        self._passed_over = earlier if passed_over else None
        self.lacking, self.trouble = not any(each.usable for each in self.found), NOTHING
        if self.lacking:
            none = none_has_torch(len(self.found), self.computer)
            self.trouble = told(self.passed_over, none)

    def _on_fetched(self, python: LabPython) -> None:
        self._note([python], "picked")
        self.changed.emit()

    def _on_answered(self, answer: Asked | Trouble) -> None:
        self.working = False
        if self._given_up.is_set():
            pass
        elif isinstance(answer, Trouble):
            stays = NOTHING
            if self.python is not None:
                stays = Message("{path} stays in use.", path=str(self.python.path))
            self.trouble = told(answer.sentence, stays, answer.hint)
        else:
            self._note(answer, self._what)
        self.changed.emit()


def _asked(
    place: PythonPlace, earlier: Path | None, given_up: threading.Event, *, whole: bool = False
) -> Asked:
    """`whole`: also those behind the first that can be used."""
    asked: Asked = []
    for python in place.every(earlier, given_up):
        asked.append(python)
        if python.usable and not whole:
            break
    return asked


def _in_a_thread(name: str, work: Callable[[], object], inbox: Inbox) -> None:
    """Its answer or its Trouble comes to the inbox. No daemon: what is asked shall not outlive
    the program. It holds nothing of Qt.
    """
    put = inbox.letterbox.put

    def run() -> None:
        try:
            answer = work()
        except Trouble as trouble:
            answer = trouble
        put(answer)

    threading.Thread(target=run, name=name).start()
