"""ValueScale: which colour a value of a tensor has, and where it lies between the ends."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.gui.theme.palette import Theme

_COLOURS = 256


@dataclass(frozen=True, slots=True)
class ValueScale:
    """Around zero violet below and ochre above, equally far; of one sign weak to strong."""

    least: float | None
    most: float | None

    @property
    def around_zero(self) -> bool:
        return self.least is not None and self.most is not None and self.least < 0 < self.most

    def holds(self, value: float) -> bool:
        """Whether it lies between the ends, or is one of them."""
        return (
            self.least is not None
            and self.most is not None
            and (self.least <= value <= self.most)
        )

    def part(self, value: float) -> float:
        """From 0, at the least, to 1, at the most."""
        if self.least is None or self.most is None or self.most == self.least:
            return 0.5
        # As shares of the largest: the ends may lie further apart than any number is large.
        reach = max(abs(self.least), abs(self.most))
        least, most = self.least / reach, self.most / reach
        return min(1.0, max(0.0, (value / reach - least) / (most - least)))

    def shares(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where each value lies in `colours`, from 0 to 1; NaN for what is not finite."""
        shares = np.full(values.shape, np.nan)
        if self.least is None or self.most is None:
            return shares
        finite = np.isfinite(values)
        reach = max(abs(self.least), abs(self.most)) or 1.0
        least, most, known = self.least / reach, self.most / reach, values[finite] / reach
        if self.around_zero:
            shares[finite] = known / 2 + 0.5
        elif least == most:
            shares[finite] = 0.5 if least else 0.0
        else:
            shares[finite] = (known - least) / (most - least)
        return shares

    def colours(self, theme: Theme) -> NDArray[np.uint8]:
        """Red, green and blue in each row."""
        table = np.empty((_COLOURS, 3), np.uint8)
        for row, share in zip(table, np.linspace(0.0, 1.0, _COLOURS), strict=True):
            if self.around_zero:
                colour = theme.around_zero(2 * share - 1)
            else:
                # What lies farthest from zero is strongest, on either side of it.
                below = self.least is not None and self.least < 0
                colour = theme.heat(1 - share if below else share)
            row[:] = colour.red(), colour.green(), colour.blue()
        return table
