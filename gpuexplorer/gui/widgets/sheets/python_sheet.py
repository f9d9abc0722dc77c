"""Which Python and which PyTorch the lab uses, and how a person gets another."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QInputDialog,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message, listed, tr
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons, PyTorchFetch, Step
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    column,
    row,
    say,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.gui.widgets.saving import ask_for_file
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import release_first
from gpuexplorer.lab.pythons import LabPython


class PythonSheet(Sheet):
    """Every Python of a computer that could run the lab, to choose one. The search goes on in
    its own thread; what is found stands here when it ends.
    """

    def __init__(self, pythons: LabPythons, lab: Lab, window: QWidget) -> None:
        super().__init__(tr("Python of the lab"), window, 660)
        self._pythons, self._lab = pythons, lab
        self._shown: Sequence[tuple[str, Tone]] = ()
        runs = tr(
            "The lab's cells run in a process of their own on {computer}, in a Python with "
            "PyTorch.",
            computer=pythons.computer or tr("this computer"),
        )
        self.add_sentence(runs, Tone.QUIET)
        self._state = self.add_sentence("", Tone.WARN)
        self._list = QListWidget()
        self._list.setWordWrap(True)
        self._list.setProperty("kind", "menu")
        self._list.setAccessibleName(tr("Pythons that were found"))
        self._list.setFixedHeight(240)
        self.body.addWidget(self._list)
        self.body.addWidget(PyTorchNotice(lab, self))
        self._use = self.add_button(tr("Use this"), ROLE.ActionRole)
        self._other = self.add_button(tr("Choose another…"), ROLE.ActionRole)
        self._again = self.add_button(tr("Look again"), ROLE.ActionRole)
        self.add_close()
        self._use.clicked.connect(self._on_use)
        self._other.clicked.connect(self._on_other)
        self._again.clicked.connect(pythons.search)
        pythons.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_changed)
        if not pythons.searched:
            pythons.search()
        self._on_changed()

    def _on_changed(self) -> None:
        pythons = self._pythons
        if not (pythons.working or pythons.searched):
            pythons.search()  # another question was being asked when this was opened
            return
        asks = tr("Python programs are asked whether they have PyTorch…")
        # That none has PyTorch is said beside the button that gets it.
        trouble = "" if pythons.lacking else tr(pythons.trouble) or tr(pythons.passed_over)
        say(self._state, asks if pythons.working else trouble)
        restyle(self._state, "tone", (Tone.QUIET if pythons.working else Tone.WARN).value)
        for button in (self._use, self._other, self._again):
            button.setEnabled(not pythons.working)
        self._show_rows()

    def _show_rows(self) -> None:
        """One of each environment: the one in use first, those without PyTorch last."""
        used, named = self._pythons.python, dict[str, LabPython]()
        for each in (*([] if used is None else [used]), *self._pythons.found):
            named.setdefault(each.prefix or str(each.path), each)
        order = sorted(named.values(), key=lambda each: (each is not used, not each.usable))
        said = [self._said(each) for each in order]
        if said != self._shown:  # else the mark stays where it is
            self._shown = said
            self._list.clear()
            for each, (words, tone) in zip(order, said, strict=True):
                item = QListWidgetItem(words, self._list)
                item.setForeground(look().theme.tone(tone))
                item.setData(Qt.ItemDataRole.UserRole, str(each.path))
            self._list.setCurrentRow(min(len(order) - 1, int(used is not None)))

    def _said(self, python: LabPython) -> tuple[str, Tone]:
        """Which it is, whether it suits, what to do where not, what it offered at its start."""
        session, ledger = self._lab.machine.session, self._lab.ledger
        used, path = python is self._pythons.python, str(python.path)
        build = "" if python.build is None else tr(python.build.label)
        version = f"Python {'.'.join(map(str, python.version))}".strip()
        if session.simulated and python.usable:
            verdict, said = Verdict.FINE, [tr("It suits the simulated cards.")]
        else:
            suits = python.fits(session.cards(), session.source.driver_version)
            verdict, said = suits.verdict, [tr(suits.sentence), tr(suits.do)]
        if used and self._lab.stage.runs and ledger.hello:
            names = [each.name for each in ledger.hello.devices if each.usable]
            said.append(tr("It offers {devices}.", devices=listed(names)))
        lines = (
            tr("{path} (in use)", path=path) if used else path,
            ", ".join(filter(None, (version, build))),
            " ".join(filter(None, said)),
        )
        broken = Tone.WARN if verdict is Verdict.BROKEN else Tone.TEXT
        return "\n".join(lines), broken if python.usable else Tone.FAINT

    def _on_use(self) -> None:
        for item in self._list.selectedItems():
            self._choose(Path(item.data(Qt.ItemDataRole.UserRole)))

    def _choose(self, path: Path) -> None:
        """A worker that runs has to be ended first: it is of another Python."""

        def use() -> None:
            self._lab.release()
            self._pythons.choose(path)

        if self._lab.stage.runs:
            release_first(self._lab, tr("Release the cards and use this"), use, self)
        else:
            self._pythons.choose(path)

    def _on_other(self) -> None:
        """Never waited for: the window goes on meanwhile."""
        caption, host = tr("Choose a Python with PyTorch"), self._pythons.computer
        if not host:
            ask_for_file(caption, tr("Programs (*)"), self, self._choose)
            return
        dialog = QInputDialog(self)  # its files are not shown here
        dialog.setWindowTitle(caption)
        dialog.setLabelText(tr("Its path on {host}, such as ~/venv/bin/python:", host=host))
        dialog.textValueSelected.connect(lambda path: self._choose(Path(path.strip())))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class PyTorchNotice(QFrame):
    """Which PyTorch is missing, does not suit or is fetched, and a way to get one; the same in
    every place. What would be fetched is said before it is.
    """

    def __init__(self, lab: Lab | None, parent: QWidget, *, stays: bool = False) -> None:
        """`stays`: it also says which PyTorch is used."""
        super().__init__(parent)
        self._stays = stays
        self._lab: Lab | None = None
        self.setProperty("panel", "notice")
        self._words = wrapped_label("", Tone.TEXT)
        self._get, self._cancel = QPushButton(), QPushButton(tr("Cancel"))
        self._get.clicked.connect(self._on_get)
        self._cancel.clicked.connect(self._on_cancel)
        for button in (self._get, self._cancel):
            button.setAutoDefault(not stays)  # among settings Enter is for what is typed
        ways = row(self._get, self._cancel, FREE)
        column(self._words, ways, within=self, margins=(12, 8, 12, 8))
        self.show_lab(lab)

    def show_lab(self, lab: Lab | None) -> None:
        """Another machine's has Pythons of its own; where nothing needs PyTorch, None."""
        if self._lab is not None:
            self._lab.pythons.changed.disconnect(self._refresh)
        self._lab = lab
        if lab is not None:
            lab.pythons.changed.connect(self._refresh)
        self._refresh()

    @property
    def _fetch(self) -> PyTorchFetch | None:
        return None if self._lab is None else self._lab.pythons.fetch

    def _refresh(self) -> None:
        lab, fetch = self._lab, self._fetch
        message, wanted = (NOTHING, False) if lab is None else self._said(lab)
        said, step = tr(message), Step.RESTING if fetch is None else fetch.step
        show_sentence(self._words, said)
        self._get.setText(tr("Download") if step is Step.OFFERED else tr("Get PyTorch…"))
        may = fetch is not None and step in (Step.RESTING, Step.OFFERED)
        self._get.setVisible(may and wanted)
        self._cancel.setVisible(step is not Step.RESTING)
        calm = step is not Step.RESTING or not wanted
        restyle(self, "tone", (Tone.QUIET if calm else Tone.WARN).value)
        self.setAccessibleName(said)
        self.setVisible(bool(said) and lab is not None and not lab.recorded)

    def _said(self, lab: Lab) -> tuple[Message, bool]:
        """The gravest, and whether PyTorch is wanted."""
        pythons, python, fetch = lab.pythons, lab.pythons.python, self._fetch
        if fetch is not None and fetch.said:
            return fetch.said, True
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
        fetch = self._fetch
        if self._lab is not None and fetch is not None:
            if fetch.step is Step.OFFERED:
                fetch.get()
            else:
                fetch.ask(*cards_of(self._lab))

    def _on_cancel(self) -> None:
        if self._fetch is not None:
            self._fetch.cancel()


def cards_of(lab: Lab) -> tuple[Sequence[Card], str | None]:
    """For which a build is looked for: a simulated machine's need none."""
    session = lab.machine.session
    if session.simulated:
        return (), None
    cards = [each for each in session.cards() if each.kind is CardKind.GPU]
    return cards, session.source.driver_version
