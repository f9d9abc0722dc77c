"""TileCurves: what a card did over the stretch of time that all plots show, on its tile."""

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.widgets.strip import LABELS, Strip, StripShown, Wear


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCurve:
    """What a tile shows of the past, and where."""

    name: str
    place: QRectF
    past: StripShown | None
    wear: Wear
    scaled: bool = False  # with words at its scale and times below

    @property
    def trace_width(self) -> float:
        return float(self.place.toRect().width() - (LABELS if self.scaled else 0))


class TileCurves:
    """All of one tile; each is made when it is seen."""

    def __init__(self, tile: QWidget) -> None:
        self._tile = tile
        self._made: dict[tuple[str, bool], Strip] = {}

    def show(self, curves: Iterable[PlacedCurve]) -> None:
        hidden = dict(self._made)
        for each in curves:
            if each.past is not None:
                key = (each.name, each.scaled)
                hidden.pop(key, None)
                if key not in self._made:
                    self._made[key] = Strip(self._tile, scaled=each.scaled)
                self._made[key].setGeometry(each.place.toRect())
                self._made[key].show_past(each.past, each.wear)
                self._made[key].show()
        for strip in hidden.values():
            strip.hide()
