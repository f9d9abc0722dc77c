"""Footer: what a form is about to do, what it takes, and the button that does it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.forms.code_preview import CodePreview
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
from gpuexplorer.gui.wording.lab.forms.plan import Plan

_MOST, _LEAST, _FIELDS, _SHARE = 12, 2, 330, 60


class Footer(QWidget):
    """Stays in its place while the fields above it scroll."""

    run_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        self._code = CodePreview(look, _LEAST)
        self._facts = _label(look, Tone.QUIET)
        self._warnings = _label(look, Tone.WARN)
        self._refusal = _label(look, Tone.BAD)
        self._button = PrimaryButton(look, "Ctrl Enter")
        self._button.clicked.connect(self.run_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(line)
        column.addSpacing(2)
        column.addWidget(self._code)
        for label in (self._facts, self._warnings, self._refusal):
            column.addWidget(label)
        column.addSpacing(2)
        column.addWidget(self._button)

    @property
    def has_keyboard(self) -> bool:
        return self._button.hasFocus()

    def show_plan(self, plan: Plan) -> None:
        self._code.show_code(plan.code)
        _show(self._facts, "\n".join(plan.facts))
        _show(self._warnings, "\n".join(plan.warnings))
        self._button.show_words(plan.button)
        self._button.setEnabled(plan.ready)

    def show_refusal(self, sentence: str) -> None:
        """Why the lab did not take the line."""
        _show(self._refusal, sentence)

    def fit_into(self, height: int) -> None:
        """`height`: of the whole panel. Where it is low, the fields need the room more."""
        self._code.show_at_most(max(_LEAST, min(_MOST, (height - _FIELDS) // _SHARE)))


def _label(look: Look, tone: Tone) -> QLabel:
    label = QLabel()
    label.setFont(look.letters.caption.font)
    label.setProperty("tone", tone.value)
    label.setWordWrap(True)
    label.hide()
    return label


def _show(label: QLabel, text: str) -> None:
    if text != label.text():
        label.setText(text)
        label.setVisible(bool(text))
