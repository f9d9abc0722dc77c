"""ShortcutsSheet: every key there is, in one place."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.key_cap import draw_key_caps, key_caps_width
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.sheets.floating import Floating
from gpuexplorer.gui.wording.key_words import KeyGroup

_WIDTH, _HEIGHT, _ROW = 720, 640, 30
_SECOND_LINE, _GAP = 22, 12
_TWO_COLUMNS_FROM = 600


class ShortcutsSheet(Floating):
    """Escape closes it, like everything that floats."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, window)
        self.setAccessibleName("Keys")
        title = QLabel("Keys")
        title.setFont(look.letters.title.font)
        title.setContentsMargins(24, 18, 24, 10)
        self._scroll = QScrollArea()
        self._scroll.setProperty("panel", "clear")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName("Keys")
        self.panel.addWidget(title)
        self.panel.addWidget(self._scroll, 1)
        self.panel.addSpacing(12)

    def open_on(self, groups: Sequence[KeyGroup]) -> None:
        wide = self.window_below.width() >= _TWO_COLUMNS_FROM
        halves = _halves(groups) if wide else [groups]
        content = QWidget()
        content.setProperty("panel", "clear")
        row = QHBoxLayout(content)
        row.setContentsMargins(24, 0, 24, 0)
        row.setSpacing(40)
        for half in halves:
            column = QVBoxLayout()
            column.setSpacing(0)
            for heading, keys in half:
                column.addWidget(KeyHeading(self.look, tr(heading)))
                for keys_of_one, words in keys:
                    column.addWidget(KeyRow(self.look, tr(words), keys_of_one))
                column.addSpacing(10)
            column.addStretch(1)
            row.addLayout(column, 1)
        self._scroll.setWidget(content)
        self.open()
        self._scroll.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text() == "?":
            self.hide()
        else:
            super().keyPressEvent(event)


class KeyHeading(QLabel):
    """What the keys below are about."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(text)
        self.setFont(look.letters.caption.font)
        self.setProperty("tone", Tone.QUIET.value)
        self.setFixedHeight(_ROW)


class KeyRow(Painted):
    """What it does at the left, the keys at the right; below it, where there is no room."""

    def __init__(
        self, look: Look, words: str, keys: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._words, self._keys = words, keys
        self.setAccessibleName(f"{words}: {keys}")
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.body
        below = self._needs_two_lines(self.width())
        first, last = _ROW / 2, _ROW / 2 + (_SECOND_LINE if below else 0)
        left = draw_key_caps(drawing, self.width(), last, self._keys)
        words = Run(self._words, letters, drawing.theme.text)
        room = self.width() if below else left - _GAP
        drawing.elided(0, first + letters.cap_height / 2, words, room)
        drawing.hairline(0, self.width(), self.height() - 1)

    def sizeHint(self) -> QSize:
        return QSize(240, _ROW)

    def heightForWidth(self, width: int) -> int:
        return _ROW + (_SECOND_LINE if self._needs_two_lines(width) else 0)

    def _needs_two_lines(self, width: int) -> bool:
        words = self.look.letters.body.width(self._words)
        return words + _GAP + key_caps_width(self.look.letters, self._keys) > width


def _halves(groups: Sequence[KeyGroup]) -> Sequence[Sequence[KeyGroup]]:
    """Two columns of about the same height."""
    heights = [len(keys) + 2 for _, keys in groups]
    cut = min(range(len(groups) + 1), key=lambda at: abs(sum(heights[:at]) - sum(heights[at:])))
    return [groups[:cut], groups[cut:]]
