"""MachinePanel: the drawing with what one must know to read it, or why there is none."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, add, say, wrapped_label
from gpuexplorer.gui.widgets.live_view import EmptyState, Panel
from gpuexplorer.gui.widgets.machine.layout import Part
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.gui.widgets.machine.machine_faces import INFERRED, Face
from gpuexplorer.telemetry.topology import MachineShape

_EMPTY_HEIGHT = 320


class MachinePanel(Panel):
    """Its parts are connected by whoever holds this."""

    def __init__(self, *, may_ask: bool = True) -> None:
        super().__init__(tr("How the cards are wired"))
        self.drawing = MachineDrawing()
        self.empty = EmptyState(Icon.TOPOLOGY)
        self.empty.setMinimumHeight(_EMPTY_HEIGHT)
        self.again = ToolButton("word", Icon.BACK, tr("Ask again"))
        self._may_ask = may_ask
        self.again.setToolTip(tr("Ask the driver again how the cards are wired (F5)"))
        self.save = ToolButton("word", Icon.EXPORT, tr("Save picture"))
        self.save.setToolTip(tr("Save the drawing as SVG or PNG (Ctrl+S)"))
        for button in (self.again, self.save):
            self.head.addWidget(button)
        self._notes = wrapped_label("", Tone.TEXT)
        self._notes.setContentsMargins(0, 0, 0, 6)
        self._legend = wrapped_label("", Tone.QUIET)
        self._legend.setFont(look().letters.caption.font)
        add(self.body, self.empty, GROWS, FREE, self.drawing, Space(10), FREE)
        add(self.body, self._notes, self._legend, self.drawing.below)
        self._legend_of: object = None
        self.show_words("", "")

    def show_words(self, heading: str, more: str, way_on: str = "") -> None:
        """In the place of the drawing."""
        self.empty.show_words(heading, more, way_on)
        self._show_drawing(drawn=False)

    def show_machine(
        self, shape: MachineShape, faces: Mapping[Part, Face], notes: Sequence[str]
    ) -> None:
        self._show_drawing(drawn=True)
        self.drawing.show_machine(shape, faces)
        say(self._notes, " ".join(notes))
        self._show_legend(shape, round(self.drawing.pixel_rate / 1e9, 1))

    def _show_legend(self, shape: MachineShape, rate: float) -> None:
        if (shape, rate) == self._legend_of:
            return
        self._legend_of = shape, rate
        said = tr(
            "A wire has a lane for each direction, 1 pixel wide for {rate:g} GB/s; the more "
            "it carries of that, the brighter it is. Rates are in GB/s, traffic as seen from "
            "the card.",
            rate=rate,
        )
        self._legend.setText(f"{said} {tr(INFERRED)}" if shape.junctions else said)

    def _show_drawing(self, *, drawn: bool) -> None:
        self.empty.setVisible(not drawn)
        for part in (self.save, self._legend, self.drawing, self.drawing.below):
            part.setVisible(drawn)
        self.again.setVisible(drawn and self._may_ask)
        self._notes.setVisible(drawn and bool(self._notes.text()))
