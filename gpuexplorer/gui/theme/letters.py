"""Lettering: the sizes and weights of Inter that there are, and the system's fixed letters."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from gpuexplorer.core.resources import resource

_FAMILY = "Inter"
_BROUGHT_ALONG = ("Inter-Regular.otf", "Inter-SemiBold.otf")
_REMEMBERED = 4000


class Lettering:
    """One font with its measures. Widths are remembered: figures repeat from tick to tick."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)
        self.ascent = self.metrics.ascent()
        self.height = self.metrics.height()
        self.cap_height = self.metrics.capHeight()
        self._widths: dict[str, float] = {}

    def width(self, text: str) -> float:
        width = self._widths.get(text)
        if width is None:
            if len(self._widths) > _REMEMBERED:
                self._widths.clear()
            width = self._widths[text] = self.metrics.horizontalAdvance(text)
        return width

    def elided(self, text: str, width: float, *, end: bool = False) -> str:
        """The text, or its beginning (`end`: its end) with an ellipsis; empty where not even
        that fits.
        """
        if self.width(text) <= width:
            return text
        if width < self.width("…"):
            return ""
        mode = Qt.TextElideMode.ElideLeft if end else Qt.TextElideMode.ElideRight
        return self.metrics.elidedText(text, mode, width)


@dataclass(frozen=True, slots=True)
class Letterings:
    """All there are. Sizes are in pixels of the screen's own scale."""

    caption: Lettering
    body: Lettering
    title: Lettering
    number: Lettering
    hero: Lettering
    mono: Lettering
    strong: Lettering  # body, of what is chosen
    badge: Lettering  # a caption that must not be overlooked


def letterings(scale: float = 1.0) -> Letterings:
    """In Inter, which is brought along, so that the window looks the same everywhere."""

    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    normal, strong = QFont.Weight.Normal, QFont.Weight.DemiBold

    def lettering(pixels: int, weight: QFont.Weight, family: str = "") -> Lettering:
        font = QFont(family or _interface_family())
        font.setPixelSize(round(pixels * scale))
        font.setWeight(weight)
        font.setFeature(QFont.Tag("tnum"), 1)
        return Lettering(font)

    return Letterings(
        caption=lettering(11, normal),
        body=lettering(13, normal),
        title=lettering(15, strong),
        number=lettering(22, strong),
        hero=lettering(34, strong),
        mono=lettering(12, normal, fixed),
        strong=lettering(13, strong),
        badge=lettering(11, strong),
    )


def _interface_family() -> str:
    """The system's own interface font where Qt cannot read ours."""
    if _FAMILY not in QFontDatabase.families():
        for name in _BROUGHT_ALONG:
            QFontDatabase.addApplicationFont(str(resource("fonts", name)))
    if _FAMILY in QFontDatabase.families():
        return _FAMILY
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
