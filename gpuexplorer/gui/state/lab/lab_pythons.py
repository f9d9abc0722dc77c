"""LabPythons: which Python of this computer runs the lab; looked for in a thread."""

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.pythons import LabPython, ask, candidates, chosen

_REMEMBERED = "lab/python"


class LabPythons(QObject):
    """Nobody is asked before `find`, `search` or `choose`; each answers by `changed`."""

    changed = Signal()
    _answered = Signal(object)  # called in the window's own thread

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._python: LabPython | None = None
        self._found: Sequence[LabPython] = ()
        self._working = False
        self._searched = False
        self._given_up = threading.Event()
        self._trouble = NOTHING
        self._passed_over: LabPython | None = None  # the one that was chosen earlier
        self._answered.connect(self._on_answered, Qt.ConnectionType.QueuedConnection)

    @property
    def python(self) -> LabPython | None:
        """The one that is used; None before one was found."""
        return self._python

    @property
    def found(self) -> Sequence[LabPython]:
        """All that were asked, usable or not, the likeliest first."""
        return self._found

    @property
    def working(self) -> bool:
        """Somebody is asked just now."""
        return self._working

    @property
    def searched(self) -> bool:
        """All candidates have been asked."""
        return self._searched

    @property
    def trouble(self) -> Message:
        """Why there is none, or why the one that was picked is not used; else empty."""
        return self._trouble

    @property
    def passed_over(self) -> Message:
        """Why the one that a person chose earlier is not used, and which one is; else empty."""
        chosen_one = self._passed_over
        if chosen_one is None:
            return NOTHING
        used = self._python or next((each for each in self._found if each.usable), None)
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
                "Choose another under “Python of the lab”, or mend it and look again.",
                path=path,
                why=why,
            )
        return Message(
            "You chose {path} as the Python of the lab, but it cannot be used. {why} {used} is "
            "used instead until you choose another under “Python of the lab”, or mend it and "
            "start GPU Explorer again.",
            path=path,
            why=why,
            used=str(used.path),
        )

    def find(self) -> None:
        """The remembered one, else the first that can be used."""
        if self._python is None:
            self._work(self._first_usable)

    def search(self) -> None:
        """Ask all that may be one, for a list to pick from."""
        self._work(self._all)

    def choose(self, path: Path) -> None:
        """The one a person picked: a program, or the folder of an environment."""
        self._work(lambda given_up: self._picked(path, given_up))

    def give_up(self) -> None:
        """Whoever is asked just now is ended; what was known before holds."""
        self._given_up.set()

    def _work(self, run: Callable[[threading.Event], Callable[[], None]]) -> None:
        if self._working:
            return
        self._working = True
        self._trouble = NOTHING
        self._given_up = given_up = threading.Event()
        self.changed.emit()

        def carry_out() -> None:
            # What it found is taken over in the window's thread. That may be gone by then.
            found = run(given_up)
            take = (lambda: None) if given_up.is_set() else found
            try:
                self._answered.emit(take)
            except RuntimeError:
                return

        # No daemon: what is asked shall not outlive the program.
        threading.Thread(target=carry_out, name="lab pythons").start()

    def _chosen_earlier(self) -> Path | None:
        remembered = self._settings.remembered(_REMEMBERED)
        return Path(remembered) if remembered else None

    def _first_usable(self, given_up: threading.Event) -> Callable[[], None]:
        asked = []
        for path in _in_order(self._chosen_earlier()):
            asked.append(ask(path, given_up=given_up))
            if asked[-1].usable or given_up.is_set():
                break
        return lambda: self._take_first(asked)

    def _take_first(self, asked: Sequence[LabPython]) -> None:
        self._found = self._found or asked
        self._note_chosen(asked)
        if asked and asked[-1].usable:
            self._python = asked[-1]
        else:
            self._trouble = told(self.passed_over, none_has_torch(len(asked)))

    def _all(self, given_up: threading.Event) -> Callable[[], None]:
        asked = []
        for path in _in_order(self._chosen_earlier()):
            if given_up.is_set():
                break
            asked.append(ask(path, given_up=given_up))
        return lambda: self._take_all(asked)

    def _take_all(self, asked: Sequence[LabPython]) -> None:
        self._searched = True
        self._note_chosen(asked)
        known = {each.path for each in asked}
        picked = [self._python] if self._python and self._python.path not in known else []
        self._found = [*picked, *asked]

    def _note_chosen(self, asked: Sequence[LabPython]) -> None:
        """Whether the one that was chosen earlier can be used still, and is used."""
        earlier = self._chosen_earlier()
        found = next((each for each in asked if each.path == earlier), None)
        another = self._python is not None and self._python.path != earlier
        passed_over = found is not None and (another or not found.usable)
        self._passed_over = found if passed_over else None

    def _picked(self, path: Path, given_up: threading.Event) -> Callable[[], None]:
        try:
            python = chosen(path, given_up)
        except Trouble as trouble:
            stays = NOTHING
            if self._python is not None:
                stays = Message("{path} stays in use.", path=str(self._python.path))
            said = told(trouble.sentence, stays, trouble.hint)
            return lambda: self._refuse(said)
        return lambda: self._take(python)

    def _refuse(self, said: Message) -> None:
        self._trouble = said

    def _take(self, python: LabPython) -> None:
        self._python, self._passed_over = python, None
        if python.path not in {each.path for each in self._found}:
            self._found = [python, *self._found]
        self._settings.remember(_REMEMBERED, str(python.path))

    def _on_answered(self, take: Callable[[], None]) -> None:
        self._working = False
        take()
        self.changed.emit()


def _in_order(first: Path | None) -> Sequence[Path]:
    """All that may be one, the one that was chosen earlier first."""
    paths = candidates(dict(os.environ), Path.home())
    return paths if first is None else [first, *(each for each in paths if each != first)]


def none_has_torch(asked: int) -> Message:
    """Of so many Python programs."""
    if not asked:
        return Message("No Python was found on this computer.")
    return Message.counted(
        "The one Python program on this computer does not have PyTorch.",
        "Of {count} Python programs on this computer none has PyTorch.",
        asked,
    )
