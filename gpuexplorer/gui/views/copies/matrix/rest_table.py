"""RestTable: what nothing is to be said about, summed up by kind."""

import statistics
from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.copies.kin import Kin
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_ROW, _HEAD = 24, 30
_SHARE, _RATE = 48.0, 46.0


class RestTable(Painted):
    """A line each, with the median of its figures."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._kin: Sequence[Kin] = ()
        self._latency = False
        self._heading = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_kin(self, heading: str, kin: Sequence[Kin], *, latency: bool) -> None:
        if (heading, kin, latency) == (self._heading, self._kin, self._latency):
            return
        self._heading, self._kin, self._latency = heading, kin, latency
        self.setAccessibleName(heading)
        unit = "µs" if latency else "GB/s"
        told = [f"{tr(each.words)} {self._figure(each)} {unit}" for each in kin]
        self.setAccessibleDescription(", ".join(told))
        self.setVisible(bool(kin))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        right = float(self.width())
        drawing.hairline(0, right, 0)
        baseline = _HEAD / 2 + letters.strong.cap_height / 2 + 4
        heading = Run(self._heading, letters.strong, theme.text)
        drawing.elided(0, baseline, heading, right - _SHARE - _RATE - 8)
        unit = Run("µs" if self._latency else "GB/s", letters.caption, theme.quiet)
        rate_at = right if self._latency else right - _SHARE
        drawing.runs_right(rate_at, baseline, [unit])
        if not self._latency:
            drawing.runs_right(right, baseline, [Run("of limit", letters.caption, theme.quiet)])
        for at, kin in enumerate(self._kin):
            baseline = _HEAD + 6 + at * _ROW + _ROW / 2 + letters.body.cap_height / 2
            words = Run(tr(kin.words), letters.body, theme.quiet)
            drawing.elided(0, baseline, words, right - _SHARE - _RATE - 4)
            figure = Run(self._figure(kin), letters.body, theme.text)
            drawing.runs_right(rate_at, baseline, [figure])
            if self._latency:
                continue
            share = [Run("–", letters.body, theme.faint)]
            if kin.share is not None:
                share = [
                    Run(f"{kin.share * 100:.0f}", letters.body, theme.text),
                    Run(f"{THIN_SPACE}%", letters.caption, theme.quiet),
                ]
            drawing.runs_right(right, baseline, share)

    def _figure(self, kin: Kin) -> str:
        if self._latency:
            times = [each.seconds for each in kin.results if each.seconds is not None]
            return f"{statistics.median(times) * 1e6:.1f}" if times else "–"
        return "–" if kin.rate is None else gigabytes_per_second(kin.rate)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEAD + 10 + _ROW * len(self._kin))
