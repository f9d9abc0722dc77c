"""TopBar: which computer this is, where the figures come from, and under what name."""

from PySide6.QtCore import QSysInfo
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.source_badge import SourceBadge
from gpuexplorer.telemetry.backend import Source

HEIGHT = 52
_MOST_HOST_WIDTH = 320


def host_name() -> str:
    return QSysInfo.machineHostName() or "This computer"


class TopBar(QFrame):
    """The badge stands at the same place whatever it says: the host's name does not change."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "top")
        self.setFixedHeight(HEIGHT)
        self._host = ElidedLabel(look.letters.title, Tone.TEXT)
        self._host.show_text(host_name())
        self._host.setMaximumWidth(_MOST_HOST_WIDTH)
        self._badge = SourceBadge(look)
        self._label = ElidedLabel(look.letters.body, Tone.QUIET)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 24, 0)
        row.setSpacing(12)
        row.addWidget(self._host)
        row.addWidget(self._badge)
        row.addWidget(self._label, 1)

    def show_source(self, source: Source | None) -> None:
        if source is None:
            self._badge.show_nothing()
            self._label.show_text("")
            return
        if source.simulated:
            self._badge.show_simulated()
        else:
            self._badge.show_live(source.name.upper())
        self._label.show_text(source.label)
