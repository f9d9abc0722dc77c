"""Figures: what a cell draws with matplotlib, as pictures. Nothing here loads matplotlib."""

import base64
import io
import math
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from gpuexplorer.worker.program.own_modules import when_imported

_PYPLOT = "matplotlib.pyplot"
_MOST_DOTS = 4_000_000  # of one picture


# Any throughout: figures are matplotlib's.
class Figures:
    """`say` is handed each figure."""

    def __init__(self, say: "Callable[[Any], None]") -> None:
        self._say = say
        os.environ["MPLBACKEND"] = "agg"
        when_imported(_PYPLOT, nullcontext, self._take)

    def show(self) -> None:
        """At `plt.show()`, and at the end of a cell. A figure that was shown is closed."""
        plt: Any = sys.modules.get(_PYPLOT)
        if plt is None:
            return
        numbers = plt.get_fignums()
        try:
            for number in numbers:
                self._say(plt.figure(number))
        finally:
            for number in numbers:
                plt.close(number)

    def _take(self) -> None:
        def show(*args: object, **words: object) -> None:
            self.show()

        # A function, as matplotlib marks it.
        sys.modules[_PYPLOT].show = show  # type: ignore[attr-defined]


def png(figure: Any) -> str:
    """In base64."""
    width, height = figure.get_size_inches()
    dpi = min(figure.dpi, math.sqrt(_MOST_DOTS / max(1e-6, width * height)))
    whole = io.BytesIO()
    figure.savefig(whole, format="png", dpi=dpi, bbox_inches="tight")
    return base64.b64encode(whole.getvalue()).decode("ascii")
