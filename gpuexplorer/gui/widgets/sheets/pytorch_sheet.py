"""PyTorchNotice and PyTorchSheet: which PyTorch the lab uses, or a button that gets one."""

from collections.abc import Sequence

from PySide6.QtWidgets import QBoxLayout, QFrame, QProgressBar, QPushButton, QWidget

from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.pytorch_fetch import PyTorchFetch, Step
from gpuexplorer.gui.theme.look import restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, row, say, show_sentence, wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lab.get_pytorch import Progress, megabytes

_STEPS = 1000
_MARGINS = (12, 8, 12, 8)


class PyTorchNotice(QFrame):
    """There while PyTorch is missing, does not suit or is fetched; the same in every place."""

    def __init__(
        self,
        lab: LabState | None,
        parent: QWidget,
        *,
        narrow: bool = False,
        stays: bool = False,
    ) -> None:
        """`stays`: it also says which PyTorch is used."""
        super().__init__(parent)
        self._stays = stays
        self.setProperty("panel", "notice")
        self._words = wrapped_label("", Tone.TEXT)
        self._bar = _bar()
        self._open = QPushButton()
        self._open.clicked.connect(self._on_open)
        self._cancel = QPushButton(tr("Cancel"))
        for button in (self._open, self._cancel):
            button.setAutoDefault(not stays)  # among settings Enter is for what is typed
        way = QBoxLayout.Direction
        box = QBoxLayout(way.TopToBottom if narrow else way.LeftToRight, self)
        box.setContentsMargins(*_MARGINS)
        box.addWidget(self._words, 1)
        box.addLayout(row(self._bar, self._open, self._cancel, *([FREE] if narrow else [])))
        self._lab: LabState | None = None
        self._fetch: PyTorchFetch | None = None
        self.show_lab(lab)

    def show_lab(self, lab: LabState | None) -> None:
        """Another machine's has Pythons of its own; where nothing needs PyTorch, None."""
        if self._lab is not None:
            self._lab.pythons.changed.disconnect(self._refresh)
        if self._fetch is not None:
            self._fetch.changed.disconnect(self._refresh)
            self._cancel.clicked.disconnect(self._fetch.cancel)
        self._lab, self._fetch = lab, None if lab is None else lab.pythons.fetch
        if lab is not None:
            lab.pythons.changed.connect(self._refresh)
        if self._fetch is not None:
            self._fetch.changed.connect(self._refresh)
            self._cancel.clicked.connect(self._fetch.cancel)
        self._refresh()

    def _refresh(self) -> None:
        if self._lab is None:
            self.hide()
            return
        fetch, said = self._fetch, self._said(self._lab)
        works = fetch is not None and fetch.step in (Step.ASKING, Step.FETCHING)
        show_sentence(self._words, tr(said))
        self._open.setText(tr("Show") if works else tr("Get PyTorch…"))
        self._open.setVisible(fetch is not None and self._wanted)
        self._cancel.setVisible(works)
        _show_progress(self._bar, fetch)
        restyle(self, "tone", (Tone.QUIET if works or not self._wanted else Tone.WARN).value)
        self.setAccessibleName(tr(said))
        self.setVisible(bool(said) and not self._lab.recorded)

    def _said(self, lab: LabState) -> Message:
        """The gravest first."""
        pythons, fetch = lab.pythons, self._fetch
        self._wanted = True
        if fetch is not None and fetch.step is not Step.RESTING:
            return fetched_words(fetch)
        if fetch is not None and fetch.trouble:
            return fetch.trouble
        if pythons.lacking:
            return pythons.trouble
        cards, driver = cards_of(lab)
        python = pythons.python
        if python is not None and python.build is not None and cards:
            suits = python.fits(cards, driver)
            if suits.install:
                return Message(
                    "{build}: {suits} The one for CUDA {cuda} suits the cards here.",
                    build=python.build.label,
                    suits=suits.sentence,
                    cuda=suits.install,
                )
        self._wanted = False
        if not self._stays:
            return NOTHING
        if python is None:
            return Message("Not checked yet which Python has PyTorch.")
        return Message("The lab uses {python}.", python=python.label)

    def _on_open(self) -> None:
        if self._lab is not None and self._fetch is not None:
            PyTorchSheet(self._lab, self._fetch, self.window()).open()


