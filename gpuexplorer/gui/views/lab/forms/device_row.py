"""DeviceRow: one device with its chip and a small bar; greyed with its reason if unusable."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import USUAL, Units, memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_HEIGHT, _CHIP, _MARGIN = 28, 20.0, 6.0
_NAME, _BAR_LEFT, _BAR_RIGHT = 34.0, 92.0, 72.0
_LINE, _MOST_LINES = 14, 3


class DeviceRow(PaintedButton):
    """The bar shows what is taken; the figure what is free."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._device = BenchDevice("", "", "")
        self._units = USUAL
        self._reason = ""
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def device_name(self) -> str:
        return self._device.name

    def show_device(self, device: BenchDevice, units: Units, *, chosen: bool) -> None:
        if chosen:
            self.setChecked(True)
        if (device, units) == (self._device, self._units) and self.accessibleName():
            return
        self._device, self._units = device, units
        self.setEnabled(device.usable)
        name = device.name or device.label
        free = device.free_bytes
        free_words = "" if free is None else tr("{amount} free", amount=memory(free, units))
        reason = self._reason = tr(device.reason)
        said = (name, device.label if device.name else "", free_words, reason)
        self.setText(name)
        self.setAccessibleName(", ".join(part for part in said if part))
        self.setToolTip("\n".join(part for part in said[1:] if part))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        place = QRectF(self.rect())
        device, there = self._device, self.isEnabled()
        if self.isChecked():
            card = device.is_card and device.colour is not None
            tint = faded(theme.card(device.colour), 0.18) if card else theme.selection
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint)
            painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        elif there and self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.track)
            painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)
        middle = _HEIGHT / 2
        painter.setOpacity(1.0 if there else 0.5)
        self._draw_chip(drawing, QRectF(_MARGIN, middle - _CHIP / 2, _CHIP, _CHIP))
        painter.setOpacity(1.0)
        baseline = middle + letters.body.cap_height / 2
        right = place.width() - _MARGIN - 2
        ink = theme.text if there else theme.faint
        words = Run(
            device.name or device.label, letters.mono if device.name else letters.body, ink
        )
        if not there:
            drawing.elided(_NAME, baseline, words, right - _NAME)
            self._draw_reason(drawing)
            return
        drawing.elided(_NAME, baseline, words, _BAR_LEFT - _NAME - 4)
        if device.name == "meta":
            quiet = Run(tr("shape only, no values"), letters.caption, theme.quiet)
            left = max(_BAR_LEFT, right - quiet.width)
            drawing.elided(left, baseline, quiet, right - left)
            return
        self._draw_free(drawing, right, baseline)

    def _draw_chip(self, drawing: Drawing, place: QRectF) -> None:
        device = self._device
        if device.chip:
            outlined = not device.is_card
            fill = None if outlined else drawing.theme.card(device.colour)
            drawing.chip(place, device.chip, drawing.letters.badge, fill)
            return
        # No place of this machine: dotted, as what is drawn for what is not there.
        drawing.painter.setPen(QPen(drawing.theme.faint, 1, Qt.PenStyle.DotLine))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        drawing.painter.drawRoundedRect(half, CHIP_RADIUS, CHIP_RADIUS)

    def _draw_free(self, drawing: Drawing, right: float, baseline: float) -> None:
        theme, letters, device = drawing.theme, drawing.letters, self._device
        bar = QRectF(_BAR_LEFT, _HEIGHT / 2 - 2, self.width() - _BAR_RIGHT - _BAR_LEFT, 4)
        free, total = device.free_bytes, device.total_bytes
        if free is None:
            unknown = Run(tr("not known"), letters.caption, theme.faint)
            drawing.runs_right(right, baseline, [unknown])
            return
        if total and bar.width() > 12:
            drawing.bar(bar, [((total - free) / total, theme.card(device.colour))])
        shown = memory(free, self._units)
        unit = Run(f"{THIN_SPACE}{shown.unit}", letters.caption, theme.quiet)
        drawing.runs_right(right, baseline, [Run(shown.number, letters.body, theme.text), unit])

    def _draw_reason(self, drawing: Drawing) -> None:
        drawing.painter.setFont(drawing.letters.caption.font)
        drawing.painter.setPen(drawing.theme.faint)
        place = QRectF(_NAME, _HEIGHT - 4, self.width() - _NAME - _MARGIN, self.height())
        flags = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        drawing.painter.drawText(place, int(flags), self._reason)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if self._device.usable or not self._reason:
            return _HEIGHT
        room = max(40.0, width - _NAME - _MARGIN)
        flags = Qt.TextFlag.TextWordWrap
        metrics = self.look.letters.caption.metrics
        place = metrics.boundingRect(QRectF(0, 0, room, 1000), int(flags), self._reason)
        return round(_HEIGHT + min(place.height(), _MOST_LINES * _LINE)) + 2

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 160)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(max(self.width(), 160)))
