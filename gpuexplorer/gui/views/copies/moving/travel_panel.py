"""TravelPanel: the machine with the copy that travels through it, slowed, and its figures."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, THIN_SPACE, Drawing, Run
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.figure_strip import FigureStrip
from gpuexplorer.gui.views.copies.moving.playback import Playback
from gpuexplorer.gui.views.copies.moving.travel_drawing import Flow, TravelDrawing
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.empty_state import EmptyState
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.copies.moving.cells import (
    NO_FIGURES,
    chip_of,
    colour_of,
    figures_of,
)
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.machine.machine_face import Face
from gpuexplorer.gui.wording.machine.machine_things import Thing
from gpuexplorer.telemetry.machine_shape import MachineShape

_LEAST_HEIGHT = 180
_BESIDE = 60  # pixels above and below the block that stay in sight
_AROUND = 150  # what stands above and below the drawing, in pixels
_CHIP, _GAP, _ARROW = 20.0, 10.0, 16.0
_HEIGHT = 32


class TravelPanel(QFrame):
    """`playback` is the one clock of the block and the figures."""

    def __init__(self, look: Look, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("The way of the copy"))
        self._look = look
        self._moved: Moved | None = None
        self._flowing: Sequence[Flow] = ()
        self._flow: Flow | None = None
        self._way_awaited = False  # the driver had not told the wiring yet
        self.playback = Playback(clock, self)
        self.drawing = TravelDrawing(look)
        self.head = TravelHead(look)
        self._badge = _Badge(look)
        self._hold = IconButton(look, Icon.PAUSE)
        self._again = IconButton(look, Icon.REPEAT)
        self._again.setCheckable(True)
        self._again.show_meaning(Icon.REPEAT, tr("Show it again and again"))
        self._strip = FigureStrip(look)
        self._waiting = EmptyState(look, Icon.TOPOLOGY)
        self._inside = QWidget()
        self._inside.setProperty("panel", "clear")
        self._area = scrolled(self._inside)
        self._hold.clicked.connect(self.playback.toggle)
        self._again.toggled.connect(self.playback.repeat)
        self.playback.moved.connect(self._on_moved)
        self._lay_out()
        self.show_nothing()
        self.show_waiting("", "")

    def show_machine(self, shape: MachineShape, faces: Mapping[Thing, Face]) -> None:
        self.drawing.show_machine(shape, faces)
        if not self._area.isVisibleTo(self):
            self._waiting.hide()
            self._area.show()

    def show_waiting(self, heading: str, more: str) -> None:
        """In the place of the drawing."""
        self._waiting.show_words(heading, more)
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
        flow: Flow,
        devices: Mapping[str, BenchDevice],
        *,
        travels: bool,
    ) -> None:
        """`travels`: another copy than before, or the same once more."""
        self._moved, self._flow = moved, flow
        row = moved.row
        ends = chip_of(row.source, devices), chip_of(row.target, devices)
        each = row.bytes / max(1, row.copies)
        size = bytes_words(each) + (f" {moved.times}" if moved.times else "")
        self.head.show_copy(moved.what, size, ends, _way_words(moved))
        self._strip.show_figures(figures_of(moved, devices))
        self._strip.show()
        self._light()
        came = self._way_awaited and bool(flow.hops)
        self._way_awaited = not flow.hops
        if travels or came:
            moving = self._look.motion and bool(flow.hops)
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
        still = not self._look.motion and not playback.playing and playback.share >= 1.0
        name = "" if self._moved is None else self._moved.what
        self.drawing.show_block(name, playback.share if moves and not still else None)
        self._bring_into_sight()
        self._strip.show_time(slowed if moves and not still else None, playback.share)
        self._badge.show_words("" if slowed is None or not there else slowed.words)
        self._badge.setVisible(moves)
        self._hold.setVisible(moves)
        self._again.setVisible(moves)
        if playback.playing:
            self._hold.show_meaning(Icon.PAUSE, tr("Hold the copy where it is"))
        elif playback.share >= 1.0:
            self._hold.show_meaning(Icon.PLAY, tr("Show the copy again"))
        else:
            self._hold.show_meaning(Icon.PLAY, tr("Let the copy go on"))

    def _bring_into_sight(self) -> None:
        """Of very many cards not all are seen at once."""
        inside, block = self._inside, self.drawing.block_place()
        if block.isEmpty():
            return
        if inside.height() > self._area.viewport().height() + 1:
            at = self.drawing.mapTo(inside, block.center())
            self._area.ensureVisible(at.x(), at.y(), 0, _BESIDE)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.head, 1)
        row.addWidget(self._hold)
        row.addWidget(self._again)
        row.addSpacing(6)
        row.addWidget(self._badge)
        middle = QVBoxLayout(self._inside)
        middle.setContentsMargins(0, 0, 0, 0)
        middle.addStretch(1)
        middle.addWidget(self.drawing)
        middle.addStretch(1)
        self._area.setMinimumHeight(_LEAST_HEIGHT)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 16, 6)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._area, 1)
        column.addWidget(self._waiting, 1)
        column.addWidget(self._strip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.drawing.show_room(event.size().height() - _AROUND)
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.playback.resume()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.playback.rest()


def flow_of(
    moved: Moved, hops: tuple[tuple[Thing, Thing], ...], devices: Mapping[str, BenchDevice]
) -> Flow:
    return Flow(hops, colour_of(moved, devices), chosen=True)


def _way_words(moved: Moved) -> str:
    row = moved.row
    if row.already_there:
        return tr("already there: nothing was copied")
    if row.transfer.direct is False:
        return tr("no direct path: staged")
    if row.transfer.pinned is False and not row.small and row.source == "cpu":
        return tr("{way}, from pageable memory", way=row.path)
    return tr(row.path)


class _Badge(Painted):
    """How much slower than it was."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_words(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.setToolTip(
                tr("Slowed so that an eye can follow; the times are what they were.")
            )
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        place = QRectF(self.rect())
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(theme.track)
        drawing.painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        run = Run(self._words, letters, theme.text)
        drawing.text(8, place.center().y() + letters.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        return QSize(round(self.look.letters.caption.width(self._words)) + 16, 20)


class TravelHead(Painted):
    """In one row; the words at its end are cut off where there is no room."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._what, self._size, self._words = "", "", ""
        self._ends: tuple[Chip, Chip] | tuple[()] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)

    def show_copy(
        self, what: str, size: str, ends: tuple[Chip, Chip] | tuple[()], words: str
    ) -> None:
        shown = (what, size, ends, words)
        if shown != (self._what, self._size, self._ends, self._words):
            self._what, self._size, self._ends, self._words = shown
            way = ""
            if ends:
                way = tr("{source} to {target}", source=ends[0].text, target=ends[-1].text)
            said = (part for part in (what, size, way, words) if part)
            self.setAccessibleName(", ".join(said))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        middle = self.height() / 2
        right = float(self.width())
        if not self._what:
            baseline = middle + letters.title.cap_height / 2
            drawing.elided(0, baseline, Run(self._words, letters.title, theme.text), right)
            return
        baseline = middle + letters.title.cap_height / 2
        name = Run(letters.title.elided(self._what, right * 0.45), letters.title, theme.text)
        x = drawing.text(0, baseline, name) + _GAP
        number, _, unit = self._size.partition(" ")
        if number:
            size = Run(number, letters.body, theme.quiet)
            small = Run(f"{THIN_SPACE}{unit}", letters.caption, theme.quiet)
            x = drawing.runs(x, middle + letters.body.cap_height / 2, [size, small]) + _GAP + 4
        for at, chip in enumerate(self._ends):
            if at:
                arrow = QRectF(x, middle - _ARROW / 2, _ARROW, _ARROW)
                drawing.icon(Icon.ARROW, arrow, theme.quiet)
                x += _ARROW + 5
            width = max(_CHIP, letters.strong.width(chip.text) + 10)
            fill = None if chip.colour is None else theme.card(chip.colour)
            place = QRectF(x, middle - _CHIP / 2, width, _CHIP)
            drawing.chip(place, chip.text, letters.strong, fill)
            x += width + 5
        x += _GAP - 2
        words = Run(self._words, letters.body, theme.quiet)
        drawing.elided(x, middle + letters.body.cap_height / 2, words, right - x)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)
