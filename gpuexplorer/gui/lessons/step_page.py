"""StepPage: one step of a lesson with all its parts, as one reads and does it."""

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lessons.cell_box import CellBox
from gpuexplorer.gui.lessons.lesson_text import LessonText
from gpuexplorer.gui.lessons.predict_box import PredictBox
from gpuexplorer.gui.lessons.step_asks import StepAsks
from gpuexplorer.gui.lessons.step_parts import CheckLine, FoldedText
from gpuexplorer.gui.lessons.words import next_part
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import FREE, add, column, row, wrapped_label
from gpuexplorer.gui.widgets.live_view import Remark
from gpuexplorer.lessons.lesson import CONTROLS, Check, Code, Part, Point, Predict, Text, Why
from gpuexplorer.lessons.player import Player, StepState

_GAP = 14
# Parts that are made before the window answers again: first what is seen, then the others.
_AT_FIRST, _AT_ONCE = 5, 2
_BREATH = 1  # milliseconds


class StepPage(QWidget):
    """Shows `player.step`, as high as it is: whoever holds it lets it scroll. To be told by
    `show_step` after each `Player.changed`, and after `go`.
    """

    predicted = Signal()  # the keyboard is not needed there any longer
    revealed = Signal(QWidget)  # here stands what was just measured, or what is wrong

    def __init__(self, player: Player, asks: StepAsks, *, brief: bool = False) -> None:
        """`brief`: for a projector, with the first paragraph of each text."""
        super().__init__()
        self._look, self._player, self.asks, self._brief = look(), player, asks, brief
        self._shown = (-1, False)
        self._parts: list[CellBox | PredictBox | CheckLine] = []
        self._texts: dict[int, QWidget] = {}  # by their lines
        self._told: set[int] = set()  # lines of texts that somebody wanted to see at once
        self._ahead: list[Part] = []  # of the step, and not made yet
        self._breath = QTimer(self, singleShot=True, interval=_BREATH)
        self._breath.timeout.connect(partial(self._make_parts, _AT_ONCE))
        self._page, self._body = QWidget(), QVBoxLayout()
        self._place = QVBoxLayout(self)
        self._place.setContentsMargins(0, 0, 0, 0)
        self._place.addWidget(self._page)
        self.show_step()

    def show_step(self) -> None:
        shown = (self._player.at, self._skipped)
        if shown == self._shown:
            self._update()
        else:
            self._shown = shown
            self._make()

    def _update(self) -> None:
        coming = next_part(self._player)
        for each in self._parts:
            each.show_play(coming)
        held = {each.line for each in self._player.step.held_back} - self._told
        for line, text in self._texts.items():
            text.setVisible(line not in held)
        if not self._ahead:
            self._later.setVisible(bool(held))

    def _on_told_now(self) -> None:
        self._told |= self._texts.keys()
        self._update()

    @property
    def _skipped(self) -> bool:
        return self._player.step.state is StepState.SKIPPED

    def _make(self) -> None:
        """Another step, or it is known now that it is skipped."""
        play, letters = self._player.step, self._look.letters
        self._parts, self._texts, self._told = [], {}, set()
        before, page = self._page, QWidget(self)
        page.hide()
        large = letters.number if self._brief else letters.title
        title = wrapped_label(play.step.title, Tone.TEXT, large)
        self._page, self._body = page, column(title, within=page, gap=_GAP)
        if self._skipped:
            words = play.reason or tr("This machine cannot show it.")
            skipped = tr("Skipped. {reason}", reason=words)
            add(self._body, Remark(skipped, Icon.NOTE, Tone.WARN))
        self._ahead = list(play.step.parts)
        self._make_parts(_AT_FIRST)
        self._place.replaceWidget(before, page)
        before.hide()
        before.deleteLater()
        page.show()

    def _make_parts(self, count: int) -> None:
        """A long step would keep the window waiting."""
        parts, self._ahead = self._ahead[:count], self._ahead[count:]
        for part in parts:
            made = self._made(part)
            if made is not None:
                add(self._body, made)
            if isinstance(part, Text | Why) and isinstance(made, QWidget):
                self._texts[part.line] = made
        if self._ahead:
            self._breath.start()
        else:
            self._later = link_button(tr("Show the explanation at once"), flush=True)
            self._later.clicked.connect(self._on_told_now)
            add(self._body, row(self._later, FREE))
        for each in self._page.findChildren(QWidget) if self._brief else ():
            # Under a style sheet, letters of another size do not come down from what it is in.
            if not each.testAttribute(Qt.WidgetAttribute.WA_SetFont):
                each.setFont(self._look.letters.body.font)
        self._update()

    def _made(self, part: Part) -> QWidget | QLayout | None:
        player = self._player
        match part:
            case Text():
                return self._text(part)
            case Code():
                cell = CellBox(player, part, self.asks, brief=self._brief)
                self._parts.append(cell)
                return cell
            case Why():
                return self._folded(part.question, part.markdown)
            case _ if self._skipped:
                return None
            case Predict():
                box = PredictBox(player, part, big=self._brief)
                box.said.connect(self.predicted)
                box.came.connect(partial(self.revealed.emit, box))
                self._parts.append(box)
                return box
            case Check():
                line = CheckLine(player, part)
                line.came.connect(partial(self.revealed.emit, line))
                self._parts.append(line)
                return line
            case Point(control=name):
                words = tr("Show me {control}", control=tr(CONTROLS[name]))
                button = link_button(words, flush=True)
                button.clicked.connect(partial(self.asks.control.emit, name))
                return row(button, FREE)

    def _text(self, part: Text) -> QWidget:
        first, rest = _first_paragraph(part.markdown) if self._brief else (part.markdown, "")
        text = self._lesson_text(first)
        if not rest:
            return text
        both = QWidget()
        column(text, self._folded(tr("More"), rest), within=both)
        return both

    def _folded(self, question: str, markdown: str) -> FoldedText:
        return FoldedText(question, self._lesson_text(markdown))

    def _lesson_text(self, markdown: str) -> LessonText:
        folder = self._player.lesson.file.parent
        return LessonText(markdown, folder, self.asks)


def _first_paragraph(markdown: str) -> tuple[str, str]:
    """With the heading above it; and the rest."""
    blocks = markdown.strip().split("\n\n")
    count = 1 + next((at for at, each in enumerate(blocks) if not each.startswith("#")), 0)
    return "\n\n".join(blocks[:count]), "\n\n".join(blocks[count:])
