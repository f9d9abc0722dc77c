"""DiagnosticsSheet: what the program itself costs, live, with a way to copy it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.measuring.cost_words import as_text, cost_lines
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.floating import Floating

_WIDTH, _HEIGHT = 600, 484
_NOTE = (
    "A frame is one painting of the window, with the looking for news before it. "
    "While this is open the event loop is asked 50 times a second whether it answers."
)


class DiagnosticsSheet(Floating):
    """The heart beats as long as it is open."""

    _following = False  # it is hidden already while it is being made

    def __init__(
        self, look: Look, diagnostics: Diagnostics, clock: FrameClock, window: QWidget
    ) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, window)
        self._diagnostics = diagnostics
        self._clock = clock
        self._beats_for_us = False
        self.setAccessibleName("Diagnostics")
        title = QLabel("Diagnostics")
        title.setFont(look.letters.title.font)
        self._rows = QFormLayout()
        self._rows.setHorizontalSpacing(20)
        self._rows.setVerticalSpacing(6)
        self._rows.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        self._values: dict[str, ElidedLabel] = {}
        self._copy = QPushButton("Copy")
        self._copy.clicked.connect(self._on_copy_clicked)
        self._close = QPushButton("Close")
        self._close.clicked.connect(self.hide)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self._copy, self._close):
            button.setFont(look.letters.body.font)
            buttons.addWidget(button)
        column = QVBoxLayout()
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(title)
        column.addLayout(self._rows)
        column.addWidget(wrapped_label(look, _NOTE, Tone.FAINT))
        column.addStretch(1)
        column.addLayout(buttons)
        self.panel.addLayout(column)

    def open(self) -> None:
        self._show_figures()
        super().open()
        self._close.setFocus(Qt.FocusReason.PopupFocusReason)

    def _show_figures(self) -> None:
        for what, value in cost_lines(self._diagnostics.figures()):
            label = self._values.get(what)
            if label is None:
                name = QLabel(what)
                name.setFont(self.look.letters.body.font)
                name.setProperty("tone", Tone.QUIET.value)
                label = self._values[what] = ElidedLabel(self.look.letters.body, Tone.TEXT)
                self._rows.addRow(name, label)
            label.show_text(value)
            label.setAccessibleName(f"{what}: {value}")

    def _on_ticked(self) -> None:
        self._show_figures()

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(as_text(cost_lines(self._diagnostics.figures())))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._following = True
        self._clock.ticked.connect(self._on_ticked)
        heart = self._diagnostics.heartbeat
        self._beats_for_us = not heart.beating
        heart.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not self._following:
            return
        self._following = False
        self._clock.ticked.disconnect(self._on_ticked)
        if self._beats_for_us:
            self._diagnostics.heartbeat.stop()