class PyTorchSheet(Sheet):
    """Says what would be fetched before it is, and how far it is. Closed, the fetch goes on."""

    def __init__(self, lab: LabState, fetch: PyTorchFetch, window: QWidget) -> None:
        super().__init__(tr("Get PyTorch"), window, 560)
        self._fetch = fetch
        self.add_sentence(
            tr(
                "The lab, its lessons and measured copies need PyTorch. It is installed into"
                " an environment of its own; your own Pythons stay as they are."
            ),
            Tone.QUIET,
        )
        self._state = self.add_sentence("")
        self._plan = [self.add_sentence("") for _ in range(4)]
        self._bar = _bar()
        self._bar.setMaximumWidth(16_777_215)
        self.body.addWidget(self._bar)
        self._trouble = self.add_sentence("", Tone.WARN)
        self._get = self.add_button(tr("Download"), ROLE.ActionRole, default=True)
        self._get.setProperty("kind", "primary")
        self._again = self.add_button(tr("Try again"), ROLE.ActionRole)
        self._cancel = self.add_button(tr("Cancel"), ROLE.ActionRole)
        self._close = self.add_button(tr("Close"), ROLE.RejectRole)
        self._get.clicked.connect(self._on_get)
        self._again.clicked.connect(self._on_ask)
        self._cancel.clicked.connect(fetch.cancel)
        self._asked = cards_of(lab)
        fetch.changed.connect(self._refresh)
        fetch.fetched.connect(self.accept)
        if fetch.step is Step.RESTING:
            self._on_ask()
        self._refresh()

    def _on_ask(self) -> None:
        self._fetch.ask(*self._asked)

    def _on_get(self) -> None:
        self._close.setFocus()  # Enter, pressed once more, is not to cancel it
        self._fetch.get()

    def _refresh(self) -> None:
        fetch, step = self._fetch, self._fetch.step
        said = "" if step in (Step.RESTING, Step.OFFERED) else tr(fetched_words(fetch))
        say(self._state, said)
        sentences = [] if fetch.plan is None else fetch.plan.sentences
        for at, line in enumerate(self._plan):
            say(line, tr(sentences[at]) if at < len(sentences) else "")
        _show_progress(self._bar, fetch)
        say(self._trouble, tr(fetch.trouble))
        self._get.setVisible(step is Step.OFFERED)
        self._again.setVisible(step is Step.RESTING)
        self._cancel.setVisible(step in (Step.ASKING, Step.FETCHING))


def fetched_words(fetch: PyTorchFetch) -> Message:
    """Where one was begun."""
    progress: Progress | None = fetch.progress
    if fetch.step is Step.ASKING:
        return Message("Finding the build that suits, and its size…")
    if fetch.step is Step.FETCHING and progress is None:
        return Message("Downloading PyTorch…")
    if progress is not None:
        return progress.said
    size = 0 if fetch.plan is None else fetch.plan.size_bytes
    if not size:
        return Message("PyTorch can be downloaded.")
    return Message("PyTorch can be downloaded: {size} MB.", size=megabytes(size))


def cards_of(lab: LabState) -> tuple[Sequence[Card], str | None]:
    """For which a build is looked for: a simulated machine's need none."""
    session = lab.machine.session
    if session.simulated:
        return (), None
    cards = [each for each in session.cards() if each.kind is CardKind.GPU]
    return cards, session.source.driver_version


def _bar() -> QProgressBar:
    bar = QProgressBar()
    bar.setTextVisible(False)
    bar.setFixedHeight(4)
    bar.setMaximumWidth(160)
    bar.setAccessibleName(tr("Downloaded so far"))
    return bar


def _show_progress(bar: QProgressBar, fetch: PyTorchFetch | None) -> None:
    """Without a figure while nobody knows how long it takes: asking, unpacking, proving."""
    progress = None if fetch is None else fetch.progress
    bar.setVisible(fetch is not None and fetch.step in (Step.ASKING, Step.FETCHING))
    if progress is None or progress.complete or not progress.size_bytes:
        bar.setRange(0, 0)
        return
    bar.setRange(0, _STEPS)
    bar.setValue(round(_STEPS * progress.got_bytes / progress.size_bytes))
