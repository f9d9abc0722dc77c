"""StatusLine: the quiet line at the bottom: driver, CUDA, beat, what is missing, cost."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import FREE, row
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.session import BeatCount

HEIGHT = 28
_MARGIN, _GAP = 20, 20


class StatusLine(QFrame):
    """Says only what is true now; nothing here asks for attention."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "bottom")
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(tr("Driver, rhythm and cost"))
        letters = look().letters.caption
        self._machine = ElidedLabel(letters, Tone.QUIET)
        self._driver = ElidedLabel(letters, Tone.QUIET)
        self._cuda = ElidedLabel(letters, Tone.QUIET)
        self._beat = ElidedLabel(letters, Tone.QUIET)
        self._missing = ElidedLabel(letters, Tone.QUIET)
        self._cost = ElidedLabel(letters, Tone.QUIET)
        parts = (
            self._machine,
            self._driver,
            self._cuda,
            self._beat,
            self._missing,
            FREE,
            self._cost,
        )
        row(*parts, within=self, gap=_GAP, margins=(_MARGIN, 0, _MARGIN, 0))
        self._arrange()

    def show_machine(self, name: str) -> None:
        """Where it is not this computer that is read."""
        self._say(self._machine, tr("On {machine}", machine=name) if name else "")

    def show_source(self, source: Source) -> None:
        if not source.cards:
            self._say(self._driver, tr("No driver"))
            self._say(self._cuda, tr("No CUDA"))
            self._say(self._missing, "")
        else:
            self._say(self._driver, _driver(source))
            cuda = source.cuda_version
            self._say(
                self._cuda,
                "" if cuda is None else tr("CUDA {version}", version=cuda),
                tr("The newest CUDA this driver can run."),
            )

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
        self._say(self._beat, words, hint)

    def show_words(self, words: str) -> None:
        """In the place of the beat, where no card is read."""
        self._say(self._beat, words)

    def show_missing(self, words: str, hint: str) -> None:
        self._say(self._missing, words, hint)

    def show_cost(self, text: str, hint: str = "") -> None:
        """What the program itself takes, at the right: "Drawing 1.9 ms a frame"."""
        self._say(self._cost, text, hint)

    def _say(self, label: ElidedLabel, text: str, hint: str = "") -> None:
        if text != label.text():
            label.show_text(text, hint)
            self._arrange()
        else:
            label.show_text(text, hint)

    def _arrange(self) -> None:
        """In a narrow window the least important goes, rather than a piece of each."""
        room = self.width() - 2 * _MARGIN
        for label in (
            self._machine,
            self._driver,
            self._beat,
            self._missing,
            self._cuda,
            self._cost,
        ):
            wide = label.sizeHint().width()
            fits = bool(label.text()) and wide <= room
            # One that says something at last may be cut; a whole line is told on asking.
            label.setVisible(fits or (label is self._driver and bool(label.text())))
            if fits:
                room -= wide + _GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


def _driver(source: Source) -> str:
    if source.driver_version:
        return tr("Driver {version}", version=source.driver_version)
    return tr("No driver is used") if source.simulated else tr("Driver without a number")
