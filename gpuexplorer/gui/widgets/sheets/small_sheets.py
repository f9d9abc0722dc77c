"""Sheets of one question or answer: about, keys, a machine to add, what ssh asks, release."""

import platform
from collections.abc import Callable, Sequence
from itertools import accumulate

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QComboBox, QCompleter, QLineEdit, QWidget

from gpuexplorer import __version__
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import listed, tr, trn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import FieldRow, Labelled, text_field
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, column, label, row
from gpuexplorer.gui.widgets.live_view import KeyGroup
from gpuexplorer.gui.widgets.painted import Sign
from gpuexplorer.gui.widgets.saving import in_a_thread
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.remote.ssh import Question, host_name, names_to_choose

_LONGEST_ANSWER, _MOST_NAMED = 900, 12


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
    sheet = Sheet(tr("Keys"), window, 720)
    sums = list(accumulate(len(keys) for _, keys in groups))
    cut = sum(each <= sums[-1] / 2 for each in sums)
    halves = row(gap=40)
    for half in (groups[:cut], groups[cut:]):
        listed = column()
        for heading, keys in half:
            add(listed, Space(6), label(heading, look().letters.caption, Tone.QUIET))
            for keys_of_one, words in keys:
                said = label(words, look().letters.body)
                said.setWordWrap(True)
                said.setAccessibleName(tr("{command}: {keys}", command=words, keys=keys_of_one))
                pressed = label(keys_of_one, look().letters.caption, Tone.QUIET)
                pressed.setProperty("kind", "key")
                add(listed, row(said, GROWS, pressed, Qt.AlignmentFlag.AlignVCenter))
        add(listed, FREE)
        add(halves, listed, GROWS)
    sheet.body.addLayout(halves)
    sheet.add_close()
    for each in opened_by:
        QShortcut(each, sheet, sheet.reject)
    return sheet


def add_machine_sheet(machines: MachinesState, window: QWidget) -> Sheet:
    """A name that is typed, which is checked meanwhile, or one of ~/.ssh/config."""
    sheet = Sheet(tr("Add a machine"), window)
    reached = tr(
        "It is reached by ssh, with your own keys and settings, and needs a Python "
        "from 3.10 on. Nothing is installed there, and no file stays."
    )
    sheet.add_sentence(reached, Tone.QUIET)
    host = QComboBox(insertPolicy=QComboBox.InsertPolicy.NoInsert)
    host.setLineEdit(QLineEdit(placeholderText="user@server"))
    host.setFont(look().letters.mono.font)
    host.setAccessibleName(tr("Machine"))
    host.view().setAccessibleName(tr("Machines of ~/.ssh/config"))
    host.setCompleter(QCompleter(host.model(), host))  # not typed to its end by itself
    typed = FieldRow({"host": Labelled(tr("Machine, or one of ~/.ssh/config"), host)})
    python = text_field(tr("Python over there"))
    python.setPlaceholderText("python3")
    remember = QCheckBox(tr("Remember this machine"))
    remember.setChecked(True)
    over_there = Labelled(tr("Python over there, if not python3"), python)
    add(sheet.body, typed, over_there, remember)
    sheet.add_button(tr("Cancel"), ROLE.RejectRole)
    connect = sheet.add_button(tr("Connect"), ROLE.ActionRole, default=True)
    sheet.begins = host

    def check(text: str) -> None:
        connect.setEnabled(bool(text.strip()))
        problem = ""
        if text.strip():
            try:
                host_name(text)
            except Trouble as trouble:
                problem = trouble.told
        typed.show_problems({"host": problem})

    def offer(names: Sequence[str]) -> None:
        there, written = {each.key for each in machines.rows()}, host.currentText()
        host.addItems([each for each in names if each not in there])
        host.setCurrentIndex(-1)
        host.setEditText(written)

    def take() -> None:
        name, wanted = host.currentText().strip(), python.text().strip()
        try:
            machines.add(name, wanted, remember=remember.isChecked())
        except Trouble as trouble:
            typed.show_problems({"host": trouble.told})
            host.setFocus()
            return
        machines.show(name)
        sheet.accept()

    host.editTextChanged.connect(check)
    connect.clicked.connect(take)
    check("")
    # A home that hangs keeps nobody from typing.
    in_a_thread(names_to_choose, sheet, offer, lambda _: None)
    return sheet


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
        sheet.begins = field

    def answer(result: int) -> None:
        question.answer(field.text() if result == Sheet.DialogCode.Accepted else None)
        field.clear()

    sheet.finished.connect(answer)
    return sheet


def release_first(
    lab: Lab, words: str, then: Callable[[], object], parent: QWidget
) -> Sheet | None:
    """Asks before what the cards hold is lost; `words` say on the button what is done then.
    Where nothing would be lost, `then` at once, and None.
    """
    names = list(lab.ledger.things)
    busy = bool(lab.ledger.unfinished) or lab.stage in (Stage.BUSY, Stage.HANGING)
    if not (names or busy):
        then()
        return None
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
    sheet.accepted.connect(then)
    sheet.open()
    return sheet


def lost(names: Sequence[str]) -> str:
    """A sentence that names them, or the first of very many."""
    named = list(names)
    if len(named) > _MOST_NAMED:
        rest = len(named) - _MOST_NAMED + 1
        more = trn("{count} more thing", "{count} more things", rest)
        named = [*named[: _MOST_NAMED - 1], more]
    return tr("This is lost: {things}.", things=listed(named))
