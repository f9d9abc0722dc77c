"""CapSheet: how much of each card's memory the lab may take."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.lab.head.words import LEAST, MEMORY_CAP, MOST, changed_caps
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.fields import NumberField, Range
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet

_PERCENT = Range(LEAST, MOST, (10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90))


class CapSheet(Sheet):
    """`chosen` brings a share for every card, 1.0 where nothing is capped."""

    chosen = Signal(object)

    def __init__(
        self,
        devices: Sequence[BenchDevice],
        caps: Mapping[str, float],
        first: float,
        units: Units,
        parent: QWidget,
    ) -> None:
        """`first`: the share that is offered where none is set."""
        super().__init__(tr(MEMORY_CAP.title), parent, 500)
        self._devices, self._units = devices, units
        self._shares = {each.name: caps.get(each.name, first) for each in devices}
        self._amounts: dict[str, QLabel] = {}
        self._fields: dict[str, NumberField] = {}
        self.add_sentence(tr(MEMORY_CAP.sentence), Tone.QUIET)
        self._add_rows()
        self._line = code_line()
        self._more = label("", look().letters.caption, Tone.QUIET)
        self.body.addWidget(self._line)
        self.body.addWidget(self._more)
        none = self.add_button(tr("No cap"), ROLE.ResetRole)
        none.clicked.connect(self._on_none)
        none.setEnabled(bool(caps and devices))
        cap = self.add_button(tr("Cap"), ROLE.AcceptRole, default=True)
        cap.setEnabled(bool(devices))
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.accepted.connect(self._on_accepted)
        self._show_line()
        for field in list(self._fields.values())[:1]:
            self.begins = field
            field.selectAll()

    def _add_rows(self) -> None:
        if not self._devices:
            self.add_sentence(tr("No card can be used by the lab's Python."))
            return
        letters = look().letters
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(2, 1)
        for row, device in enumerate(self._devices):
            amount = label("", letters.body, Tone.QUIET)
            share = tr("Share of {device}", device=device.name)
            field = NumberField(share, _PERCENT, "%")
            field.setFixedWidth(96)
            field.show_number(round(self._shares[device.name] * 100))
            field.chosen.connect(self._on_share)
            self._amounts[device.name], self._fields[device.name] = amount, field
            chip = ChipRow()
            chip.show_chips([Chip(device.chip, device.colour)])
            grid.addWidget(chip, row, 0)
            grid.addWidget(label(device.name, letters.mono), row, 1)
            grid.addWidget(amount, row, 2, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(field, row, 3)
            self._show_amount(device)
        self.body.addLayout(grid)

    def _show_amount(self, device: BenchDevice) -> None:
        total = device.total_bytes
        if total is None:
            return
        part = memory(total * self._shares[device.name], self._units)
        words = tr("{part} of {all}", part=part, all=memory(total, self._units))
        self._amounts[device.name].setText(words)

    def _show_line(self) -> None:
        lines = changed_caps(self._shares, {})
        self._line.setText(lines[0] if lines else tr("No card is capped."))
        count = len(lines) - 1
        names = MEMORY_CAP.tensorflow
        said = tr("TensorFlow: {names}", names=names)
        if count > 0:
            said = trn(
                "and {count} more line. TensorFlow: {names}",
                "and {count} more lines. TensorFlow: {names}",
                count,
                names=names,
            )
        self._more.setText(said)

    def _on_share(self, percent: float) -> None:
        asked = self.sender()
        device = next(each for each in self._devices if self._fields[each.name] is asked)
        self._shares[device.name] = percent / 100
        self._show_amount(device)
        self._show_line()

    def _on_accepted(self) -> None:
        self.chosen.emit(dict(self._shares))

    def _on_none(self) -> None:
        self._shares = {each.name: 1.0 for each in self._devices}
        self.accept()


def code_line(text: str = "") -> QLabel:
    """That can be copied."""
    made = label(text, look().letters.mono)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made
