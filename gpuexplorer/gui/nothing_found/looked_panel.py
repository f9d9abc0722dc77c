"""LookedPanel: each thing that was looked for, where, and what that means; and what the doctor
says of the rest.
"""

import sys
from collections.abc import Sequence

from PySide6.QtCore import QProcess, QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, Space, column, label, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, line_between
from gpuexplorer.lab.packaged import folder
from gpuexplorer.telemetry.looked_for import Looked

_DOCTOR = mark(
    "`gpuexplorer doctor` looks closer: driver, PyTorch, permissions and display, each with "
    "what to do about it."
)

_SAID_HEIGHT = 480


class LookedPanel(QFrame):
    """A row for each thing, with hairlines between them."""

    def __init__(self, looked_for: Sequence[Looked], time: str) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("What was looked for"))
        heading = label(tr("What was looked for"), look().letters.caption, Tone.QUIET)
        self._time = label("", look().letters.caption, Tone.QUIET)
        self.show_time(time, None)
        rows = [part for each in looked_for for part in (line_between(), LookedRow(each))]
        doctor = wrapped_label(tr(_DOCTOR), Tone.QUIET)
        ask = QPushButton(tr("Ask the doctor"))
        ask.clicked.connect(lambda: DoctorSheet(self.window()).open())
        column(
            *(row(heading, FREE, self._time), Space(10)),
            *rows,
            *(line_between(), Space(12), row(doctor, ask, gap=12)),
            within=self,
            gap=0,
            margins=(16, 12, 16, 12),
        )

    def show_time(self, time: str, every: float | None) -> None:
        """Of the newest look, and how many seconds later the next comes by itself."""
        words = tr("at {time}", time=time)
        if every is not None:
            again = mark("at {time}, and again every {seconds} s")
            words = tr(again, time=time, seconds=plain(every))
        self._time.setText(words)


class DoctorSheet(Sheet):
    """What it says, of a process of its own: a driver that hangs keeps nobody waiting."""

    def __init__(self, window: QWidget) -> None:
        heading = tr("What the doctor says")
        super().__init__(heading, window, 900)
        waiting = tr("It looks at everything here, which takes some seconds.")
        self._said = self.add_code(waiting, heading)
        self._said.setFixedHeight(_SAID_HEIGHT)
        self.add_close()
        module = [] if folder() is not None else ["-m", "gpuexplorer"]
        self._doctor = QProcess(self)
        self._doctor.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self._doctor.finished.connect(self._on_ended)
        self.finished.connect(self._doctor.kill)
        self._doctor.start(sys.executable, [*module, "doctor"])

    def _on_ended(self) -> None:
        self._said.setPlainText(self._doctor.readAll().toStdString())


class LookedRow(QWidget):
    """A tick or a cross, and never by colour alone: the words say it too."""

    def __init__(self, looked: Looked) -> None:
        super().__init__()
        found = tr("Found") if looked.found else tr("Not found")
        icon = Icon.THERE if looked.found else Icon.MISSING
        tone = Tone.TEXT if looked.found else Tone.FAINT
        sign = Sign(icon, tone, QSize(16, 16))
        sign.setAccessibleName(found)
        sign.setToolTip(found)
        what = label(tr(looked.what.sentence), look().letters.body)
        where = ElidedLabel(look().letters.mono, Tone.FAINT)
        where.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        where.show_text(looked.where)
        sentence = wrapped_label(tr(looked.sentence), Tone.QUIET)
        self.setAccessibleName(
            tr(
                "{thing}: {found}. {sentence}",
                thing=looked.what.sentence,
                found=found,
                sentence=looked.sentence,
            )
        )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(sign, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(what, 0, 1)
        grid.addWidget(where, 0, 2)
        grid.addWidget(sentence, 1, 1, 1, 2)
        grid.setColumnStretch(2, 1)
