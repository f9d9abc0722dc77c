"""LayerStrip: a model's layers from left to right, and under each what it holds."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.inside.device_badges import Badge, badges_of, draw_badge
from gpuexplorer.gui.views.lab.inside.model.layer_shapes import caption, draw_layer
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.inside.model_layers import Crossing, Drawn, groups
from gpuexplorer.gui.wording.lab.inside.values import bytes_text, grouped, shape_text

DRAWN, ROW = 160.0, 24.0
LABELS = (
    mark("Layer"),
    mark("Kind"),
    mark("Weight"),
    mark("Parameters"),
    mark("Bytes"),
    mark("Device"),
)
_COLUMN, _GAP, _HEAD = 98.0, 3.0, 30.0
_PILL = 22.0


class LayerStrip(Painted):
    """Left and right go from layer to layer, and look into what they come to."""

    layer_chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._layers: Sequence[Drawn] = ()
        self._crossings: Sequence[Crossing] = ()
        self._badges: dict[str, Badge] = {}
        self._chosen = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Layers"))

    def show_layers(
        self,
        layers: Sequence[Drawn],
        crossings: Sequence[Crossing],
        devices: Sequence[BenchDevice],
    ) -> None:
        self._layers, self._crossings = layers, crossings
        names = [name for each in layers for name in (each.device, *each.devices)]
        self._badges = {each.device: each for each in badges_of(names, devices)}
        self._chosen = min(self._chosen, len(layers) - 1)
        self.updateGeometry()
        self.setMinimumWidth(round(_COLUMN * len(layers)))
        self.update()

    def show_chosen(self, number: int) -> None:
        self._chosen = number
        if 0 <= number < len(self._layers):
            layer = self._layers[number]
            told = tr("no parameters")
            if layer.parts:
                told = tr(
                    "{parameters} parameters, {size}",
                    parameters=grouped(layer.parameters),
                    size=bytes_text(layer.bytes),
                )
            self.setAccessibleDescription(f"{layer.path} {layer.text}: {told}".strip())
        self.update()

    def place_of(self, number: int) -> QRectF:
        width = self._column()
        return QRectF(number * width, 0, width, self.height())

    def draw(self, drawing: Drawing) -> None:
        for device, first, last in groups(self._layers):
            self._draw_group(drawing, device, first, last)
        if 0 <= self._chosen < len(self._layers):
            self._draw_chosen(drawing)
        places = [
            draw_layer(drawing, self._middle(number), layer, self._colour(layer.device))
            for number, layer in enumerate(self._layers)
        ]
        crossed = {each.before for each in self._crossings}
        for number in range(1, len(places)):
            if number not in crossed:
                colour = faded(drawing.theme.quiet, 0.6)
                self._draw_arrow(drawing, places[number - 1], places[number], colour, 1.0)
        for number, layer in enumerate(self._layers):
            self._draw_column(drawing, number, layer)
        for each in self._crossings:
            self._draw_crossing(drawing, each, places)

    def _draw_group(self, drawing: Drawing, device: str, first: int, last: int) -> None:
        left = self.place_of(first).left() + (_GAP if first else 0)
        right = self.place_of(last).right()
        place = QRectF(left, 0, right - left, DRAWN)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(faded(self._colour(device), 0.08))
        drawing.painter.drawRoundedRect(place, 6, 6)
        badge = self._badges.get(device)
        if badge is not None:
            x = draw_badge(drawing, left + 8, _HEAD / 2 + 2, badge) + 8
            letters = drawing.letters.body
            run = Run(device, letters, drawing.theme.quiet)
            baseline = _HEAD / 2 + 2 + letters.cap_height / 2
            drawing.elided(x, baseline, run, right - x - 4, device)

    def _draw_chosen(self, drawing: Drawing) -> None:
        place = self.place_of(self._chosen).adjusted(_GAP, 0, 0, 0)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(drawing.theme.selection)
        drawing.painter.drawRoundedRect(place, 6, 6)
        if self.hasFocus():
            drawing.focus_ring(place, 6)

    def _draw_column(self, drawing: Drawing, number: int, layer: Drawn) -> None:
        theme, letters = drawing.theme, drawing.letters
        place = self.place_of(number)
        said = caption(layer)
        if said:
            run = Run(said, letters.caption, theme.quiet)
            drawing.text(place.center().x() - run.width / 2, DRAWN - 9, run)
        drawing.hint(QRectF(place.left(), 0, place.width(), DRAWN), layer.text)
        weight = layer.weight
        cells = (
            Run(layer.name, letters.mono, theme.text),
            Run(layer.kind, letters.mono, theme.text),
            Run("–" if weight is None else shape_text(weight.shape), letters.body, theme.text),
            Run(grouped(layer.parameters) if layer.parts else "–", letters.body, theme.text),
            Run(bytes_text(layer.bytes) if layer.parts else "–", letters.body, theme.text),
            Run(", ".join(layer.devices) or "–", letters.body, theme.text),
        )
        hints = (layer.path, layer.kind)
        for row, run in enumerate(cells):
            top = DRAWN + 6 + row * ROW
            if number == 0 and row:
                drawing.hairline(0, self.width(), top)
            room = place.width() - 10
            width = min(run.width, room)
            baseline = top + ROW / 2 + run.letters.cap_height / 2
            colour = theme.faint if run.text == "–" else run.colour
            shown = Run(run.text, run.letters, colour)
            x = place.center().x() - width / 2 + _GAP / 2
            hint = hints[row] if row < len(hints) else ""
            drawing.elided(x, baseline, shown, room, hint if hint != run.text else "")

    def _draw_crossing(
        self, drawing: Drawing, crossing: Crossing, places: Sequence[QRectF]
    ) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        before, after = places[crossing.before - 1], places[crossing.before]
        colour = self._colour(crossing.source)
        self._draw_arrow(drawing, before, after, colour, 2.0)
        run = Run(crossing.words, letters, theme.text)
        border = self.place_of(crossing.before).left() + _GAP / 2
        left = border - run.width / 2 - 8
        left = min(max(2.0, left), self.width() - run.width - 18)
        pill = QRectF(left, _HEAD + 6, run.width + 16, _PILL)
        drawing.painter.setPen(QPen(theme.line, 1))
        drawing.painter.setBrush(theme.raised)
        drawing.painter.drawRoundedRect(pill, 5, 5)
        drawing.text(pill.left() + 8, pill.center().y() + letters.cap_height / 2, run)
        drawing.hint(pill, crossing.more)

    def _draw_arrow(
        self, drawing: Drawing, before: QRectF, after: QRectF, colour: QColor, width: float
    ) -> None:
        y = self._middle(0).y()
        start, end = before.right() + 6, after.left() - 5
        if end - start < 8:
            return
        drawing.painter.setPen(QPen(colour, width))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        head = QPainterPath(QPointF(end - 4, y - 3.5))
        head.lineTo(end, y)
        head.lineTo(end - 4, y + 3.5)
        drawing.painter.drawLine(QPointF(start, y), QPointF(end, y))
        drawing.painter.drawPath(head)

    def _middle(self, number: int) -> QPointF:
        place = self.place_of(number)
        return QPointF(place.center().x() + _GAP / 2, (_HEAD + DRAWN - 16) / 2)

    def _column(self) -> float:
        return self.width() / max(1, len(self._layers))

    def _colour(self, device: str) -> QColor:
        badge = self._badges.get(device)
        return self.look.theme.card(None if badge is None else badge.colour)

    def _choose(self, number: int) -> None:
        if self._layers:
            number = min(max(0, number), len(self._layers) - 1)
            if number != self._chosen:
                self.show_chosen(number)
                self.layer_chosen.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._choose(self._chosen - 1)
            case Qt.Key.Key_Right:
                self._choose(self._chosen + 1)
            case Qt.Key.Key_Home:
                self._choose(0)
            case Qt.Key.Key_End:
                self._choose(len(self._layers) - 1)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._layers and event.button() is Qt.MouseButton.LeftButton:
            self._choose(int(event.position().x() / self._column()))

    def sizeHint(self) -> QSize:
        height = DRAWN + 6 + ROW * len(LABELS)
        return QSize(round(_COLUMN * len(self._layers)), round(height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()
