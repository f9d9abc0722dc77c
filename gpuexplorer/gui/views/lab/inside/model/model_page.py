"""ModelPage: a model's layers, where they lie and what they hold; below, the values of one."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.views.lab.inside.asking import Asking
from gpuexplorer.gui.views.lab.inside.device_badges import badges_of
from gpuexplorer.gui.views.lab.inside.model.layer_strip import DRAWN, LABELS, ROW, LayerStrip
from gpuexplorer.gui.views.lab.inside.model.part_panel import PartPanel
from gpuexplorer.gui.views.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.views.lab.inside.what_pane import WhatPane
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.inside import model_layers
from gpuexplorer.gui.wording.lab.inside.model_layers import Drawn
from gpuexplorer.gui.wording.lab.inside.values import bytes_text
from gpuexplorer.lab.events import Failed, Opened

_MARGIN, _GAP, _SIDE = 16, 8, 288
_WIDE = 1120  # from here on what it is stands beside its values
_HEIGHT, _STRONG, _WEAK = 12, 1.0, 0.55
_WIDTH, _LABELS_GAP = 88, 8


class ModelPage(QScrollArea):
    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lab = lab
        self._name = ""
        self._layers: list[Drawn] = []
        self._chosen = ""  # the path of a layer
        self._asking = Asking(lab, self)
        self._asking.seen.connect(self._on_seen)
        self._asking.failed.connect(self._on_failed)
        self._head = ThingHead(look, lab)
        self._labels = LayerLabels(look)
        self._strip = LayerStrip(look)
        self._strip.layer_chosen.connect(self._on_layer_chosen)
        self._bar = BytesBar(look)
        self._held = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._training = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._sentence = wrapped_label(look, "", Tone.QUIET)
        self._sentence.hide()
        self._part = PartPanel(look, lab)
        self._what = WhatPane(look, lab)
        self._lay_out(look)

    def show_thing(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self._chosen = ""
            self._layers = []
            self._part.forget()
        self.show_facts()
        self._asking.ask(name)

    def show_facts(self) -> None:
        words = model_layers.headline(self._layers) if self._layers else tr("a model")
        self._head.show_thing(self._name, words)
        self._what.show_thing(self._name)

    def forget(self) -> None:
        self._name = ""
        self._asking.forget()
        self._part.forget()

    def _lay_out(self, look: Look) -> None:
        self.setProperty("panel", "clear")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        panel = QFrame()
        panel.setProperty("panel", "card")
        column = QVBoxLayout(panel)
        column.setContentsMargins(_MARGIN, 14, _MARGIN, 12)
        column.setSpacing(10)
        column.addWidget(self._head)
        column.addWidget(self._sentence)
        column.addWidget(self._drawing(look))
        page = QWidget()
        page.setProperty("panel", "clear")
        whole = QVBoxLayout(page)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(_GAP)
        whole.addWidget(panel)
        what = QFrame()
        what.setProperty("panel", "card")
        said = QVBoxLayout(what)
        said.setContentsMargins(_MARGIN, 14, _MARGIN, 12)
        self._what.setFixedWidth(_SIDE)
        said.addWidget(self._what)
        said.addStretch(1)
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.setSpacing(_GAP)
        self._below.addWidget(self._part, 1)
        self._below.addWidget(what)
        whole.addLayout(self._below, 1)
        self.setWidget(page)

    def _drawing(self, look: Look) -> QWidget:
        self._strip.setProperty("panel", "clear")
        self._scroll = scrolled(self._strip, sideways=True)
        self._scroll.setFixedHeight(self._strip.sizeHint().height() + 12)
        scale = QLabel(tr("To scale"))
        scale.setFont(look.letters.body.font)
        scale.setProperty("tone", "quiet")
        sentences = QHBoxLayout()
        sentences.addWidget(self._held)
        sentences.addStretch(1)
        sentences.addWidget(self._training)
        self._content = QWidget()
        cells = QGridLayout(self._content)
        cells.setContentsMargins(0, 0, 0, 0)
        cells.setHorizontalSpacing(0)
        cells.setVerticalSpacing(6)
        cells.addWidget(self._labels, 0, 0, Qt.AlignmentFlag.AlignTop)
        cells.addWidget(self._scroll, 0, 1)
        cells.addWidget(scale, 1, 0)
        cells.addWidget(self._bar, 1, 1)
        cells.addLayout(sentences, 2, 1)
        cells.setColumnStretch(1, 1)
        self._content.hide()
        return self._content

    def _on_seen(self, event: object) -> None:
        if not isinstance(event, Opened) or event.what != self._name:
            return
        self._sentence.hide()
        self._content.show()
        self._layers = list(model_layers.drawn_layers(event))
        batch = model_layers.batch_seen(self._lab.ledger, self._name)
        devices = self._lab.devices()
        crossings = model_layers.crossings(self._layers, batch)
        self._strip.show_layers(self._layers, crossings, devices)
        self._bar.show_layers(self._layers, devices)
        self._held.show_text(model_layers.held_words(self._layers))
        self._training.show_text(model_layers.training_words(self._layers))
        self.show_facts()
        self._choose(self._number())

    def _on_failed(self, event: object) -> None:
        assert isinstance(event, Failed)
        told = tr(event.sentence) or event.message or tr("It could not be looked into.")
        self._sentence.setText(f"{told} {tr(event.hint)}".strip())
        self._sentence.show()
        self._content.hide()

    def _number(self) -> int:
        """The layer that is shown: at first the first that holds anything."""
        paths = [each.path for each in self._layers]
        if self._chosen in paths and self._chosen:
            return paths.index(self._chosen)
        return next((n for n, each in enumerate(self._layers) if each.parts), 0)

    def _on_layer_chosen(self, number: int) -> None:
        self._choose(number)

    def _choose(self, number: int) -> None:
        if not self._layers:
            return
        layer = self._layers[number]
        self._chosen = layer.path
        self._strip.show_chosen(number)
        self._bar.show_chosen(number)
        self._part.show_layer(self._name, layer)
        place = self._strip.place_of(number).center().toPoint()
        self._scroll.ensureVisible(place.x(), 0, 120, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _WIDE
        way = QBoxLayout.Direction
        self._below.setDirection(way.LeftToRight if wide else way.TopToBottom)


class BytesBar(Painted):
    """The bytes of a model's layers, to scale."""

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


class LayerLabels(Painted):
    """What the rows under the layers are; they stay where the layers are scrolled."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        letters = drawing.letters.body
        for row, label in enumerate(LABELS):
            top = DRAWN + 6 + row * ROW
            if row:
                drawing.hairline(0, self.width(), top)
            baseline = top + ROW / 2 + letters.cap_height / 2
            drawing.text(0, baseline, Run(tr(label), letters, drawing.theme.quiet))

    def sizeHint(self) -> QSize:
        words = max(self.look.letters.body.width(tr(each)) for each in LABELS)
        return QSize(
            max(_WIDTH, round(words) + _LABELS_GAP), round(DRAWN + 6 + ROW * len(LABELS))
        )
