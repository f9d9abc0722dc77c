"""LessonsState: the lesson that is played in the lab, and how far one came in each."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.core.records import text_of
from gpuexplorer.gui.state.lab.devices import lost_devices
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lessons.lab_rig import LabRig
from gpuexplorer.gui.state.lessons.shelf import Shelf
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Event
from gpuexplorer.lessons.lesson import Lesson
from gpuexplorer.lessons.player import Kept, Player, StepState, kept_of

_LAST = "lessons/last"
_LOOK_EVERY = 1000  # milliseconds
_OVER = (StepState.DONE, StepState.SKIPPED)


class LessonsState(QObject):
    """Outlives the session: where other cards come, the lesson goes on in their lab."""

    opened = Signal()  # a lesson is played, another one, or none any more
    changed = Signal()  # in the lesson that is played, or in its lab

    def __init__(self, settings: Settings, lab: Lab, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.shelf = Shelf(settings, self)
        self.lab = lab
        self.player: Player | None = None
        self._rig: LabRig | None = None
        self._kept: Kept | None = None  # as it was written last
        self.lost: Sequence[str] = ()  # cards, by PyTorch's names, as they were seen last
        self._looks = QTimer(self, interval=_LOOK_EVERY)
        self._looks.timeout.connect(self._on_look_due)
        self._follow(lab)

    @property
    def last(self) -> str:
        """The file of the lesson that was played last."""
        return self._settings.remembered(_LAST) or ""

    def follow(self, lab: Lab) -> None:
        """Other cards are shown from now on; what the lab held went with those before."""
        player, before = self.player, self.lab
        before.told.disconnect(self._on_told)
        for signal in (before.changed, before.stage_changed):
            signal.disconnect(self.changed)
        self._follow(lab)
        if player is not None:
            allowed = not player.must_ask
            self.play(player.lesson)
            if allowed and self.player is not None:
                self.player.allow()

    def play(self, lesson: Lesson, *, anew: bool = False) -> None:
        """Where one left it, or from its first step."""
        self._stop_rig()
        rig = self._rig = LabRig(self.lab, self)
        self._looks.start()
        self.player = Player(lesson, rig, None if anew else self.kept(lesson))
        self.player.changed = self._on_player_changed
        self._settings.remember(_LAST, str(lesson.file))
        self.player.go(self.player.at)
        self.opened.emit()

    def play_anew(self) -> None:
        if self.player is not None:
            self.play(self.player.lesson, anew=True)

    def leave(self) -> None:
        """How far one came is kept."""
        if self.player is not None:
            self.player.changed = _nobody
            self.player = None
            self._stop_rig()
            self.opened.emit()

    def finish(self) -> None:
        """Left, and the next one is what one would go on with."""
        lesson = self.player.lesson if self.player is not None else None
        self.leave()
        following = None if lesson is None else self.shelf.after(lesson)
        if following is not None:
            self._settings.remember(_LAST, str(following.file))

    def kept(self, lesson: Lesson) -> Kept | None:
        """None where nobody began it, or what is remembered cannot be read."""
        return _kept_of(self._settings.remembered(_key(lesson)) or "")

    def done(self, lesson: Lesson) -> tuple[int, bool]:
        """How many of its steps are over, and whether somebody began it at all."""
        kept = self.kept(lesson)
        if kept is None:
            return 0, False
        titles = {each.title for each in lesson.steps}
        done = sum(kept.states.get(each) in _OVER for each in titles)
        return done, bool(done or kept.at)

    def stop(self) -> None:
        """Nothing is run or told after this. Harmless when called twice."""
        self._stop_rig()

    def _follow(self, lab: Lab) -> None:
        self.lab = lab
        lab.told.connect(self._on_told)
        for signal in (lab.changed, lab.stage_changed):
            signal.connect(self.changed)

    def _keep(self, player: Player) -> None:
        kept = player.kept
        if kept != self._kept:
            self._kept = kept
            self._settings.remember(_key(player.lesson), text_of(kept))

    def _stop_rig(self) -> None:
        self._looks.stop()
        if self._rig is not None:
            self._rig.stop()
            self._rig.deleteLater()
            self._rig = None

    def _on_look_due(self) -> None:
        """Of a card that is lost the lab hears nothing before a cell works on it."""
        lost = lost_devices(self.lab.machine, self.lab.devices)
        if lost != self.lost:
            self.lost = lost
            self.changed.emit()

    def _on_told(self, event: Event) -> None:
        if self.player is not None:
            self.player.apply(event)

    def _on_player_changed(self) -> None:
        if self.player is not None:
            self._keep(self.player)
            self.changed.emit()


@lru_cache(maxsize=64)
def _kept_of(text: str) -> Kept | None:
    """A list asks again and again."""
    return kept_of(text)


def _key(lesson: Lesson) -> str:
    """Two from outside may be called the same."""
    if not lesson.outside:
        return f"lessons/{lesson.name}"
    path = hashlib.sha256(str(lesson.file).encode()).hexdigest()[:16]
    return f"lessons/outside-{path}"


def _nobody() -> None:
    """Nobody shows it any more."""
