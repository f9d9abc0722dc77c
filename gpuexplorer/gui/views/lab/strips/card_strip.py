"""CardStrip: one card's last minutes, with a flag for each line that had to do with it."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.strips.strip_drawing import (
    StripPlaces,
    draw_crosshair,
    draw_figures,
    draw_flags,
    draw_head,
    draw_plots,
    draw_times,
    label_place,
    strip_places,
)
from gpuexplorer.gui.views.lab.strips.strip_past import StripPast, strip_past
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.cards.card_face import CardFace
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.gui.wording.lab.strips.merged_flags import MergedFlag, Pole, merged_flags

TALL, LOW = 144, 72
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class CardStrip(Painted):
    """A click on a flag selects its line; so do the arrow keys, from flag to flag."""

    def __init__(
        self,
        look: Look,
        lab: LabState,
        time_window: TimeWindow,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self._lab, self._time_window = lab, time_window
        self._device: BenchDevice | None = None
        self._face: CardFace | None = None
        self._past: StripPast | None = None
        self._flags: Sequence[MergedFlag] = ()
        self._compact = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def device(self) -> BenchDevice | None:
        return self._device

    @property
    def flags(self) -> Sequence[MergedFlag]:
        """From left to right, as they stand below the plots."""
        return self._flags

    def flag_place(self, flag: MergedFlag) -> QRectF:
        return label_place(self._places(), flag)

    def show_compact(self, compact: bool) -> None:
        if compact is not self._compact:
            self._compact = compact
            self._past = None
            self.updateGeometry()
            self.update()

    def show_device(self, device: BenchDevice) -> None:
        """The newest of it; drawn anew only where something else would be seen."""
        shown = self._lab.machine.shown(device.card)
        if shown is None or device.card is None:
            return
        face = self._lab.machine.face(shown)
        area = self._places().plots[0]
        if area.width() < 16:
            return
        before = self._past if self._device == device else None
        total = face.memory.total_bytes or device.total_bytes
        past = strip_past(
            self._lab, self._time_window, device.card, area.width(), total, before
        )
        if (device, face, past) == (self._device, self._face, self._past):
            return
        fresh = past is not self._past
        self._device, self._face, self._past = device, face, past
        if fresh:
            self._merge()
        self._say(device, face)
        self.update()

    def show_selection(self) -> None:
        self.update()

    def draw(self, drawing: Drawing) -> None:
        drawing.tile(QRectF(self.rect()))
        if self._device is None or self._face is None:
            return
        places, compact = self._places(), self._compact
        colour = drawing.theme.card(self._device.colour)
        past = None if self._face.sentence and compact else self._past
        draw_plots(drawing, places, past, colour, self._lab.machine.settings.choices.units)
        draw_head(drawing, places, self._device, self._face, compact=compact)
        draw_figures(drawing, places, self._face, compact=compact)
        if self._past is not None:
            draw_times(drawing, places, self._past)
            chosen = self._lab.selection.line
            # Where there is one line of room, a sentence stands in the place of the plot.
            poles = not (compact and self._face.sentence)
            draw_flags(
                drawing,
                places,
                self._flags,
                chosen,
                poles=poles,
                focused=self.hasFocus(),
            )
            self._draw_crosshair(drawing, places, self._past)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()))

    def _draw_crosshair(self, drawing: Drawing, places: StripPlaces, past: StripPast) -> None:
        at = self._time_window.crosshair
        if at is not None:
            area = places.plots[0]
            draw_crosshair(drawing, places, past.x(at, area.left(), area.width()))

    def _places(self) -> StripPlaces:
        return strip_places(QRectF(self.rect()), compact=self._compact)

    def _merge(self) -> None:
        past, area = self._past, self._places().plots[0]
        if past is None:
            return
        poles = [
            Pole(
                each.line,
                each.number,
                past.x(each.at, area.left(), area.width()),
                each.failed,
                each.code,
            )
            for each in past.flags
        ]
        width_of = self.look.letters.badge.width
        self._flags = merged_flags(poles, width_of, area.left(), area.right())

    def _say(self, device: BenchDevice, face: CardFace) -> None:
        lines = ", ".join(flag.text for flag in self._flags)
        said = face.spoken_briefly
        if lines:
            said = f"{said} {tr('Lines: {lines}.', lines=lines)}"
        name = f"{device.name}, {face.title}"
        if name != self.accessibleName():
            self.setAccessibleName(name)
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def _flag_at(self, event: QMouseEvent) -> MergedFlag | None:
        places, at = self._places(), event.position()
        for flag in self._flags:
            if label_place(places, flag).adjusted(-1, -2, 1, 3).contains(at):
                return flag
        return None

    def _select(self, line: int) -> None:
        entry = self._lab.ledger.entry(line)
        there = self._lab.ledger.things.keys()
        placed = () if entry is None else [name for name in entry.placed if name in there]
        self._lab.selection.choose(line, placed)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        flag = self._flag_at(event)
        if flag is not None and event.button() is Qt.MouseButton.LeftButton:
            self._select(flag.next_line(self._lab.selection.line))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._flag_at(event) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)
        area, past = self._places().across, self._past
        if past is not None and area.contains(event.position()):
            share = (event.position().x() - area.left()) / area.width()
            self._time_window.point_at(past.start + share * (past.end - past.start))
        else:
            self._time_window.point_at(None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._time_window.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        lines = list(dict.fromkeys(pole.line for each in self._flags for pole in each.poles))
        if step is None or not lines:
            super().keyPressEvent(event)
            return
        chosen = self._lab.selection.line
        if chosen in lines:
            here = lines.index(chosen) + step
            self._select(lines[min(max(here, 0), len(lines) - 1)])
        else:
            self._select(lines[-1 if step < 0 else 0])

    def sizeHint(self) -> QSize:
        return QSize(420, LOW if self._compact else TALL)
