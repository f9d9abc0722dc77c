"""CardStrip: one card's last minutes, with a flag for each cell that had to do with it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.core.axes import moment_word
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.lab.strips.merged_flags import MergedFlag
from gpuexplorer.gui.lab.strips.strip_graph import StripGraph
from gpuexplorer.gui.lab.strips.strip_past import StripPast, strip_past
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.graph import ZOOM
from gpuexplorer.gui.plots.labels import TENTHS_UP_TO
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.line import fitting, spell, width_of, wordings
from gpuexplorer.gui.widgets.painted import Painted

TALL, LOW = 148, 94
_SIDE, _HEAD = 14, 20
_NAME = 92  # before the plot, where there is one line
_FIGURES, _BUSY, _BESIDE = 96, 44, 12  # beside the plots
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class CardStrip(Painted):
    """A click on a flag selects its cell; so do the arrow keys, from flag to flag. A drag
    looks back.
    """

    def __init__(
        self, lab: Lab, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._lab, self._time_window = lab, time_window
        self._device: BenchDevice | None = None
        self._face: CardFace | None = None
        self._past: StripPast | None = None
        # Where it was taken by a hand, and what was shown then.
        self._held: tuple[float, tuple[float, float]] | None = None
        self._around = QVBoxLayout(self)
        self._compact = True
        self.show_compact(compact=False)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def device(self) -> BenchDevice | None:
        return self._device

    @property
    def flags(self) -> Sequence[MergedFlag]:
        """From left to right, as they stand below the plots."""
        return () if self._device is None else self._graph.flags

    def flag_place(self, flag: MergedFlag) -> QRectF:
        return self._graph.flag_place(flag).translated(self._graph.pos())

    def show_compact(self, compact: bool) -> None:
        if compact is not self._compact:
            self._compact = compact
            self._past = None
            left, top = (_SIDE + _NAME - 18, 3) if compact else (_SIDE, _HEAD + 11)
            beside = _SIDE + _BESIDE + (_BUSY if compact else _FIGURES)
            self._around.setContentsMargins(left, top, beside, 4 if compact else 7)
            if self._device is not None:
                self._graph.show_compact(compact)
            self.updateGeometry()
            self.update()

    def show_device(self, device: BenchDevice) -> None:
        """The newest of it; drawn anew only where something else would be seen."""
        shown = self._lab.machine.shown(device.card)
        if shown is None or device.card is None or self._graph.area.width() < 16:
            return
        face = self._lab.machine.face(shown)
        before = self._past if self._device == device else None
        total = face.memory.total_bytes or device.total_bytes
        width = self._graph.area.width()
        past = strip_past(self._lab, self._time_window, device.card, width, total, before)
        if self._held is not None and self._past is not None and past is not before:
            # The scale stands while a hand drags.
            past = replace(past, reach=self._past.reach)
        if (device, face, past) == (self._device, self._face, self._past):
            return
        sentence = "" if self._face is None else self._face.sentence
        if past is not self._past or face.sentence != sentence:
            units = self._lab.machine.settings.choices.units
            sentence = face.sentence if self._compact else ""
            self._graph.show_past(past, device.colour, units, sentence)
        self._device, self._face, self._past = device, face, past
        self.show_selection()
        self._say(device, face)
        self.update()

    def show_selection(self) -> None:
        if self._device is not None:
            self._graph.show_chosen(self._chosen(), focused=self.hasFocus())

    def show_crosshair(self) -> None:
        if self._device is not None:
            window, at = self._time_window, self._time_window.crosshair
            word = ""
            if at is not None:
                start, end = window.stretch()
                tenths = end - start <= TENTHS_UP_TO
                word = moment_word(window.wall(at), window.wall(end), tenths=tenths)
            self._graph.point_at(at, word)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        drawing.tile(place)
        if self._device is not None and self._face is not None:
            top = 8 if self._compact else 10
            head = QRectF(_SIDE, top, self.width() - 2 * _SIDE, _HEAD)
            draw_head(drawing, head, self._device, self._face, compact=self._compact)
            graph = QRectF(self._graph.geometry())
            if not self._face.sentence:
                left, width = graph.right() + _BESIDE, _BUSY if self._compact else _FIGURES
                tops = [graph.top() + each - 4 for each in self._graph.tops]
                draw_figures(drawing, left, width, tops, self._face)
            elif self._compact:
                drawing.hint(graph, self._face.sentence)
        for flag in self.flags:
            lines = [
                tr("Cell {number}: {code}", number=pole.number, code=pole.code)
                for pole in flag.poles[:8]
            ]
            drawing.hint(self.flag_place(flag), "\n".join(lines))
        if self.hasFocus():
            drawing.focus_ring(place)

    @cached_property
    def _graph(self) -> StripGraph:
        """Made when its card is first shown: of many cards most are out of sight."""
        graph = StripGraph()
        graph.show_compact(self._compact)
        self._around.addWidget(graph)
        self._around.activate()
        return graph

    def _say(self, device: BenchDevice, face: CardFace) -> None:
        lines = ", ".join(flag.text for flag in self.flags)
        said = face.spoken_briefly
        if lines:
            said = paragraph([said, tr("Cells: {numbers}.", numbers=lines)])
        name = f"{device.name}, {face.title}"
        if name != self.accessibleName():
            self.setAccessibleName(name)
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def _flag_at(self, event: QMouseEvent) -> MergedFlag | None:
        at = event.position()
        for flag in self.flags:
            if self.flag_place(flag).adjusted(-1, -2, 1, 3).contains(at):
                return flag
        return None

    def _chosen(self) -> int | None:
        return self._lab.selection.cell_in(self._lab.ledger)

    def _select(self, command: int) -> None:
        cell = self._lab.ledger.cell(command)
        there = self._lab.ledger.things.keys()
        placed = () if cell is None else [name for name in cell.placed if name in there]
        self._lab.selection.choose(command, placed)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            flag = self._flag_at(event)
            if flag is not None:
                self._select(flag.next_cell(self._chosen()))
            elif self._past is not None and self._share(event) is not None:
                self._held = event.position().x(), self._time_window.stretch()
                self._point(None)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._drag(event.position().x(), *self._held)
            return
        over = self._flag_at(event) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)
        self._point(self._share(event))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            self._held = self._past = None  # its scale may follow what is seen again
            self._point(self._share(event))
        event.accept()

    def _point(self, share: float | None) -> None:
        start, end = self._time_window.stretch()
        self._time_window.point_at(None if share is None else start + share * (end - start))

    def _share(self, event: QMouseEvent | QWheelEvent) -> float | None:
        """Where it is in the plots, from their left edge; None beside them."""
        at = event.position()
        if self._device is None:
            return None
        area = self._graph.area.translated(self._graph.pos())
        return (at.x() - area.left()) / area.width() if area.contains(at) else None

    def _drag(self, x: float, held: float, stretch: tuple[float, float]) -> None:
        """To the right leads back in time."""
        if self._time_window.following and abs(x - held) < QApplication.startDragDistance():
            return
        start, end = stretch
        seconds = (x - held) / self._graph.area.width() * (end - start)
        self._time_window.look_at(start - seconds, end - seconds)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms; sideways it leads to other cards."""
        share, turned = self._share(event), event.angleDelta()
        if share is None or abs(turned.x()) >= abs(turned.y()):
            event.ignore()
            return
        self._time_window.zoom(ZOOM ** (-turned.y() / 120), share)
        self._point(share)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._time_window.point_at(None)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Whoever lets go of the button now does so over another screen.
        self._held = self._past = None

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.show_selection()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.show_selection()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        cells = list(dict.fromkeys(pole.key for each in self.flags for pole in each.poles))
        if step is None or not cells:
            super().keyPressEvent(event)
            return
        chosen = self._chosen()
        if chosen in cells:
            here = cells.index(chosen) + step
            self._select(cells[min(max(here, 0), len(cells) - 1)])
        else:
            self._select(cells[-1 if step < 0 else 0])

    def sizeHint(self) -> QSize:
        return QSize(420, LOW if self._compact else TALL)


