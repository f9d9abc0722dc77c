"""ShortcutsSheet: every key there is, in one place."""

from collections.abc import Sequence

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.key_cap import parts_of
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, line_between, text_label
from gpuexplorer.gui.wording.key_words import KeyGroup

_WIDTH, _TWO_COLUMNS_FROM = 720, 600


class ShortcutsSheet(Sheet):
    """The keys that opened it close it as well."""

    def __init__(
        self,
        look: Look,
        groups: Sequence[KeyGroup],
        opened_by: Sequence[QKeySequence],
        window: QWidget,
    ) -> None:
        super().__init__(look, tr("Keys"), window, _WIDTH)
        row = QHBoxLayout()
        row.setSpacing(40)
        self.body.addLayout(row)
        wide = self.screen().availableSize().width() >= _TWO_COLUMNS_FROM
        for half in _halves(groups) if wide else [groups]:
            column = QVBoxLayout()
            column.setSpacing(0)
            for heading, keys in half:
                column.addWidget(text_label(heading, look.letters.caption.font, Tone.QUIET))
                column.addSpacing(4)
                for keys_of_one, words in keys:
                    column.addLayout(self._row(words, keys_of_one))
                    column.addWidget(line_between())
                column.addSpacing(14)
            column.addStretch(1)
            row.addLayout(column, 1)
        self.add_close()
        for each in opened_by:
            QShortcut(each, self, self.reject)

    def _row(self, words: str, keys: str) -> QHBoxLayout:
        """What it does, and a cap for each key of "Ctrl+Shift+P". With a space between they
        are pressed one or the other.
        """
        row = QHBoxLayout()
        row.setContentsMargins(0, 5, 0, 5)
        row.setSpacing(4)
        label = text_label(words, self.look.letters.body.font)
        label.setWordWrap(True)
        label.setAccessibleName(tr("{command}: {keys}", command=words, keys=keys))
        row.addWidget(label, 1)
        for either in keys.split():
            row.addSpacing(4)
            for key in parts_of(either):
                cap = text_label(key, self.look.letters.caption.font)
                cap.setProperty("kind", "key")
                row.addWidget(cap)
        return row


def _halves(groups: Sequence[KeyGroup]) -> Sequence[Sequence[KeyGroup]]:
    """Two columns of about the same height."""
    heights = [len(keys) + 2 for _, keys in groups]
    cut = min(range(len(groups) + 1), key=lambda at: abs(sum(heights[:at]) - sum(heights[at:])))
    return [groups[:cut], groups[cut:]]
