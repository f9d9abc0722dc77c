"""Labelled: a control with its caption above."""

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel


class Labelled(QWidget):
    """`show_remark` says something about it at the right."""

    def __init__(
        self, look: Look, caption: str, control: QWidget, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.control = control
        self._caption = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._caption.show_text(caption)
        self._remark = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._remark.hide()
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._caption)
        head.addStretch(1)
        head.addWidget(self._remark)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(control)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_remark(self, remark: str) -> None:
        if remark != self._remark.text():
            self._remark.show_text(remark)
            self._remark.setVisible(bool(remark))
