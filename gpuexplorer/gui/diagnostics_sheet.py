"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFormLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.measuring.words import as_text, cost_lines
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet


class DiagnosticsSheet(Sheet):
    """The heart beats as long as it is open."""

    def __init__(self, diagnostics: Diagnostics, clock: FrameClock, window: QWidget) -> None:
        super().__init__(tr("Diagnostics"), window, 600)
        self._diagnostics = diagnostics
        self._clock = clock
        self._beats_for_us = not diagnostics.heartbeat.beating
        self._rows = QFormLayout()
        self._rows.setHorizontalSpacing(20)
        self._rows.setVerticalSpacing(6)
        self._rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._values: dict[str, ElidedLabel] = {}
        self.body.addLayout(self._rows)
        self._show_figures()
        self.body.addSpacing(4)
        self.add_sentence(
            tr(
                "A frame is one painting of the window, with the looking for news before it. "
                "While this is open the event loop is asked 50 times a second whether it "
                "answers."
            ),
            Tone.FAINT,
        )
        copy = self.add_button(tr("Copy"), ROLE.ActionRole)
        copy.clicked.connect(self._on_copy_clicked)
        self.add_close()
        clock.ticked.connect(self._show_figures)
        diagnostics.heartbeat.start()
        self.finished.connect(self._on_finished)

    def _show_figures(self) -> None:
        letters = look().letters.body
        for what, value in cost_lines(self._diagnostics.figures()):
            shown = self._values.get(what)
            if shown is None:
                name = label(what, letters, Tone.QUIET)
                shown = self._values[what] = ElidedLabel(letters, Tone.TEXT)
                self._rows.addRow(name, shown)
            shown.show_text(value)
            shown.setAccessibleName(tr("{what}: {value}", what=what, value=value))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(as_text(cost_lines(self._diagnostics.figures())))

    def _on_finished(self) -> None:
        self._clock.ticked.disconnect(self._show_figures)
        if self._beats_for_us:
            self._diagnostics.heartbeat.stop()
