"""RecordingBanner: says that one looks at a recording, and at which, and leads back."""

from html import escape

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame

from gpuexplorer.core.words import tr
from gpuexplorer.gui.recording.words import what_is_shown
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.recording.recording import Recording


class RecordingBanner(QFrame):
    close_asked = Signal()

    def __init__(self, look: Look, recording: Recording) -> None:
        super().__init__()
        self.setProperty("panel", "banner")
        troubled = bool(recording.notes())
        icon, tone = (Icon.WARNING, Tone.WARN) if troubled else (Icon.NOTE, Tone.QUIET)
        self._sentence = wrapped_label(look, what_is_shown(recording), Tone.TEXT)
        # Never taken for markup, whatever the file is called.
        self._sentence.setToolTip(f"<qt>{escape(str(recording.path))}</qt>")
        back = link_button(tr("Back to the live cards"))
        back.clicked.connect(self.close_asked)
        parts = (Sign(look, icon, tone, QSize(18, 18)), self._sentence, GROWS, back)
        row(*parts, within=self, gap=10, margins=(24, 6, 20, 6))
