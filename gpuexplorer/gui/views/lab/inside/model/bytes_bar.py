"""BytesBar: the bytes of a model's layers, to scale."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.views.lab.inside.device_badges import badges_of
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.inside.model_layers import Drawn
from gpuexplorer.gui.wording.lab.inside.values import bytes_text

_HEIGHT, _STRONG, _WEAK = 12, 1.0, 0.55


class BytesBar(Painted):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._layers: Sequence[Drawn] = ()
        self._colours: dict[str, int | None] = {}
        self._chosen = -1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Bytes of the layers, to scale"))

    def show_layers(self, layers: Sequence[Drawn], devices: Sequence[BenchDevice]) -> None:
        self._layers = layers
        badges = badges_of([each.device for each in layers], devices)
        self._colours = {each.device: each.colour for each in badges}
        told = [f"{each.path or each.kind} {bytes_text(each.bytes)}" for each in layers]
        self.setAccessibleDescription(", ".join(told))
        self.update()

    def show_chosen(self, number: int) -> None:
        self._chosen = number
        self.update()

    def draw(self, drawing: Drawing) -> None:
        total = sum(each.bytes for each in self._layers)
        place = QRectF(self.rect())
        drawing.bar(place, ())
        if not total:
            return
        left = place.left()
        for number, layer in enumerate(self._layers):
            width = layer.bytes / total * place.width()
            if not layer.bytes:
                continue
            colour = drawing.theme.card(self._colours.get(layer.device))
            strength = _STRONG if number == self._chosen else _WEAK
            # A hair of it stays to be seen.
            part = QRectF(left, place.top(), max(1.0, width - 1.0), place.height())
            drawing.painter.fillRect(part, faded(colour, strength))
            words = f"{layer.path or layer.kind}: {bytes_text(layer.bytes)}"
            drawing.hint(part.adjusted(-1, 0, 1, 0), words)
            left += width

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)
