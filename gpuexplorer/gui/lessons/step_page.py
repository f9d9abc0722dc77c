"""StepPage: one step of a lesson with all its parts, as one reads and does it."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QButtonGroup,
    QFrame,
    QLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import figure
from gpuexplorer.core.words import paragraph, tr, trn
from gpuexplorer.gui.lessons.lesson_text import CodeText, GrowingText, LessonText
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
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
from gpuexplorer.gui.widgets.painted import Sign
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
_FIXED, _TOP = QSizePolicy.Policy.Fixed, Qt.AlignmentFlag.AlignTop


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


class StepAsks(QObject):
    """What a person wants in a step that others have to do: in the column and on a projector
    the same.
    """

    lesson = Signal(str)  # a link leads there: the name of its folder
    control = Signal(str)  # "Show me": a name of CONTROLS
    edit = Signal(str)  # this code is wanted in the lab's editor
    allow = Signal()  # a cell is to run, and of this lesson nobody has allowed any yet
    refused = Signal(str)  # a sentence: why a cell did not run


class StepPage(QWidget):
    """Shows `player.step`, as high as it is: whoever holds it lets it scroll. To be told by
    `show_step` after each `Player.changed`, and after `go`.
    """

    predicted = Signal()  # the keyboard is not needed there any longer
    came = Signal(QWidget)  # this is to be seen: what was just measured, or is to be done

    def __init__(self, player: Player, asks: StepAsks, *, brief: bool = False) -> None:
        """`brief`: for a projector, with the first paragraph of each text."""
        super().__init__()
        self._player, self.asks, self._brief = player, asks, brief
        self.letters = look().letters
        self._shown = (-1, False)
        self._boxes: list[CellBox | PredictBox | CheckLine] = []
        self._texts: dict[int, QWidget] = {}  # by their lines
        self._told: set[int] = set()  # lines of texts that somebody wanted to see at once
        self._known: set[int] = set()  # lines of what was measured, or is wrong
        self._page = QWidget()
        self._place = column(self._page, within=self)
        self.show_step()

    def show_step(self) -> None:
        step = self._player.step
        known = {line for line, each in step.checked.items() if not each.held}
        known |= step.revealed.keys()
        shown = (self._player.at, step.state is StepState.SKIPPED)
        if shown != self._shown:  # another, or it is known now that it is skipped
            self._shown, self._known = shown, known
            with look().in_letters(self.letters):
                self._make(skipped=shown[1])
        for each in self._boxes:
            each.show_play(next_part(self._player))
        held = {each.line for each in step.held_back} - self._told
        for line, text in self._texts.items():
            text.setVisible(line not in held)
        self._later.setVisible(bool(held))
        new, self._known = known - self._known, known
        for each in self._boxes:
            if each.part.line in new:
                self._bring(each)

    def do_next(self) -> None:
        """A question takes the keyboard, and is answered by who is there; a cell runs."""
        part = next_part(self._player)
        for each in self._boxes:
            if each.part is part:
                each.act()
                self._bring(each)

    def _make(self, *, skipped: bool) -> None:
        play = self._player.step
        self._boxes, self._texts, self._told = [], {}, set()
        before, page = self._page, QWidget(self)
        large = self.letters.number if self._brief else self.letters.title
        title = wrapped_label(play.step.title, Tone.TEXT, large)
        self._page, body = page, column(title, within=page, gap=_GAP)
        if skipped:
            why = play.reason or tr("This machine cannot show it.")
            add(body, Remark(tr("Skipped. {reason}", reason=why), Icon.NOTE, Tone.WARN))
        for part in play.step.parts:
            if not skipped or isinstance(part, Text | Why):
                add(body, self._made(part))
            elif isinstance(part, Code):
                add(body, CodeText(tr("Code of the cell"), part.source))
        self._later = link_button(tr("Show the explanation"), flush=True)
        self._later.clicked.connect(self._on_told_now)
        add(body, row(self._later, FREE))
        self._place.replaceWidget(before, page)
        before.hide()
        before.deleteLater()
        page.show()

    def _made(self, part: Part) -> QWidget | QLayout:
        box: CellBox | PredictBox | CheckLine
        match part:
            case Text(markdown=markdown):
                self._texts[part.line] = text = self._text(markdown, brief=self._brief)
                return text
            case Why(question=question, markdown=markdown):
                self._texts[part.line] = text = _folded(question, self._text(markdown))
                return text
            case Point(control=name):
                words = tr("Show me {control}", control=tr(CONTROLS[name]))
                button = link_button(words, flush=True)
                button.clicked.connect(partial(self.asks.control.emit, name))
                return row(button, FREE)
            case Code():
                box = CellBox(self._player, part, self.asks, brief=self._brief)
            case Predict():
                box = PredictBox(self._player, part, self.predicted.emit, big=self._brief)
            case Check():
                box = CheckLine(self._player, part)
        self._boxes.append(box)
        return box

    def _text(self, markdown: str, *, brief: bool = False) -> QWidget:
        """`brief`: the first paragraph, with the headings above it; the rest on asking."""
        blocks = markdown.strip().split("\n\n")
        count = 1 + next((at for at, e in enumerate(blocks) if not e.startswith("#")), 0)
        if brief and len(blocks) > count:
            both, rest = QWidget(), self._text("\n\n".join(blocks[count:]))
            first = self._text("\n\n".join(blocks[:count]))
            column(first, _folded(tr("More"), rest), within=both)
            return both
        text = LessonText(markdown, self._player.lesson.file.parent)
        text.lesson_asked.connect(self.asks.lesson)
        return text

    def _bring(self, box: QWidget) -> None:
        at: QWidget | None = box
        while at is not None and not isinstance(at, QScrollArea):
            lines, at = at.layout(), at.parentWidget()
            if lines is not None:
                lines.activate()  # for each to be as high as it is now
        self.came.emit(box)

    def _on_told_now(self) -> None:
        self._told |= self._texts.keys()
        self.show_step()


class CellBox(QFrame):
    """A cell: its code, the button that runs it, and what came of it. The same cell may also be
    typed in the lab: what is shown is what the player knows.
    """

    def __init__(self, player: Player, part: Code, asks: StepAsks, *, brief: bool) -> None:
        super().__init__()
        self._player, self.part, self._asks = player, part, asks
        self._pressed = False
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Cell"))
        letters = look().letters
        self._run = _pressed_by_enter(tr("Run"), self.act)
        edit = link_button(tr("Put into the editor"))
        edit.setToolTip(tr("To change it in the lab, and run it there"))
        edit.clicked.connect(partial(asks.edit.emit, part.source))
        self._state = wrapped_label("", Tone.QUIET, letters.caption)
        self._error = wrapped_label("", Tone.BAD, letters.mono)
        self._output = GrowingText(tr("What the cell printed"))
        self._more = wrapped_label("", Tone.FAINT, letters.caption)
        code = CodeText(tr("Code of the cell"), part.source)
        said = column(self._state, self._error, self._output, self._more, gap=6)
        buttons = row(self._run, *(() if brief else (edit,)), FREE)
        column(code, buttons, said, within=self, gap=10, margins=(12, 10, 12, 10))

    def show_play(self, coming: Part | None) -> None:
        """`coming`: what to do next, in this step."""
        cell = self._player.cell(self.part)
        works = cell is not None and cell.state in _WORKS
        self._pressed = self._pressed and not works and self._player.busy()
        words = tr("Run again") if cell is not None and not works else tr("Run")
        self._run.setText(words)
        self._run.setAccessibleName(words)
        first = coming is self.part and not works and not self._pressed
        restyle(self._run, "kind", "primary" if first else "")
        state, tone = self._told(cell)
        say(self._state, state)
        self._run.setAccessibleDescription(state)
        error, outputs = "", () if cell is None else cell.outputs
        if cell is not None and cell.state == "failed" and cell.failed is not None:
            # The error's own line; what PyTorch adds below stands in the lab.
            error = clean(error_words(cell.failed)).strip() or tr(cell.failed.told)
        say(self._error, shortened(error.split("\n")[0]))
        for each in (self._state, self._error):
            restyle(each, "tone", tone.value)
        printed = [each.text.rstrip("\n") for each in outputs if isinstance(each, Printed)]
        rows = [line for each in printed for line in clean(each).split("\n")]
        shown = "\n".join(map(shortened, rows[-_MOST_ROWS:]))
        if shown != self._output.toPlainText():
            self._output.setPlainText(shown)
        self._output.setVisible(bool(shown))
        more, pictures = len(rows) - _MOST_ROWS, [e for e in outputs if isinstance(e, Pictured)]
        lines = trn("{count} line more in the lab", "{count} lines more in the lab", more)
        told = trn("a picture in the lab", "{count} pictures in the lab", len(pictures))
        left = (lines if more > 0 else "", told if pictures else "")
        say(self._more, _DOT.join(filter(None, left)))

    def _told(self, cell: Cell | None) -> tuple[str, Tone]:
        """How it stands, and what it took."""
        fails = self.part.fails
        if self._pressed:
            return tr("Waiting for its turn"), Tone.QUIET
        if self._player.gone(self.part):
            return tr("Done, but its results were lost with the worker"), Tone.QUIET
        if cell is None:
            meant = tr("Not run yet. This cell is meant to fail.")
            return meant if fails else tr("Not run yet"), Tone.QUIET
        match cell.state:
            case "waiting":
                return tr("Waiting for its turn"), Tone.QUIET
            case "running" if cell.asked:
                return tr("Waiting for an answer, in the lab"), Tone.WARN
            case "running":
                return tr("Running"), Tone.QUIET
            case "cancelled":
                return tr("Cancelled"), Tone.QUIET
            case "done" if fails:
                return tr("Succeeded, but was meant to fail"), Tone.WARN
            case "done":
                said, tone = tr("Done"), Tone.QUIET
            case _ if fails and cell.failed and cell.failed.cause not in NEVER_MEANT:
                said, tone = tr("Failed, as intended"), Tone.QUIET
            case _:
                said, tone = tr("Failed"), Tone.BAD
        return _DOT.join((said, *time_words(cell))), tone

    def act(self) -> None:
        """Run it, once."""
        cell = self._player.cell(self.part)
        if self._pressed or (cell is not None and cell.state in _WORKS):
            return
        if self._player.must_ask:
            self._asks.allow.emit()
            return
        self._pressed = True  # the cards are read before it begins
        try:
            self._player.run(self.part)
        except Trouble as trouble:
            self._pressed = False
            self._asks.refused.emit(trouble.told)


class CheckLine(QFrame):
    """Whether a check passed, and what to do where it did not."""

    def __init__(self, player: Player, part: Check) -> None:
        super().__init__()
        self._player, self.part = player, part
        self.setProperty("panel", "notice")
        self._sign = Sign(Icon.CHECK, Tone.GOOD, _beside())
        self._words = wrapped_label("", Tone.TEXT)
        self._again = link_button(tr("Check again"), flush=True)
        self.act = player.check_again
        self._again.clicked.connect(self.act)
        words = column(self._words, row(self._again, FREE), gap=4)
        row(self._sign, _TOP, words, GROWS, within=self, margins=(12, 8, 12, 8))

    def show_play(self, _coming: Part | None) -> None:
        checked = self._player.step.checked.get(self.part.line)
        wrong = checked is not None and not checked.held
        if checked is None:
            words = tr("Checked when the cells above have run.")
        elif checked.error:
            words = tr("This could not be checked. {why}", why=tr(checked.error))
        elif checked.held:
            words = tr("Check passed.")
        else:
            words = paragraph((checked.told or tr("Check failed."), checked.found))
        show_sentence(self._words, words)
        restyle(self._words, "tone", "quiet" if checked is None else "text")
        restyle(self, "tone", "warn" if wrong else "")
        sign = (Icon.WARNING, Tone.WARN) if wrong else (Icon.CHECK, Tone.GOOD)
        self._sign.show_sign(*sign)
        self._sign.setVisible(checked is not None)
        self._again.setVisible(wrong)


class PredictBox(QFrame):
    """Asks what will come out, and later shows it beside what did. Until it is revealed, one
    may think again. Nobody has to predict.
    """

    def __init__(
        self, player: Player, part: Predict, predicted: Callable[[], object], *, big: bool
    ) -> None:
        super().__init__()
        self._player, self.part, self._predicted = player, part, predicted
        self._alone = not behind(player.step.step, part)
        self.setProperty("panel", "notice")
        self.setAccessibleName(tr("Prediction"))
        letters, unit = look().letters, part.unit
        self._field, self._group = QLineEdit(self), QButtonGroup(self)
        self._field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._field.setFixedWidth(round(_FIGURES * letters.body.width("0")) + 20)
        words = tr("Your prediction, {unit}", unit=unit) if unit else tr("Your prediction")
        self._field.setAccessibleName(words)
        self._field.textEdited.connect(lambda: restyle(self._field, "bad", value=False))
        self._field.setVisible(not part.choices)
        buttons = [QRadioButton() for _ in part.choices]
        for at, button in enumerate(buttons):
            self._group.addButton(button, at)
            button.setAccessibleDescription(part.question)
        self._field.setAccessibleDescription(part.question)
        one_tab_stop(self._group)
        self._group.buttonToggled.connect(lambda: one_tab_stop(self._group))
        self._words = list(map(_WordsOf, buttons, part.choices))
        rows = [
            row(button, _TOP, words, GROWS, gap=4)
            for button, words in zip(buttons, self._words, strict=True)
        ]
        if not part.choices:
            rows = [row(self._field, label(unit, letters.body, Tone.QUIET), FREE)]
        self._answer = QWidget()
        column(*rows, within=self._answer, gap=2)
        self._predict = _pressed_by_enter(tr("Predict"), self._on_predict_clicked)
        self._show = link_button(tr("Show the answer"))
        self._show.setAutoDefault(True)
        self._show.clicked.connect(lambda: player.reveal(part))
        sizes = (letters.strong, letters.hero if big else letters.number, letters.strong)
        self._bars = [RevealBar(*each, unit) for each in zip(_BARS, sizes, strict=True)]
        self._said = wrapped_label("", Tone.TEXT)
        self._about = wrapped_label("", Tone.QUIET, letters.caption)
        question = wrapped_label(part.question, Tone.TEXT, letters.strong)
        asked = row(self._predict, self._show, FREE)
        shown = (*self._bars, self._said, self._about)
        column(question, self._answer, asked, *shown, within=self, margins=(12, 10, 12, 10))

    def show_play(self, coming: Part | None) -> None:
        """`coming`: what to do next, in this step."""
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
        for at, words in enumerate(self._words):
            right = shown is not None and at == part.right
            choice = part.choices[at]
            words.show_words(tr("{choice} (the answer)", choice=choice) if right else choice)
            self._group.button(at).setEnabled(shown is None)
        values: list[tuple[str, float | None]] = [("", None)] * len(self._bars)
        tone, sentence, about = Tone.TEXT, "", ""
        if shown is not None:
            none = tr("No prediction.")
            sentence = none if said is None else tr(how_far(part, said, shown))
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
            self._predicted()

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
        self._bar = QProgressBar()
        self._bar.setProperty("kind", kind)
        self._bar.setTextVisible(False)
        self._bar.setMaximum(_PARTS)
        self._bar.setFixedHeight(round(caption.height * 0.55))
        end = Qt.AlignmentFlag.AlignBottom
        unit_label = label(unit, caption, Tone.QUIET)
        head = row(self._name, GROWS, end, self._figure, end, unit_label, end, gap=3)
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


class _WordsOf(QWidget):
    """What stands beside a button, in as many lines as it needs; a press on them presses it."""

    def __init__(self, button: QAbstractButton, words: str) -> None:
        super().__init__()
        self._button, self._said = button, wrapped_label("", Tone.TEXT)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        column(self._said, within=self, margins=(0, 3, 0, 3))
        self.show_words(words)

    def show_words(self, words: str) -> None:
        show_sentence(self._said, words)
        self._button.setAccessibleName(words.replace("`", ""))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self._button.click()


def _folded(question: str, text: QWidget) -> QWidget:
    """What one may ask, or the rest of a text on a projector; a press unfolds it."""
    head, both = QToolButton(), QWidget()
    head.setCheckable(True)
    head.setProperty("kind", "fold")
    head.setIconSize(_beside())
    head.setIcon(icon_of(Icon.CLOSED))
    head.toggled.connect(text.setVisible)
    head.toggled.connect(
        lambda unfolded: head.setIcon(icon_of(Icon.OPEN if unfolded else Icon.CLOSED))
    )
    text.hide()
    line = row(head, _TOP, _WordsOf(head, question), GROWS, gap=4)
    column(line, text, within=both, gap=6)
    return both


def _pressed_by_enter(words: str, act: Callable[[], object]) -> QPushButton:
    button = QPushButton(words)
    button.setAutoDefault(True)
    button.setSizePolicy(_FIXED, _FIXED)
    button.clicked.connect(act)
    return button


def _beside() -> QSize:
    """Of an icon, as high as the words are."""
    side = round(look().letters.body.height)
    return QSize(side, side)
