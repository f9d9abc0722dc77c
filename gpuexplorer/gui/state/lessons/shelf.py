"""Shelf: the lessons that came with the program and those from outside, read in a thread."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.bridge import Inbox
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lessons.lesson import Lesson

_OUTSIDE = "lessons/outside"


@dataclass(frozen=True, slots=True)
class Shelved:
    """One place on the shelf; `trouble` says why what lies there cannot be read."""

    file: Path
    lesson: Lesson | None = None
    trouble: Trouble | None = None
    outside: bool = False


Came = tuple[Sequence[Shelved], bool]  # and whether these are all


class Shelf(QObject):
    """Nothing is read before `look`. Of those from outside the files are remembered."""

    changed = Signal()
    taken = Signal(object)  # the one that was added last: a Shelved, also where it is none

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.lessons: Sequence[Shelved] = ()
        self.was_read = False
        self._looked = False
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_read)

    def look(self) -> None:
        """Harmless when called often."""
        if not self._looked:
            self._looked = True
            self._read(_all, self._remembered())

    def add(self, path: Path) -> None:
        """A lesson's file, or its folder; what came of it is told by `taken`."""
        self._read(_outside, [path])

    def forget(self, file: Path) -> None:
        """It stays where it is, and is listed no longer."""
        self.lessons = [each for each in self.lessons if each.file != file]
        self._remember()
        self.changed.emit()

    def named(self, name: str) -> Lesson | None:
        """The one whose folder is called so."""
        found = (each.lesson for each in self.lessons if each.lesson is not None)
        return next((each for each in found if each.name == name), None)

    def after(self, lesson: Lesson) -> Lesson | None:
        """The next of those that came with the program."""
        own = [each.lesson for each in self.lessons if each.lesson and not each.outside]
        at = [each.name for each in own].index(lesson.name) if lesson in own else len(own)
        return own[at + 1] if at + 1 < len(own) else None

    def _read(self, work: Callable[[Sequence[Path]], Came], paths: Sequence[Path]) -> None:
        put = self._inbox.letterbox.put
        # A daemon that holds nothing of Qt: a disk that hangs keeps nobody from closing.
        threading.Thread(target=lambda: put(work(paths)), name="lessons", daemon=True).start()

    def _remembered(self) -> Sequence[Path]:
        """What cannot be read is as good as nothing remembered."""
        try:
            kept = json.loads(self._settings.remembered(_OUTSIDE) or "[]")
        except ValueError:
            return ()
        return [Path(each) for each in kept if isinstance(each, str)]

    def _remember(self) -> None:
        files = [str(each.file) for each in self.lessons if each.outside]
        self._settings.remember(_OUTSIDE, json.dumps(files))

    def _on_read(self, came: Came) -> None:
        lessons, all_of_them = came
        if all_of_them:
            self.was_read, self.lessons = True, lessons
        else:
            [new] = lessons
            if new.lesson is not None:
                self.lessons = [*(e for e in self.lessons if e.file != new.file), new]
                self._remember()
        self.changed.emit()
        if not all_of_them:
            self.taken.emit(new)


def _all(outside: Sequence[Path]) -> Came:
    # Markdown takes its time to be imported, and the window does not wait for it.
    from gpuexplorer.lessons.reading import built_in  # noqa: PLC0415

    own = [
        Shelved(each.file, each)
        if isinstance(each, Lesson)
        else Shelved(Path(each.file).parent, trouble=each)  # it is called as its folder
        for each in built_in()
    ]
    return [*own, *map(_open, outside)], True


def _outside(paths: Sequence[Path]) -> Came:
    return [_open(each) for each in paths], False


def _open(path: Path) -> Shelved:
    from gpuexplorer.lessons.reading import read  # noqa: PLC0415

    try:
        lesson = read(path)
    except Trouble as trouble:
        return Shelved(path, None, trouble, outside=True)
    return Shelved(lesson.file, lesson, outside=True)
