"""How values and layers are written, and which colour a value has."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gpuexplorer.gui.lab.inside.values import ValueScale, writing_of, written
from gpuexplorer.gui.theme.palette import Theme


@pytest.mark.parametrize(
    ("dtype", "most", "value", "text"),
    [
        ("float32", 4.1, -1.5372, "−1.54"),
        ("float32", 0.25, 0.0712, "0.071"),
        ("float32", 1e-9, 1.24e-10, "1.2e−10"),
        ("float32", 4e7, 31e6, "3.1e7"),
        ("int64", 7.0, -3.0, "−3"),
        ("bool", 1.0, 1.0, "True"),
        ("float32", 4.1, None, "NaN"),
        ("float32", 4.1, float("-inf"), "−inf"),
    ],
)
def test_cells_have_the_digits_that_tell_values_apart(
    dtype: str, most: float, value: float | None, text: str
) -> None:
    assert written(value, writing_of(dtype, 0.0, most)) == text


def colour(scale: ValueScale, theme: Theme, value: float) -> QColor | None:
    """The one in the table that the value's share leads to."""
    (share,) = scale.shares(np.array([value]))
    table = scale.colours(theme)
    return None if np.isnan(share) else QColor(*map(int, table[round(share * 255)]))
