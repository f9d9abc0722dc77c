"""AboutSheet: which program this is, of which version, and what it is made with."""

import platform

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from gpuexplorer import __version__
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.gui.widgets.sheets.floating import Floating


class AboutSheet(Floating):
    """What one is asked for in a report."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, 420, 288, window)
        self.setAccessibleName("About GPU Explorer")
        name = QLabel("GPU Explorer")
        name.setFont(look.letters.title.font)
        version = QLabel(
            f"Version {__version__}, Python {platform.python_version()}, Qt {qVersion()}"
        )
        version.setFont(look.letters.body.font)
        version.setProperty("tone", Tone.QUIET.value)
        version.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        purpose = wrapped_label(
            look,
            "Shows what every graphics card of this computer is doing, what it did over the "
            "past day, who uses it, and how the cards are wired.",
            Tone.TEXT,
        )
        licences = wrapped_label(
            look,
            "Free software under the MIT licence. Its letters are Inter, under the SIL Open "
            "Font License.",
            Tone.QUIET,
        )
        self._close = QPushButton("Close")
        self._close.setFont(look.letters.body.font)
        self._close.setAutoDefault(True)
        self._close.clicked.connect(self.hide)
        self.panel.setContentsMargins(24, 24, 24, 20)
        self.panel.addWidget(Sign(look, Icon.MARK, Tone.TEXT, QSize(32, 32)))
        self.panel.addSpacing(10)
        self.panel.addWidget(name)
        self.panel.addSpacing(4)
        self.panel.addWidget(version)
        self.panel.addSpacing(10)
        self.panel.addWidget(purpose)
        self.panel.addSpacing(10)
        self.panel.addWidget(licences)
        self.panel.addStretch(1)
        self.panel.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)

    def open(self) -> None:
        super().open()
        self._close.setFocus(Qt.FocusReason.PopupFocusReason)
