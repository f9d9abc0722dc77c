"""NoticeBar and QuestionBar: what stands above the editor while something wants an answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLineEdit, QPushButton

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, row, wrapped_label
from gpuexplorer.lab.events import Asked

_MARGINS, _GAP, _BESIDE = (12, 8, 12, 8), 8, 4
_ONE_LINE = 60  # letters that have room beside a button
_SHORT = 0.4  # seconds; a cell that is done sooner needs no button
_LOOKED_AT = 50  # cells at the end, of which some may wait


class Answer(StrEnum):
    """What a person can do about it."""

    STOP = "stop"
    RESTART = "restart"
    REPLAY = "replay"
    START_OVER = "start over"
    ALLOW = "allow"
    RUN_NEXT = "run next"
    RUN_ALL = "run all"
    WATCH = "watch"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class LabNotice:
    """Empty where there is nothing to say."""

    sentence: str = ""
    tone: Tone = Tone.QUIET
    answers: Mapping[Answer, str] = field(default_factory=dict)


def lab_notice(lab: Lab, said: LabNotice, ended: str, *, asks: bool) -> LabNotice:
    """The gravest first. What was just `said` gives way to what wants an answer. `ended`: why
    the last worker did; `asks`: cells of a file wait for a person's word.
    """
    shown = _of_work(lab) or _of_what_stands(lab, said.sentence, ended, asks=asks)
    if said.sentence and (shown is None or not shown.answers):
        return said
    if shown is not None:
        return shown
    if why := lab.said_of_recording or lab.machine.session.source.figures_alone:
        return LabNotice(tr(why))
    return LabNotice(tr(lab.pythons.passed_over), Tone.WARN)


def _of_work(lab: Lab) -> LabNotice | None:
    """What happens just now."""
    ledger, running = lab.ledger, lab.ledger.running
    waiting = sum(each.state == "waiting" for each in ledger.cells[-_LOOKED_AT:])
    behind, seconds = {"count": waiting}, lab.running_seconds or 0.0
    match lab.stage:
        case Stage.HANGING:
            said = tr(
                "It does not come back: what the cell does cannot be interrupted. A new worker "
                "can take the place of this one; then the session can be run again."
            )
            return LabNotice(said, Tone.WARN, {Answer.RESTART: tr("Restart the worker")})
        case Stage.FAILED if lab.sentence:
            return LabNotice(tr(lab.sentence), Tone.BAD)
        case Stage.SEARCHING | Stage.STARTING:
            said = tr("PyTorch starts in a process of its own; then the cells run.")
            return LabNotice(said) if waiting else None
        case Stage.WAITING:
            said = tr("Cells waiting for PyTorch: {count}", count=len(ledger.unfinished))
        case _ if ledger.replaying:
            left = len(ledger.replaying)
            said = tr("The session is run again. Cells to come: {count}", count=left)
        # What a cell asks stands there already, and ends it.
        case _ if running is None or running.asked:
            said = tr("Cells waiting: {count}", **behind) if waiting else ""
        case _:
            runs = {"number": running.number, "time": duration(seconds)}
            said = tr("Cell {number} runs, {time}", **runs) if seconds >= _SHORT else ""
            if said and waiting:
                said = tr(
                    "Cell {number} runs, {time}. Cells waiting: {count}", **runs, **behind
                )
    return LabNotice(said, answers={Answer.STOP: tr("Stop")}) if said else None


def _of_what_stands(lab: Lab, said: str, ended: str, *, asks: bool) -> LabNotice | None:
    """What was lost and can be run again; or the cells of an opened file."""
    tone = Tone.WARN if ended else Tone.QUIET
    if lab.can_replay and not lab.ledger.used:
        one = mark("Run the session again ({count} cell)")
        many = mark("Run the session again ({count} cells)")
        again = trn(one, many, len(lab.ledger.replay()))
        answers = {Answer.REPLAY: again, Answer.START_OVER: tr("Start over")}
        ended = ended or tr("What the cells made is gone with their worker.")
        return LabNotice(ended, tone, answers)
    if not lab.opened:
        return LabNotice(ended, tone) if ended else None
    path, drop = Path(lab.opened[0].path), {Answer.DROP: tr("Discard")}
    count = sum(each.path == lab.opened[0].path for each in lab.opened)
    if asks and lab.must_ask:
        words = tr(
            "{file} comes from outside. Its cells (the next {count}) run as your own Python, "
            "with your rights: they can read and change your files. Read them first.",
            file=path.name,
            count=count,
        )
        return LabNotice(words, Tone.WARN, {Answer.ALLOW: tr("Run them"), **drop})
    one = mark("{count} cell of {file} has not run.")
    many = mark("{count} cells of {file} have not run.")
    stands = trn(one, many, count, file=path.name)
    answers = {Answer.RUN_NEXT: tr("Run next"), Answer.RUN_ALL: tr("Run all")}
    if path.suffix.lower() == ".py":
        answers[Answer.WATCH] = tr("Watch it")
    return LabNotice(paragraph([said, ended, stands]), tone, {**answers, **drop})


class NoticeBar(QFrame):
    """A sentence, and what can be done about it."""

    answered = Signal(Answer)

    def __init__(self) -> None:
        super().__init__()
        self._notice: LabNotice | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._buttons = {each: QPushButton(self) for each in Answer}
        for answer, button in self._buttons.items():
            button.setAutoDefault(True)  # so that Enter presses it
            button.hide()
            button.clicked.connect(lambda _=False, answer=answer: self.answered.emit(answer))
        buttons = row(*self._buttons.values(), FREE, gap=_BESIDE)
        self._box = column(within=self, gap=_GAP, margins=_MARGINS)
        add(self._box, self._label, GROWS, buttons)
        self.hide()

    def show_notice(self, notice: LabNotice) -> bool:
        """Whether it is another one, which takes another height."""
        if notice == self._notice:
            return False
        self._notice = notice
        self._label.setText(notice.sentence)
        self.setAccessibleName(notice.sentence)
        for answer, button in self._buttons.items():
            button.setText(notice.answers.get(answer, ""))
            button.setVisible(answer in notice.answers)
        way = QBoxLayout.Direction
        beside = len(notice.answers) == 1 and len(notice.sentence) <= _ONE_LINE
        self._box.setDirection(way.LeftToRight if beside else way.TopToBottom)
        restyle(self, "tone", notice.tone.value)
        self.setVisible(bool(notice.sentence))
        return True


class QuestionBar(QFrame):
    """What a running cell asks: a line, a password, or whether something may be installed."""

    answered = Signal(int, object)  # its command; a text, or None where there is no answer

    def __init__(self) -> None:
        super().__init__()
        self._asked: Asked | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._field = QLineEdit()
        self._field.setFont(look().letters.mono.font)
        self._field.setPlaceholderText(tr("Enter answers, Esc ends the input"))
        self._field.returnPressed.connect(lambda: self._answer(self._field.text()))
        self._yes, self._no = QPushButton(tr("Install")), QPushButton(tr("Don't install"))
        for button, text in ((self._yes, "yes"), (self._no, None)):
            button.setAutoDefault(True)
            button.clicked.connect(lambda _=False, text=text: self._answer(text))
        buttons = row(self._yes, self._no, FREE, gap=_GAP)
        column(self._label, self._field, buttons, within=self, gap=_GAP, margins=_MARGINS)
        self.hide()

    def show_question(self, asked: Asked | None) -> bool:
        """Whether it is another one, which wants the keyboard."""
        if asked == self._asked:
            return False
        self._asked = asked
        self._field.clear()
        self.setVisible(asked is not None)
        if asked is None:
            return False
        words, installs = (
            asked.text.strip() or tr("It waits for a line:"),
            asked.what == "install",
        )
        if installs:
            reaches = mark(
                "Install into the lab's Python? This runs as you, and reaches the network: "
                "{command}"
            )
            words = tr(reaches, command=asked.text)
        self._label.setText(words)
        self._field.setAccessibleName(words)
        self.setAccessibleName(words)
        mode, secret = QLineEdit.EchoMode, asked.what == "password"
        self._field.setEchoMode(mode.Password if secret else mode.Normal)
        self._field.setVisible(not installs)
        self._yes.setVisible(installs)
        self._no.setVisible(installs)
        return True

    def begin(self) -> None:
        """Give it the keyboard; what would install something is not pressed by accident."""
        asks = self._field if not self._field.isHidden() else self._no
        asks.setFocus(Qt.FocusReason.OtherFocusReason)

    def _answer(self, text: str | None) -> None:
        asked = self._asked
        if asked is not None:
            self.show_question(None)
            self.answered.emit(asked.id, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._answer(None)
        else:
            super().keyPressEvent(event)
