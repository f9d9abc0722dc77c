"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFormLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.measuring.cost_words import as_text, cost_lines
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, text_label


class DiagnosticsSheet(Sheet):
    """The heart beats as long as it is open."""

    def __init__(
        self, look: Look, diagnostics: Diagnostics, clock: FrameClock, window: QWidget
    ) -> None:
        super().__init__(look, tr("Diagnostics"), window, 600)
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

    def _show_figures(self) -> None:
        for what, value in cost_lines(self._diagnostics.figures()):
            label = self._values.get(what)
            if label is None:
                name = text_label(what, self.look.letters.body.font, Tone.QUIET)
                label = self._values[what] = ElidedLabel(self.look.letters.body, Tone.TEXT)
                self._rows.addRow(name, label)
            label.show_text(value)
            label.setAccessibleName(tr("{what}: {value}", what=what, value=value))

    def _on_ticked(self) -> None:
        self._show_figures()

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(as_text(cost_lines(self._diagnostics.figures())))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._clock.ticked.connect(self._on_ticked)
        self._diagnostics.heartbeat.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._clock.ticked.disconnect(self._on_ticked)
        if self._beats_for_us:
            self._diagnostics.heartbeat.stop()
