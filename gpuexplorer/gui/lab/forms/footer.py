"""Footer: what a form is about to do, what it takes, and the button that does it."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.forms.form import Plan
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
from gpuexplorer.gui.widgets.laid_out import Space, column, label, say

_MOST, _LEAST, _FIELDS, _SHARE = 12, 2, 330, 60


class Footer(QWidget):
    """Stays in its place while the fields above it scroll."""

    run_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        self._code = CodePreview()
        self._facts = _label(Tone.QUIET)
        self._warnings = _label(Tone.WARN)
        self._refusal = _label(Tone.BAD)
        self._button = PrimaryButton("Ctrl Enter")
        self._button.clicked.connect(self.run_asked)
        said = (self._facts, self._warnings, self._refusal)
        parts = (line, Space(2), self._code, *said, Space(2), self._button)
        column(*parts, within=self, gap=6)

    @property
    def has_keyboard(self) -> bool:
        return self._button.hasFocus()

    def show_plan(self, plan: Plan) -> None:
        self._code.show_code(plan.code)
        say(self._facts, "\n".join(plan.facts))
        say(self._warnings, "\n".join(plan.warnings))
        self._button.show_words(plan.button)
        self._button.setEnabled(plan.ready)

    def show_refusal(self, sentence: str) -> None:
        """Why the lab did not take the cell."""
        say(self._refusal, sentence)

    def fit_into(self, height: int) -> None:
        """`height`: of the whole panel. Where it is low, the fields need the room more."""
        self._code.show_at_most(max(_LEAST, min(_MOST, (height - _FIELDS) // _SHARE)))


class CodePreview(QPlainTextEdit):
    """As high as its code, up to so many lines; the rest is come to by scrolling."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most = _LEAST
        self._line = QFontMetricsF(look().letters.mono.font).lineSpacing()
        self.setFont(look().letters.mono.font)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setProperty("kind", "plain")
        self.document().setDocumentMargin(0)
        self.show_code("")
        self._fit()

    def show_code(self, code: str) -> None:
        if code != self.toPlainText() or not self.accessibleName():
            self.setPlainText(code)
            will_run = tr("It will run: {code}", code=code)
            self.setAccessibleName(will_run if code else tr("Nothing to run yet"))
            self._fit()

    def show_at_most(self, lines: int) -> None:
        self._most = lines
        self._fit()

    def _fit(self) -> None:
        # The document of a plain text field counts its height in lines, wrapped ones too.
        lines = round(self.document().size().height())
        self.setFixedHeight(round(max(_LEAST, min(lines, self._most)) * self._line) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


def _label(tone: Tone) -> QLabel:
    made = label("", look().letters.caption, tone)
    made.setWordWrap(True)
    made.hide()
    return made
