"""ThingHead: devices, name and kind of what is looked into, and what can be done with it."""

from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.device_chips import DeviceChips
from gpuexplorer.gui.lab.inside.words import thing_called, thing_headline
from gpuexplorer.gui.state.lab.bench_lines import copy_line, delete_line, save_line
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel


class ThingHead(QWidget):
    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._chips = DeviceChips()
        self._name = ElidedLabel(look().letters.title, Tone.TEXT)
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        # Where there is no room for it beside the buttons.
        self._below = ElidedLabel(look().letters.body, Tone.QUIET)
        self._below.hide()
        self._refusal = wrapped_label("", Tone.BAD)
        self._refusal.hide()
        self._actions = ThingActions(lab)
        self._actions.refused.connect(self._on_refused)
        self._row = row(self._chips, self._name, self._words, GROWS, self._actions)
        column(self._row, self._below, self._refusal, within=self, gap=4)

    def add(self, widget: QWidget) -> None:
        """Before the buttons."""
        self._row.insertWidget(self._row.count() - 1, widget)

    def show_thing(self, name: str, words: str = "") -> None:
        """`words` in place of the usual ones."""
        ledger = self._lab.ledger
        thing = thing_called(ledger, name)
        if name != self._name.text():
            self._name.show_text(name)
            self._on_refused("")
        self._actions.show_thing(name)
        if thing is not None:
            self._chips.show_devices(thing.device, self._lab.devices())
            self._below.show_text(words or thing_headline(thing))
            self._arrange()

    def _arrange(self) -> None:
        """The words go below where they would be cut off."""
        letters, words = look().letters.body, self._below.text()
        self._words.show_text("")
        self._row.activate()
        taken = self._row.minimumSize().width() + self._name.sizeHint().width()
        fits = taken + letters.width(words) + 2 <= self.width()
        self._below.setVisible(not fits)
        self._words.show_text(words if fits else "")

    def _on_refused(self, sentence: str) -> None:
        say(self._refusal, sentence)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()


class ThingActions(QWidget):
    """Only models have parameters to save."""

    refused = Signal(str)  # a sentence; empty when a line was taken

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._name = ""
        self._copy = QPushButton(tr("Copy to"))
        self._save = QPushButton(tr("Save parameters"))
        self._delete = QPushButton(tr("Delete"))
        self._copy.clicked.connect(self._on_copy_asked)
        self._save.clicked.connect(self._on_save_asked)
        self._delete.clicked.connect(self._on_delete_asked)
        row(self._copy, self._save, self._delete, within=self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_thing(self, name: str) -> None:
        self._name = name
        thing = thing_called(self._lab.ledger, name)
        kind = "" if thing is None else thing.kind
        self._save.setVisible(kind == "model")
        self._copy.setVisible(kind in ("model", "tensor"))
        self._save.setToolTip(save_line(name))
        self._delete.setToolTip(delete_line([name]))
        self.setEnabled(thing is not None)

    def _run(self, line: str) -> None:
        try:
            self._lab.run(line, by_form=True)
        except Trouble as trouble:
            self.refused.emit(trouble.told)
        else:
            self.refused.emit("")

    def _on_copy_asked(self) -> None:
        thing = thing_called(self._lab.ledger, self._name)
        if thing is None:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        taken, switches = self._lab.ledger.things, self._lab.switches
        for device in self._lab.devices():
            if device.name in ("", "meta"):
                continue
            by_host = (thing.device, device.name) in switches.by_host
            try:
                line = copy_line(thing, device, taken, by_host=by_host)
            except Trouble:
                continue
            action = menu.addAction(f"{device.name}    {line}")
            action.triggered.connect(partial(self._run, line))
        if menu.isEmpty():
            menu.addAction(tr("There is no other device")).setEnabled(False)
        menu.popup(self._copy.mapToGlobal(QPoint(0, self._copy.height() + 4)))

    def _on_save_asked(self) -> None:
        self._run(save_line(self._name))

    def _on_delete_asked(self) -> None:
        self._run(delete_line([self._name]))
