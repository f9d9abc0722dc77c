"""PartPanel: the values of one parameter of the layer that is chosen."""

from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.model_layers import Drawn, part_line
from gpuexplorer.gui.lab.inside.spread_pane import SpreadPane
from gpuexplorer.gui.lab.inside.value_pane import ValuePane
from gpuexplorer.gui.lab.inside.values import shape_text
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel

_SIDE, _LEAST_HEIGHT, _MANY = 288, 384, 4


class PartPanel(QFrame):
    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setMinimumHeight(_LEAST_HEIGHT)
        self._model = ""
        self._layer: Drawn | None = None
        self._shown = ""
        self._line = ElidedLabel(look().letters.mono, Tone.TEXT)
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        self._switch: Segmented | None = None
        self._names: tuple[str, ...] = ()
        self._values = ValuePane(lab)
        self._spread = SpreadPane(self._values)
        self._spread.setFixedWidth(_SIDE)
        self._head = row(self._line, self._words, GROWS)
        left = column(self._head, self._values, GROWS, gap=10)
        row(left, GROWS, self._spread, within=self, gap=28, margins=(16, 14, 16, 12))

    def show_layer(self, model: str, layer: Drawn) -> None:
        """Its first parameter, or the one that was chosen while it is the same layer."""
        same = self._layer is not None and self._layer.path == layer.path
        names = tuple(each.name for each in layer.parts)
        self._model, self._layer = model, layer
        if not same or self._shown not in names:
            self._shown = names[0] if names else ""
        self._offer(names)
        self._show_part()

    def forget(self) -> None:
        self._layer = None
        self._shown = ""
        self._values.forget()
        self._spread.show_nothing()

    def _offer(self, names: tuple[str, ...]) -> None:
        if names != self._names:
            self._names = names
            if self._switch is not None:
                self._head.removeWidget(self._switch)
                self._switch.deleteLater()
                self._switch = None
            if len(names) > 1:
                choices = [(each, each) for each in names]
                self._switch = Segmented(tr("Parameter"), choices, self)
                self._switch.show_compact(len(names) > _MANY)
                self._switch.chosen.connect(self._on_part_chosen)
                self._head.addWidget(self._switch)
                before = self._values.previousInFocusChain()
                if before is not None:
                    QWidget.setTabOrder(before, self._switch)
                self._switch.show()
        if self._switch is not None:
            self._switch.show_choice(self._shown)

    def _show_part(self) -> None:
        layer = self._layer
        if layer is None:
            return
        part = next((each for each in layer.parts if each.name == self._shown), None)
        if part is None:
            self._line.show_text(layer.kind)
            self._words.show_text(tr("holds no parameters, so there are no values to look at"))
            self._values.forget()
            self._values.hide()
            self._spread.show_nothing()
            return
        line = part_line(self._model, layer, part)
        if line != self._line.text():
            self._spread.show_nothing()
        self._line.show_text(line)
        self._words.show_text(
            tr(
                "{shape} {dtype} on {device}",
                shape=shape_text(part.shape),
                dtype=part.dtype,
                device=part.device,
            )
        )
        self._values.show()
        self._values.show_thing(line)

    def _on_part_chosen(self, name: object) -> None:
        self._shown = str(name)
        if self._switch is not None:
            self._switch.show_choice(self._shown)
        self._show_part()
