"""Which Python and which PyTorch the lab uses, and how a person gets another."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QInputDialog,
    QProgressBar,
    QPushButton,
    QWidget,
)

from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, listed, told, tr
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.pytorch_fetch import PyTorchFetch, Step
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
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
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.gui.widgets.sheets.small_sheets import release_first
from gpuexplorer.lab.pythons import LabPython

_STEPS = 1000


class PythonSheet(Sheet):
    """Every Python of a computer that could run the lab, to choose one. The search goes on in
    its own thread; what is found stands here when it ends.
    """

    def __init__(self, pythons: LabPythons, lab: LabState, window: QWidget) -> None:
        super().__init__(tr("Python of the lab"), window, 660)
        self._pythons, self._lab = pythons, lab
        self._shown: object = None
        self._asked: Path | None = None
        runs = tr(
            "The lab's cells run in another process, in a Python of yours that has PyTorch."
        )
        asks = tr("Python programs of this computer are asked whether they have PyTorch…")
        if host := pythons.computer:
            runs = tr(
                "The lab's cells run on {host}, in a Python there that has PyTorch.", host=host
            )
            asks = tr(
                "Python programs of {host} are asked whether they have PyTorch…", host=host
            )
        self.add_sentence(runs, Tone.QUIET)
        self._state = self.add_sentence(asks, Tone.QUIET)
        self._trouble = self.add_sentence("", Tone.WARN)
        self._list = column(gap=0)
        self.body.addLayout(self._list)
        self.body.addWidget(PyTorchNotice(lab, self))
        other = self.add_button(tr("Choose another…"), ROLE.ActionRole)
        self._again = self.add_button(tr("Look again"), ROLE.ActionRole)
        other.clicked.connect(self._on_other)
        self._again.clicked.connect(self._pythons.search)
        self.add_close()
        pythons.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_changed)
        if not pythons.searched:
            pythons.search()
        self._on_changed()

    def _show_rows(self) -> None:
        """The one in use first, those without PyTorch last."""
        used = self._pythons.python
        pythons = sorted(
            one_of_each(self._pythons.found, used),
            key=lambda each: (not _same(each, used), not each.usable),
        )
        said = [(each, _same(each, used), self._suits(each)) for each in pythons]
        if said == self._shown:
            return
        self._shown = said
        while (item := self._list.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        for python, is_used, (suits, tone) in said:
            if self._list.count():
                self._list.addWidget(line_between())
            self._list.addWidget(self._row(python, suits, tone, is_used=is_used))

    def _suits(self, python: LabPython) -> tuple[str, Tone]:
        """Whether it does, what to do where not, and what it offered when it started."""
        session, ledger = self._lab.machine.session, self._lab.ledger
        if session.simulated and python.usable:
            verdict, said = Verdict.FINE, [tr("It suits the simulated cards.")]
        else:
            suits = python.fits(session.cards(), session.source.driver_version)
            verdict, said = suits.verdict, [tr(suits.sentence), tr(suits.do)]
        if _same(python, self._pythons.python) and self._lab.stage.runs and ledger.hello:
            names = [each.name for each in ledger.hello.devices if each.usable]
            said.append(tr("It offers {devices}.", devices=listed(names)))
        broken = Tone.WARN if verdict is Verdict.BROKEN else Tone.QUIET
        tone = broken if python.usable else Tone.FAINT
        return " ".join(each for each in said if each), tone

    def _row(self, python: LabPython, suits: str, tone: Tone, *, is_used: bool) -> QWidget:
        path, made = str(python.path), QWidget()
        ink = Tone.TEXT if python.usable else Tone.FAINT
        named = ElidedLabel(look().letters.mono, ink, path)
        what = ElidedLabel(look().letters.body, Tone.QUIET, _what(python))
        words = column(named, what, wrapped_label(suits, tone), gap=3)
        line = row(words, GROWS, within=made, gap=16, margins=(0, 8, 0, 8))
        if is_used:
            add(line, label(tr("In use"), look().letters.strong), Qt.AlignmentFlag.AlignTop)
        elif python.usable:
            button = QPushButton(tr("Use this"))
            button.setAccessibleName(tr("Use {path}", path=path))
            button.clicked.connect(lambda: self._choose(path))
            add(line, button, Qt.AlignmentFlag.AlignTop)
        return made

    def _choose(self, path: str) -> None:
        """A worker that runs has to be ended first: it is of another Python."""
        self._asked = Path(path.strip()) if path.strip() else None
        if self._lab.stage.runs and self._asked is not None:
            words = tr("Release the cards and use this")
            release_first(self._lab, words, self._on_released, self)
        else:
            self._ask()

    def _ask(self) -> None:
        """One question at a time: while others are asked it waits."""
        if self._asked is not None and not self._pythons.working:
            path, self._asked = self._asked, None
            self._pythons.choose(path)

    def _on_released(self) -> None:
        self._lab.release()
        self._ask()

    def _on_other(self) -> None:
        """Never waited for: the window goes on meanwhile."""
        caption, host = tr("Choose a Python with PyTorch"), self._pythons.computer
        dialog: QInputDialog | QFileDialog
        if host:  # its files are not shown here
            dialog = QInputDialog(self)
            dialog.setWindowTitle(caption)
            dialog.setLabelText(tr("Its path on {host}, such as ~/venv/bin/python:", host=host))
            dialog.textValueSelected.connect(self._choose)
        else:
            dialog = QFileDialog(self, caption, fileMode=QFileDialog.FileMode.ExistingFile)
            dialog.fileSelected.connect(self._choose)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_changed(self) -> None:
        pythons = self._pythons
        if self._asked is not None and not (pythons.working or self._lab.stage.runs):
            self._ask()
        elif not (pythons.working or pythons.searched):
            pythons.search()  # another question was being asked when this was opened
        else:
            self._state.setVisible(pythons.working)
            self._again.setEnabled(not pythons.working)
            # That none has PyTorch is said beside the button that gets it.
            trouble = tr(pythons.trouble) or tr(pythons.passed_over)
            say(self._trouble, "" if pythons.lacking else trouble)
            self._show_rows()


def one_of_each(pythons: Sequence[LabPython], used: LabPython | None) -> Sequence[LabPython]:
    """`python` and `python3` of one environment are the same; the one in use stays."""
    found: dict[str, LabPython] = {}
    for each in pythons:
        key = each.prefix or str(each.path)
        if key not in found or _same(each, used):
            found[key] = each
    return list(found.values())


def _same(python: LabPython, used: LabPython | None) -> bool:
    return used is not None and used.path == python.path


def _what(python: LabPython) -> str:
    """Version and build."""
    words = f"Python {'.'.join(map(str, python.version))}".strip()
    return words if python.build is None else f"{words}, {tr(python.build.label)}"


class PyTorchNotice(QFrame):
    """Which PyTorch is missing, does not suit or is fetched, and a way to get one; the same in
    every place. What would be fetched is said before it is.
    """

    def __init__(self, lab: LabState | None, parent: QWidget, *, stays: bool = False) -> None:
        """`stays`: it also says which PyTorch is used."""
        super().__init__(parent)
        self._stays = stays
        self._lab: LabState | None = None
        self._fetch: PyTorchFetch | None = None
        self.setProperty("panel", "notice")
        self._words = wrapped_label("", Tone.TEXT)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setMaximumWidth(160)
        self._bar.setFixedHeight(4)
        self._bar.setAccessibleName(tr("Downloaded so far"))
        self._get, self._cancel = QPushButton(), QPushButton(tr("Cancel"))
        self._get.clicked.connect(self._on_get)
        self._cancel.clicked.connect(self._on_cancel)
        for button in (self._get, self._cancel):
            button.setAutoDefault(not stays)  # among settings Enter is for what is typed
        ways = row(self._get, self._cancel, self._bar, FREE)
        column(self._words, ways, within=self, margins=(12, 8, 12, 8))
        self.show_lab(lab)

    def show_lab(self, lab: LabState | None) -> None:
        """Another machine's has Pythons of its own; where nothing needs PyTorch, None."""
        if self._lab is not None:
            self._lab.pythons.changed.disconnect(self._refresh)
        if self._fetch is not None:
            self._fetch.changed.disconnect(self._refresh)
        self._lab, self._fetch = lab, None if lab is None else lab.pythons.fetch
        if lab is not None:
            lab.pythons.changed.connect(self._refresh)
        if self._fetch is not None:
            self._fetch.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        lab, fetch = self._lab, self._fetch
        if lab is None:
            self.hide()
            return
        step = Step.RESTING if fetch is None else fetch.step
        works = step in (Step.ASKING, Step.FETCHING)
        message, wanted = self._said(lab)
        said = tr(message)
        show_sentence(self._words, said)
        offers = {Step.OFFERED: tr("Download"), Step.RESTING: tr("Get PyTorch…")}
        self._get.setText(offers.get(step, ""))
        self._get.setVisible(fetch is not None and wanted and not works)
        self._cancel.setVisible(step is not Step.RESTING)
        self._bar.setVisible(works)
        progress = None if fetch is None else fetch.progress
        known = progress is not None and not progress.complete and progress.size_bytes > 0
        # Without a figure while nobody knows how long it takes: asking, unpacking, proving.
        self._bar.setRange(0, _STEPS if known else 0)
        if progress is not None and known:
            self._bar.setValue(round(_STEPS * progress.got_bytes / progress.size_bytes))
        calm = step is not Step.RESTING or not wanted
        restyle(self, "tone", (Tone.QUIET if calm else Tone.WARN).value)
        self.setAccessibleName(said)
        self.setVisible(bool(said) and not lab.recorded)

    def _said(self, lab: LabState) -> tuple[Message, bool]:
        """The gravest, and whether PyTorch is wanted."""
        pythons, python, fetch = lab.pythons, lab.pythons.python, self._fetch
        if fetch is not None and fetch.step is not Step.RESTING:
            return _fetch_words(fetch), True
        if fetch is not None and fetch.trouble:
            return fetch.trouble, True
        if pythons.lacking:
            return pythons.trouble, True
        cards, driver = cards_of(lab)
        if python is not None and python.build is not None and cards:
            suits = python.fits(cards, driver)
            if suits.install:
                better = Message(
                    "{build}: {suits} The one for CUDA {cuda} suits the cards here.",
                    build=python.build.label,
                    suits=suits.sentence,
                    cuda=suits.install,
                )
                return better, True
        if not self._stays:
            return NOTHING, False
        if python is None:
            return Message("Not checked yet which Python has PyTorch."), False
        return Message("The lab uses {python}.", python=python.label), False

    def _on_get(self) -> None:
        """First it is asked what would be fetched, then it is."""
        lab, fetch = self._lab, self._fetch
        if lab is not None and fetch is not None:
            if fetch.step is Step.OFFERED:
                fetch.get()
            else:
                fetch.ask(*cards_of(lab))

    def _on_cancel(self) -> None:
        if self._fetch is not None:
            self._fetch.cancel()


def cards_of(lab: LabState) -> tuple[Sequence[Card], str | None]:
    """For which a build is looked for: a simulated machine's need none."""
    session = lab.machine.session
    if session.simulated:
        return (), None
    cards = [each for each in session.cards() if each.kind is CardKind.GPU]
    return cards, session.source.driver_version


def _fetch_words(fetch: PyTorchFetch) -> Message:
    """Where one was begun."""
    if fetch.step is Step.ASKING:
        return Message("Finding the build that suits, and its size…")
    if fetch.step is Step.OFFERED and fetch.plan is not None:
        own = Message(
            "It is installed into an environment of its own; your own Pythons stay as they are."
        )
        return told(*fetch.plan.sentences, own)
    return Message("Downloading PyTorch…") if fetch.progress is None else fetch.progress.said
