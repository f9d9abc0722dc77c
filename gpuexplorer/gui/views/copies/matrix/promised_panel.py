"""PromisedPanel: what the wires could carry in theory, or how much of it was measured."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.pairs.pair_map import PairMap
from gpuexplorer.gui.widgets.panel import Panel

_AROUND = 2 * 16
_CHOICES, _FOOT = 28, 34  # of the panel of what was measured


class Promises(Enum):
    """What stands in the cells."""

    RATE = "GB/s"
    RATIO = "Ratio"


class PromisedPanel(Panel):
    """`map` is connected by who holds this."""

    asked = Signal(object)  # one of the Promises

    def __init__(
        self, look: Look, map_of_pairs: PairMap, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, "Promised", parent=parent)
        self.map = map_of_pairs
        self._caption = ElidedLabel(look.letters.caption, Tone.QUIET)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, self._caption, 1)
        self.head.setStretch(3, 0)
        self._choice = Segmented(
            look, "What the cells say", [(each, each.value) for each in Promises]
        )
        self._choice.chosen.connect(self.asked)
        self.head.addWidget(self._choice)
        self._kinds = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._whence = ElidedLabel(look.letters.caption, Tone.QUIET)
        # Both maps begin and end at the same height, so that rows meet.
        self._kinds.setFixedHeight(_CHOICES)
        self._whence.setFixedHeight(_FOOT)
        self._whence.setAlignment(Qt.AlignmentFlag.AlignBottom)
        self.body.addWidget(self._kinds)
        self.body.addSpacing(12)
        self.body.addWidget(self.map, 1)
        self.body.addSpacing(10)
        self.body.addWidget(self._whence)

    def show_promises(self, promises: Promises, caption: str) -> None:
        self._choice.show_choice(promises)
        self._caption.show_text(caption)

    def show_notes(self, kinds: str, whence: str) -> None:
        self._kinds.show_text(kinds)
        self._whence.show_text(whence)

    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in this order."""
        return [*self._choice.findChildren(QAbstractButton), self.map]

    def height_for(self, width: int) -> int:
        return self.map.height_for(width - _AROUND) + 14 + 28 + 8 + 28 + 12 + 10 + 34 + 12

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = event.size().width() - _AROUND
        self._caption.setVisible(room > self._choice.full_width() + 170)
