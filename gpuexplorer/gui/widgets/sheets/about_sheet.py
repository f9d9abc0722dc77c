"""AboutSheet: which program this is, of which version, and what it is made with."""

import platform

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtWidgets import QWidget

from gpuexplorer import __version__
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import Sheet


class AboutSheet(Sheet):
    """What one is asked for in a report."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(tr("About GPU Explorer"), window, 420)
        sign = Sign(Icon.MARK, Tone.TEXT, QSize(32, 32))
        self.body.addWidget(sign, 0, Qt.AlignmentFlag.AlignLeft)
        self.add_sentence(
            tr(
                "Version {version}, Python {python}, Qt {qt}",
                version=__version__,
                python=platform.python_version(),
                qt=qVersion(),
            ),
            Tone.QUIET,
        )
        self.add_sentence(
            tr(
                "Shows what every graphics card of this computer is doing, what it did over "
                "the past day, who uses it, and how the cards are wired."
            )
        )
        self.add_sentence(
            tr(
                "Free software under the MIT licence. Its typeface is Inter, under the SIL "
                "Open Font License."
            ),
            Tone.QUIET,
        )
        self.add_close()
