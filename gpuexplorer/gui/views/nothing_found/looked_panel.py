"""LookedPanel: all that was looked for, when, and which command looks closer."""

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.nothing_found.looked_row import LookedRow
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.telemetry.looked_for import Looked

_DOCTOR = mark(
    "`gpuexplorer doctor` in a terminal looks closer: driver, PyTorch, permissions and "
    "display, each with what to do about it."
)


class LookedPanel(QFrame):
    """A row for each thing, with hairlines between them."""

    def __init__(
        self,
        look: Look,
        looked_for: Sequence[Looked],
        time: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("What was looked for"))
        head = QHBoxLayout()
        self._time = QLabel()
        for label in (QLabel(tr("What was looked for")), self._time):
            label.setFont(look.letters.caption.font)
            label.setProperty("tone", Tone.QUIET.value)
            head.addWidget(label)
        head.insertStretch(1, 1)
        self.show_time(time, None)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(0)
        column.addLayout(head)
        column.addSpacing(10)
        for looked in looked_for:
            column.addWidget(_hairline())
            column.addWidget(LookedRow(look, looked))
        column.addWidget(_hairline())
        column.addSpacing(12)
        column.addWidget(wrapped_label(look, tr(_DOCTOR), Tone.QUIET))

    def show_time(self, time: str, every: float | None) -> None:
        """Of the newest look, and how many seconds later the next comes by itself."""
        if every is None:
            words = tr("at {time}", time=time)
        else:
            words = tr(
                "at {time}, and again every {seconds} s", time=time, seconds=plain(every)
            )
        self._time.setText(words)


def _hairline() -> QFrame:
    line = QFrame()
    line.setProperty("panel", "line")
    line.setFixedHeight(1)
    return line
