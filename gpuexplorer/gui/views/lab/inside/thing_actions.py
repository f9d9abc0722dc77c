"""ThingActions: copy a thing to another device, save its parameters, delete it; each a line."""

from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.wording.lab.moving import delete_line, move_line, save_line, targets


class ThingActions(QWidget):
    """Only models have parameters to save."""

    refused = Signal(str)  # a sentence; empty when a line was taken

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._name = ""
        self._copy = QPushButton(tr("Copy to"))
        self._save = QPushButton(tr("Save parameters"))
        self._delete = QPushButton(tr("Delete"))
        self._copy.clicked.connect(self._on_copy_asked)
        self._save.clicked.connect(self._on_save_asked)
        self._delete.clicked.connect(self._on_delete_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for button in (self._copy, self._save, self._delete):
            button.setFont(look.letters.body.font)
            row.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_thing(self, name: str) -> None:
        self._name = name
        thing = self._lab.ledger.things.get(name)
        kind = "" if thing is None else thing.kind
        self._save.setVisible(kind == "model")
        self._copy.setVisible(kind in ("model", "tensor"))
        self._save.setToolTip(save_line(name))
        self._delete.setToolTip(delete_line(name))
        self.setEnabled(thing is not None)

    def _run(self, line: str) -> None:
        try:
            self._lab.run(line)
        except Trouble as trouble:
            self.refused.emit(trouble.told)
        else:
            self.refused.emit("")

    def _on_copy_asked(self) -> None:
        thing = self._lab.ledger.things.get(self._name)
        if thing is None:
            return
        menu = QMenu(self)
        menu.setFont(self.window().font())  # the system has another for menus
        menu.aboutToHide.connect(menu.deleteLater)
        for device in targets(thing, self._lab.devices()):
            taken, switches = set(self._lab.ledger.things), self._lab.switches
            by_host = (thing.device, device.name) in switches.by_host
            line = move_line(
                thing, device, taken, fall_back=switches.fall_back, by_host=by_host
            )
            action = menu.addAction(f"{device.name}    {line}")
            action.triggered.connect(partial(self._run, line))
        if menu.isEmpty():
            menu.addAction(tr("There is no other device")).setEnabled(False)
        menu.popup(self._copy.mapToGlobal(QPoint(0, self._copy.height() + 4)))

    def _on_save_asked(self) -> None:
        self._run(save_line(self._name))

    def _on_delete_asked(self) -> None:
        self._run(delete_line(self._name))
