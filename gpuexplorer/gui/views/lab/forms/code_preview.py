"""CodePreview: the very lines that a button will run, broken where they are too long."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.forms.wrapping import wrapped

_LINE, _LEAST = 18, 2


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
        self.setFixedHeight(max(_LEAST, min(len(self._lines), self._most)) * _LINE)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()
