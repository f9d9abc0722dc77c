"""AddMachineSheet: which machine to reach, by a name that is typed or one of ~/.ssh/config."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QLineEdit, QListWidget, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.far_machines import Wanted
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.field_row import FieldRow, Labelled
from gpuexplorer.gui.widgets.controls.fields import TextField
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.remote.ssh import host_name, names_to_choose
from gpuexplorer.telemetry.patience import Asked

_LOOK_EVERY = 50  # milliseconds
_NAMES_HEIGHT = 148
_LONGEST = 512


class AddMachineSheet(Sheet):
    """What was typed is checked while it is typed."""

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
        self._host = _field(tr("Machine"), "user@server")
        self._host.textChanged.connect(self._on_typed)
        self._hosts = FieldRow({"host": Labelled(tr("Machine"), self._host)})
        self.body.addWidget(self._hosts)
        self._names = QListWidget()
        self._names.setProperty("kind", "menu")
        self._names.setAccessibleName(tr("Machines of ~/.ssh/config"))
        self._names.setFixedHeight(_NAMES_HEIGHT)
        self._names.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._names.itemSelectionChanged.connect(self._on_name_chosen)
        self._names.itemActivated.connect(self.accept)
        self._names_box = Labelled(tr("Of ~/.ssh/config"), self._names)
        self._names_box.hide()
        self.body.addWidget(self._names_box)
        self._python = _field(tr("Python over there"), "python3")
        self.body.addWidget(Labelled(tr("Python over there, if not python3"), self._python))
        self._remember = QCheckBox(tr("Remember this machine"))
        self._remember.setChecked(True)
        self.body.addWidget(self._remember)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self._connect = self.add_button(tr("Connect"), ROLE.AcceptRole, default=True)
        self.begin_at(self._host)
        # In a thread: a home may lie on a disk that hangs.
        self._reading = Asked(names_to_choose)
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start()
        self._on_typed("")

    def accept(self) -> None:
        wanted = Wanted(
            self._host.text().strip(),
            self._python.text().strip(),
            remember=self._remember.isChecked(),
        )
        try:
            self._machines.add(wanted)
        except Trouble as trouble:
            self._hosts.show_problems({"host": trouble.told})
            self._host.setFocus()
            return
        self._machines.show(wanted.host)
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

    def _on_name_chosen(self) -> None:
        """Chosen, not just come by: Tab alone makes the first one current."""
        for each in self._names.selectedItems():
            self._host.setText(each.text())

    def _on_timeout(self) -> None:
        if not self._reading.answered:
            return
        self._timer.stop()
        there = {each.key for each in self._machines.rows()}
        names = [each for each in self._reading.result() if each not in there]
        self._names.addItems(names)
        self._names_box.setVisible(bool(names))


def _field(name: str, example: str) -> QLineEdit:
    field = TextField(name)
    field.setPlaceholderText(example)
    field.setMaxLength(_LONGEST)
    return field
