"""StatusLine: the quiet line at the bottom: driver, CUDA and whether reading keeps its beat."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.beat import BeatCount

HEIGHT = 28


class StatusLine(QFrame):
    """Says only what is true now; nothing here asks for attention."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "bottom")
        self.setFixedHeight(HEIGHT)
        letters = look.letters.caption
        self._driver = ElidedLabel(letters, Tone.QUIET)
        self._cuda = ElidedLabel(letters, Tone.QUIET)
        self._beat = ElidedLabel(letters, Tone.QUIET)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 24, 0)
        row.setSpacing(20)
        for label in (self._driver, self._cuda, self._beat):
            row.addWidget(label)
        row.addStretch(1)

    def show_source(self, source: Source | None) -> None:
        if source is None:
            self._driver.show_text("No driver answers")
            self._beat.show_text("")
            self._cuda.hide()
            return
        if source.driver_version:
            self._driver.show_text(f"Driver {source.driver_version}")
        else:
            simulated = "No driver is used" if source.simulated else "Driver without a number"
            self._driver.show_text(simulated)
        self._cuda.setVisible(source.cuda_version is not None)
        self._cuda.show_text(f"CUDA {source.cuda_version}")
        self._cuda.setToolTip("The newest CUDA this driver can run.")

    def show_beat(self, interval: float, beats: BeatCount) -> None:
        self._beat.show_text(
            f"Read every {interval:g} s, {beats.missed} missed",
            f"{beats.taken} readings since the start; for {beats.missed} it was too late.",
        )
