"""The smaller parts of a step: what is checked, what unfolds, and where a control is."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.lessons.lesson_text import LessonText
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    column,
    row,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.lessons.lesson import Check, Part
from gpuexplorer.lessons.player import Player
from gpuexplorer.lessons.values import Checked


class CheckLine(QFrame):
    """Whether it is as it should be, and what to do where it is not."""

    came = Signal()  # it is told now that it is not

    def __init__(self, player: Player, part: Check) -> None:
        super().__init__()
        self._look, self._player, self._part = look(), player, part
        self._wrong = False
        self.setProperty("panel", "notice")
        size = _beside()
        self._held = Sign(Icon.CHECK, Tone.GOOD, size)
        self._not = Sign(Icon.WARNING, Tone.WARN, size)
        self._words = wrapped_label("", Tone.TEXT)
        self._again = link_button(tr("Check again"), flush=True)
        self._again.clicked.connect(player.check_again)
        top = Qt.AlignmentFlag.AlignTop
        words = column(self._words, row(self._again, FREE), gap=4)
        margins = (12, 8, 12, 8)
        row(self._held, top, self._not, top, words, GROWS, within=self, margins=margins)

    def show_play(self, _coming: Part | None) -> None:
        checked = self._player.step.checked.get(self._part.line)
        words, tone = _words(checked)
        show_sentence(self._words, words)
        self.setAccessibleName(words.replace("`", ""))
        restyle(self._words, "tone", "quiet" if checked is None else "text")
        restyle(self, "tone", "warn" if tone is Tone.WARN else "")
        self._held.setVisible(tone is Tone.GOOD)
        self._not.setVisible(tone is Tone.WARN)
        before, self._wrong = self._wrong, checked is not None and not checked.held
        self._again.setVisible(self._wrong)
        if self._wrong and not before:
            self.came.emit()


class FoldedText(QWidget):
    """A question one may ask, or the rest of a text on a projector; a press unfolds it."""

    def __init__(self, question: str, text: LessonText) -> None:
        super().__init__()
        self._look, self._text = look(), text
        self._head = QToolButton()
        self._head.setProperty("kind", "fold")
        self._head.setCheckable(True)
        self._head.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._head.setIconSize(_beside())
        self._head.setAccessibleName(question.replace("`", ""))
        self._head.toggled.connect(self._on_toggled)
        self._question = wrapped_label(question, Tone.TEXT)
        self._question.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        head = row(self._head, Qt.AlignmentFlag.AlignTop, self._question, GROWS, gap=4)
        column(head, text, within=self, gap=6)
        self._on_toggled(False)  # noqa: FBT003 - as the signal

    def _on_toggled(self, unfolded: bool) -> None:
        self._text.setVisible(unfolded)
        icon = Icon.OPEN if unfolded else Icon.CLOSED
        self._head.setIcon(self._look.icons.for_button(icon))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """On the words beside the arrow."""
        if self._text.isHidden() or event.position().y() < self._text.y():
            self._head.toggle()


def _beside() -> QSize:
    """Of an icon, as high as the words are."""
    side = round(look().letters.body.height)
    return QSize(side, side)


def _words(checked: Checked | None) -> tuple[str, Tone]:
    if checked is None:
        return tr("Checked when the cells above have run."), Tone.QUIET
    if checked.error:
        why = tr(checked.error)
        return tr("This could not be checked. {why}", why=why), Tone.WARN
    if checked.held:
        return tr("Checked: it is as it should be."), Tone.GOOD
    told = checked.told or tr("Something is not as it should be.")
    return paragraph((told, checked.found)), Tone.WARN
