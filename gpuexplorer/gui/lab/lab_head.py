"""LabHead: what is on the cards, how the worker is, and the menu of its switches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.switches import (
    MEMORY_CAP,
    TURNED,
    VISIBLE,
    CapSheet,
    VisibleSheet,
    caps_in,
    changed_caps,
)
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import MenuButton, ToolButton
from gpuexplorer.gui.widgets.laid_out import GROWS, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.gui.widgets.sheets.small_sheets import release_first


class LabHead(QWidget):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        letters = look().letters
        self._summary = ElidedLabel(letters.body, Tone.QUIET)
        self._stage = label("", letters.body)
        self._more = MenuButton(tr("Switches of the lab"))
        ends = tr("End the worker that hangs at once; the session can be run again")
        self._restart = ToolButton("framed", Icon.WARNING, tr("Restart"), ends)
        which = tr("Which Python runs the lab, and what to do where none can")
        self._python = ToolButton("framed", Icon.LAB, tr("Choose a Python"), which)
        gives = tr("End the worker: all memory it holds on the cards is given back")
        self._release = ToolButton("framed", Icon.POWER, tr("Release the cards"), gives)
        self._more.setObjectName("lab.switches")
        self._release.setObjectName("lab.release")
        said = (label(tr("Lab"), letters.title), self._summary, GROWS, self._stage)
        tools = (self._restart, self._python, self._more, self._release)
        row(*said, *tools, within=self, gap=12)
        # Nothing of a recording can be changed.
        for each in (self._more, self._release):
            each.setHidden(lab.recorded)
        self._more.about_to_open.connect(self._fill_menu)
        self._restart.clicked.connect(lab.restart)
        self._python.clicked.connect(self.choose_python)
        self._release.clicked.connect(self.release)
        told = (lab.switches_changed, lab.stage_changed, lab.changed, lab.pythons.changed)
        for signal in (*told, lab.machine.settings.changed):
            signal.connect(self.refresh)
        self.refresh()

    def pull(self) -> None:
        """How long the cell that runs has been running."""
        lab = self._lab
        words = stage_words(lab.stage, tr(lab.sentence), lab.running_seconds)
        self._stage.setText(f"{'●' if words.lit else '○'} {words.words}")
        self._stage.setAccessibleName(tr("Worker: {state}", state=words.words))
        self._stage.setAccessibleDescription(words.sentence)
        self._stage.setToolTip(words.sentence)
        restyle(self._stage, "tone", words.tone.value)

    def refresh(self) -> None:
        lab, stage, switches = self._lab, self._lab.stage, self._lab.switches
        self._release.setEnabled(stage.runs)
        self._restart.setVisible(stage is Stage.HANGING)
        # Without a connection no other Python would help; there it is tried again.
        self._python.setVisible(stage in (Stage.FAILED, Stage.WAITING) and lab.reached)
        turned = (switches.placement, self.caps(), switches.growing, switches.waits)
        count = sum(map(bool, (*turned, switches.visible)))
        self._more.show_words(tr("More, {count} on", count=count) if count else tr("More"))
        said, python = tr(lab.sentence), lab.pythons.python
        if stage is not Stage.FAILED:
            said = ""
            if python is not None and not stage.runs and not lab.recorded:
                said = tr("Cells run in {python}.", python=tr(python.label))
        self._summary.show_text(said)
        self.pull()

    def commands(self) -> Sequence[tuple[str, str, Callable[[], None], Callable[[], bool]]]:
        """Words, keys, what is done, and whether it can be: for the palette of the screen."""
        runs, live = lambda: self._lab.stage.runs, lambda: not self._lab.recorded
        return (
            (tr("Release the cards"), "", self.release, runs),
            (tr("Cap the memory of the cards"), "", self.open_caps, live),
            (tr("Choose the visible cards and their order"), "", self.open_visible, live),
            (tr("Choose the Python of the lab"), "", self.choose_python, live),
        )

    def caps(self) -> Mapping[str, float]:
        """As the cells have it. They went with the worker that was lost."""
        if not self._lab.stage.runs or self._lab.can_replay:
            return {}
        return caps_in([each.code for each in self._lab.ledger.cells if each.state == "done"])

    def release(self) -> None:
        """At once where nothing is lost by it."""
        release_first(self._lab, "", self._lab.release, self.window())

    def choose_python(self) -> None:
        PythonSheet(self._lab.pythons, self._lab, self.window()).open()

    def open_caps(self) -> None:
        sheet = CapSheet(self._lab, self.caps(), self.window())
        sheet.chosen.connect(self._on_caps_chosen)
        sheet.open()

    def open_visible(self) -> None:
        sheet = VisibleSheet(self._lab, self.window())
        sheet.chosen.connect(lambda chosen: self._choose(visible=chosen))
        sheet.open()

    def _fill_menu(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        switches, settings = self._lab.switches, self._lab.machine.settings
        alone = settings.choices.lab_forms_only

        def add(words: str, hint: str, run: Callable[[], object], on: object) -> None:
            action = menu.addAction(words, run)
            action.setToolTip(hint)
            action.setCheckable(True)
            action.setChecked(bool(on))

        for name, words in TURNED.items():
            on = getattr(switches, name)
            add(tr(words.title), words.hint(), partial(self._choose, **{name: not on}), on)
        add(tr("Memory cap…"), MEMORY_CAP.hint(), self.open_caps, self.caps())
        title, some = tr("Visible cards and their order…"), switches.visible is not None
        add(title, VISIBLE.hint(), self.open_visible, some)
        menu.addSeparator()
        chosen = replace(settings.choices, lab_forms_only=not alone)
        hint = tr("Nothing can be typed or opened; forms and the bench still work.")
        add(tr("Forms only, for a classroom"), hint, partial(settings.choose, chosen), alone)

    def _choose(self, **changes: object) -> None:
        """Where a worker was told of it at its start, it has to be ended first."""
        lab = self._lab
        switches = replace(lab.switches, **changes)  # type: ignore[arg-type]  # by name

        def choose_anew() -> None:
            lab.release()
            lab.choose(switches)

        try:
            lab.choose(switches)
        except Trouble:
            words = tr("Release the cards and use this")
            release_first(lab, words, choose_anew, self.window())

    def _on_caps_chosen(self, shares: Mapping[str, float]) -> None:
        if lines := changed_caps(shares, self.caps()):
            self._lab.run_all(lines, by_form=True)
        share = min(shares.values()) if len({*shares.values()}) == 1 else 1.0
        self._choose(memory_share=share if share < 1.0 else None)
