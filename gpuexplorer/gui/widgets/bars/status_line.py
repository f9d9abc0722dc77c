"""StatusLine: the quiet line at the bottom: driver, CUDA, beat, what is missing, cost."""

from enum import Enum

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import BeatCount

HEIGHT = 28
_MARGIN, _GAP = 20, 20


class StatusPart(Enum):
    """From left to right; the number says which goes first where there is no room for all."""

    MACHINE = 1
    DRIVER = 2
    CUDA = 5
    BEAT = 3
    MISSING = 4
    COST = 6


class StatusLine(QFrame):
    """Says only what is true now; nothing here asks for attention."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "bottom")
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(tr("Driver, rhythm and cost"))
        caption = look().letters.caption
        self._labels = {part: ElidedLabel(caption, Tone.QUIET) for part in StatusPart}
        *left, cost = self._labels.values()
        row(*left, FREE, cost, within=self, gap=_GAP, margins=(_MARGIN, 0, _MARGIN, 0))
        self._arrange()

    def say(self, part: StatusPart, words: str, hint: str = "") -> None:
        label = self._labels[part]
        changed = words != label.text()
        label.show_text(words, hint)
        if changed:
            self._arrange()

    def show_source(self, source: Source) -> None:
        if not source.cards:
            self.say(StatusPart.DRIVER, tr("No driver"))
            self.say(StatusPart.CUDA, tr("No CUDA"))
            self.say(StatusPart.MISSING, "")
            return
        driver, cuda = source.driver_version, source.cuda_version
        if driver:
            self.say(StatusPart.DRIVER, tr("Driver {version}", version=driver))
        else:
            none = tr("No driver is used")
            self.say(
                StatusPart.DRIVER, none if source.simulated else tr("Driver without a number")
            )
        words = "" if cuda is None else tr("CUDA {version}", version=cuda)
        self.say(StatusPart.CUDA, words, tr("The newest CUDA this driver can run."))

    def show_beat(self, interval: float, beats: BeatCount) -> None:
        words = tr("Read every {interval:g} s, none late", interval=interval)
        if beats.missed:
            words = tr(
                "Read every {interval:g} s, {missed} missed",
                interval=interval,
                missed=beats.missed,
            )
        hint = tr(
            "{taken} readings since the start; for {missed} it was too late.",
            taken=beats.taken,
            missed=beats.missed,
        )
        self.say(StatusPart.BEAT, words, hint)

    def show_cost(self, words: str, hint: str = "") -> None:
        """What the program itself takes: "Drawing 1.9 ms a frame"."""
        self.say(StatusPart.COST, words, hint)

    def _arrange(self) -> None:
        """In a narrow window the least important goes, rather than a piece of each."""
        room = self.width() - 2 * _MARGIN
        for part in sorted(StatusPart, key=lambda each: each.value):
            label = self._labels[part]
            wide = label.sizeHint().width()
            fits = bool(label.text()) and wide <= room
            # One that says something at last may be cut; a whole line is told on asking.
            label.setVisible(fits or (part is StatusPart.DRIVER and bool(label.text())))
            room -= wide + _GAP if fits else 0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
