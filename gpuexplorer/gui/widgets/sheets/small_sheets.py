"""Sheets of one question or answer: about, keys, a machine to add, what ssh asks, release."""

import platform
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QComboBox, QCompleter, QHBoxLayout, QLineEdit, QWidget

from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.paint.drawing import parts_of
from gpuexplorer.gui.state.far_machines import Wanted
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.lab_worker import Stage
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.questions import Question
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import FieldRow, Labelled, text_field
from gpuexplorer.gui.widgets.key_words import KeyGroup
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, label, row
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.remote.ssh import host_name, names_to_choose

_LONGEST_NAME, _LONGEST_ANSWER = 512, 900
_KEYS_WIDTH, _TWO_COLUMNS_FROM = 720, 600
_MOST_NAMED = 12


def about_sheet(window: QWidget) -> Sheet:
    """What one is asked for in a report."""
    sheet = Sheet(tr("About GPU Explorer"), window, 420)
    sign = Sign(Icon.MARK, Tone.TEXT, QSize(32, 32))
    sheet.body.addWidget(sign, 0, Qt.AlignmentFlag.AlignLeft)
    versions = tr(
        "Version {version}, Python {python}, Qt {qt}",
        version=__version__,
        python=platform.python_version(),
        qt=qVersion(),
    )
    sheet.add_sentence(versions, Tone.QUIET)
    shows = tr(
        "Shows what every graphics card of this computer is doing, what it did over "
        "the past day, who uses it, and how the cards are wired."
    )
    sheet.add_sentence(shows)
    licences = tr(
        "Free software under the MIT licence. Its typeface is Inter, under the SIL "
        "Open Font License."
    )
    sheet.add_sentence(licences, Tone.QUIET)
    sheet.add_close()
    return sheet


def keys_sheet(
    groups: Sequence[KeyGroup], opened_by: Sequence[QKeySequence], window: QWidget
) -> Sheet:
    """Every key there is, in one place. The keys that opened it close it as well."""
    sheet = Sheet(tr("Keys"), window, _KEYS_WIDTH)
    # Two columns of about the same height.
    heights = [len(keys) + 2 for _, keys in groups]
    cuts = range(len(groups) + 1)
    cut = min(cuts, key=lambda at: abs(sum(heights[:at]) - sum(heights[at:])))
    wide = window.width() >= _TWO_COLUMNS_FROM
    halves = row(gap=40)
    for half in (groups[:cut], groups[cut:]) if wide else (groups,):
        listed = column(gap=0)
        for heading, keys in half:
            add(listed, label(heading, look().letters.caption, Tone.QUIET), Space(4))
            for keys_of_one, words in keys:
                add(listed, _key_row(words, keys_of_one), line_between())
            add(listed, Space(14))
        add(listed, FREE)
        add(halves, listed, GROWS)
    sheet.body.addLayout(halves)
    sheet.add_close()
    for each in opened_by:
        QShortcut(each, sheet, sheet.reject)
    return sheet


def _key_row(words: str, keys: str) -> QHBoxLayout:
    """What it does, and a cap for each key of "Ctrl+Shift+P". With a space between they are
    pressed one or the other.
    """
    said = label(words, look().letters.body)
    said.setWordWrap(True)
    said.setAccessibleName(tr("{command}: {keys}", command=words, keys=keys))
    line = row(said, GROWS, gap=4, margins=(0, 5, 0, 5))
    for either in keys.split():
        add(line, Space(4))
        for key in parts_of(either):
            cap = label(key, look().letters.caption)
            cap.setProperty("kind", "key")
            add(line, cap, Qt.AlignmentFlag.AlignVCenter)
    return line


