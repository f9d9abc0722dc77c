"""MatrixPanel: who reaches whom and how, with the words to the letters."""

from collections.abc import Sequence

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.topology.matrix import MatrixTable, Shows, legend
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import Space, add, wrapped_label
from gpuexplorer.gui.widgets.live_view import Panel
from gpuexplorer.gui.widgets.machine.machine_faces import MachineNow
from gpuexplorer.telemetry.topology import MachineShape


class MatrixPanel(Panel):
    """`table` is connected by who holds this."""

    def __init__(self) -> None:
        super().__init__(tr("Who reaches whom"))
        self._shows = Shows.PATHS
        self._shape: MachineShape | None = None
        self._kinds: Sequence[tuple[str, str]] = ()
        self.table = MatrixTable()
        self.table.fitted.connect(self._explain)
        self._choice = Segmented(
            tr("What the cells say"), ((Shows.PATHS, tr("Path")), (Shows.RATES, "GB/s"))
        )
        self._choice.show_choice(Shows.PATHS)
        self._choice.chosen.connect(self._on_shows_chosen)
        self.copy = IconButton(Icon.COPY, tr("Copy the matrix as text"), "Ctrl+C")
        add(self.head, self._choice, Space(4), self.copy)
        self._legend = wrapped_label("", Tone.QUIET)
        self._legend.setFont(look().letters.caption.font)
        add(self.body, self.table, Space(8), self._legend)

    def show_machine(self, now: MachineNow) -> None:
        self.table.show_machine(now)
        if now.shape is not self._shape:
            self._shape = now.shape
            self._kinds = legend(now)
            self._explain()

    def _explain(self) -> None:
        lines = [f"{each}: {words}" for each, words in self._kinds]
        if self._shows is Shows.RATES:
            lines = [tr("Each way, in theory: what the narrowest wire could carry.")]
        last = self.table.last_column()
        if last:
            lines.append(tr("Scroll sideways to see the columns up to “{last}”.", last=last))
        self._legend.setText("\n".join(lines))

    def _on_shows_chosen(self, shows: Shows) -> None:
        self._shows = shows
        self._choice.show_choice(shows)
        self.table.show_as(shows)
        self._explain()
