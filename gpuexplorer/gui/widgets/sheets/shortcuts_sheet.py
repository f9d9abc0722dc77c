"""ShortcutsSheet: every key there is, in one place."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import parts_of
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.key_words import KeyGroup
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, label, row
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, line_between

_WIDTH, _TWO_COLUMNS_FROM = 720, 600


class ShortcutsSheet(Sheet):
    """The keys that opened it close it as well."""

    def __init__(
        self, groups: Sequence[KeyGroup], opened_by: Sequence[QKeySequence], window: QWidget
    ) -> None:
        super().__init__(tr("Keys"), window, _WIDTH)
        halves = row(gap=40)
        self.body.addLayout(halves)
        wide = window.width() >= _TWO_COLUMNS_FROM
        for half in _halves(groups) if wide else [groups]:
            listed = column(gap=0)
            for heading, keys in half:
                add(listed, label(heading, look().letters.caption, Tone.QUIET), Space(4))
                for keys_of_one, words in keys:
                    add(listed, self._row(words, keys_of_one), line_between())
                add(listed, Space(14))
            add(listed, FREE)
            add(halves, listed, GROWS)
        self.add_close()
        for each in opened_by:
            QShortcut(each, self, self.reject)

    def _row(self, words: str, keys: str) -> QHBoxLayout:
        """What it does, and a cap for each key of "Ctrl+Shift+P". With a space between they
        are pressed one or the other.
        """
        said = label(words, self.look.letters.body)
        said.setWordWrap(True)
        said.setAccessibleName(tr("{command}: {keys}", command=words, keys=keys))
        line = row(said, GROWS, gap=4, margins=(0, 5, 0, 5))
        for either in keys.split():
            add(line, Space(4))
            for key in parts_of(either):
                cap = label(key, self.look.letters.caption)
                cap.setProperty("kind", "key")
                add(line, cap, Qt.AlignmentFlag.AlignVCenter)
        return line


def _halves(groups: Sequence[KeyGroup]) -> Sequence[Sequence[KeyGroup]]:
    """Two columns of about the same height."""
    heights = [len(keys) + 2 for _, keys in groups]
    cut = min(range(len(groups) + 1), key=lambda at: abs(sum(heights[:at]) - sum(heights[at:])))
    return [groups[:cut], groups[cut:]]
