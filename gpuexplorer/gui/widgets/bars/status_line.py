"""StatusLine: the quiet line at the bottom: driver, CUDA, beat, and what is missing."""

from enum import Enum, auto

from PySide6.QtWidgets import QFrame

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.telemetry.session import Session


class StatusPart(Enum):
    """From left to right."""

    DRIVER = auto()
    CUDA = auto()
    BEAT = auto()
    MISSING = auto()


class StatusLine(QFrame):
    """Says only what is true now; nothing here asks for attention."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", "bottom")
        self.setFixedHeight(28)
        self.setAccessibleName(tr("Driver and readings"))
        caption = look().letters.caption
        self._labels = {part: ElidedLabel(caption, Tone.QUIET) for part in StatusPart}
        row(*self._labels.values(), FREE, within=self, gap=20, margins=(20, 0, 20, 0))
        for part in StatusPart:
            self.say(part, "")

    def say(self, part: StatusPart, words: str, hint: str = "") -> None:
        label = self._labels[part]
        if words != label.text() and part in (StatusPart.DRIVER, StatusPart.CUDA):
            # A version with its end cut off would be another one.
            label.setMinimumWidth(round(look().letters.caption.width(words)) + 2)
        label.show_text(words, hint)
        label.setVisible(bool(words))

    def show_session(self, session: Session) -> None:
        source, beats = session.source, session.beats()
        driver, cuda = source.driver_version, source.cuda_version
        driven = tr("Driver {version}", version=driver or "")
        if not driver:
            real = tr("Driver without a number")
            driven = tr("Simulated: no driver") if source.simulated else real
        able = "" if cuda is None else tr("CUDA {version}", version=cuda)
        if not source.cards:
            driven, able = tr("No driver"), tr("No CUDA")
        self.say(StatusPart.DRIVER, driven)
        self.say(StatusPart.CUDA, able, tr("The newest CUDA this driver can run."))
        every, hint = session.interval, ""
        if session.past.ended is not None:
            form = mark("Recorded every {seconds} s")
        elif session.bare:
            form = mark("Only the computer itself is read, every {seconds} s")
            every = session.host_period
        else:
            missed = mark("Read every {seconds} s, {missed} missed")
            form = missed if beats.missed else mark("Read every {seconds} s, none late")
            hint = tr(
                "{taken} readings since the start; for {missed} it was too late.",
                taken=beats.taken,
                missed=beats.missed,
            )
        self.say(StatusPart.BEAT, tr(form, seconds=plain(every), missed=beats.missed), hint)
