"""ValueScale: which colour a value of a tensor has, and where it lies between the ends."""

import math
from dataclasses import dataclass

from PySide6.QtGui import QColor

from gpuexplorer.gui.theme.palette import Theme

_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class ValueScale:
    """Around zero violet below and ochre above, equally far; of one sign from weak to strong.

    Without ends there is no value that has a colour.
    """

    least: float | None
    most: float | None

    @property
    def around_zero(self) -> bool:
        return self.least is not None and self.most is not None and self.least < 0 < self.most

    def colour(self, theme: Theme, value: float | None) -> QColor | None:
        """None for what is no number, or infinite."""
        if value is None or self.least is None or self.most is None or math.isinf(value):
            return None
        if self.around_zero:
            return theme.around_zero(value / max(-self.least, self.most))
        return theme.heat(self._strength(value, self.least, self.most))

    def part(self, value: float) -> float:
        """From 0, at the least, to 1, at the most."""
        if self.least is None or self.most is None or self.most == self.least:
            return _ALIKE
        return min(1.0, max(0.0, (value - self.least) / (self.most - self.least)))

    def _strength(self, value: float, least: float, most: float) -> float:
        if most == least:
            return _ALIKE if value else 0.0
        # What lies farthest from zero is strongest, on either side of it.
        return self.part(value) if most > 0 else 1 - self.part(value)
