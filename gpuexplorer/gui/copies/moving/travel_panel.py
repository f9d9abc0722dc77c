"""TravelPanel: the machine with the copy that travels through it, slowed, and its figures."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.moving.figure_strip import FigureStrip
from gpuexplorer.gui.copies.moving.moved import Moved
from gpuexplorer.gui.copies.moving.moved_cells import NO_FIGURES, colour_of, figures_of
from gpuexplorer.gui.copies.moving.playback import Playback
from gpuexplorer.gui.copies.moving.travel_drawing import Flow, TravelDrawing
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Space, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState, scrolled
from gpuexplorer.gui.widgets.machine.layout import Hop, Part
from gpuexplorer.gui.widgets.machine.machine_faces import Face
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.telemetry.topology import MachineShape

_LEAST_HEIGHT = 180
_BESIDE = 60  # pixels above and below the block that stay in sight
_GAP, _HEIGHT, _MOST_NAME = 10, 32, 240


class TravelPanel(QFrame):
    """`playback` is the one clock of the block and the figures."""

    way_on_chosen = Signal()
    other_way_chosen = Signal()

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("The way of the copy"))
        self._moved: Moved | None = None
        self._flowing: Sequence[Flow] = ()
        self._flow: Flow | None = None
        self._way_awaited = False  # the driver had not told the wiring yet
        self.playback = Playback(clock, self)
        self.drawing = TravelDrawing()
        self.head = TravelHead()
        self._badge = QLabel()
        self._badge.setProperty("kind", "slowed")
        self._badge.setFont(look().letters.caption.font)
        self._badge.setToolTip(
            tr("Slowed down so that the eye can follow; the times shown are not.")
        )
        self._hold = IconButton(Icon.PAUSE)
        self._again = IconButton(Icon.REPEAT, tr("Show it again and again"))
        self._again.setCheckable(True)
        self._strip = FigureStrip()
        self._waiting = EmptyState(Icon.TOPOLOGY)
        self._waiting.way_on_chosen.connect(self.way_on_chosen)
        self._waiting.other_way_chosen.connect(self.other_way_chosen)
        self._inside = QWidget()
        self._inside.setProperty("panel", "clear")
        self._area = scrolled(self._inside)
        self._hold.clicked.connect(self.playback.toggle)
        self._again.toggled.connect(self.playback.repeat)
        self.playback.moved.connect(self._on_moved)
        self._lay_out()
        self.show_nothing()
        self.show_waiting("", "")

    def show_machine(self, shape: MachineShape, faces: Mapping[Part, Face]) -> None:
        self.drawing.show_machine(shape, faces)
        if not self._area.isVisibleTo(self):
            self._waiting.hide()
            self._area.show()

    def show_waiting(
        self, heading: str, more: str, way_on: str = "", other_way: str = ""
    ) -> None:
        """In the place of the drawing."""
        self._waiting.show_words(heading, more, way_on, other_way)
        self._area.hide()
        self._waiting.show()

    def show_nothing(self) -> None:
        """No line has copied anything yet."""
        self._moved, self._flow = None, None
        self._way_awaited = False
        self.head.show_copy("", "", (), tr("The way of a copy"))
        self._strip.show_figures(NO_FIGURES)
        self._strip.hide()
        self.playback.show(None, moving=False)
        self._light()

    def show_copy(
        self,
        moved: Moved,
        hops: tuple[Hop, ...],
        best: float | None,
        devices: Mapping[str, BenchDevice],
        *,
        travels: bool,
    ) -> None:
        """`best` is the highest rate on this way; `travels`: another copy than before, or the
        same once more.
        """
        flow = Flow(hops, colour_of(moved, devices), chosen=True)
        self._moved, self._flow = moved, flow
        row = moved.row
        source = chip_of(row.source, devices, row.card(row.source))
        ends = source, chip_of(row.target, devices, row.card(row.target))
        each = row.bytes / max(1, row.copies)
        size = bytes_words(each) + (f" {moved.times}" if moved.times else "")
        self.head.show_copy(moved.what, size, ends, _way_words(moved))
        self._strip.show_figures(figures_of(moved, best, devices))
        self._strip.show()
        self._light()
        came = self._way_awaited and bool(flow.hops)
        self._way_awaited = not flow.hops
        if travels or came:
            moving = look().motion and bool(flow.hops)
            self.playback.show(moved.each_seconds if flow.hops else None, moving=moving)

    def show_flowing(self, flows: Sequence[Flow]) -> None:
        """What else goes over the wires just now."""
        if flows != self._flowing:
            self._flowing = flows
            self._light()

    def _light(self) -> None:
        chosen = () if self._flow is None else (self._flow,)
        known = {flow.hops for flow in chosen}
        beside = [flow for flow in self._flowing if flow.hops not in known]
        self.drawing.show_flows((*beside, *chosen))
        self._on_moved()

    def _on_moved(self) -> None:
        playback = self.playback
        slowed, there = playback.slowed, self._moved is not None
        moves = slowed is not None and there
        still = not look().motion and not playback.playing and playback.share >= 1.0
        name = "" if self._moved is None else self._moved.what
        self.drawing.show_block(name, playback.share if moves and not still else None)
        self._bring_into_sight()
        self._strip.show_time(slowed if moves and not still else None, playback.share)
        words = "" if slowed is None or not there else slowed.words
        self._badge.setText(words)
        self._badge.setAccessibleName(words)
        self._badge.setVisible(moves)
        self._hold.setVisible(moves)
        self._again.setVisible(moves)
        if playback.playing:
            self._hold.show_meaning(Icon.PAUSE, tr("Pause the copy"))
        elif playback.share >= 1.0:
            self._hold.show_meaning(Icon.PLAY, tr("Show the copy again"))
        else:
            self._hold.show_meaning(Icon.PLAY, tr("Resume the copy"))

    def _bring_into_sight(self) -> None:
        """Of very many cards not all are seen at once."""
        inside, block = self._inside, self.drawing.block_place()
        if block.isEmpty():
            return
        if inside.height() > self._area.viewport().height() + 1:
            at = self.drawing.mapTo(inside, block.center())
            self._area.ensureVisible(at.x(), at.y(), 0, _BESIDE)

    def _lay_out(self) -> None:
        head = row(self.head, GROWS, self._hold, self._again, Space(6), self._badge, gap=2)
        column(FREE, self.drawing, FREE, self.drawing.below, within=self._inside)
        self._area.setMinimumHeight(_LEAST_HEIGHT)
        column(
            head,
            self._area,
            GROWS,
            self._waiting,
            GROWS,
            self._strip,
            within=self,
            gap=4,
            margins=(16, 8, 16, 6),
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.playback.resume()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.playback.rest()


def _way_words(moved: Moved) -> str:
    row = moved.row
    if row.already_there:
        return tr("already there: nothing was copied")
    if row.direct is False:
        return tr("no direct path: staged")
    if row.pinned is False and not row.small and row.source == "cpu":
        return tr("{way}, from pageable memory", way=row.path)
    return tr(row.path)


class TravelHead(QWidget):
    """In one row; the words at its end are cut off where there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._what = label("", look().letters.title)
        self._size = label("", look().letters.body, Tone.QUIET)
        self._ends = ChipRow(arrows=True)
        self._words = ElidedLabel(look().letters.body, Tone.QUIET)
        row(self._what, self._size, self._ends, self._words, GROWS, within=self, gap=_GAP)
        self._title = look().letters.title
        self.setFixedHeight(_HEIGHT)

    def show_copy(self, what: str, size: str, ends: Sequence[Chip], words: str) -> None:
        """Where nothing was copied, the words are the title."""
        self._what.setText(self._title.elided(what, _MOST_NAME) if what else words)
        self._size.setText(size)
        self._ends.show_chips(ends)
        self._words.show_text(words if what else "")
        way = ""
        if ends:
            way = tr("{source} to {target}", source=ends[0].text, target=ends[-1].text)
        self.setAccessibleName(", ".join(part for part in (what, size, way, words) if part))
