"""LookedRow: one thing that was looked for, where, and what that means."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label
from gpuexplorer.telemetry.looked_for import Looked


class LookedRow(QWidget):
    """A tick or a cross, and never by colour alone: the words say it too."""

    def __init__(self, look: Look, looked: Looked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        found = tr("Found") if looked.found else tr("Not found")
        icon = Icon.THERE if looked.found else Icon.MISSING
        tone = Tone.TEXT if looked.found else Tone.FAINT
        sign = Sign(look, icon, tone, QSize(16, 16))
        sign.setAccessibleName(found)
        sign.setToolTip(found)
        what = QLabel(tr(looked.what.words))
        what.setFont(look.letters.body.font)
        where = ElidedLabel(look.letters.mono, Tone.FAINT)
        where.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        where.show_text(looked.where)
        sentence = wrapped_label(look, tr(looked.sentence), Tone.QUIET)
        self.setAccessibleName(
            tr(
                "{thing}: {found}. {sentence}",
                thing=looked.what.words,
                found=found,
                sentence=looked.sentence,
            )
        )
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addWidget(sign, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(what, 0, 1)
        grid.addWidget(where, 0, 2)
        grid.addWidget(sentence, 1, 1, 1, 2)
        grid.setColumnStretch(2, 1)