def draw_head(
    drawing: Drawing, head: QRectF, device: BenchDevice, face: CardFace, *, compact: bool
) -> None:
    """A compact one has room for the name alone."""
    theme, letters = drawing.theme, drawing.letters
    fill = None if device.colour is None else theme.card(device.colour)
    wide = max(20.0, letters.badge.width(device.chip) + 10)
    drawing.chip(QRectF(head.left(), head.top(), wide, 20), device.chip, letters.badge, fill)
    baseline = head.center().y() + letters.strong.cap_height / 2
    name = Run(device.name, letters.strong, theme.text)
    right = drawing.text(head.left() + wide + 9, baseline, name)
    drawing.hint(QRectF(head.left(), head.top(), right - head.left(), 20), face.title)
    if compact:
        return
    if face.sentence:
        sentence = Run(face.sentence, letters.body, theme.faint)
        drawing.elided(right + 16, baseline, sentence, head.right() - right - 16)
    else:
        _draw_small_figures(drawing, head, right + 16, face.figures[:3])


def draw_figures(
    drawing: Drawing, left: float, width: float, tops: Sequence[float], face: CardFace
) -> None:
    """Beside each plot: what it shows, as it is now."""
    theme, letters = drawing.theme, drawing.letters
    caption = letters.caption
    figures = ((tr("Busy"), face.busy), (tr("Memory"), face.memory.figure))
    for (word, figure), top in zip(figures, tops, strict=False):
        drawing.text(left, top + caption.ascent, Run(word, caption, theme.quiet))
        baseline = top + caption.height + letters.body.ascent
        shown = fitting(wordings(figure, letters.strong, caption), width)
        spell(drawing, shown, left, baseline, left + width)
        place = QRectF(left, top + caption.height, width, letters.body.height)
        drawing.hint(place, figure.hint)


def _draw_small_figures(
    drawing: Drawing, head: QRectF, left: float, figures: Sequence[Figure]
) -> None:
    """As many of them as have room, from the right."""
    letters = drawing.letters
    right = head.right()
    baseline = head.center().y() + letters.strong.cap_height / 2
    for figure in reversed(figures):
        shown = fitting(wordings(figure, letters.body, letters.caption), 120)
        width = min(120, width_of(shown))
        if right - width < left:
            break
        begin = right - width
        spell(drawing, shown, begin, baseline, right)
        drawing.hint(QRectF(begin, head.top(), width, head.height()), figure.hint)
        right = begin - 24
