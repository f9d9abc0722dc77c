"""QuestionSheet: what ssh asks before it connects: a password, or whether a key is right."""

from PySide6.QtWidgets import QLineEdit, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.questions import Question
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_LONGEST = 900
_MOST_LINES = 14


class QuestionSheet(Sheet):
    """Closed without an answer, there is no connection."""

    def __init__(self, question: Question, parent: QWidget) -> None:
        heading = tr("ssh asks about {machine}", machine=question.machine)
        super().__init__(heading, parent)
        self.question = question
        self._field = QLineEdit()
        if question.again:
            self.add_sentence(tr("The last answer was not taken."), Tone.WARN)
        self.add_sentence(tr("Word for word, from ssh or from the other machine:"), Tone.QUIET)
        self.add_code(question.text, tr("Question"), most=_MOST_LINES)
        if question.yes_no:
            self._ask_yes_no()
        else:
            self._ask_text(secret=question.secret)

    def done(self, result: int) -> None:
        accepted = result == self.DialogCode.Accepted
        self.question.answer(self._field.text() if accepted else None)
        self._field.clear()
        super().done(result)

    def _ask_yes_no(self) -> None:
        self._field.setText("yes")
        self.add_sentence(
            tr(
                "Compare a fingerprint with one that you trust, such as what the owner of the "
                "machine names. What you say yes to, ssh believes from then on."
            ),
            Tone.QUIET,
        )
        self.add_button(tr("No, do not connect"), ROLE.RejectRole, default=True)
        self.add_button(tr("Yes, connect"), ROLE.AcceptRole)

    def _ask_text(self, *, secret: bool) -> None:
        self._field.setAccessibleName(tr("Answer"))
        self._field.setMaxLength(_LONGEST)
        self.body.addWidget(self._field)
        if secret:
            self._field.setEchoMode(QLineEdit.EchoMode.Password)
            self.add_sentence(tr("It goes to ssh alone, and is kept nowhere."), Tone.QUIET)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.add_button(tr("Answer"), ROLE.AcceptRole, default=True)
        self.begin_at(self._field)
