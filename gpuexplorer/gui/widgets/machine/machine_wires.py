"""The wires of a drawn machine: lanes as wide as they are fast, as bright as they are used."""

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import mixed
from gpuexplorer.gui.widgets.machine.machine_boxes import fitting
from gpuexplorer.gui.widgets.machine.machine_columns import MachineForm
from gpuexplorer.gui.widgets.machine.machine_face import WireFace
from gpuexplorer.gui.widgets.machine.machine_layout import Wire
from gpuexplorer.gui.widgets.machine.machine_things import OfLink, OfSockets, OfSpoke

_IDLE, _CHOSEN = 0.26, 0.12
_DASH, _WIDE = 3.0, 10.0
_WIDE_WORDS = 104.0  # from here on the largest form has room for larger letters
AROUND = 3.0  # what is drawn beside the lanes of a chosen wire

_Line = Sequence[Run]


def draw_lanes(drawing: Drawing, wire: Wire, face: WireFace, *, chosen: bool) -> None:
    theme, painter = drawing.theme, drawing.painter
    if chosen:
        # Not a veil: where a wire has corners its strips cover each other.
        ground = mixed(theme.surface, theme.text, _CHOSEN)
        for strip in (*wire.lanes.forth, *wire.lanes.back):
            painter.fillRect(strip.adjusted(-AROUND, -AROUND, AROUND, AROUND), ground)
    idle = mixed(theme.surface, theme.quiet, _IDLE)
    for strips, lane in ((wire.lanes.forth, face.forth), (wire.lanes.back, face.back)):
        colour = mixed(idle, theme.card(lane.colour), lane.lit) if lane.lit else idle
        for strip in strips:
            if face.dark:
                _draw_dark(drawing, strip, idle)
            else:
                painter.fillRect(strip, colour)


def draw_wire_words(drawing: Drawing, wire: Wire, face: WireFace, form: MachineForm) -> None:
    letters, room = drawing.letters.caption, wire.after
    if form is MachineForm.LARGE and room.width() >= _WIDE_WORDS:
        letters = drawing.letters.body
    middle, left, right = 0.5, 0.0, 1.0
    if isinstance(wire.thing, OfSockets):
        _draw_lines(drawing, room, [[Run(face.kind[0], letters, drawing.theme.quiet)]], middle)
    elif isinstance(wire.thing, OfSpoke):
        lines = _traffic(drawing, letters, face, room.width(), unit=False)
        _draw_lines(drawing, room, lines, middle)
    elif isinstance(wire.thing, OfLink) and not wire.thing.to_host:
        _draw_lines(drawing, room, _bridge(drawing, letters, face, room.width()), middle)
    elif not wire.before.isEmpty():
        lines = _kind(drawing, letters, face, wire.before.width())
        _draw_lines(drawing, wire.before, lines, right)
        _draw_lines(
            drawing, room, _traffic(drawing, letters, face, room.width(), unit=True), left
        )
    else:
        lines = _kind(drawing, letters, face, room.width()) if face.rate else []
        lines += _traffic(drawing, letters, face, room.width(), unit=False)
        _draw_lines(drawing, room, lines, left)


def _kind(drawing: Drawing, letters: Lettering, face: WireFace, width: float) -> list[_Line]:
    theme = drawing.theme
    lines: list[_Line] = []
    if face.kind:
        kind = fitting(face.kind, letters, width)
        lines.append([Run(kind, letters, theme.tone(face.tone))])
    if face.rate:
        rates = (tr("{rate} each way", rate=face.rate[0]), *face.rate)
        lines.append([Run(fitting(rates, letters, width), letters, theme.quiet)])
    return lines


def _traffic(
    drawing: Drawing, letters: Lettering, face: WireFace, width: float, *, unit: bool
) -> list[_Line]:
    """ "in 3.12" and "out 0.41", with the unit where there is room for it anyway."""
    theme = drawing.theme
    lines: list[_Line] = []
    for lane in (face.back, face.forth):
        if lane.figure:
            line = [
                Run(f"{lane.word} ", letters, theme.quiet),
                Run(lane.figure, letters, theme.text),
            ]
            end = Run(" GB/s", letters, theme.quiet)
            if unit and sum(run.width for run in line) + end.width <= width:
                line.append(end)
            lines.append(line)
    reason = "" if lines else fitting(face.absent, letters, width)
    return [[Run(reason, letters, theme.faint)]] if reason else lines


def _bridge(drawing: Drawing, letters: Lettering, face: WireFace, width: float) -> list[_Line]:
    """What it is in one line, and what it carries in another, where there is room."""
    space = Run("  ", letters, drawing.theme.quiet)
    lines: list[_Line] = []
    traffic = _traffic(drawing, letters, face, width, unit=True)[::-1]
    for each in (_kind(drawing, letters, face, width), traffic):
        joined = [run for line in each for run in (space, *line)][1:]
        fits = sum(run.width for run in joined) <= width
        lines += [joined] if fits and joined else each
    return lines


def _draw_lines(drawing: Drawing, room: QRectF, lines: Sequence[_Line], share: float) -> None:
    """In the middle of the room from top to bottom; of what is left, this share before them."""
    if not lines or room.isEmpty():
        return
    letters = lines[0][0].letters
    height = letters.height + 1
    top = room.center().y() - height * len(lines) / 2
    baseline = float(round(top + (height + letters.cap_height) / 2))
    for line in lines:
        spare = room.width() - sum(run.width for run in line)
        drawing.runs(room.left() + spare * share, baseline, line)
        baseline += height


def _draw_dark(drawing: Drawing, strip: QRectF, colour: QColor) -> None:
    """Dashes: of a wide lane only its edges, since so many would be a pattern."""
    upright = strip.height() >= strip.width()
    across = strip.width() if upright else strip.height()
    thick = across if across < _WIDE else 1.0
    pen = QPen(colour, thick, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
    pen.setDashPattern((_DASH / thick, _DASH / thick))
    drawing.painter.setPen(pen)
    for at in {thick / 2, across - thick / 2}:
        line = QLineF(strip.left() + at, strip.top(), strip.left() + at, strip.bottom())
        if not upright:
            line = QLineF(strip.left(), strip.top() + at, strip.right(), strip.top() + at)
        drawing.painter.drawLine(line)
