"""The lessons: the shelf, the one that is played in the lab, and how far one came in each."""

import contextlib
import json
import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.core.records import text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.event_loop import Inbox
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.devices import lost_devices
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lessons.lesson import Lesson, LessonError
from gpuexplorer.lessons.player import Kept, Player, StepState, kept_of
from gpuexplorer.lessons.values import Readings
from gpuexplorer.telemetry.facts import Reading

_OUTSIDE, _LAST = "lessons/outside", "lessons/last"
_LOST_EVERY, _READ_EVERY = 1000, 30  # milliseconds
# A card that hangs or is lost is no reason to keep a step waiting: what it said last counts.
_PATIENCE = 3.0
_OFTEN = 1.0  # seconds between readings, at least while somebody waits for one
_OVER = (StepState.DONE, StepState.SKIPPED)


class LessonsState(QObject):
    """Outlives the session: where other cards come, the lesson goes on in their lab."""

    opened = Signal()  # a lesson is played, another one, or none any more
    changed = Signal()  # in the lesson that is played, or in its lab

    def __init__(self, settings: Settings, lab: Lab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.shelf = Shelf(settings, self)
        self.player: Player | None = None
        self._rig: LabRig | None = None
        self.lost: Sequence[str] = ()  # cards, by PyTorch's names, as they were seen last
        self._looks = QTimer(self, interval=_LOST_EVERY)
        self._looks.timeout.connect(self._on_look_due)
        self._follow(lab)

    @property
    def last(self) -> str:
        """The file of the lesson that was played last."""
        return self._settings.remembered(_LAST) or ""

    def follow(self, lab: Lab) -> None:
        """Other cards are shown from now on; what the lab held went with those before."""
        self.lab.disconnect(self)
        self._follow(lab)
        if (before := self.player) is not None:
            player = self.play(before.lesson)
            if not before.must_ask:
                player.allow()

    def play(self, lesson: Lesson, *, anew: bool = False) -> Player:
        """Where one left it, or from its first step."""
        self.stop()
        self._rig = LabRig(self.lab, self)
        self._looks.start()
        player = Player(lesson, self._rig, None if anew else self._kept(lesson))
        self.player, player.changed = player, self._on_player_changed
        self._settings.remember(_LAST, str(lesson.file))
        player.go(player.at)
        self.opened.emit()
        return player

    def play_anew(self) -> None:
        if self.player is not None:
            self.play(self.player.lesson, anew=True)

    def leave(self) -> None:
        """How far one came is kept."""
        if self.player is not None:
            self.player.changed = tuple
            self.player = None
            self.stop()
            self.opened.emit()

    def finish(self) -> None:
        """Left, and the next one is what one would go on with."""
        files = [str(each.file) for each in self.shelf.lessons]
        at = files.index(self.last) + 1 if self.last in files else len(files)
        self.leave()
        for each in files[at : at + 1]:
            self._settings.remember(_LAST, each)

    def done(self, lesson: Lesson) -> tuple[int, bool]:
        """How many of its steps are over, and whether somebody began it at all."""
        kept = self._kept(lesson) or Kept()
        done = sum(kept.states.get(each.title) in _OVER for each in lesson.steps)
        return done, bool(done or kept.at)

    def stop(self) -> None:
        """Nothing is run or told after this. Harmless when called twice."""
        self._looks.stop()
        if self._rig is not None:
            self._rig.stop()
            self._rig.deleteLater()
            self._rig = None

    def _follow(self, lab: Lab) -> None:
        self.lab = lab
        lab.told.connect(self._on_told)
        lab.changed.connect(self.changed)
        lab.stage_changed.connect(self.changed)

    def _kept(self, lesson: Lesson) -> Kept | None:
        return kept_of(self._settings.remembered(_key(lesson)) or "")

    def _on_look_due(self) -> None:
        """Of a card that is lost the lab hears nothing before a cell works on it."""
        before, self.lost = self.lost, lost_devices(self.lab.machine, self.lab.devices)
        if before != self.lost:
            self.changed.emit()

    def _on_told(self, event: Event) -> None:
        if self.player is not None:
            self.player.apply(event)

    def _on_player_changed(self) -> None:
        if self.player is not None:
            self._settings.remember(_key(self.player.lesson), text_of(self.player.kept))
            self.changed.emit()


class Shelf(QObject):
    """The lessons that came with the program, and those from outside, whose files are
    remembered; for one that cannot be read, why. Nothing is read before `look`.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.lessons: list[Lesson | LessonError] = []
        self.outside: list[str] = []  # files
        self._looked = False
        self._inbox = Inbox(self)
        self._inbox.came.connect(self._on_read)

    def look(self) -> None:
        """In a thread that holds nothing of Qt. Harmless when called often."""
        if not self._looked:
            self._looked = True
            with contextlib.suppress(ValueError):
                self.outside = json.loads(self._settings.remembered(_OUTSIDE) or "[]")
            put, files = self._inbox.letterbox.put, list(self.outside)
            threading.Thread(target=lambda: put(_found(files)), daemon=True).start()

    def add(self, path: Path) -> Lesson:
        """Its file, or its folder. Raises LessonError."""
        from gpuexplorer.lessons.reading import read  # noqa: PLC0415 - it needs Markdown

        lesson = read(path)
        self.forget(lesson.file)
        self.lessons.append(lesson)
        self.outside.append(str(lesson.file))
        self._tell()
        return lesson

    def forget(self, file: Path | str) -> None:
        """It stays where it is, and is listed no longer."""
        self.lessons = [each for each in self.lessons if str(each.file) != str(file)]
        self.outside = [each for each in self.outside if each != str(file)]
        self._tell()

    def named(self, name: str) -> Lesson | None:
        """The one whose folder is called so."""
        found = (e for e in self.lessons if isinstance(e, Lesson) and e.name == name)
        return next(found, None)

    def _tell(self) -> None:
        self._settings.remember(_OUTSIDE, json.dumps(self.outside))
        self.changed.emit()

    def _on_read(self, found: list[Lesson | LessonError]) -> None:
        self.lessons = found
        self.changed.emit()


class LabRig(QObject):
    """The lab of the window and its cards, as a lesson is played in them. Costly figures are
    read for as long as it is there: a lesson may ask for any.
    """

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab, self._session = lab, lab.machine.session
        self.simulated = self._session.simulated
        self.run, self.evaluate = lab.run, lab.evaluate
        self._want = self._session.want(tuple(Cadence), processes=False)
        self._ways = Ways(lab.machine, lab.cards, self)
        self._ways.look()
        self._asked = 0.0
        self._then: Callable[[Readings], None] = lambda _: None
        self._looks = QTimer(self, interval=_READ_EVERY)
        self._looks.timeout.connect(self._on_look_due)

    @property
    def ledger(self) -> Ledger:
        return self._lab.ledger

    def measure(self, then: Callable[[Readings], None]) -> None:
        """By the rounds that read anyway, so that no driver is waited for here. Whoever asked
        before is not told.
        """
        if self._lab.recorded:
            raise Trouble(RECORDED)
        self._asked, self._then = self._session.clock.now(), then
        interval = self._lab.machine.settings.choices.interval
        self._session.set_interval(min(_OFTEN, interval))
        self._looks.start()

    def limit(self, source: str, target: str) -> float | None:
        self._ways.look()
        route = self._ways.route(source, target)
        return None if route is None else route.limit

    def stop(self) -> None:
        """Nobody is told any more. Harmless when called twice."""
        self._end_looks()
        self._ways.stop()
        self._session.release(self._want)

    def _end_looks(self) -> None:
        if self._looks.isActive():
            self._looks.stop()
            self._session.set_interval(self._lab.machine.settings.choices.interval)

    def _on_look_due(self) -> None:
        machine, host = self._lab.machine, self._lab.machine.host_reading()
        cards = [each.card for each in machine.cards()]
        # In CUDA's order; those it does not count come last.
        cards.sort(key=lambda e: (math.inf if e.cuda_index is None else e.cuda_index, e.index))
        said = [self._session.reading(e.id) or Reading(e.id, -math.inf, {}) for e in cards]
        late = self._session.clock.now() - self._asked > _PATIENCE
        if late or min(each.at for each in (*said, host)) > self._asked:
            self._end_looks()
            self._then(Readings(list(zip(cards, said, strict=True)), (machine.host.card, host)))


def _found(outside: Sequence[str]) -> list[Lesson | LessonError]:
    # Markdown takes its time to be imported, and the window does not wait for it.
    from gpuexplorer.lessons.reading import built_in, read  # noqa: PLC0415

    found = list(built_in())
    for each in outside:
        try:
            found.append(read(Path(each)))
        except LessonError as error:
            found.append(error)
    return found


def _key(lesson: Lesson) -> str:
    """Two from outside may be called the same."""
    if not lesson.outside:
        return f"lessons/{lesson.name}"
    import hashlib  # noqa: PLC0415 - brings OpenSSL, and most lessons are ours

    path = hashlib.sha256(str(lesson.file).encode()).hexdigest()[:16]
    return f"lessons/outside-{path}"
