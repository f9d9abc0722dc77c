"""CapPopup: how much of each card's memory the lab may take."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.verdict import counted
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.head.sheet_labels import code_label, plain_label
from gpuexplorer.gui.widgets.controls.number_field import NumberField, Range
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.popup import Popup
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.head.memory_caps import LEAST, MOST, changed_caps
from gpuexplorer.gui.wording.lab.head.switch_words import MEMORY_CAP

_WIDTH, _AROUND, _ROW = 500, 218, 38
_MOST_ROWS = 8
_PERCENT = Range(LEAST, MOST, (10, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90))


class CapPopup(Popup):
    """`chosen` brings a share for every card, 1.0 where nothing is capped."""

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        devices: Sequence[BenchDevice],
        caps: Mapping[str, float],
        first: float,
        units: Units,
        anchor: QWidget,
    ) -> None:
        """`first`: the share that is offered where none is set."""
        rows = max(1, min(len(devices), _MOST_ROWS))
        super().__init__(look, _WIDTH, _AROUND + rows * _ROW, anchor)
        self.setAccessibleName(MEMORY_CAP.title)
        self._devices, self._units, self._caps = devices, units, dict(caps)
        self._shares = {each.name: caps.get(each.name, first) for each in devices}
        self._amounts: dict[str, QLabel] = {}
        self._fields: dict[str, NumberField] = {}
        self._line = code_label(look)
        self._more = plain_label(look, "")
        self._apply = QPushButton("Cap")
        self._apply.setProperty("kind", "primary")
        self._apply.clicked.connect(self._on_apply)
        self._none = QPushButton("No cap")
        self._none.clicked.connect(self._on_none)
        self._none.setEnabled(bool(caps))
        title = QLabel("Memory cap")
        title.setFont(look.letters.title.font)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._none)
        foot.addWidget(self._apply)
        for button in (self._none, self._apply):
            button.setFont(look.letters.body.font)
            button.setEnabled(button.isEnabled() and bool(devices))
        self.panel.setContentsMargins(20, 16, 20, 16)
        self.panel.setSpacing(8)
        self.panel.addWidget(title)
        self.panel.addWidget(wrapped_label(look, MEMORY_CAP.sentence, Tone.QUIET))
        self.panel.addWidget(self._rows_area(look), 1)
        self.panel.addWidget(self._line)
        self.panel.addWidget(self._more)
        self.panel.addSpacing(4)
        self.panel.addLayout(foot)
        self._show_line()

    def open(self) -> None:
        super().open()
        first = next(iter(self._fields.values()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.PopupFocusReason)
            first.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What is typed holds already, so that Enter is the answer."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
        elif self._none.hasFocus():
            self._on_none()
        elif self._apply.isEnabled():
            self._on_apply()

    def _rows_area(self, look: Look) -> QWidget:
        if not self._devices:
            return wrapped_label(look, "No card can be used by the lab's Python.", Tone.TEXT)
        inner = QWidget()
        inner.setProperty("panel", "clear")
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(2, 1)
        for row, device in enumerate(self._devices):
            amount = QLabel()
            amount.setFont(look.letters.body.font)
            amount.setProperty("tone", Tone.QUIET.value)
            name = QLabel(device.name)
            name.setFont(look.letters.mono.font)
            field = NumberField(look, f"Share of {device.name}", _PERCENT, "%")
            field.setFixedWidth(96)
            field.show_number(round(self._shares[device.name] * 100))
            field.chosen.connect(self._on_share)
            self._amounts[device.name], self._fields[device.name] = amount, field
            grid.addWidget(CapChip(look, device), row, 0)
            grid.addWidget(name, row, 1)
            grid.addWidget(amount, row, 2, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(field, row, 3)
            self._show_amount(device)
        grid.setRowStretch(len(self._devices), 1)
        area = QScrollArea()
        area.setProperty("panel", "clear")
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inner)
        return area

    def _show_amount(self, device: BenchDevice) -> None:
        total = device.total_bytes
        if total is None:
            return
        part = memory(total * self._shares[device.name], self._units)
        self._amounts[device.name].setText(f"{part} of {memory(total, self._units)}")

    def _show_line(self) -> None:
        lines = changed_caps(self._shares, {})
        self._line.setText(lines[0] if lines else "No card is capped.")
        count = len(lines) - 1
        more = f"and {counted(count, 'line')} more. " if count > 0 else ""
        self._more.setText(f"{more}TensorFlow: {MEMORY_CAP.tensorflow}")

    def _on_share(self, percent: float) -> None:
        asked = self.sender()
        device = next(each for each in self._devices if self._fields[each.name] is asked)
        self._shares[device.name] = percent / 100
        self._show_amount(device)
        self._show_line()

    def _on_apply(self) -> None:
        shares = dict(self._shares)
        self.hide()
        self.chosen.emit(shares)

    def _on_none(self) -> None:
        shares = {each.name: 1.0 for each in self._devices}
        self.hide()
        self.chosen.emit(shares)


class CapChip(Painted):
    """The card's number in its colour."""

    def __init__(self, look: Look, device: BenchDevice, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._device = device
        letters = look.letters.badge
        self.setFixedSize(QSize(max(20, round(letters.width(device.chip)) + 10), 20))

    def draw(self, drawing: Drawing) -> None:
        colour = self._device.colour
        fill = None if colour is None else drawing.theme.card(colour)
        place = self.rect().toRectF()
        drawing.chip(place, self._device.chip, drawing.letters.badge, fill)
