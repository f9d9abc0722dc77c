"""Lettering: the sizes and weights of Inter that there are, and the system's fixed letters."""

from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from gpuexplorer.core.resources import resource


class Lettering:
    """One font with its measures. Widths are remembered: figures repeat from tick to tick."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)
        self.ascent = self.metrics.ascent()
        self.height = self.metrics.height()
        self.cap_height = self.metrics.capHeight()
        self.width = lru_cache(4000)(self.metrics.horizontalAdvance)

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


class Letterings:
    """All there are, in Inter, which is brought along, so that the window looks the same
    everywhere. Sizes are in pixels of the screen's own scale.
    """

    def __init__(self, scale: float = 1.0) -> None:
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        normal, strong = QFont.Weight.Normal, QFont.Weight.DemiBold

        def lettering(pixels: int, weight: QFont.Weight, family: str = "Inter") -> Lettering:
            font = QFont(family)
            font.setPixelSize(round(pixels * scale))
            font.setWeight(weight)
            font.setFeature(QFont.Tag("tnum"), 1)
            return Lettering(font)

        if "Inter" not in QFontDatabase.families():
            for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
                QFontDatabase.addApplicationFont(str(resource("fonts", name)))
        self.caption = lettering(11, normal)
        self.body = lettering(13, normal)
        self.title = lettering(15, strong)
        self.number = lettering(22, strong)
        self.hero = lettering(34, strong)
        self.mono = lettering(12, normal, fixed)
        self.strong = lettering(13, strong)  # body, of what is chosen
        self.badge = lettering(11, strong)  # a caption that must not be overlooked
