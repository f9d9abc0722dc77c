"""MatrixBoard: where the four panels of the page stand, in wide windows and in narrow ones."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gpuexplorer.gui.copies.matrix.details_panel import DetailsPanel
from gpuexplorer.gui.copies.matrix.findings_panel import FindingsPanel
from gpuexplorer.gui.copies.matrix.map_panels import OTHERS_HEIGHT, MeasuredPanel, PromisedPanel

_GAP = 12
_WIDE_FROM, _TWO_FROM = 1120, 640
_FINDINGS, _NARROW_FINDINGS, _FINDINGS_SHARE = 350, 304, 0.37
_MEASURED_SHARE, _CROWDED_SHARE = 0.6, 0.65
_DETAILS, _LESS_DETAILS, _LEAST_MAP = 312, 232, 300
_STACKED = 500  # details whose parts stand below each other
_NO_SPECKS, _AROUND = 1.25, 2 * 16
_BAR = 12  # a scroll bar


class MatrixBoard(QScrollArea):
    """All in sight where there is room; else it scrolls, the maps being above."""

    def __init__(
        self,
        measured: MeasuredPanel,
        promised: PromisedPanel,
        findings: FindingsPanel,
        details: DetailsPanel,
    ) -> None:
        super().__init__()
        self._measured, self._promised = measured, promised
        self._findings, self._details = findings, details
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.sheet = QWidget()
        self.sheet.setProperty("panel", "page")
        for panel in (measured, promised, details, findings):
            panel.setParent(self.sheet)
        self.setWidget(self.sheet)

    def arrange(self) -> None:
        """Again, after a map has become another."""
        room = self.viewport().size()
        # A bar that comes and goes with what it makes room for would flicker.
        width = self.width() - _BAR if room.width() < self.width() else room.width()
        height = self.height()
        if width >= _WIDE_FROM:
            total = self._wide(width, height)
        elif width >= _TWO_FROM:
            total = self._narrow(width, height)
        else:
            total = self._single(width, height)
        self.sheet.resize(width, total)

    def _wide(self, width: int, height: int) -> int:
        left = width - _FINDINGS - _GAP
        crowded = self._measured.map.crowded
        wide = round((left - _GAP) * (_CROWDED_SHARE if crowded else _MEASURED_SHARE))
        # Very many cells are not to become specks.
        specks = round(self._promised.map.minimumWidth() * _NO_SPECKS) + _AROUND
        rest = max(left - _GAP - wide, min(specks, left // 2))
        wide = left - _GAP - rest
        wish = max(self._measured.height_for(wide), self._promised.height_for(rest))
        details = _LESS_DETAILS if crowded else _DETAILS
        least = min(wish, _LEAST_MAP + OTHERS_HEIGHT)
        top = max(least, min(wish, height - _GAP - details))
        below = max(details, height - top - _GAP)
        total = top + _GAP + below
        self._measured.setGeometry(0, 0, wide, top)
        self._promised.setGeometry(wide + _GAP, 0, rest, top)
        self._details.setGeometry(0, top + _GAP, left, below)
        self._findings.setGeometry(left + _GAP, 0, _FINDINGS, total)
        return total

    def _narrow(self, width: int, height: int) -> int:
        beside = max(_NARROW_FINDINGS, round(width * _FINDINGS_SHARE) - _GAP)
        left = width - beside - _GAP
        wish = self._measured.height_for(left)
        top = min(wish, max(height, _LEAST_MAP + OTHERS_HEIGHT))
        half = (width - _GAP) // 2
        below = max(_STACKED, min(self._promised.height_for(half), height))
        self._measured.setGeometry(0, 0, left, top)
        self._findings.setGeometry(left + _GAP, 0, beside, top)
        self._promised.setGeometry(0, top + _GAP, half, below)
        self._details.setGeometry(half + _GAP, top + _GAP, width - half - _GAP, below)
        return top + _GAP + below

    def _single(self, width: int, height: int) -> int:
        top = 0
        for panel, high in (
            (self._measured, self._measured.height_for(width)),
            (self._findings, max(_LEAST_MAP, height // 2)),
            (self._details, _STACKED),
            (self._promised, self._promised.height_for(width)),
        ):
            panel.setGeometry(0, top, width, high)
            top += high + _GAP
        return top - _GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()
