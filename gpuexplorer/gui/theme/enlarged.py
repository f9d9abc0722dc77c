"""EnlargedLook: the same look in larger letters, for what is read across a room."""

import re

from PySide6.QtCore import QObject

from gpuexplorer.gui.theme.letters import letterings
from gpuexplorer.gui.theme.look import Look, look
from gpuexplorer.gui.theme.palette import Theme

_PIXELS = re.compile(r"\b(\d+)px")


class EnlargedLook(Look):
    """Follows the other one in all but size."""

    def __init__(self, scale: float, parent: QObject | None = None) -> None:
        QObject.__init__(self, parent)
        self._of, self._scale = look(), scale
        self.letters = letterings(scale)
        self.icons = self._of.icons
        self._of.changed.connect(self.changed)

    @property
    def theme(self) -> Theme:
        return self._of.theme

    @property
    def motion(self) -> bool:
        return self._of.motion

    def style_sheet(self) -> str:
        return _PIXELS.sub(self._enlarged, super().style_sheet())

    def _enlarged(self, found: re.Match[str]) -> str:
        pixels = int(found[1])
        return f"{pixels if pixels < 2 else int(pixels * self._scale)}px"  # not hairlines
