"""ModelPage: a model's layers, where they lie and what they hold; below, the values of one."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.inside.asking import Asking
from gpuexplorer.gui.views.lab.inside.model.bytes_bar import BytesBar
from gpuexplorer.gui.views.lab.inside.model.layer_labels import LayerLabels
from gpuexplorer.gui.views.lab.inside.model.layer_strip import LayerStrip
from gpuexplorer.gui.views.lab.inside.model.part_panel import PartPanel
from gpuexplorer.gui.views.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.views.lab.inside.what_pane import WhatPane
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.inside import model_layers
from gpuexplorer.gui.wording.lab.inside.model_layers import Drawn
from gpuexplorer.lab.events import Failed, Opened

_MARGIN, _GAP, _SIDE = 16, 8, 288
_WIDE = 1120  # from here on what it is stands beside its values


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
        self._scroll = QScrollArea()
        self._scroll.setProperty("panel", "clear")
        self._strip.setProperty("panel", "clear")
        self._scroll.setWidgetResizable(True)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._strip)
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