class AddMachineSheet(Sheet):
    """A name that is typed, which is checked meanwhile, or one of ~/.ssh/config."""

    def __init__(self, machines: MachinesState, window: QWidget) -> None:
        super().__init__(tr("Add a machine"), window)
        self._machines = machines
        self.add_sentence(
            tr(
                "It is reached by ssh, with your own keys and settings, and needs a Python "
                "from 3.10 on. Nothing is installed there, and no file stays."
            ),
            Tone.QUIET,
        )
        typed = QLineEdit(placeholderText="user@server", maxLength=_LONGEST_NAME)
        self._host = QComboBox(insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self._host.setLineEdit(typed)
        self._host.setFont(look().letters.mono.font)
        self._host.setAccessibleName(tr("Machine"))
        self._host.view().setAccessibleName(tr("Machines of ~/.ssh/config"))
        offer = QCompleter(self._host.model(), self._host)  # not typed to its end by itself
        self._host.setCompleter(offer)
        self._host.editTextChanged.connect(self._on_typed)
        caption = tr("Machine, or one of ~/.ssh/config")
        self._hosts = FieldRow({"host": Labelled(caption, self._host)})
        self._python = text_field(tr("Python over there"))
        self._python.setPlaceholderText("python3")
        self._python.setMaxLength(_LONGEST_NAME)
        python = Labelled(tr("Python over there, if not python3"), self._python)
        self._remember = QCheckBox(tr("Remember this machine"))
        self._remember.setChecked(True)
        add(self.body, self._hosts, python, self._remember)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self._connect = self.add_button(tr("Connect"), ROLE.AcceptRole, default=True)
        self.begin_at(self._host)
        there = {each.key for each in machines.rows()}
        self._host.addItems([each for each in names_to_choose() if each not in there])
        self._host.setCurrentIndex(-1)
        self._on_typed("")

    def accept(self) -> None:
        host, python = self._host.currentText().strip(), self._python.text().strip()
        try:
            self._machines.add(Wanted(host, python, remember=self._remember.isChecked()))
        except Trouble as trouble:
            self._hosts.show_problems({"host": trouble.told})
            self._host.setFocus()
            return
        self._machines.show(host)
        super().accept()

    def _on_typed(self, text: str) -> None:
        self._connect.setEnabled(bool(text.strip()))
        problem = ""
        if text.strip():
            try:
                host_name(text)
            except Trouble as trouble:
                problem = trouble.told
        self._hosts.show_problems({"host": problem})


def question_sheet(question: Question, parent: QWidget) -> Sheet:
    """What ssh asks before it connects: a password, or whether a key is right. Closed without
    an answer, there is no connection.
    """
    sheet = Sheet(tr("ssh asks about {machine}", machine=question.machine), parent)
    if question.again:
        sheet.add_sentence(tr("The last answer was not taken."), Tone.WARN)
    sheet.add_sentence(tr("Word for word, from ssh or from the other machine:"), Tone.QUIET)
    sheet.add_code(question.text, tr("Question"))
    field = QLineEdit()
    if question.yes_no:
        field.setText("yes")
        compare = tr(
            "Compare a fingerprint with one that you trust, such as what the owner of the "
            "machine names. What you say yes to, ssh believes from then on."
        )
        sheet.add_sentence(compare, Tone.QUIET)
        sheet.add_button(tr("No, do not connect"), ROLE.RejectRole, default=True)
        sheet.add_button(tr("Yes, connect"), ROLE.AcceptRole)
    else:
        field.setAccessibleName(tr("Answer"))
        field.setMaxLength(_LONGEST_ANSWER)
        sheet.body.addWidget(field)
        if question.secret:
            field.setEchoMode(QLineEdit.EchoMode.Password)
            sheet.add_sentence(tr("It goes to ssh alone, and is kept nowhere."), Tone.QUIET)
        sheet.add_button(tr("Cancel"), ROLE.RejectRole)
        sheet.add_button(tr("Answer"), ROLE.AcceptRole, default=True)
        sheet.begin_at(field)

    def answer(result: int) -> None:
        question.answer(field.text() if result == Sheet.DialogCode.Accepted else None)
        field.clear()

    sheet.finished.connect(answer)
    return sheet


def release_first(
    lab: LabState, words: str, then: Callable[[], object], parent: QWidget
) -> Sheet | None:
    """Asks before what the cards hold is lost; `words` say on the button what is done then.
    Where nothing would be lost, `then` at once, and None.
    """
    names = list(lab.ledger.things)
    busy = bool(lab.ledger.unfinished) or lab.stage in (Stage.BUSY, Stage.HANGING)
    if not (names or busy):
        then()
        return None
    sheet = release_sheet(names, busy, words, parent)
    sheet.accepted.connect(then)
    sheet.open()
    return sheet


def release_sheet(names: Sequence[str], busy: bool, words: str, parent: QWidget) -> Sheet:
    sheet = Sheet(tr("Release the cards?"), parent)
    if names:
        sheet.add_sentence(lost(names))
    if busy:
        sheet.add_sentence(tr("The cell that runs is given up."), Tone.WARN)
    ends = tr(
        "The worker ends and gives back all memory it holds. The cells stay to be read "
        "and to be run again."
    )
    sheet.add_sentence(ends, Tone.QUIET)
    sheet.add_button(tr("Keep them"), ROLE.RejectRole, default=True)
    sheet.add_button(words or tr("Release the cards"), ROLE.AcceptRole)
    return sheet


def lost(names: Sequence[str]) -> str:
    """A sentence that names them, or the first of very many."""
    named = list(names)
    if len(named) > _MOST_NAMED:
        rest = len(named) - _MOST_NAMED + 1
        more = trn("{count} more thing", "{count} more things", rest)
        named = [*named[: _MOST_NAMED - 1], more]
    return tr("This is lost: {things}.", things=listed(named))
