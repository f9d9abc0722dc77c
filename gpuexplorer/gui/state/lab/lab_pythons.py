"""LabPythons: which Python of a computer runs the lab, looked for in a thread; and where."""

import os
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.lab.pytorch_fetch import PyTorchFetch
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.pythons import LabPython, ask, candidates, chosen, none_has_torch
from gpuexplorer.remote.far.machine import FarMachine
from gpuexplorer.remote.far.pythons import python_there, pythons_there

_REMEMBERED = "lab/python"
Asked = Sequence[LabPython]  # in that order
Answer = Asked | Trouble  # or why the one that was picked cannot be used


class PythonPlace(Protocol):
    """`asked` and `picked` wait, and raise Trouble; they hold nothing of Qt."""

    @property
    def key(self) -> str:
        """Of the setting that remembers the chosen one."""

    @property
    def computer(self) -> str:
        """Its name; empty for this one."""

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Asked:
        """All that may be one, or up to the `first` that is usable; what was chosen `earlier`
        before all others.
        """

    def picked(self, path: Path, given_up: threading.Event) -> Asked: ...


class Here:
    key, computer = _REMEMBERED, ""

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Asked:
        asked: list[LabPython] = []
        paths = candidates(dict(os.environ), Path.home())
        others = [each for each in paths if each != earlier]
        for path in others if earlier is None else [earlier, *others]:
            if given_up.is_set() or (first and asked and asked[-1].usable):
                break
            asked.append(ask(path, given_up=given_up))
        return asked

    def picked(self, path: Path, given_up: threading.Event) -> Asked:
        return [chosen(path, given_up)]


class There:
    def __init__(self, far: FarMachine) -> None:
        self._far = far
        self.computer = far.host.text
        self.key = f"{_REMEMBERED} of {quote(self.computer, safe='')}"

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Asked:
        before = [] if earlier is None else [python_there(self._far, earlier)]
        if first and before and before[0].usable:
            return before
        others = [each for each in pythons_there(self._far) if each.path != earlier]
        usable = next((at for at, each in enumerate(others) if each.usable), len(others))
        return [*before, *(others[: usable + 1] if first else others)]

    def picked(self, path: Path, given_up: threading.Event) -> Asked:
        python = python_there(self._far, path)
        if not python.usable:
            raise Trouble(python.trouble, "Choose another, or install PyTorch into it there.")
        return [python]


class Nowhere:
    """Of a machine on which nothing can be started, nor is anything remembered."""

    key = "lab/nowhere"

    def __init__(self, computer: str, why: Message) -> None:
        self.computer, self._why = computer, why

    def asked(self, earlier: Path | None, given_up: threading.Event, *, first: bool) -> Asked:
        raise Trouble(self._why)

    def picked(self, path: Path, given_up: threading.Event) -> Asked:
        raise Trouble(self._why)


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
        self._place: PythonPlace = place or Here()
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
            self.fetch.fetched.connect(self._on_fetched)
        self._passed_over: LabPython | None = None  # the one that was chosen earlier
        self._take: Callable[[Asked], None] | None = None  # what is asked just now
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_answered)

    @property
    def computer(self) -> str:
        """Empty for this one."""
        return self._place.computer

    @property
    def passed_over(self) -> Message:
        """Why the one that a person chose earlier is not used, and which one is; else empty."""
        chosen_one = self._passed_over
        if chosen_one is None:
            return NOTHING
        used = self.python or next((each for each in self.found if each.usable), None)
        path, why = str(chosen_one.path), chosen_one.trouble
        if used is not None and chosen_one.usable:
            return Message(
                "You chose {path} as the Python of the lab, and it can be used again. {used} "
                "is used until you choose it under “Python of the lab”.",
                path=path,
                used=str(used.path),
            )
        if used is None:
            return Message(
                "You chose {path} as the Python of the lab, but it cannot be used. {why} "
                "Choose another under “Python of the lab”, or fix it and look again.",
                path=path,
                why=why,
            )
        return Message(
            "You chose {path} as the Python of the lab, but it cannot be used. {why} {used} "
            "is used instead until you choose another under “Python of the lab”, or fix it "
            "and start GPU Explorer again.",
            path=path,
            why=why,
            used=str(used.path),
        )

    def find(self) -> None:
        """The remembered one, else the first that can be used."""
        if self.python is None:
            self._ask(
                partial(self._place.asked, self._chosen_earlier(), first=True), self._take_first
            )

    def search(self) -> None:
        """Ask all that may be one, for a list to pick from."""
        self._ask(
            partial(self._place.asked, self._chosen_earlier(), first=False), self._take_all
        )

    def choose(self, path: Path) -> None:
        """The one a person picked: a program, or the folder of an environment."""
        self._ask(partial(self._place.picked, path), self._take_picked)

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
        self.changed.emit()
        # No daemon: what is asked shall not outlive the program. It holds nothing of Qt.
        run = partial(_answer, ask_them, given_up, put)
        threading.Thread(target=run, name="lab pythons").start()

    def _chosen_earlier(self) -> Path | None:
        remembered = self._settings.remembered(self._place.key)
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
        self._settings.remember(self._place.key, str(python.path))

    def _on_fetched(self, python: LabPython) -> None:
        self.trouble, self.lacking = NOTHING, False
        self._take_picked([python])
        self.changed.emit()

    def _on_answered(self, answer: Answer | None) -> None:
        take, self._take, self.working = self._take, None, False
        if isinstance(answer, Trouble):
            stays = NOTHING
            if self.python is not None:
                stays = Message("{path} stays in use.", path=str(self.python.path))
            self.trouble = told(answer.sentence, stays, answer.hint)
        elif answer is not None and take is not None:
            take(answer)
        self.changed.emit()


def _answer(
    ask_them: Callable[[threading.Event], Asked],
    given_up: threading.Event,
    put: Callable[[object], None],
) -> None:
    """None where it was given up meanwhile."""
    answer: Answer
    try:
        answer = ask_them(given_up)
    except Trouble as trouble:
        answer = trouble
    put(None if given_up.is_set() else answer)
