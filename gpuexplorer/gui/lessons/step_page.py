"""StepPage: one step of a lesson with all its parts, as one reads and does it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QFrame,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.lab.code.notice_bar import LabNotice, NoticeBar
from gpuexplorer.gui.lessons.lesson_text import CodeText, GrowingText, LessonText
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import one_tab_stop
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    add,
    column,
    label,
    row,
    say,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Remark
from gpuexplorer.lab.events import Pictured, Printed
from gpuexplorer.lab.ledger import Cell, time_words
from gpuexplorer.lab.printed import clean, error_words, shortened
from gpuexplorer.lessons.lesson import CONTROLS, Check, Code, Part, Point, Predict, Text, Why
from gpuexplorer.lessons.player import NEVER_MEANT, Player, StepState, behind
from gpuexplorer.lessons.values import how_far

_GAP = 14
_FIGURES = 12  # that have room in a field
_PARTS, _HAIR = 1000, 10  # of a bar; that stays visible, so that little is not nothing
_BARS = ("said", "measured", "limit")
_DOT = " \N{MIDDLE DOT} "
_MOST_ROWS = 8  # of what a cell printed; the lab has all of it
_WORKS = ("waiting", "running")
_STATES = {  # of a cell; "" where nobody ran it
    "": mark("Not run yet"),
    "waiting": mark("Waiting for its turn"),
    "running": mark("Running"),
    "cancelled": mark("Cancelled"),
    "done": mark("Done"),
    "failed": mark("Failed"),
}


def next_part(player: Player) -> Predict | Code | None:
    """What to do first of what is not done: a question nobody answered, or a cell."""
    step, cell = player.step, player.next_cell()
    if step.state is StepState.SKIPPED:
        return None
    for part in step.step.parts:
        if isinstance(part, Code) and part is cell:
            return part
        if isinstance(part, Predict) and part.line not in {*step.predictions, *step.revealed}:
            return part
    return None


class StepHost(Protocol):
    """What a person wants in a step that others have to do."""

    def open_lesson(self, name: str) -> None: ...
    def show_control(self, name: str) -> None: ...
    def edit(self, code: str) -> None: ...
    def run(self, cells: Sequence[Code]) -> bool: ...


class StepPage(QWidget):
    """Shows `player.step`, as high as it is: whoever holds it lets it scroll. To be told by
    `show_step` after each `Player.changed`, and after `go`. `host`: what others have to do.
    """

    came = Signal(QWidget)  # this is to be seen: what was just measured, or is to be done

    def __init__(self, player: Player, host: "StepHost", *, brief: bool = False) -> None:
        """`brief`: for a projector, with the first paragraph of each text."""
        super().__init__()
        self.player, self.host, self.brief = player, host, brief
        self.letters = look().letters
        self._shown = (-1, False)
        self._boxes: list[CellBox | CheckBox | PredictBox] = []
        self._texts: dict[int, QWidget] = {}  # by their lines
        self._told = False  # somebody wanted to see the texts at once
        self._known: set[int] = set()  # lines of what was measured, or is wrong
        self._page = QWidget()
        self._place = column(self._page, within=self)
        self.show_step()

    def show_step(self) -> None:
        step, coming = self.player.step, next_part(self.player)
        known = {line for line, each in step.checked.items() if not each.held}
        known |= step.revealed.keys()
        shown = (self.player.at, step.state is StepState.SKIPPED)
        if shown != self._shown:  # another, or it is known now that it is skipped
            self._shown, self._known = shown, known
            with look().in_letters(self.letters):
                self._make(skipped=shown[1])
        held = set() if self._told else {each.line for each in step.held_back}
        for line, text in self._texts.items():
            text.setVisible(line not in held)
        self._later.setVisible(bool(held))
        new, self._known = known - self._known, known
        for each in self._boxes:
            each.show_play(coming)
            if each.part.line in new:
                self._bring(each)

    def do_next(self) -> None:
        """A question takes the keyboard, and is answered by who is there; a cell runs."""
        part = next_part(self.player)
        for each in [each for each in self._boxes if each.part is part]:
            each.act()
            self._bring(each)

    def _make(self, *, skipped: bool) -> None:
        play = self.player.step
        self._boxes, self._texts, self._told = [], {}, False
        self._page.hide()
        self._page.deleteLater()
        self._page = page = QWidget()
        large = self.letters.number if self.brief else self.letters.title
        body = column(wrapped_label(play.step.title, Tone.TEXT, large), within=page, gap=_GAP)
        if skipped:
            why = tr(play.reason) or tr("This machine cannot show it.")
            add(body, Remark(tr("Skipped. {reason}", reason=why), Icon.NOTE, Tone.WARN))
        made: QWidget | QBoxLayout
        for part in play.step.parts:
            match part:
                case Text(markdown=words):
                    made = self._texts[part.line] = self._text(words, brief=self.brief)
                case Why(question=question, markdown=words):
                    made = self._texts[part.line] = _folded(question, self._text(words))
                case Code() if skipped:
                    made = CodeText(tr("Code of the cell"), part.source)
                case Point(control=name) if not skipped:
                    words = tr("Show me {control}", control=tr(CONTROLS[name]))
                    shows = partial(self.host.show_control, name)
                    made = row(_button(words, shows), FREE)
                case Code() if not skipped:
                    self._boxes.append(made := CellBox(self, part))
                case Check() if not skipped:
                    self._boxes.append(made := CheckBox(self, part))
                case Predict() if not skipped:
                    self._boxes.append(made := PredictBox(self, part))
                case _:
                    continue
            add(body, made)
        self._later = _button(tr("Show the explanation"), self._on_told_now)
        add(body, row(self._later, FREE))
        self._place.addWidget(page)
        page.show()

    def _text(self, markdown: str, *, brief: bool = False) -> QWidget:
        """`brief`: the first paragraph, with the headings above it; the rest on asking."""
        blocks = markdown.strip().split("\n\n")
        count = 1 + next((at for at, e in enumerate(blocks) if not e.startswith("#")), 0)
        if brief and len(blocks) > count:
            both, rest = QWidget(), self._text("\n\n".join(blocks[count:]))
            first = self._text("\n\n".join(blocks[:count]))
            column(first, _folded(tr("More"), rest), within=both)
            return both
        text = LessonText(markdown, self.player.lesson.file.parent)
        text.lesson_asked.connect(self.host.open_lesson)
        return text

    def _bring(self, box: QWidget) -> None:
        """Once all is as high as it is now."""
        QTimer.singleShot(0, box, partial(self.came.emit, box))

    def _on_told_now(self) -> None:
        self._told = True
        self.show_step()


class CellBox(QFrame):
    """A cell: its code, the button that runs it, and what came of it. The same cell may also be
    typed in the lab: what is shown is what the player knows.
    """

    def __init__(self, page: StepPage, part: Code) -> None:
        super().__init__()
        self.part, self._player, self._host = part, page.player, page.host
        self._pressed = False
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Cell"))
        self._run = _button(tr("Run"), self.act, "")
        edit = _button(tr("Put into the editor"), partial(self._host.edit, part.source))
        edit.setToolTip(tr("To change it in the lab, and run it there"))
        edit.setHidden(page.brief)
        self._said = wrapped_label("", Tone.QUIET, look().letters.caption)
        self._output = GrowingText(tr("What the cell printed"))
        code = CodeText(tr("Code of the cell"), part.source)
        parts = (code, row(self._run, edit, FREE), column(self._said, self._output, gap=6))
        column(*parts, within=self, gap=10, margins=(12, 10, 12, 10))

    def show_play(self, coming: Part | None) -> None:
        """`coming`: what to do next, in this step."""
        cell = self._player.cell(self.part)
        works = cell is not None and cell.state in _WORKS
        self._pressed = self._pressed and not works and self._player.busy()
        self._run.setText(tr("Run") if cell is None or works else tr("Run again"))
        first = coming is self.part and not works and not self._pressed
        restyle(self._run, "kind", "primary" if first else "")
        outputs = () if cell is None else cell.outputs
        printed = [each.text.rstrip("\n") for each in outputs if isinstance(each, Printed)]
        rows = [line for each in printed for line in clean(each).split("\n")]
        shown = "\n".join(map(shortened, rows[-_MOST_ROWS:]))
        if shown != self._output.toPlainText():
            self._output.setPlainText(shown)
        self._output.setVisible(bool(shown))
        state, tone = self._stands(cell)
        said = [state, *(() if cell is None or self._pressed else time_words(cell))]
        if (more := len(rows) - _MOST_ROWS) > 0:
            one = mark("{count} line more in the lab")
            said.append(trn(one, mark("{count} lines more in the lab"), more))
        if pictures := sum(isinstance(each, Pictured) for each in outputs):
            said.append(trn("a picture in the lab", "{count} pictures in the lab", pictures))
        words = _DOT.join(said)
        if cell is not None and cell.state == "failed" and cell.failed is not None:
            # The error's own line; what PyTorch adds below stands in the lab.
            error = clean(error_words(cell.failed)).strip() or tr(cell.failed.told)
            words += "\n" + shortened(error.split("\n")[0])
        self._said.setText(words)
        restyle(self._said, "tone", tone.value)
        self._run.setAccessibleDescription(state)

    def _stands(self, cell: Cell | None) -> tuple[str, Tone]:
        state = "waiting" if self._pressed else cell.state if cell is not None else ""
        if not self._pressed and self._player.gone(self.part):
            return tr("Done, but its results were lost with the worker"), Tone.QUIET
        if state == "running" and cell is not None and cell.asked:
            return tr("Waiting for an answer, in the lab"), Tone.WARN
        if self.part.fails and not state:
            return tr("Not run yet. This cell is meant to fail."), Tone.QUIET
        if self.part.fails and state == "done":
            return tr("Succeeded, but was meant to fail"), Tone.WARN
        failed = cell.failed if cell is not None and state == "failed" else None
        if self.part.fails and failed is not None and failed.cause not in NEVER_MEANT:
            return tr("Failed, as intended"), Tone.QUIET
        return tr(_STATES[state]), Tone.BAD if state == "failed" else Tone.QUIET

    def act(self) -> None:
        """Run it, once."""
        cell = self._player.cell(self.part)
        if not self._pressed and (cell is None or cell.state not in _WORKS):
            self._pressed = not self._player.must_ask  # the cards are read before it begins
            self._pressed = self._host.run([self.part])


class CheckBox(NoticeBar):
    """Whether a check passed, and what to do where it did not."""

    def __init__(self, page: StepPage, part: Check) -> None:
        super().__init__()
        self.part, self._player = part, page.player
        self.act = page.player.check_again

    def show_play(self, coming: Part | None) -> None:
        checked = self._player.step.checked.get(self.part.line)
        words, tone, ways = tr("\N{CHECK MARK} Check passed."), Tone.GOOD, {}
        if checked is None:
            words, tone = tr("Checked when the cells above have run."), Tone.QUIET
        elif not checked.held:
            words = paragraph((checked.told or tr("Check failed."), checked.found))
            if checked.error:
                words = tr("This could not be checked. {why}", why=tr(checked.error))
            tone, ways = Tone.WARN, {tr("Check again"): self.act}
        self.show_notice(LabNotice(words, tone, ways))


class PredictBox(QFrame):
    """Asks what will come out, and later shows it beside what did. Until it is revealed, one
    may think again. Nobody has to predict.
    """

    def __init__(self, page: StepPage, part: Predict) -> None:
        super().__init__()
        self.part, self._page, self._player = part, page, page.player
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Prediction"))
        letters, right = look().letters, Qt.AlignmentFlag.AlignRight
        self._alone = not behind(self._player.step.step, part)
        self._field, self._group = QLineEdit(self, alignment=right), QButtonGroup(self)
        self._field.setFixedWidth(round(_FIGURES * letters.body.width("0")) + 20)
        self._field.setAccessibleName(part.question)
        self._field.setAccessibleDescription(part.unit)
        self._field.textEdited.connect(lambda: restyle(self._field, "bad", value=False))
        self._field.setVisible(not part.choices)
        self._choices = [_Pressed(QRadioButton(), each) for each in part.choices]
        for at, each in enumerate(self._choices):
            self._group.addButton(each.button, at)
            each.button.setAccessibleDescription(part.question)
        one_tab_stop(self._group)
        self._group.buttonToggled.connect(lambda: one_tab_stop(self._group))
        self._answer = QWidget()
        answer = column(*self._choices, within=self._answer, gap=2)
        if not part.choices:
            add(answer, row(self._field, label(part.unit, letters.body, Tone.QUIET), FREE))
        self._predict = _button(tr("Predict"), self._on_predict_clicked, "")
        self._show = _button(tr("Show the answer"), partial(self._player.reveal, part))
        large = letters.hero if page.brief else letters.number
        sizes = (letters.strong, large, letters.strong)
        self._bars = [RevealBar(*each, part.unit) for each in zip(_BARS, sizes, strict=True)]
        self._said = wrapped_label("", Tone.QUIET)
        self._about = wrapped_label("", Tone.QUIET, letters.caption)
        question = wrapped_label(part.question, Tone.TEXT, letters.strong)
        asked = row(self._predict, self._show, FREE)
        shown = (*self._bars, self._said, self._about)
        column(question, self._answer, asked, *shown, within=self, margins=(12, 10, 12, 10))

    def show_play(self, coming: Part | None) -> None:
        play, part = self._player.step, self.part
        said, shown = play.predictions.get(part.line), play.revealed.get(part.line)
        if said is not None and said.said in part.choices:
            self._group.button(list(part.choices).index(said.said)).setChecked(True)
        elif said is not None and not self._field.isModified():
            self._field.setText(said.said)
        self._predict.setText(tr("Predict") if said is None else tr("Predict again"))
        restyle(self._predict, "kind", "primary" if coming is part else "")
        self._predict.setVisible(shown is None)
        self._show.setVisible(shown is None and self._alone and said is None)
        self._answer.setVisible(shown is None or bool(part.choices))
        for at, (each, choice) in enumerate(zip(self._choices, part.choices, strict=True)):
            right = shown is not None and at == part.right
            each.show_words(tr("{choice} (the answer)", choice=choice) if right else choice)
            each.button.setEnabled(shown is None)
        values: list[tuple[str, float | None]] = [("", None)] * len(self._bars)
        tone, sentence, about = Tone.TEXT, "", ""
        if shown is not None:
            sentence = tr("No prediction.") if said is None else tr(how_far(part, said, shown))
            if shown.right is not None:
                tone = Tone.GOOD if shown.right else Tone.WARN
            modelled = tr("Modelled: these cards are simulated.") if shown.modelled else ""
            about = paragraph((modelled, tr(shown.reason)))
            name = tr("Modelled") if shown.modelled else tr("Measured")
            limit = (part.limit.words if part.limit is not None else "") or tr("Limit")
            value = None if said is None else said.value
            found = (tr("Your prediction"), value), (name, shown.measured), (limit, shown.limit)
            values = values if part.choices else list(found)
        elif said is not None and not self._alone:
            sentence = tr("Your prediction is kept. It is shown when the cells below have run.")
        self._tell(sentence, tone)
        say(self._about, about)
        most = max((value or 0.0 for _, value in values), default=0.0)
        for bar, (name, value) in zip(self._bars, values, strict=True):
            bar.show_value(name, value, most)

    def act(self) -> None:
        """It takes the keyboard; who is there already has answered."""
        if self.isAncestorOf(QApplication.focusWidget() or self):
            self._on_predict_clicked()
        else:
            self._take_keyboard()

    def _take_keyboard(self) -> None:
        at = max(0, self._group.checkedId())
        first = self._group.button(at) if self.part.choices else self._field
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _tell(self, sentence: str, tone: Tone) -> None:
        say(self._said, sentence)
        restyle(self._said, "tone", tone.value)
        restyle(self._field, "bad", tone is Tone.BAD)

    def _on_predict_clicked(self) -> None:
        choices, at = self.part.choices, self._group.checkedId()
        try:
            if choices and at < 0:
                raise Trouble("Choose one of them, then press Predict.")
            self._player.predict(self.part, str(at + 1) if choices else self._field.text())
        except Trouble as trouble:
            self._tell(trouble.told, Tone.BAD)
            self._take_keyboard()
        else:
            if self._page.brief:  # Enter runs the next cell there; only the next Enter
                QTimer.singleShot(0, self, self.window().setFocus)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter ends here: whoever it stands in may run a cell by it."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._on_predict_clicked()
        else:
            super().keyPressEvent(event)


class RevealBar(QWidget):
    """A figure over its bar: measured solid, predicted pale, a limit outlined."""

    def __init__(self, kind: str, letters: Lettering, unit: str) -> None:
        super().__init__()
        caption, self._unit = look().letters.caption, unit
        self._name, self._figure = ElidedLabel(caption, Tone.QUIET), label("", letters)
        self._bar = QProgressBar(textVisible=False, maximum=_PARTS)
        self._bar.setProperty("kind", kind)
        self._bar.setFixedHeight(round(caption.height * 0.55))
        end = Qt.AlignmentFlag.AlignBottom
        behind = label(unit, caption, Tone.QUIET)
        head = row(self._name, GROWS, end, self._figure, end, behind, end, gap=3)
        column(head, self._bar, within=self, gap=3)

    def show_value(self, name: str, value: float | None, most: float) -> None:
        """None: there is none."""
        self.setVisible(value is not None)
        if value is not None:
            shown = figure(value)
            self._name.show_text(name)
            self._figure.setText(shown)
            told = tr("{name}: {figure} {unit}", name=name, figure=shown, unit=self._unit)
            self.setAccessibleName(told.strip())
            self._bar.setValue(max(_HAIR, round(_PARTS * value / most)) if most else _HAIR)


class _Pressed(QWidget):
    """A button and its words, in as many lines as they need; a press on them presses it."""

    def __init__(self, button: QAbstractButton, words: str) -> None:
        super().__init__()
        self.button, self._words = button, wrapped_label("", Tone.TEXT)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._words.setContentsMargins(0, 3, 0, 3)
        row(button, Qt.AlignmentFlag.AlignTop, self._words, GROWS, within=self, gap=4)
        self.show_words(words)

    def show_words(self, words: str) -> None:
        show_sentence(self._words, words)
        self.button.setAccessibleName(words.replace("`", ""))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.button.click()


def _folded(question: str, text: QWidget) -> QWidget:
    """What one may ask, or the rest of a text on a projector; a press unfolds it."""
    head, both = QToolButton(), QWidget()
    head.setCheckable(True)
    head.setIconSize(_beside())
    head.setProperty("kind", "fold")
    head.toggled.connect(text.setVisible)
    head.toggled.connect(
        lambda open_: head.setIcon(icon_of(Icon.OPEN if open_ else Icon.CLOSED))
    )
    head.setIcon(icon_of(Icon.CLOSED))
    text.hide()
    column(_Pressed(head, question), text, within=both, gap=6)
    return both


def _button(words: str, act: Callable[[], object], kind: str = "link") -> QPushButton:
    """Which Enter presses too. A link's words begin where those above do."""
    button = QPushButton(words)
    button.setProperty("kind", kind)
    button.setProperty("flush", kind == "link")
    button.setAutoDefault(True)
    button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    button.clicked.connect(act)
    return button


def _beside() -> QSize:
    """Of an icon, as high as the words are."""
    side = round(look().letters.body.height)
    return QSize(side, side)
