"""MachinePanel: the drawing with what one must know to read it, or why there is none."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.empty_state import EmptyState
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.machine.machine_face import Face
from gpuexplorer.gui.wording.machine.machine_faces import INFERRED
from gpuexplorer.gui.wording.machine.machine_things import Thing
from gpuexplorer.telemetry.machine_shape import MachineShape

_EMPTY_HEIGHT = 320


class MachinePanel(Panel):
    """`drawing` is connected by who holds this."""

    ask_again_chosen = Signal()
    save_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("How the cards are wired"), parent=parent)
        self.drawing = MachineDrawing(look)
        self._empty = EmptyState(look, Icon.TOPOLOGY)
        self._empty.setMinimumHeight(_EMPTY_HEIGHT)
        self._empty.way_on_chosen.connect(self.ask_again_chosen)
        self._again = WordButton(look, Icon.BACK, tr("Ask again"))
        self._again.setToolTip(tr("Ask the driver again how the cards are wired (F5)"))
        self._again.clicked.connect(self.ask_again_chosen)
        self._save = WordButton(look, Icon.EXPORT, tr("Save picture"))
        self._save.setToolTip(tr("Save the drawing as SVG or PNG (Ctrl+S)"))
        self._save.clicked.connect(self.save_asked)
        for button in (self._again, self._save):
            self.head.addWidget(button)
        self._notes = wrapped_label(look, "", Tone.TEXT)
        self._notes.setContentsMargins(0, 0, 0, 6)
        self._legend = wrapped_label(look, "", Tone.QUIET)
        self._legend.setFont(look.letters.caption.font)
        self.body.addWidget(self._empty, 1)
        # In the middle of what is left, where the columns beside it are taller.
        self.body.addStretch(1)
        self.body.addWidget(self.drawing)
        self.body.addSpacing(10)
        self.body.addStretch(1)
        self.body.addWidget(self._notes)
        self.body.addWidget(self._legend)
        self._legend_of: object = None
        self.show_words("", "")

    def show_words(self, heading: str, more: str, way_on: str = "") -> None:
        """In the place of the drawing."""
        self._empty.show_words(heading, more, way_on)
        self._show_drawing(drawn=False)

    def show_machine(
        self, shape: MachineShape, faces: Mapping[Thing, Face], notes: Sequence[str]
    ) -> None:
        self._show_drawing(drawn=True)
        self.drawing.show_machine(shape, faces)
        said = " ".join(notes)
        if said != self._notes.text():
            self._notes.setText(said)
        self._notes.setVisible(bool(said))
        self._show_legend(shape)

    def _show_legend(self, shape: MachineShape) -> None:
        layout = self.drawing.layout_shown()
        key = (shape, None if layout is None else layout.scale)
        if layout is None or key == self._legend_of:
            return
        self._legend_of = key
        said = tr(
            "A wire has a lane for each direction, 1 pixel wide for {rate:.0f} GB/s; the more "
            "it carries of that, the brighter it is. Traffic in GB/s, seen from the card.",
            rate=layout.scale / 1e9,
        )
        self._legend.setText(f"{said} {tr(INFERRED)}" if shape.junctions else said)

    def _show_drawing(self, *, drawn: bool) -> None:
        if (
            self.drawing.isVisibleTo(self) is not drawn
            or self._empty.isVisibleTo(self) is drawn
        ):
            self._empty.setVisible(not drawn)
            self._again.setVisible(drawn)
            self._save.setVisible(drawn)
            self._legend.setVisible(drawn)
            self._notes.setVisible(drawn and bool(self._notes.text()))
            self.drawing.setVisible(drawn)
