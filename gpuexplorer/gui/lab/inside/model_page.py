"""ModelPage: a model's layers as a table, and the values of one of them."""

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside import model_layers, words
from gpuexplorer.gui.lab.inside.fact_list import WhatPane
from gpuexplorer.gui.lab.inside.looks import Looks
from gpuexplorer.gui.lab.inside.model_layers import Crossing, Drawn
from gpuexplorer.gui.lab.inside.part_panel import PartPanel
from gpuexplorer.gui.lab.inside.thing_head import ThingHead
from gpuexplorer.gui.lab.inside.values import bytes_text, grouped, shape_text
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Placed, column, row, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.lab.events import Failed, Opened

_GAP, _SIDE = 8, 288
_WIDE = 1120  # from here on what it is stands beside its values
_MOST_ROWS = 8  # of the layers; the others are scrolled to


class ModelPage(QScrollArea):
    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._lab = lab
        self._name = ""
        self._layers: list[Drawn] = []
        self._crossings: Mapping[str, Crossing] = {}  # by the layer before which they are
        self._asking = Looks(lab, self)
        self._asking.seen.connect(self._on_seen)
        self._asking.failed.connect(self._on_failed)
        self._head = ThingHead(lab)
        self._table = Table(tr("Layers"), TableModel(self._columns(), lambda layer: layer.path))
        self._table.setSelectionMode(Table.SelectionMode.SingleSelection)
        self._table.picked_changed.connect(self._on_picked)
        self._held = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._training = ElidedLabel(look().letters.caption, Tone.QUIET)
        self._sentence = wrapped_label("", Tone.QUIET)
        self._sentence.hide()
        self._part = PartPanel(lab)
        self._what = WhatPane(lab)
        self._lay_out()

    def show_thing(self, name: str) -> None:
        if name != self._name:
            self._name = name
            self._layers = []
            self._table.pick(None)
            self._part.forget()
        self.show_facts()
        self._asking.ask(name)

    def show_facts(self) -> None:
        said = words.model_headline(self._layers) if self._layers else tr("a model")
        self._head.show_thing(self._name, said)
        self._what.show_thing(self._name)

    def forget(self) -> None:
        self._name = ""
        self._asking.forget()
        self._part.forget()

    def _lay_out(self) -> None:
        self.setProperty("panel", "clear")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        sentences = row(self._held, FREE, self._training)
        column(self._table, sentences, within=self._content)
        self._content.hide()
        self._what.setFixedWidth(_SIDE)
        layers = _card(self._head, self._sentence, self._content)
        self._below: QBoxLayout = row(self._part, GROWS, _card(self._what, FREE), gap=_GAP)
        page = QWidget()
        page.setProperty("panel", "clear")
        column(layers, self._below, GROWS, within=page, gap=_GAP)
        self.setWidget(page)

    def _columns(self) -> list[Column[Drawn]]:
        return [
            Column("path", tr("Layer"), _path, width=150, spoken=words.spoken_layer),
            Column("kind", tr("Kind"), _kind, width=130),
            Column("passes", tr("In and out"), _passes, width=130),
            Column("weight", tr("Weight"), _weight, width=120),
            Column("parameters", tr("Parameters"), _parameters, width=110, right=True),
            Column("bytes", tr("Bytes"), self._bytes, width=190, right=True),
            Column("device", tr("Device"), self._device, width=160, stretches=True),
        ]

    def _bytes(self, layer: Drawn) -> Cell:
        if not layer.parts:
            return _NOTHING
        total = sum(each.bytes for each in self._layers) or 1
        colours = {each.name: each.colour for each in self._lab.devices()}
        gauge = Gauge(layer.bytes / total, colours.get(layer.device))
        return Cell(bytes_text(layer.bytes), gauge=gauge)

    def _device(self, layer: Drawn) -> Cell:
        """What has to be copied there first stands beside it."""
        crossing = self._crossings.get(layer.path)
        if crossing is not None:
            return Cell(layer.device, mark=crossing.words, hint=crossing.more)
        return Cell(", ".join(layer.devices)) if layer.parts else _NOTHING

    def _on_seen(self, event: object) -> None:
        if not isinstance(event, Opened) or event.what != self._name:
            return
        self._sentence.hide()
        self._content.show()
        self._layers = list(model_layers.drawn_layers(event))
        batch = model_layers.batch_seen(self._lab.ledger, self._name)
        self._crossings = model_layers.crossings(self._layers, batch)
        self._table.show_rows(self._layers)
        self._table.show_all_rows(_MOST_ROWS)
        self._held.show_text(words.held_words(self._layers))
        self._training.show_text(words.training_words(self._layers))
        self.show_facts()
        if not self._table.picked():
            first = next((each for each in self._layers if each.parts), self._layers[0])
            self._table.pick(first.path)
        self._on_picked()

    def _on_failed(self, event: object) -> None:
        assert isinstance(event, Failed)
        told = tr(event.sentence) or event.message or tr("It could not be looked into.")
        self._sentence.setText(f"{told} {tr(event.hint)}".strip())
        self._sentence.show()
        self._content.hide()

    def _on_picked(self) -> None:
        for layer in self._table.picked():
            self._part.show_layer(self._name, layer)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        wide = self.width() >= _WIDE
        self._below.setDirection(way.LeftToRight if wide else way.TopToBottom)


_NOTHING = Cell("–", tone=Tone.FAINT)


def _path(layer: Drawn) -> Cell:
    return Cell(layer.path or layer.kind, mono=True)


def _kind(layer: Drawn) -> Cell:
    return Cell(layer.kind, mono=True, hint=layer.text)


def _passes(layer: Drawn) -> Cell:
    return Cell(words.passes(layer), tone=Tone.QUIET)


def _weight(layer: Drawn) -> Cell:
    return Cell(shape_text(layer.parts[0].shape)) if layer.parts else _NOTHING


def _parameters(layer: Drawn) -> Cell:
    return Cell(grouped(layer.parameters)) if layer.parts else _NOTHING


def _card(*things: Placed) -> QFrame:
    panel = QFrame()
    panel.setProperty("panel", "card")
    column(*things, within=panel, gap=10, margins=(16, 14, 16, 12))
    return panel
