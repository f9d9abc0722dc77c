"""MatrixPanel: who reaches whom and how, with the words to the letters."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.machine.matrix_model import Shows
from gpuexplorer.gui.widgets.machine.matrix_table import MatrixTable
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.machine.machine_face import MachineNow
from gpuexplorer.gui.wording.machine.wiring_words import legend
from gpuexplorer.telemetry.machine_shape import MachineShape


class MatrixPanel(Panel):
    """`table` is connected by who holds this."""

    copy_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("Who reaches whom"), parent=parent)
        self.table = MatrixTable(look)
        self._choice = Segmented(
            look, tr("What the cells say"), ((Shows.PATHS, tr("Path")), (Shows.RATES, "GB/s"))
        )
        self._choice.show_choice(Shows.PATHS)
        self._choice.chosen.connect(self._on_shows_chosen)
        copy = IconButton(look, Icon.COPY)
        copy.show_meaning(Icon.COPY, tr("Copy the matrix as text"), "Ctrl+C")
        copy.clicked.connect(self.copy_asked)
        self.head.addWidget(self._choice)
        self.head.addSpacing(4)
        self.head.addWidget(copy)
        self._legend = wrapped_label(look, "", Tone.QUIET)
        self._legend.setFont(look.letters.caption.font)
        self.body.addWidget(self.table)
        self.body.addSpacing(8)
        self.body.addWidget(self._legend)
        self._shows = Shows.PATHS
        self._shape: MachineShape | None = None
        self._kinds: Sequence[tuple[str, str]] = ()

    def show_machine(self, now: MachineNow) -> None:
        self.table.show_machine(now)
        if now.shape is not self._shape:
            self._shape = now.shape
            self._kinds = legend(now)
            self._explain()

    def _explain(self) -> None:
        if self._shows is Shows.RATES:
            self._legend.setText(
                tr("Each way, in theory: what the narrowest wire could carry.")
            )
        else:
            self._legend.setText("\n".join(f"{each}: {words}" for each, words in self._kinds))

    def _on_shows_chosen(self, shows: Shows) -> None:
        self._shows = shows
        self._choice.show_choice(shows)
        self.table.show_as(shows)
        self._explain()
