"""Footer: what a form is about to do, what it takes, and the button that does it."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PrimaryButton
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.forms.plan import Plan
from gpuexplorer.gui.wording.lab.forms.wrapping import wrapped

_MOST, _LEAST, _FIELDS, _SHARE = 12, 2, 330, 60
_LINE, _PREVIEW_LEAST = 18, 2


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


class CodePreview(Painted):
    """At most so many lines; the rest is told on asking."""

    def __init__(self, look: Look, most: int, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._most = most
        self._code = ""
        self._lines: list[str] = []
        self._columns = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_code(self, code: str) -> None:
        if code != self._code:
            self._code = code
            will_run = tr("It will run: {code}", code=code)
            self.setAccessibleName(will_run if code else tr("Nothing to run yet"))
            self._arrange()

    def show_at_most(self, lines: int) -> None:
        if lines != self._most:
            self._most = lines
            self._arrange()

    def draw(self, drawing: Drawing) -> None:
        letters, theme = drawing.letters.mono, drawing.theme
        shown = self._lines[: self._most]
        cut = len(self._lines) > self._most
        for number, line in enumerate(shown):
            baseline = number * _LINE + _LINE / 2 + letters.cap_height / 2
            last = cut and number == self._most - 1
            text = f"{line[: self._columns - 2]} …" if last else line
            drawing.text(0, baseline, Run(text, letters, theme.text))
        if cut:
            drawing.hint(QRectF(self.rect()), self._code)

    def _arrange(self) -> None:
        self._columns = int(self.width() / max(1.0, self.look.letters.mono.width("0")))
        self._lines = wrapped(self._code, self._columns) if self._code else []
        self.setFixedHeight(max(_PREVIEW_LEAST, min(len(self._lines), self._most)) * _LINE)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()
