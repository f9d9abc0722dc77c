"""SwitchActions: what the switches of the head do, by cells where PyTorch has a call for it."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.lab.head.cap_sheet import CapSheet, code_line
from gpuexplorer.gui.lab.head.visible_sheet import VisibleSheet
from gpuexplorer.gui.lab.head.words import (
    ALL_SWITCHES,
    SwitchWords,
    Visible,
    capped,
    caps_in,
    changed_caps,
)
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Switches
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import label, wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.gui.widgets.sheets.small_sheets import release_first

_USUAL_SHARE = 0.4


class SwitchActions(QObject):
    """Nothing here changes the shelf but cells that are run, and the end of the worker."""

    refused = Signal(str)  # a sentence
    done = Signal()

    def __init__(self, lab: Lab, head: QWidget) -> None:
        super().__init__(head)
        self._lab, self._head = lab, head
        self._then: Switches | None = None  # what is chosen when the worker has gone

    def caps(self) -> Mapping[str, float]:
        """As the cells have it. They went with the worker that was lost."""
        if not self._lab.stage.runs or self._lab.can_replay:
            return {}
        return caps_in([each.code for each in self._lab.ledger.cells if each.state == "done"])

    @property
    def has_forms_only(self) -> bool:
        return self._lab.machine.settings.choices.lab_forms_only

    def print_placement(self, on: bool) -> None:
        self._choose(replace(self._lab.switches, placement=on))

    def forms_only(self, on: bool) -> None:
        settings = self._lab.machine.settings
        settings.choose(replace(settings.choices, lab_forms_only=on))

    def grow(self, on: bool) -> None:
        self._choose_anew(replace(self._lab.switches, growing=on))

    def wait(self, on: bool) -> None:
        self._choose_anew(replace(self._lab.switches, waits=on))

    def open_caps(self) -> None:
        lab = self._lab
        sheet = CapSheet(
            capped(lab.devices()),
            self.caps(),
            lab.switches.memory_share or _USUAL_SHARE,
            lab.machine.settings.choices.units,
            self._head.window(),
        )
        sheet.chosen.connect(self._on_caps_chosen)
        sheet.finished.connect(self.done)
        sheet.open()

    def open_visible(self) -> None:
        lab = self._lab
        sheet = VisibleSheet(
            lab.machine.cards(), lab.switches.visible, lab.stage.runs, self._head.window()
        )
        sheet.chosen.connect(self._on_visible_chosen)
        sheet.open()

    def explain(self) -> None:
        SwitchesSheet(self._head.window()).open()

    def release(self) -> None:
        """At once where nothing is lost by it."""
        self._then = None
        self._release("")

    def _choose_anew(self, switches: Switches) -> None:
        """Where a worker runs it has to be ended first."""
        if self._lab.stage.runs:
            self._then = switches
            self._release(tr("Release the cards and use this"))
        else:
            self._choose(switches)

    def _release(self, words: str) -> None:
        """`words`: for the button, where something else is done afterwards."""
        dialog = release_first(self._lab, words, self._on_may_go, self._head.window())
        if dialog is not None:
            dialog.finished.connect(self.done)

    def _choose(self, switches: Switches) -> None:
        self._try(lambda: self._lab.choose(switches))

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except Trouble as trouble:
            self.refused.emit(trouble.told)
            return False
        self.done.emit()
        return True

    def _on_may_go(self) -> None:
        self._lab.release()
        switches, self._then = self._then, None
        if switches is not None:
            self._choose(switches)
        self.done.emit()

    def _on_caps_chosen(self, shares: Mapping[str, float]) -> None:
        lines = changed_caps(shares, self.caps())
        if lines and not self._try(lambda: self._lab.run_all(lines, by_form=True)):
            return
        every = set(shares.values())
        share = every.pop() if len(every) == 1 else 1.0
        kept = share if share < 1.0 else None
        self._choose(replace(self._lab.switches, memory_share=kept))

    def _on_visible_chosen(self, visible: Visible) -> None:
        self._choose_anew(replace(self._lab.switches, visible=visible))


class SwitchesSheet(Sheet):
    """Courses explain them by TensorFlow's names; here one sees what they are in PyTorch."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(tr("The switches of the lab"), window, 760)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for words in ALL_SWITCHES:
            _add(grid, words)
        self.body.addLayout(grid)
        self.add_close()


def _add(grid: QGridLayout, words: SwitchWords) -> None:
    row = grid.rowCount()
    grid.addWidget(label(tr(words.title), look().letters.strong), row, 0, 1, 2)
    said = paragraph((tr(words.sentence), tr(words.differs)))
    grid.addWidget(wrapped_label(said, Tone.QUIET), row + 1, 0, 1, 2)
    for below, (whose, line) in enumerate(
        (("PyTorch", words.torch), ("TensorFlow", words.tensorflow)), row + 2
    ):
        grid.addWidget(label(whose, look().letters.caption, Tone.QUIET), below, 0)
        grid.addWidget(code_line(line), below, 1)
    grid.setRowMinimumHeight(row + 4, 14)
